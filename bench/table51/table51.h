/* SPDX-License-Identifier: MIT */
/*
 * table51.h: what the five programs share. Each is compiled twice, without the plugin and with it;
 * main.c runs and times it.
 */
#ifndef BENCH_TABLE51_H
#define BENCH_TABLE51_H

#include <stddef.h>
#include <stdint.h>

#include <pp.h>

/*
 * All that the program does, with PERCENT of the amount of it, 1 to 100; returns a number that
 * depends on all of the result, the same in every build. It may take memory and leave it.
 */
double table51_work (int percent);

/* COUNT × SIZE bytes of zeros; ends the program where there are none. */
void *table51_allocate (size_t count, size_t size);

/*
 * The next number of a sequence that STATE began, of [0, 1): the same on every machine. Multiplier
 * and increment are Knuth's (MMIX).
 */
static inline double table51_random (uint64_t *state)
{
	*state = *state * UINT64_C (6364136223846793005) + UINT64_C (1442695040888963407);
	return (double) (*state >> 11) * 0x1p-53;
}

#endif
