/* SPDX-License-Identifier: MIT */
/*
 * kernels.c: loops whose machine code is compared with and without markers: a disabled marker is a NOP (and at most one more for
 * alignment), and what does not depend on the loop still leaves it.
 */
#include "../events/events.h"
#ifndef __PPGCC__
#undef I
#undef P
#undef V
#define I(NAME)
#define P(NAME)
#define V(NAME, EXPR)
#endif

int sum (const int *a, int n);
int invariant (int *a, int n, int x, int y);
int accumulate (int n);
int call (int n);
int value (const int *a, int n);
void store (int *a, int n);
int tail (int *a, int n);
extern int elsewhere (int);

int sum (const int *a, int n)
{
	int s = 0;
	for (int i = 0; i < n; i++) {
		I (sum)
		s += a[i];
	}
	return s;
}

int invariant (int *a, int n, int x, int y)
{
	int s = 0;
	for (int i = 0; i < n; i++) {
		I (invariant)
		s += a[i] + x / y;
	}
	return s;
}

static int total;
int accumulate (int n)
{
	for (int i = 0; i < n; i++) {
		P (accumulate)
		total += i ^ 5;
	}
	return total;
}

int call (int n)
{
	int s = 0;
	for (int i = 0; i < n; i++) {
		I (call)
		s += elsewhere (i);
	}
	return s;
}

int value (const int *a, int n)
{
	long s = 0;
	for (long i = 0; i < n; i++) {
		V (value, s)
		s += a[i];
	}
	return (int) s;
}

void store (int *a, int n)
{
	for (int i = 0; i < n; i++) {
		P (store)
		a[i] = n * 3;
	}
}

/* what is unlikely lies behind the function, and has a copy of its last instructions */
int tail (int *a, int n)
{
	I (tail)
	for (int i = 0; i < n; i++)
		a[i] = n * 3;
	if (__builtin_expect (n == 7, 0))
		a[1] += n * a[0];
	return n;
}
