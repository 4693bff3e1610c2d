/* SPDX-License-Identifier: MIT */
/* turns.h: work that is done in turns, with and without something, and compared by its CPU time. */
#ifndef TURNS_H
#define TURNS_H

#include <stdlib.h>
#include <time.h>

static inline double cpu_s (void)
{
	struct timespec t;

	clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
	return (double) t.tv_sec + (double) t.tv_nsec * 1e-9;
}

/* Seconds that a WORK takes, over as many as last for so many seconds. */
static inline double take (void (*work) (void), double seconds)
{
	double begin = cpu_s (), now;
	long n = 0;

	do {
		work ();
		n++;
		now = cpu_s ();
	} while (now - begin < seconds);
	return (now - begin) / (double) n;
}

static inline int compare (const void *a, const void *b)
{
	double x = *(const double *) a, y = *(const double *) b;

	return (x > y) - (x < y);
}

static inline double median (double *list, size_t n)
{
	qsort (list, n, sizeof *list, compare);
	return list[n / 2];
}

#endif
