/* SPDX-License-Identifier: MIT */
/* The constructs of C: functions and loops that the optimiser likes to take apart; see matrix.h. */
#include "matrix.h"

#include <stdlib.h>

/* in both units */
static inline __attribute__ ((always_inline)) int always (int x)
{
	I (always)
	return opaque (x) + 1;
}

static inline int shared (int x)
{
	I (shared)
	P (shared_point)
	return opaque (x) * 2;
}

/* construct: recursion c++ */
__attribute__ ((noinline)) static int recursive (int n)
{
	I (recursive)
	if (n == 0)
		return 0;
	P (down)
	int r = recursive (n - 1) + 1;
	P (up)
	return r;
}

CONSTRUCT (recursion)
{
	return recursive (opaque (5));
}

/* construct: mutual_recursion c++ */
static int odd (int n);
static int even (int n)
{
	I (even)
	return n == 0 ? 1 : odd (n - 1);
}
static int odd (int n)
{
	I (odd)
	return n == 0 ? 0 : even (n - 1);
}

CONSTRUCT (mutual_recursion)
{
	return even (opaque (7)) * 10 + odd (opaque (6));
}

/* construct: tail_recursion c++ */
static int tail_sum (int n, int s)
{
	{
		I (tail_part)
		s += opaque (n);
	}
	if (n == 0)
		return s;
	return tail_sum (n - 1, s);
}

CONSTRUCT (tail_recursion)
{
	return tail_sum (6, 0);
}

/* construct: tail_call c++ */
__attribute__ ((noinline)) static int called_last (int n)
{
	I (called_last)
	return opaque (n);
}

__attribute__ ((noinline)) static int calls_last (int n)
{
	{
		I (before_last)
		n += opaque (1);
	}
	P (last)
	return called_last (n);
}

CONSTRUCT (tail_call)
{
	return calls_last (3);
}

/* construct: inlined c++ */
CONSTRUCT (inlined)
{
	I (inlining)
	return always (1) + shared (2) + always (shared (3));
}

/* construct: inlined_recursively c++ */
static inline int fib (int n)
{
	I (fib)
	return n < 2 ? n : fib (n - 1) + fib (n - 2);
}

CONSTRUCT (inlined_recursively)
{
	return fib (opaque (5));
}

/* construct: flattened c++ */
static int leaf_function (int n)
{
	I (leaf_function)
	return n * 3;
}

__attribute__ ((flatten, noinline)) static int flattened (int n)
{
	I (flattened)
	return leaf_function (n) + leaf_function (n + 1);
}

CONSTRUCT (flattened)
{
	return flattened (opaque (2));
}

/* construct: cloned c++ */
__attribute__ ((noinline)) static int cloned (int n, int mode)
{
	I (cloned)
	if (mode == 1) {
		P (mode_one)
		return opaque (n) + 1;
	}
	P (mode_other)
	return opaque (n) + mode;
}

CONSTRUCT (cloned)
{
	return cloned (opaque (1), 1) + cloned (opaque (1), 2) + cloned (opaque (2), 2);
}

/* construct: multiversioned */
/*
 * the loader chooses before ThreadSanitizer is there, which it does not survive; in large code the
 * linker can't do it
 */
#if !defined __SANITIZE_THREAD__ && !defined __code_model_large__
__attribute__ ((target_clones ("default", "avx2"), noinline))
#endif
long versioned (const int *a, int n)
{
	long s = 0;
	I (versioned)
	for (int i = 0; i < n; i++)
		s += a[i];
	V (versioned_sum, s)
	return s;
}

CONSTRUCT (multiversioned)
{
	static int a[64];
	for (int i = 0; i < 64; i++)
		a[i] = i;
	return versioned (a, opaque (64));
}

/* construct: optimise_attribute c++ */
__attribute__ ((optimize ("O3"), noinline)) static int fast_function (const int *a, int n)
{
	int s = 0;
	for (int i = 0; i < n; i++) {
		I (fast_loop)
		s += a[i];
	}
	return s;
}

__attribute__ ((optimize ("O0"), noinline)) static int slow_function (int n)
{
	static const int a[] = {1, 2, 3};
	I (slow_function)
	return fast_function (a, n);
}

CONSTRUCT (optimise_attribute)
{
	return slow_function (3);
}

/* construct: cold_and_hot c++ */
__attribute__ ((cold, noinline)) static int cold_function (int n)
{
	I (cold_function)
	return opaque (n);
}

__attribute__ ((hot, noinline)) static int hot_function (int n)
{
	I (hot_function)
	return __builtin_expect (n > 5, 0) ? cold_function (n) : n;
}

CONSTRUCT (cold_and_hot)
{
	return hot_function (opaque (3)) + hot_function (opaque (9));
}

/* construct: partly_inlined c++ */
static int table[64];

static int partly (int n)
{
	I (partly)
	if (n == 0)
		return 0;
	int s = 0;
	for (int i = 0; i < n; i++) {
		table[i & 63] += i * n;
		s += opaque (table[(i * 7) & 63]);
	}
	return s;
}

CONSTRUCT (partly_inlined)
{
	return partly (opaque (0)) + partly (opaque (5)) + partly (opaque (0));
}

/* construct: jump_threading c++ */
static int threaded (int a, int b)
{
	int kind;
	if (opaque (a))
		kind = b ? 1 : 2;
	else
		kind = 3;
	I (threaded)
	switch (kind) {
	case 1:
		P (kind_one)
		return 1;
	case 2:
		P (kind_two)
		break;
	default:
		P (kind_three)
		break;
	}
	return kind;
}

CONSTRUCT (jump_threading)
{
	return threaded (opaque (1), opaque (1)) + threaded (1, opaque (0)) + threaded (0, 0);
}

/* construct: unrolled c++ */
CONSTRUCT (unrolled)
{
	int s = 0;
	for (int i = 0; i < 4; i++) {
		I (unrolled)
		s += opaque (3) * i;
	}
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++) {
			V (unrolled_point, i * 10 + j)
			s ^= i + j;
		}
	return s;
}

/* construct: vectorised c++ */
CONSTRUCT (vectorised)
{
	static int a[100], b[100];
	long s = 0;
	for (int i = 0; i < 100; i++)
		a[i] = i, b[i] = opaque (i);
	for (int i = 0; i < 100; i++) {
		P (vector_point)
		a[i] += b[i] * 3;
	}
	for (int i = 0; i < 20; i++) {
		I (vector_interval)
		s += a[i];
	}
	return s;
}

/* construct: loop_with_value c++ */
static double dot (const double *x, const double *y, int n)
{
	double s = 0;
	for (int i = 0; i < n; i++) {
		R (partial_sum, s)
		s += x[i] * y[i];
	}
	return s;
}

CONSTRUCT (loop_with_value)
{
	double x[9], y[9];
	for (int i = 0; i < 9; i++)
		x[i] = opaque (i), y[i] = i * 0.5;
	return (long) dot (x, y, 9);
}

/* construct: strided_loops c++ */
/* up, down, by more than one, without a known count, with two exits */
static long strided (const int *a, int n)
{
	long s = 0;
	for (int i = n - 1; i >= 0; i -= 3) {
		P (downwards)
		s += a[i];
	}
	for (unsigned i = 1; i < (unsigned) n; i *= 2) {
		I (doubling)
		s ^= a[i];
	}
	const int *p = a;
	while (*p != 9) {
		P (pointer_loop)
		if (s > 100000)
			break;
		s += *p++;
	}
	return s;
}

CONSTRUCT (strided_loops)
{
	int a[12];
	for (int i = 0; i < 12; i++)
		a[i] = opaque (i);
	return strided (a, 12);
}

/* construct: unswitched c++ */
static long unswitched (const int *a, int n, int flag)
{
	long s = 0;
	for (int i = 0; i < n; i++) {
		I (unswitched)
		if (flag) {
			P (with_flag)
			s += a[i];
		} else
			s -= a[i];
	}
	return s;
}

CONSTRUCT (unswitched)
{
	static const int a[] = {1, 2, 3, 4, 5};
	return unswitched (a, 5, opaque (1)) * 100 + unswitched (a, 5, opaque (0));
}

/* construct: distributed c++ */
CONSTRUCT (distributed)
{
	static int a[64], b[64];
	for (int i = 0; i < 64; i++) {
		a[i] = 0;
		if (i % 16 == 0) {
			P (every_sixteenth)
		}
		b[i] = a[i] + opaque (i);
	}
	return b[63];
}

/* construct: empty_loop c++ */
CONSTRUCT (empty_loop)
{
	for (int i = 0; i < 5; i++) {
		P (only_a_point)
	}
	for (int i = 0; i < opaque (3); i++) {
		I (only_an_interval)
	}
	return 0;
}

/* construct: same_bodies c++ */
/* functions that the optimiser folds into one where nothing tells them apart */
__attribute__ ((noinline)) static int alike_one (int n)
{
	I (alike)
	return opaque (n) * 7 + 3;
}
__attribute__ ((noinline)) static int alike_two (int n)
{
	I (alike)
	return opaque (n) * 7 + 3;
}

CONSTRUCT (same_bodies)
{
	return alike_one (1) + alike_two (2) + alike_one (3);
}

/* construct: pure_function c++ */
/* a marker is an effect: called as often as the source says */
static int __attribute__ ((noinline)) looks_pure (int n)
{
	P (looks_pure)
	return n * n;
}

CONSTRUCT (pure_function)
{
	int n = opaque (3), s = 0;
	for (int i = 0; i < 3; i++)
		s += looks_pure (n);
	looks_pure (n);
	return s;
}

/* construct: weak_and_alias */
__attribute__ ((noinline)) int aliased_function (int n)
{
	I (aliased_function)
	return opaque (n) + 4;
}
extern __typeof__ (aliased_function) other_name __attribute__ ((alias ("aliased_function")));
__attribute__ ((weak)) int weak_function (int n)
{
	I (weak_function)
	return opaque (n);
}

CONSTRUCT (weak_and_alias)
{
	return aliased_function (1) + other_name (2) + weak_function (3);
}

/* construct: own_section c++ */
__attribute__ ((section (".text.elsewhere"), noinline)) static int elsewhere (int n)
{
	I (elsewhere)
	return opaque (n);
}

CONSTRUCT (own_section)
{
	return elsewhere (3);
}

/* construct: function_pointers c++ */
static int first_target (int n)
{
	I (first_target)
	return n + 1;
}
static int second_target (int n)
{
	I (second_target)
	return n + 2;
}

CONSTRUCT (function_pointers)
{
	static int (*volatile targets[]) (int) = {first_target, second_target};
	int s = 0;
	for (int i = 0; i < 4; i++)
		s += targets[i & 1](i);
	return s;
}

/* construct: searching c++ */
static int compare (const void *a, const void *b)
{
	I (compare)
	return *(const int *) a - *(const int *) b;
}

CONSTRUCT (searching)
{
	static const int a[] = {1, 3, 5, 7};
	int key = opaque (5);
	I (around_bsearch)
	const int *found = (const int *) bsearch (&key, a, 4, sizeof a[0], compare);
	return found ? found - a : -1;
}

/* construct: many_markers c++ */
#define EIGHT(N)                                                                                   \
	P (a##N)                                                                                   \
	P (b##N)                                                                                   \
	P (c##N)                                                                                   \
	P (d##N)                                                                                   \
	P (e##N)                                                                                   \
	P (f##N)                                                                                   \
	P (g##N)                                                                                   \
	P (h##N)

CONSTRUCT (many_markers)
{
	EIGHT (1)
	EIGHT (2)
	EIGHT (3)
	return opaque (1);
}
