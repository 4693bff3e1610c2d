/* SPDX-License-Identifier: MIT */
/*
 * snapshot.h: everything that is kept of a metric at one moment, merged, for statistics of the
 * program's own.
 */
#ifndef PPI_STATS_SNAPSHOT_H
#define PPI_STATS_SNAPSHOT_H

#include "libmetrics/stats/merge.h"

struct pp_snapshot {
	struct ppi_merge reading; /* first */
	double scale;
	double *samples; /* of series, in the metric's unit */
	size_t n_samples, room;
	bool no_memory; /* samples are missing */
};

/*
 * METRIC over all threads, at SITE (NULL: everywhere), as ppi_merge_read says. Takes the lock. The
 * caller's to clear.
 */
void ppi_snapshot_take (struct pp_snapshot *out, const pp_metric *metric, const pp_site *site)
	__attribute__ ((visibility ("hidden")));
void ppi_snapshot_clear (struct pp_snapshot *snapshot) __attribute__ ((visibility ("hidden")));

#endif
