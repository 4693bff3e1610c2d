/* SPDX-License-Identifier: MIT */
/*
 * load_threads.c: 2,000 threads over a run (SOAK=1: 10,000), fifty at a time. Each measures; every
 * sample is there, also of those that are gone, and memory is that of the most that lived at once.
 */
#include "../system/check.h"

#include <pthread.h>
#include <stdint.h>

/* clang-format off */
#pragma pp metric pairs  interval stats(elapsed)
#pragma pp metric values point    histogram(value)
#pragma pp metric kept   point    bounded_series(value, size=100)
/* clang-format on */

enum { AT_ONCE = 50, TIMES = 10, THREAD_MOST = 96 << 10 };

static __thread volatile long sink;

NOIPA static void work (int i)
{
#pragma pp interval work(pairs)
	sink = i;
#pragma pp point given(values, kept) value(i)
}

static void *run (void *arg)
{
	for (int i = 0; i < TIMES; i++)
		work (i);
	return arg;
}

/* How many could be started. */
static unsigned long wave (void)
{
	pthread_t thread[AT_ONCE];
	unsigned long n = 0;

	for (int i = 0; i < AT_ONCE; i++)
		n += pthread_create (&thread[n], NULL, run, NULL) == 0;
	for (unsigned long i = 0; i < n; i++)
		pthread_join (thread[i], NULL);
	return n;
}

int main (void)
{
	const char *soak = getenv ("SOAK");
	unsigned long waves = (soak && strcmp (soak, "1") == 0 ? 10000 : 2000) / AT_ONCE,
		      threads = 0;
	double before, first, last;

	before = resident ();
	for (unsigned long i = 0; i < 4; i++)
		threads += wave ();
	first = resident ();
	for (unsigned long i = 4; i < waves; i++)
		threads += wave ();
	last = resident ();
	same ((double) threads, (double) (waves * AT_ONCE), "all threads could be started");
	same (pp_count (pairs), (double) (threads * TIMES),
	      "every interval of every thread is a sample, also of those that are gone");
	same (pp_stat (values, NULL, PP_STAT_N), (double) (threads * TIMES), "and every value");
	same (pp_sum (values), (double) (threads * 45), "whose sum is exact");
	same (newly_dropped_in_all (), 0, "nothing was dropped");
	note ("%lu threads, %d at once: %.0f KiB for the first 200, %.0f KiB more for all others",
	      threads, AT_ONCE, (first - before) / 1024, (last - first) / 1024);
	if (UNDER_ASAN || UNDER_TSAN) {
		skipped ("memory is that of those that live",
			 "a sanitizer keeps more of every thread");
	} else {
		ok (first - before <= (double) AT_ONCE * THREAD_MOST,
		    "those that live at once take at most %d KiB each", THREAD_MOST >> 10);
		ok (last - first <= (double) (1 << 20), "those that come after them take no more");
	}
	return checked ();
}
