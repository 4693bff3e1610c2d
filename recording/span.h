/* SPDX-License-Identifier: MIT */
/* span.h: what a metric measured between two moments, from what it had measured at each. */
#ifndef PPI_RECORDING_SPAN_H
#define PPI_RECORDING_SPAN_H

#include "libmetrics/keep/summary.h"

/*
 * Can STATISTIC of ACCUMULATOR be told of a span? Least and greatest can't: what is kept of them is
 * since the start.
 */
bool ppi_span_has (unsigned accumulator, enum pp_statistic statistic);

/*
 * What NOW has that THEN, an earlier one of the same metric, did not: *OUT is as of a window of
 * SECONDS. THEN NULL: all. ppi_summary_clear. False: no memory.
 */
bool ppi_span_between (const struct ppi_summary *now, const struct ppi_summary *then,
		       double seconds, struct ppi_summary *out);
/* A copy with memory of its own. False: no memory. */
bool ppi_span_copy (const struct ppi_summary *from, struct ppi_summary *out);

#endif
