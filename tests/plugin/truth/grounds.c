/* SPDX-License-Identifier: MIT */
/* Intervals that lose a division: whether that is much of them is only known where all costs that stay are. */
#include <pp.h>

int look_up (const int *p);

int through_macro (int a, int b, int c)
{
	int r;
	{
		PP_INTERVAL (through_macro)
		r = a % b;
	}
	return c ? r : 0;
}

int beside_call (const int *p, int b, int c)
{
	int r, seen;
	{
#pragma pp interval beside_call
		seen = look_up (p);
		r = c % b;
	}
	return seen > 7 ? r : 0;
}

unsigned beside_loop (unsigned a, unsigned b, unsigned c, const unsigned *p)
{
	unsigned r, rounds = 0;
	{
#pragma pp interval beside_loop
		r = a % b + b % c;
		while (p[rounds] != c)
			rounds++;
	}
	return __builtin_expect_with_probability (rounds > 7, 1, 0.7) ? r : 0;
}

unsigned beside_known_loop (unsigned a, unsigned b, unsigned c, volatile unsigned *p)
{
	unsigned r;
	{
#pragma pp interval beside_known_loop
		r = a % b;
#pragma GCC unroll 1
		for (int i = 0; i < 3; i++)
			*p = i;
	}
	return __builtin_expect_with_probability (c, 1, 0.7) ? r : 0;
}
