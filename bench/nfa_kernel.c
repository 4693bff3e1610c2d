/* SPDX-License-Identifier: MIT */
/*
 * nfa_kernel.c: a search of an automaton without determinism, depth first, for
 * ((a | c)* b c d) | (a* b c): small functions that call themselves, which is where counting each
 * call costs most. nfa.c has it five times: as it is; with a point in each function, with an
 * interval around each; and with the least that such exactness takes, written by hand: a counter of
 * the thread's own in each function (COUNTED), two readings of the clock around each (TIMED).
 *
 * NFA: the function's name.
 */
#include <stddef.h>
#include <stdint.h>

const char *NFA (const char *text);

enum { STATE1, STATE2, STATE3, STATE4, STATES };

#if defined COUNTED || defined TIMED
static _Thread_local uint64_t spent[STATES];

/* Another thread may read it, so the compiler makes no sum of a loop's. */
static inline void add (int state, uint64_t n)
{
	__atomic_store_n (&spent[state], __atomic_load_n (&spent[state], __ATOMIC_RELAXED) + n,
			  __ATOMIC_RELAXED);
}
#endif

#if defined TIMED
struct timed {
	uint64_t begin;
	int state;
};

static inline void leave (const struct timed *timed)
{
	add (timed->state, __builtin_ia32_rdtsc () - timed->begin);
}

#define ENTER(state)                                                                               \
	__attribute__ ((cleanup (leave), unused)) struct timed timed = {__builtin_ia32_rdtsc (),   \
									state}
#elif defined COUNTED
#define ENTER(state) add (state, 1)
#else
#define ENTER(state) (void) (state)
#endif

/* b c d */
static const char *state2 (const char *text)
{
	ENTER (STATE2);
	return text[0] == 'b' && text[1] == 'c' && text[2] == 'd' ? text + 3 : NULL;
}

/* (a | c)* b c d */
static const char *state1 (const char *text)
{
	ENTER (STATE1);
	const char *end = *text == 'a' || *text == 'c' ? state1 (text + 1) : NULL;

	return end ? end : state2 (text);
}

/* b c */
static const char *state4 (const char *text)
{
	ENTER (STATE4);
	return text[0] == 'b' && text[1] == 'c' ? text + 2 : NULL;
}

/* a* b c */
static const char *state3 (const char *text)
{
	ENTER (STATE3);
	const char *end = *text == 'a' ? state3 (text + 1) : NULL;

	return end ? end : state4 (text);
}

const char *NFA (const char *text)
{
	const char *end = state1 (text);

	return end ? end : state3 (text);
}
