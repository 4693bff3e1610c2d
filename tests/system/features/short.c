/* SPDX-License-Identifier: MIT */
/*
 * short.c: marks around work that takes some nanoseconds, whose shares are known by construction: of
 * six pieces of the same work, one is in a mark of lib.one, two in a mark of lib.sort, and one in an
 * antimark of lib.sort inside that mark.
 *
 *     short chain|busy STEPS ROUNDS
 */
#include <pp.h>
#include <stdlib.h>
#include <string.h>

#define NOIPA __attribute__ ((noipa))

/* A step waits for the one before: four cycles or so. */
NOIPA static unsigned long chain (unsigned long x, long steps)
{
	for (long i = 0; i < steps; i++)
		x = x * 3 + 1;
	return x;
}

/* It waits for nothing, so whatever is executed besides takes time: two cycles. */
NOIPA static unsigned long busy (unsigned long x, long steps)
{
	unsigned long a = x, b = x, c = x, d = x, e = x, f = x, g = x, h = x;

	for (long i = 0; i < steps; i++) {
		a += i;
		b ^= i;
		c += i;
		d ^= i;
		e += i;
		f ^= i;
		g += i;
		h ^= i;
		__asm__ volatile(""
				 : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f), "+r"(g),
				   "+r"(h));
	}
	return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h;
}

static unsigned long (*work) (unsigned long x, long steps);
static long steps;

NOIPA static unsigned long plain (unsigned long x)
{
	return work (x, steps);
}

NOIPA static unsigned long one (unsigned long x)
{
	PP_FEATURE (lib.one)
	return work (x, steps);
}

NOIPA static unsigned long user (unsigned long x)
{
	PP_ANTIMARK (lib.sort)
	return work (x, steps);
}

NOIPA static unsigned long sort (unsigned long x)
{
	PP_FEATURE (lib.sort)
	x = work (x, steps);
	x = user (x);
	return work (x, steps);
}

int main (int argc, char **argv)
{
	unsigned long x = 1;

	if (argc < 4)
		return 2;
	work = strcmp (argv[1], "chain") == 0 ? chain : busy;
	steps = atol (argv[2]);
	for (long i = atol (argv[3]); i-- > 0;) {
		x = plain (x);
		x = one (x);
		x = plain (x);
		x = sort (x);
	}
	return x == 42;
}
