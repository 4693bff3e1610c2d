/* SPDX-License-Identifier: MIT */
/* Functions that GCC treats in ways of their own: by attributes, and by a goto out of a nested function, which runs no cleanup. */
#include "events.h"

static int two (int x)
{
	P (two)
	return x * 2;
}

static int (*choose (void)) (int)
{
	return two;
}

int chosen (int) __attribute__ ((ifunc ("choose")));

#ifdef __x86_64__
__attribute__ ((naked, noipa)) static void bare (void)
{
	__asm__("ret");
}

__attribute__ ((target ("avx2"), noipa)) static int wide (const int *x, int n)
{
	int s = 0;

	for (int i = 0; i < n; i++) {
		I (wide)
		s += x[i];
	}
	return s;
}

__attribute__ ((target_clones ("default", "avx2"))) int cloned (int x);
int cloned (int x)
{
	I (cloned)
	return x | 8;
}
#endif

__attribute__ ((optimize ("O3"), noipa)) static int fast (const int *x, int n)
{
	int s = 0;

	for (int i = 0; i < n; i++) {
		I (fast)
		s += x[i];
	}
	return s;
}

__attribute__ ((optimize ("O0"), noipa)) static int slow (int x)
{
	I (slow)
	return x;
}

__attribute__ ((no_instrument_function, noipa)) static int left_alone (int x)
{
	I (left_alone)
	return x + 1;
}

__attribute__ ((section (".text.own"), noipa)) static int elsewhere (int x)
{
	I (elsewhere)
	return x - 1;
}

__attribute__ ((cold, noipa)) static int rare (int x)
{
	I (rare)
	return x ^ 1;
}

__attribute__ ((noipa)) static int around (int n)
{
	__label__ out;
	int reached = 0;

	auto int inner (int k);
	int inner (int k)
	{
		if (k > 2) {
			reached = k;
			goto out;
		}
		I (nested)
		return k;
	}
	for (int i = 0; i < n; i++)
		inner (i);
out:;
	P (out)
	return reached;
}

int main (void)
{
	int x[] = {1, 2, 3}, wrong = 0;

	wrong |= chosen (4) != 8;
#ifdef __x86_64__
	bare ();
	if (__builtin_cpu_supports ("avx2"))
		wrong |= wide (x, 3) != 6;
	wrong |= cloned (1) != 9;
#endif
	wrong |= fast (x, 3) != 6;
	wrong |= slow (1) != 1;
	wrong |= left_alone (1) != 2;
	wrong |= elsewhere (1) != 0;
	wrong |= rare (1) != 0;
	wrong |= around (5) != 3;
	return wrong;
}
