/* SPDX-License-Identifier: MIT */
/*
 * series.h: of series.
 */
#ifndef PPI_STATS_SERIES_H
#define PPI_STATS_SERIES_H

/*
 * Says of each metric whose unbounded series is full that it is, once. With the lock; ordinary
 * context (series.c).
 */
void ppi_series_tell_full (void) __attribute__ ((visibility ("hidden")));

#endif
