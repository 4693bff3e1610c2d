/* SPDX-License-Identifier: MIT */
/*
 * window.h: statistics over recent time: m.avg[10s].
 *
 * A window of a metric is a ring of ten cells for each thread and binding. A cell is a shard of its
 * own with the samples of one period, a tenth of the window; its epoch is the period's number. The
 * owner of the ring, at its next sample, restarts the cell whose turn it is (that is the whole
 * rotation). Readers merge the cells of the last ten periods, the current one among them, and pass
 * over all others: so what an idle thread left behind expires by itself. What they see are the
 * samples of the last W - W/10 to W; the exact time is known, and .rate divides by it.
 *
 * Each window of a binding has a slot in threads' tables and so a struct ppi_binding, which is in
 * no list of sites or metrics: flushes, the folding of threads that have ended, and fork treat it
 * as any other. A ring takes ten times what the accumulator takes (a histogram 11.5 KiB and its
 * groups, everything else 1.3 KiB).
 *
 * Periods are numbered with 31 bits of the tick counter's periods: a cell that was not touched for
 * 2^31 periods (200 million seconds with a window of 1 s) would be taken for a new one.
 */
#ifndef PPI_TABLES_WINDOW_H
#define PPI_TABLES_WINDOW_H

#include "base/atomic.h"
#include "base/ticks.h"
#include "base/chunk.h"
#include "libmetrics/keep/shard.h"

#include "pp_arch.h"

#define PPI_CELLS 10u

struct ppi_window {
	pp_metric *metric;
	uint64_t ns;
	uint64_t period_ticks;
	uint64_t since; /* ticks: made, or reset */
	uint8_t accumulator;
	uint32_t cell_bytes;
	uint32_t users; /* atomic */
	uint32_t kept;  /* pp_stat_over is one of them, for good; atomic */
	struct ppi_window *next;
};

/* What a table's slot leads to. The head's epoch is the metric's; its moments stay empty. */
struct ppi_ring_shard {
	struct ppi_shard head;
	/* cells, 64-byte aligned */
};

PP_ABI_ASSERT (sizeof (struct ppi_ring_shard) % PPI_CHUNK_ALIGN == 0);

/*
 * Ticks that tests put in the place of the counter's, for windows only; 0: the counter's. Atomic.
 */
PPI_HIDDEN extern uint64_t ppi_window_ticks;

static inline uint64_t ppi_window_now (void)
{
	uint64_t ticks = ppi_load (&ppi_window_ticks);

	return ppi_unlikely (ticks) ? ticks : ppi_ticks ();
}

static inline uint32_t ppi_window_epoch (uint64_t period)
{
	return (uint32_t) period & (UINT32_MAX >> 1);
}

static inline struct ppi_shard *ppi_ring_cell (const struct ppi_ring_shard *ring,
					       const struct ppi_window *w, uint64_t period)
{
	return (struct ppi_shard *) ((char *) (uintptr_t) (ring + 1) +
				     period % PPI_CELLS * w->cell_bytes);
}

#endif
