/* SPDX-License-Identifier: MIT */
/*
 * ring_fast.c: samples into the cells of windows, and their rotation by the owner. General
 * registers only, no libc.
 */
#include "base/atomic.h"
#include "base/types.h"
#include "libmetrics/keep/accumulate_int.h"
#include "libmetrics/keep/shard.h"
#include "libmetrics/tables/binding.h"
#include "libmetrics/tables/window.h"
#include "libmetrics/thread/ring.h"
#include "libmetrics/thread/thread.h"

uint64_t ppi_window_ticks;

struct ppi_shard *ppi_window_cell (struct ppi_thread *t, const struct ppi_binding *b, uint64_t now)
{
	const struct ppi_window *w = b->window;
	struct ppi_shard *ring = ppi_shard_get (t, &b->op), *cell;
	uint64_t period = now / w->period_ticks;

	if (!ring)
		return NULL;
	cell = ppi_ring_cell ((struct ppi_ring_shard *) ring, w, period);
	if (cell->epoch != ppi_window_epoch (period))
		ppi_shard_restart (cell, w->accumulator, ppi_window_epoch (period));
	return cell;
}

void ppi_windows_add_int (struct ppi_thread *t, const struct ppi_binding *b, int64_t x)
{
	uint64_t now = ppi_window_now ();

	for (b = __atomic_load_n (&b->windows, __ATOMIC_ACQUIRE); b; b = b->windows) {
		struct ppi_shard *cell =
			ppi_load (&b->window->users) ? ppi_window_cell (t, b, now) : NULL;

		if (cell)
			ppi_accumulate_int_any (cell, b->window->accumulator, x, now);
	}
}

/* No period has this number. */
void ppi_ring_restart (struct ppi_ring_shard *ring, const struct ppi_window *w, uint32_t epoch)
{
	for (unsigned i = 0; i < PPI_CELLS; i++)
		ppi_shard_restart (ppi_ring_cell (ring, w, i), w->accumulator, PPI_EPOCH_NONE - 1);
	ppi_shard_restart (&ring->head, PPI_COUNT, epoch);
}
