/* SPDX-License-Identifier: MIT */
/* numbers.h: what the benchmark and the programs of the peers both need: clocks and quantiles. */
#ifndef BENCH_NUMBERS_H
#define BENCH_NUMBERS_H

#include <stddef.h>

/* CPU time of the calling thread, and time, in ns. */
double cpu_ns (void);
double wall_ns (void);

/* Sorts the COUNT values and returns their QUANTILE (0.5: the median), NaN where there are none. */
double quantile (double *values, size_t count, double quantile);

#endif
