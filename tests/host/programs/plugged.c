/* SPDX-License-Identifier: MIT */
/*
 * plugged.c: a plug-in for counted.c, with markers and perhaps with a copy of the library of its
 * own.
 */
#include <pp.h>

#pragma pp metric rounds interval stats(elapsed)

__attribute__ ((noipa)) static long work (long i)
{
#pragma pp interval plugged(rounds)
	return i + 1;
}

/*
 * The sum of N rounds, and how many of them were measured there, as one number; -1: not all of
 * them.
 */
long plugged (long n)
{
	double before = pp_count (rounds);
	long sum = 0;

	for (long i = 0; i < n; i++)
		sum += work (i);
	return pp_count (rounds) - before == (double) n ? sum : -1;
}
