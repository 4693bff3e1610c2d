/* SPDX-License-Identifier: MIT */
/*
 * inlining.c: functions that the compiler inlines into themselves and into each other: many copies
 * of one site in one frame of the stack. Each activation is told apart all the same.
 */
#include "check.h"

#include <setjmp.h>

int64_t begin_token (void);
int64_t end_token (const int64_t *begin);

/* clang-format off */
#pragma pp metric tokens  interval stats(begin_token, end_token)
#pragma pp metric times   interval stats(elapsed)
#pragma pp metric leaves  interval sumcount(elapsed)
/* clang-format on */

static __thread volatile long sink;
static long given, open_now[100000], depth, wrong;

int64_t begin_token (void)
{
	open_now[depth++] = ++given;
	return given;
}

/* Intervals nest: the end must get what the newest open begin returned. */
int64_t end_token (const int64_t *begin)
{
	wrong += open_now[--depth] != *begin;
	return 1;
}

/* not noipa: it may be inlined into itself */
static inline long tree (int n)
{
#pragma pp interval tree(tokens, times)
	if (n <= 0)
		return 1;
	return tree (n - 1) + tree (n - 2) + sink;
}

static inline int odd (int n);

static inline int even (int n)
{
#pragma pp interval even(tokens)
	return n ? odd (n - 1) : 1;
}

static inline int odd (int n)
{
#pragma pp interval odd(tokens)
	return n ? even (n - 1) : 0;
}

static inline __attribute__ ((always_inline)) void leaf (int n)
{
#pragma pp interval leaf(leaves)
	sink += n;
}

NOIPA static void many_leaves (int n)
{
	leaf (n);
	for (int i = 0; i < 4; i++)
		leaf (i);
	if (n & 1)
		leaf (1);
	else
		leaf (2);
}

/* calls of itself in tail position, with and without an interval around */
static long sum_to (long n, long sum)
{
	if (!n)
		return sum;
	{
#pragma pp interval step(leaves)
		sink++;
	}
	return sum_to (n - 1, sum + n);
}

static jmp_buf back;

static inline void jump_from (int n)
{
#pragma pp interval jump_from(times)
	if (n == 0)
		longjmp (back, 1);
	jump_from (n - 1);
	sink++;
}

NOIPA static int jump (int n)
{
	if (setjmp (back))
		return 1;
	jump_from (n);
	return 0;
}

static long calls_of_tree (int n)
{
	return n <= 0 ? 1 : 1 + calls_of_tree (n - 1) + calls_of_tree (n - 2);
}

int main (void)
{
	double jumped = 0, leaf_runs = 0;
	volatile int n = 18;

	forget_drops ();
	tree (n);
	same (pp_count (times), (double) calls_of_tree (n),
	      "a function inlined into itself is measured once per call");
	same (pp_count (tokens), (double) calls_of_tree (n),
	      "with functions of the user's own too");
	same ((double) wrong, 0, "each end gets the begin of its own activation");
	pp_reset (NULL);
	even (n);
	odd (n);
	same (pp_count (tokens), 2 * 19, "functions inlined into each other are measured");
	same ((double) wrong, 0, "and told apart");
	pp_reset (NULL);
	for (int i = 0; i < 1000; i++) {
		many_leaves (i);
		leaf_runs += 6;
	}
	same (pp_count (leaves), leaf_runs,
	      "every copy of an inlined interval belongs to its site");
	pp_reset (NULL);
	sum_to (5000, 0);
	same (pp_count (leaves), 5000, "an interval beside a tail call is measured each time");
	same (newly_dropped_in_all (), 0, "and nothing is dropped");
	for (int i = 0; i < 2000; i++) {
		jump (i % 9);
		jumped += i % 9 + 1;
	}
	leaf (1);
	tree (1);
	same (newly_dropped (PP_DROP_LONGJMP), jumped,
	      "longjmps out of inlined recursion are counted to the unit");
	pp_reset (NULL);
	tree (n);
	same (pp_count (times), (double) calls_of_tree (n), "and leave nothing behind");
	same ((double) wrong, 0, "that an end could take for its begin");
	return checked ();
}
