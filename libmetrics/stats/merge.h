/* SPDX-License-Identifier: MIT */
/*
 * merge.h: how everything that is kept of a metric is read while threads go on sampling: one way,
 * for statistics, windows of time, and the snapshots that the program's own statistics are computed
 * from.
 *
 *     struct ppi_merge r;
 *
 *     ppi_merge_init (&r, metric, site, statistic);
 *     ppi_merge_read (&r);
 *     ... ppi_summary_get (&r.sum, statistic, ppi_metric_scale (metric)) ...
 *     ppi_summary_clear (&r.sum);
 *
 * Three things can come between. A thread that ends while its shards are read, which move to the
 * retired ones, or the budget that changes how many executions samples stand for: reading begins
 * anew. A writer in the middle of a sample: ppi_summary_add_shard tries again, for some
 * microseconds. And a writer that lost its processor there: then ppi_merge_read sleeps 100 µs and
 * reads again, 20 times at most, since that writer gets its processor back soon. One that stands
 * still longer (a debugger holds it, or a handler left it by siglongjmp) is read as it is: what its
 * newest sample adds may be there in part, which is counted as PP_DROP_TORN.
 *
 * Who must not wait does not: who holds the lock (ticks of the engine do), and who is inside a
 * marker or a check (functions of the user's, inline callables). It reads what is there, and counts
 * likewise.
 */
#ifndef PPI_STATS_MERGE_H
#define PPI_STATS_MERGE_H

#include "base/atomic.h"
#include "libmetrics/keep/summary.h"

struct ppi_thread;
struct ppi_window;

struct ppi_merge {
	/* what is read; SITE NULL: at all sites; WINDOW NULL: since the start or the reset */
	const pp_metric *metric;
	const pp_site *site;
	const struct ppi_window *window;
	bool needs_ring; /* min and max of a bounded series are asked for */
	/*
	 * With the lock, for whoever follows what shards lead to. Told to begin anew, and then of
	 * each shard whose samples count. All or none.
	 */
	void (*restart) (struct ppi_merge *reading);
	void (*also) (struct ppi_merge *reading, const struct ppi_shard *shard);
	/* what was found; the caller's to clear */
	struct ppi_summary sum;
};

/* To read what STATISTIC needs; PP_STATISTICS: everything that there is. */
PPI_HIDDEN void ppi_merge_init (struct ppi_merge *reading, const pp_metric *metric,
				const pp_site *site, enum pp_statistic statistic);
PPI_HIDDEN void ppi_merge_init_window (struct ppi_merge *reading, const struct ppi_window *window,
				       const pp_site *site, enum pp_statistic statistic);
/* Any thread, not from a signal handler; may sleep, see above. errno stays. */
PPI_HIDDEN void ppi_merge_read (struct ppi_merge *reading);
/*
 * The same of the calling thread's own shards, inside a check too; HANDLERS: with those of its
 * signal handlers. Never sleeps.
 */
PPI_HIDDEN void ppi_merge_own (struct ppi_merge *reading, struct ppi_thread *thread, bool handlers);

/* For tests: called instead of sleeping; NULL: sleep. */
PPI_HIDDEN void ppi_pause_set (void (*fn) (void));

#endif
