/* SPDX-License-Identifier: MIT */
/*
 * crowd.c: sixty-four threads, however many processors there are, run through the same sites: every
 * sample is there once, and every sum is exact.
 */
#include "check.h"

#include <pthread.h>
#include <stdint.h>

/* clang-format off */
#pragma pp metric stayed   interval stats(elapsed)
#pragma pp metric passed   point    count(count)
#pragma pp metric carried  point    stats(value)
#pragma pp metric seldom   point    sumcount(value, every=10)
/* clang-format on */

enum { THREADS = 64, TIMES = 5000 };

static pthread_barrier_t together;
static __thread volatile long sink;

NOIPA static void visit (long value)
{
#pragma pp interval visit(stayed)
	sink++;
#pragma pp point passing(passed)
#pragma pp point carrying(carried, seldom) value(value)
}

static void *run (void *arg)
{
	long self = (long) (intptr_t) arg;

	pthread_barrier_wait (&together);
	for (long i = 0; i < TIMES; i++)
		visit (self * TIMES + i - 100000);
	return NULL;
}

int main (void)
{
	pthread_t threads[THREADS];
	double all = (double) THREADS * TIMES, first = -100000, last = all - 1 + first;

	pthread_barrier_init (&together, NULL, THREADS);
	for (intptr_t i = 0; i < THREADS; i++)
		if (pthread_create (&threads[i], NULL, run, (void *) i))
			return 99;
	for (int i = 0; i < THREADS; i++)
		pthread_join (threads[i], NULL);
	same (pp_count (stayed), all, "64 threads: every interval was measured once");
	same (pp_count (passed), all, "every point was counted once");
	same (pp_count (carried), all, "every value was taken once");
	same (pp_sum (carried), (first + last) / 2 * all, "their sum is exact");
	same (pp_min (carried), first, "so is the least");
	same (pp_max (carried), last, "and the largest");
	same (pp_count (seldom), all / 10, "one in ten of each thread's was sampled");
	same ((double) (pp_dropped (PP_DROP_POOL) + pp_dropped (PP_DROP_UNMATCHED) +
			pp_dropped (PP_DROP_DISABLED)),
	      0, "nothing was dropped");
	return checked ();
}
