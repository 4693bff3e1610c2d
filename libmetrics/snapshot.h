/* SPDX-License-Identifier: MIT */
/*
 * snapshot.h: everything that is kept of a metric at one moment, merged, for statistics of the program's own.
 */
#ifndef PPI_SNAPSHOT_H
#define PPI_SNAPSHOT_H

#include "metric.h"
#include "summary.h"

struct pp_snapshot {
	const pp_metric *metric;
	double scale;
	struct ppi_summary summary;
	double *samples; /* of series, in the metric's unit */
	size_t n_samples, room;
	bool no_memory; /* samples are missing */
};

/*
 * METRIC over all threads, at SITE (NULL: everywhere). Takes the lock. The caller's to clear. Ordinary context: waits up to 2 ms for a thread that is in the
 * middle of a sample.
 */
void ppi_snapshot_take (struct pp_snapshot *out, const pp_metric *metric, const pp_site *site)
	__attribute__ ((visibility ("hidden")));
void ppi_snapshot_clear (struct pp_snapshot *snapshot) __attribute__ ((visibility ("hidden")));

#endif
