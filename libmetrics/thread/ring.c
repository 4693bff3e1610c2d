/* SPDX-License-Identifier: MIT */
/* ring.c: see ring.h. Doubles, and threads that have ended. */
#include "libmetrics/thread/ring.h"

#include "base/atomic.h"
#include "libmetrics/keep/accumulate_double.h"
#include "libmetrics/keep/accumulate_int.h"
#include "libmetrics/keep/fold.h"
#include "libmetrics/keep/shard.h"
#include "libmetrics/tables/binding.h"
#include "libmetrics/tables/metric.h"
#include "libmetrics/tables/window.h"
#include "libmetrics/thread/thread.h"

void ppi_windows_add_double (struct ppi_thread *t, const struct ppi_binding *b, double x)
{
	uint64_t now = ppi_window_now ();

	for (b = __atomic_load_n (&b->windows, __ATOMIC_ACQUIRE); b; b = b->windows) {
		struct ppi_shard *cell =
			ppi_load (&b->window->users) ? ppi_window_cell (t, b, now) : NULL;

		if (cell)
			ppi_accumulate_double (cell, b->window->accumulator, x, now);
	}
}

void ppi_ring_fold (struct ppi_ring_shard *into, const struct ppi_ring_shard *from,
		    const struct ppi_binding *b)
{
	const struct ppi_window *w = b->window;
	uint64_t period = ppi_window_now () / w->period_ticks;

	for (uint64_t i = 0; i < PPI_CELLS && i <= period; i++) {
		const struct ppi_shard *cell = ppi_ring_cell (from, w, period - i);
		struct ppi_shard *to = ppi_ring_cell (into, w, period - i);
		uint32_t epoch = ppi_window_epoch (period - i);

		if (cell->epoch != epoch || !cell->all.n)
			continue;
		if (to->epoch != epoch)
			ppi_shard_restart (to, w->accumulator, epoch);
		ppi_shard_fold (to, cell, w->accumulator, w->metric->instance.sample_type);
	}
}
