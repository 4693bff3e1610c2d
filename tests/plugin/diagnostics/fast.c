/* flags: -O2 */
/* What is wrong with functions that are PP_FAST. */
#include <pp.h>

struct queue {
	int64_t length;
	int64_t (*count) (void);
};
struct queue queue;
volatile double rate;

int64_t elsewhere (void);
PP_FAST int64_t elsewhere_fast (void);
static inline int64_t doubled (int64_t x)
{
	return 2 * x;
}
PP_FAST static inline int64_t doubled_fast (int64_t x)
{
	return 2 * x;
}

PP_FAST int64_t good (void)
{
	return doubled_fast (queue.length) + __atomic_load_n (&queue.length, __ATOMIC_RELAXED) + elsewhere_fast ();
}

PP_FAST int64_t calls (void)
{
	return elsewhere () + 1;
}

PP_FAST int64_t inlines (void)
{
	return doubled (queue.length);
}

PP_FAST int64_t through_pointer (void)
{
	return queue.count () + 1;
}

PP_FAST int64_t of_a_library (void)
{
	return __builtin_popcountll ((unsigned long long) queue.length) + 1;
}

__attribute__ ((pp_fast)) int64_t half (void)
{
	return 1;
}
/*
expect: 30:16: error: 'calls' is 'PP_FAST' and calls 'elsewhere', which is not
expect: 12:9: note: declared here; mark it 'PP_FAST' too if it needs general registers only
expect: 35:16: error: 'inlines' is 'PP_FAST' and calls 'doubled', which is not
expect: 14:23: note: declared here; mark it 'PP_FAST' too if it needs general registers only
expect: 40:16: error: 'through_pointer' is 'PP_FAST' and calls through a pointer, which may be any function
expect: 45:16: error: 'of_a_library' is 'PP_FAST' and calls '__popcountdi2', which is not
expect: 48:35: error: 'half' is 'PP_FAST' and was not compiled for general registers only: pp_fast goes with target ("general-regs-only")
*/
