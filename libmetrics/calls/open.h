/* SPDX-License-Identifier: MIT */
/*
 * open.h: which executions are open just now.
 */
#ifndef PPI_CALLS_OPEN_H
#define PPI_CALLS_OPEN_H

#include <pp.h>
#include <stdint.h>

/*
 * Seconds since the begin of the oldest open execution of the site in any thread, 0 when none is
 * open, NaN when nothing is bound there, or when those that are open have no known begin; how many
 * are open.
 */
double ppi_site_open_age (const pp_site *site);

uint64_t ppi_site_in_flight (const pp_site *site);

/*
 * How many are open that would be records, or be counted in groups, also those of threads that have
 * ended and are not reaped [lock].
 */
uint64_t ppi_events_open (void) __attribute__ ((visibility ("hidden")));

#endif
