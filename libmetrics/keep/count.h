/* SPDX-License-Identifier: MIT */
/* count.h: how many samples there were; their values are not looked at. */
#ifndef PPI_KEEP_COUNT_H
#define PPI_KEEP_COUNT_H

#include "libmetrics/keep/accumulator.h"

static const struct ppi_keep ppi_keep_COUNT = {
	.name = "count",
	.bytes = sizeof (struct ppi_shard),
	.has = PPI_HAS_COUNT,
	.alone = PPI_STAT (N),
};

#endif
