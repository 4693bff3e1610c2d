/* SPDX-License-Identifier: MIT */
/*
 * main.c: runs one of the programs of table 5.1 and prints the CPU time of its work in ns, its
 * result, and, where a policy has bound the metric named in the environment, how many samples that
 * has:
 *
 *      program [PERCENT]
 */
#include "table51.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void *table51_allocate (size_t count, size_t size)
{
	void *memory = calloc (count, size);

	if (memory == NULL) {
		fprintf (stderr, "no memory for %zu objects of %zu bytes\n", count, size);
		exit (1);
	}
	return memory;
}

static double cpu_ns (void)
{
	struct timespec t;

	clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
	return (double) t.tv_sec * 1e9 + (double) t.tv_nsec;
}

#ifdef TABLE51_MARKED
static double samples (void)
{
	const char *name = getenv ("TABLE51_METRIC");
	const pp_metric *metric = name != NULL ? pp_metric_find (name) : NULL;

	return metric != NULL ? pp_count (metric) : 0;
}
#else
static double samples (void)
{
	return 0;
}
#endif

int main (int argc, char **argv)
{
	int percent = argc > 1 ? atoi (argv[1]) : 100;
	double begin_ns, result;

	if (percent < 1 || percent > 100) {
		fprintf (stderr, "usage: %s [PERCENT]\n", argv[0]);
		return 2;
	}
	begin_ns = cpu_ns ();
	result = table51_work (percent);
	printf ("%.0f %.15g", cpu_ns () - begin_ns, result);
	printf (" %.0f\n", samples ());
	return 0;
}
