/* SPDX-License-Identifier: MIT */
/* stats.h: sum, squares and extremes of all samples. */
#ifndef PPI_KEEP_STATS_H
#define PPI_KEEP_STATS_H

#include "libmetrics/keep/accumulator.h"

static const struct ppi_keep ppi_keep_STATS = {
	.name = "stats",
	.keeps = PPI_KEEPS_LAST | PPI_KEEPS_SUM | PPI_KEEPS_SQUARES | PPI_KEEPS_RANGE,
	.bytes = sizeof (struct ppi_shard),
	.has = PPI_HAS_SPREAD,
};

#endif
