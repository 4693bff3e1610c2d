/* SPDX-License-Identifier: MIT */
/*
 * nfa_kernel.c: a search of an automaton without determinism, depth first, for
 * ((a | c)* b c d) | (a* b c): small functions that call themselves, which is where counting each
 * call costs most. nfa.c has it three times: as it is, with a point in each function, with an
 * interval around each.
 *
 * NFA: the function's name.
 */
#include <stddef.h>

const char *NFA (const char *text);

/* b c d */
static const char *state2 (const char *text)
{
	return text[0] == 'b' && text[1] == 'c' && text[2] == 'd' ? text + 3 : NULL;
}

/* (a | c)* b c d */
static const char *state1 (const char *text)
{
	const char *end = *text == 'a' || *text == 'c' ? state1 (text + 1) : NULL;

	return end ? end : state2 (text);
}

/* b c */
static const char *state4 (const char *text)
{
	return text[0] == 'b' && text[1] == 'c' ? text + 2 : NULL;
}

/* a* b c */
static const char *state3 (const char *text)
{
	const char *end = *text == 'a' ? state3 (text + 1) : NULL;

	return end ? end : state4 (text);
}

const char *NFA (const char *text)
{
	const char *end = state1 (text);

	return end ? end : state3 (text);
}
