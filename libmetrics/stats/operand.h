/* SPDX-License-Identifier: MIT */
/*
 * operand.h: statistics as fields of shards, for checks that markers see to pass (tables/quick.h).
 */
#ifndef PPI_STATS_OPERAND_H
#define PPI_STATS_OPERAND_H

#include "libmetrics/tables/quick.h"

#include <pp.h>
#include <stdbool.h>

struct ppi_op;

/* A statistic is FIELD / BY × SCALE. */
struct ppi_quick_operand {
	struct ppi_quick_factor field, by;
	bool is_count; /* of samples, and not made of them */
	/* the scale is that of ticks, which gets better in the first moments of a program */
	bool is_measured;
	double scale;
};

/*
 * What STATISTIC of METRIC is at markers that take the samples of OPS; false: that can't be said in
 * fields. With the lock.
 */
bool ppi_quick_operand (const struct ppi_op *ops, unsigned n_ops, const pp_metric *metric,
			enum pp_statistic statistic, struct ppi_quick_operand *out);

#endif
