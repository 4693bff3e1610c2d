/* SPDX-License-Identifier: MIT */
/*
 * random.h: made-up data, the same in each run: for trials and tests of how a cost grows. One
 * thread.
 */
#ifndef BENCH_RANDOM_H
#define BENCH_RANDOM_H

#include <math.h>
#include <stdint.h>

/* Where the sequence goes on; not 0, from which there is no way. */
static uint64_t seed = 1;

/* 0 < u < 1; xorshift64* (Vigna, 2016) */
static inline double uniform (void)
{
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return ((double) ((seed * UINT64_C (2685821657736338717)) >> 11) + 0.5) / 0x1p53;
}

/* Mean 0, variance 1 (Box and Muller, 1958) */
static inline double normal (void)
{
	return sqrt (-2 * log (uniform ())) * cos (2 * M_PI * uniform ());
}

#endif
