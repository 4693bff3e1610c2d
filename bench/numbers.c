/* SPDX-License-Identifier: MIT */
/* numbers.c: clocks and quantiles. */
#include "numbers.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

double cpu_ns (void)
{
	struct timespec t;

	clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
	return (double) t.tv_sec * 1e9 + (double) t.tv_nsec;
}

double wall_ns (void)
{
	struct timespec t;

	clock_gettime (CLOCK_MONOTONIC, &t);
	return (double) t.tv_sec * 1e9 + (double) t.tv_nsec;
}

static int compare (const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

double quantile (double *values, size_t count, double quantile)
{
	double position;
	size_t below;

	if (count == 0)
		return NAN;
	qsort (values, count, sizeof *values, compare);
	position = quantile * (double) (count - 1);
	below = (size_t) position;
	if (below + 1 >= count)
		return values[count - 1];
	return values[below] + (position - (double) below) * (values[below + 1] - values[below]);
}
