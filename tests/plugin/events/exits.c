/* SPDX-License-Identifier: MIT */
/* Unusual ways out of intervals, and unusual places of markers. */
#include "events.h"

#include <setjmp.h>

#if defined __x86_64__
#define JUMP_IF_ZERO "test %0,%0; jz %l1"
#elif defined __aarch64__
#define JUMP_IF_ZERO "cbz %w0,%l1"
#endif

static int g;

__attribute__ ((noipa)) static int target (int x)
{
	return x + 1;
}

/* "cleanup" doesn't know this way out, so the events without the plugin are written by hand */
__attribute__ ((noipa)) static int returns_built_in (int x)
{
#ifdef __PPGCC__
	I (outer)
	{
		I (inner)
		void *result = __builtin_apply ((void (*) ()) target, __builtin_apply_args (), 64);
		__builtin_return (result);
	}
#else
	printf ("B outer\nB inner\nE inner\nE outer\n");
	return target (x);
#endif
}

__attribute__ ((noipa)) static int labels (int x)
{
	if (x)
		goto there;
	g++;
there:;
	I (labelled)
	switch (x) {
	case 1:
		P (in_case)
		break;
	default:
		P (by_default)
	}
	return g;
}

__attribute__ ((noipa)) static int stays (int x)
{
	I (with_asm_goto)
	asm goto(JUMP_IF_ZERO : : "r"(x) : "cc" : zero);
	P (not_zero)
	return 1;
zero:
	P (is_zero)
	return 0;
}

__attribute__ ((noipa)) static int unreachable (int x)
{
	I (around)
	switch (x & 1) {
	case 0:
		P (even)
		return 0;
	case 1:
		P (odd)
		return 1;
	}
	__builtin_unreachable ();
}

static jmp_buf place;

__attribute__ ((noipa)) static int jumps_back (int n)
{
	volatile int count = 0;
	int from = RETURNING (setjmp, place);
	I (after_setjmp)
	V (from_value, from)
	if (++count <= n) {
		/* the end runs before the jump, in both */
		goto again;
	}
	return count;
again : {
	I (in_again)
	P (again)
}
	return -count;
}

__attribute__ ((noipa)) static int tail (int x)
{
	I (before_call)
	return target (x);
}

/* "cleanup" doesn't know this way out either; the goto is the first statement of its block */
__attribute__ ((noipa)) static int goes_first (int x)
{
	void *const to[] = {&&a, &&b};
	void *where = to[x & 1];
#ifdef __PPGCC__
	{
		I (around_goto)
		goto *where;
	}
#else
	printf ("B around_goto\nE around_goto\n");
	goto *where;
#endif
a:
	P (at_a)
	return 1;
b:
	P (at_b)
	return 2;
}

static int nested (int x)
{
	int inner (int y)
	{
		I (in_nested)
		return y + x;
	}
	I (in_outer)
	return inner (x) + inner (1);
}

int main (void)
{
	V (value, returns_built_in (opaque (4)))
	labels (opaque (0));
	labels (opaque (1));
	stays (opaque (0));
	stays (opaque (3));
	unreachable (opaque (2));
	unreachable (opaque (3));
	jumps_back (opaque (1));
	tail (opaque (3));
	goes_first (opaque (0));
	goes_first (opaque (1));
	nested (opaque (3));
	return 0;
}
