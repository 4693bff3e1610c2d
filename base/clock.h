/* SPDX-License-Identifier: MIT */
/*
 * clock.h: the time that people know, and how ticks become it.
 */
#ifndef PPI_BASE_CLOCK_H
#define PPI_BASE_CLOCK_H

#include <stdint.h>

/*
 * CLOCK_MONOTONIC in ns. Tests replace it with ppi_clock_set and advance time by hand (NULL: the
 * real one).
 */
uint64_t ppi_now_ns (void);

void ppi_clock_set (uint64_t (*clock) (void));

/* Seconds of one tick of the counter that elapsed intervals read. */
double ppi_seconds_per_tick (void);

/* CLOCK_MONOTONIC, whatever a test put in the clock's place. */
uint64_t ppi_real_now_ns (void);

/* Notes the origin of the conversion of ticks; once, early. */
void ppi_clock_start (void);

#endif
