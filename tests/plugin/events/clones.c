/* SPDX-License-Identifier: MIT */
/*
 * Several copies of one function that are active at once: clones for constant or dropped arguments, inlined copies, originals that
 * recurse no more. Where a call pushes nothing (aarch64), leaves among them must not have their caller's stack pointer.
 */
#include "events.h"

#define BARRIER(X) __asm__ volatile("" : "+r"(X))

/* cold, so that nothing is inlined: the call with 0 is to a clone that is a leaf */
__attribute__ ((noinline)) static int constant (int n, int kind)
{
	I (constant)
	if (kind == 0) {
		BARRIER (n);
		return n;
	}
	n += constant (n, 0);
	BARRIER (n);
	return n;
}

/* each clone calls the next one */
__attribute__ ((noinline)) static int countdown (int n, int left)
{
	I (countdown)
	if (left > 0)
		n += countdown (n, left - 1);
	BARRIER (n);
	return n;
}

/* main has a copy; what is left is only called with what ends the recursion */
static inline int ranged (int n)
{
	I (ranged)
	if (n > 5)
		n = ranged (n & 3) + 1;
	BARRIER (n);
	return n;
}

/* the one in the middle gives its frame up before it goes on with a clone of the first */
static int last (int n, int kind);

__attribute__ ((noinline)) static int middle (int n)
{
	BARRIER (n);
	return last (n + 1, 0);
}

__attribute__ ((noinline)) static int last (int n, int kind)
{
	I (last)
	if (kind)
		n = middle (n);
	BARRIER (n);
	return n;
}

/* arguments that nothing uses are dropped, and what they point to is passed by value */
struct pair {
	int used, unused;
};

__attribute__ ((noinline)) static int by_value (const struct pair *p, int unused, int deep)
{
	int n = p->used;
	I (by_value)
	if (deep) {
		struct pair next = {n + 1, unused};
		n += by_value (&next, unused + 1, 0);
	}
	BARRIER (n);
	return n;
}

/* without markers of its own, but with a copy of one that calls it */
__attribute__ ((noinline)) static int carrier (int n, int kind);

static inline __attribute__ ((always_inline)) int carried (int n, int kind)
{
	I (carried)
	if (kind)
		n = carrier (n, 0);
	BARRIER (n);
	return n;
}

static int carrier (int n, int kind)
{
	return carried (n + 1, kind);
}

int main (void)
{
	struct pair p = {opaque (1), opaque (2)};
	int sum = constant (opaque (1), 1) + countdown (opaque (1), 3) + ranged (opaque (9)) + ranged (opaque (8)) +
		  last (opaque (1), 1) + by_value (&p, opaque (4), 1) + carrier (opaque (3), 1);
	return sum == 123456;
}
