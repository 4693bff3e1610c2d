/* SPDX-License-Identifier: MIT */
/*
 * short.c: marks around work that takes as long as is wanted, from some nanoseconds on, whose shares
 * are known by construction. Of seven pieces of the same work:
 *
 *     lib.outer  two, one of which is in lib.one, too
 *     lib.one    one
 *     lib.sort   three: one, one in a mark inside of its antimark, and one behind that; the piece of
 *                the antimark is not its
 *
 * and one is in no mark.
 *
 *     short chain|busy|memory STEPS ROUNDS [THREADS]
 */
#include <pp.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#define NOIPA __attribute__ ((noipa))

enum { THREADS_MOST = 8 };

/* A marker that is no mark, before all others. */
NOIPA static int returned (void)
{
	static jmp_buf back;

	return setjmp (back);
}

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

/* A step waits for what the one before stored: a processor may be far ahead meanwhile. */
NOIPA static unsigned long memory (unsigned long x, long steps)
{
	static _Thread_local volatile unsigned long at;

	at = x;
	for (long i = 0; i < steps; i++)
		at = at + 1;
	return at;
}

static unsigned long (*work) (unsigned long x, long steps);
static long steps, rounds;

NOIPA static unsigned long plain (unsigned long x)
{
	return work (x, steps);
}

NOIPA static unsigned long one (unsigned long x)
{
	PP_FEATURE (lib.one)
	return work (x, steps);
}

NOIPA static unsigned long outer (unsigned long x)
{
	PP_FEATURE (lib.outer)
	x = plain (x);
	return one (x);
}

NOIPA static unsigned long nested (unsigned long x)
{
	PP_FEATURE (lib.sort)
	return work (x, steps);
}

NOIPA static unsigned long user (unsigned long x)
{
	PP_ANTIMARK (lib.sort)
	x = work (x, steps);
	return nested (x);
}

NOIPA static unsigned long sort (unsigned long x)
{
	PP_FEATURE (lib.sort)
	x = work (x, steps);
	x = user (x);
	return work (x, steps);
}

static void *run (void *arg)
{
	unsigned long x = 1;

	for (long i = rounds; i-- > 0;) {
		x = outer (x);
		x = plain (x);
		x = sort (x);
	}
	return x == 42 ? NULL : arg;
}

int main (int argc, char **argv)
{
	pthread_t id[THREADS_MOST];
	int threads = argc > 4 ? atoi (argv[4]) : 1;

	if (argc < 4 || threads < 1 || threads > THREADS_MOST || returned ())
		return 2;
	work = strcmp (argv[1], "chain") == 0    ? chain
	       : strcmp (argv[1], "memory") == 0 ? memory
						 : busy;
	steps = atol (argv[2]);
	rounds = atol (argv[3]);
	for (int i = 1; i < threads; i++)
		pthread_create (&id[i], NULL, run, NULL);
	run (NULL);
	for (int i = 1; i < threads; i++)
		pthread_join (id[i], NULL);
	return 0;
}
