/* SPDX-License-Identifier: MIT */
/*
 * serves.c: requests of which one in five is long by construction, and spends its time in another
 * interval, and another function, than short ones do. `weight` says which is which, so that it does
 * not depend on how fast the machine is.
 */
#include <pp.h>
#include <stdlib.h>

static long weight;

long weight_begin (void)
{
	return 0;
}

long weight_end (const long *begun)
{
	(void) begun;
	return weight;
}

#pragma pp metric took interval sumcount(elapsed)
#pragma pp metric heavy interval scalar(weight_begin, weight_end)

/* Some hundred microseconds for each round. */
#define BURN(name)                                                                                 \
	__attribute__ ((noinline)) static void name (long rounds)                                  \
	{                                                                                          \
		for (volatile long i = 0; i < rounds * 200000; i++)                                \
			;                                                                          \
	}
BURN (burn_reading)
BURN (burn_sorting)

__attribute__ ((noinline)) static void get (void)
{
#pragma pp interval get
	burn_reading (2);
}

__attribute__ ((noinline)) static void sort (long rounds)
{
#pragma pp interval sort
	burn_sorting (rounds);
}

__attribute__ ((noinline)) static void serve (long n)
{
#pragma pp interval request(took, heavy)
	weight = n;
	get ();
	if (n > 1)
		sort (n);
}

int main (int argc, char **argv)
{
	long requests = argc > 1 ? atol (argv[1]) : 100;

	for (long i = 0; i < requests; i++)
		serve (i % 5 ? 1 : 10);
	return 0;
}
