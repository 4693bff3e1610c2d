/* SPDX-License-Identifier: MIT */
/*
 * series.h: where a process records, samples of an unbounded series for which there is no memory
 * any more leave through a stream (stream.h), so that its memory is bounded and no sample is lost.
 */
#ifndef PPI_THREAD_SERIES_H
#define PPI_THREAD_SERIES_H

#include "base/atomic.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * From now on they do, or as before they are counted as lost: the process records to a file, and
 * has such a series, or not. With the lock, ordinary context.
 */
PPI_HIDDEN void ppi_series_leave_set (bool leave);
/* In a child: the chunks of streams are the parent's. */
PPI_HIDDEN void ppi_series_forget (void);

/* ---- between series.c and series_fast.c ------------------------------------------------------ */

struct ppi_unbounded_shard;

/* See ppi_unbounded_leave. */
PPI_HIDDEN bool ppi_series_leave (const struct ppi_unbounded_shard *u, const uint64_t *sample,
				  uint64_t n);

#endif
