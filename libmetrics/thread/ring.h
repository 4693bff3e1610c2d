/* SPDX-License-Identifier: MIT */
/*
 * ring.h: samples into the cells of windows (tables/window.h), and out of those of threads that
 * have ended.
 */
#ifndef PPI_THREAD_RING_H
#define PPI_THREAD_RING_H

#include "base/atomic.h"
#include "libmetrics/source/source.h"

#include <stdbool.h>
#include <stdint.h>

struct ppi_shard;

struct ppi_binding;
struct ppi_ring_shard;
struct ppi_thread;
struct ppi_window;

/* Adds the sample X to all windows of binding B. */
PPI_HIDDEN void ppi_windows_add_int (struct ppi_thread *t, const struct ppi_binding *b, int64_t x);

/*
 * The cell of now of one window, restarted where it is of another period. NULL: no room, counted.
 */
PPI_HIDDEN struct ppi_shard *ppi_window_cell (struct ppi_thread *t,
					      const struct ppi_binding *window, uint64_t now);

/* After a reset of the metric. The owner. */
PPI_HIDDEN void ppi_ring_restart (struct ppi_ring_shard *ring, const struct ppi_window *w,
				  uint32_t epoch);

/* The same for a double. A NaN is no sample. */
PPI_HIDDEN void ppi_windows_add_double (struct ppi_thread *t, const struct ppi_binding *b,
					double x);

/* The sample BITS of a double, or of an integer, to the windows of B. */
static inline void ppi_windows_add (struct ppi_thread *t, const struct ppi_binding *b,
				    bool is_double, union ppi_sample sample)
{
	if (is_double)
		ppi_windows_add_double (t, b, sample.d);
	else
		ppi_windows_add_int (t, b, sample.i);
}

/* What a thread that has ended has in a ring goes into the retired one. With the lock. */
PPI_HIDDEN void ppi_ring_fold (struct ppi_ring_shard *into, const struct ppi_ring_shard *from,
			       const struct ppi_binding *b);

#endif
