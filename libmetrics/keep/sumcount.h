/* SPDX-License-Identifier: MIT */
/* sumcount.h: the sum of all samples. */
#ifndef PPI_KEEP_SUMCOUNT_H
#define PPI_KEEP_SUMCOUNT_H

#include "libmetrics/keep/accumulator.h"

static const struct ppi_keep ppi_keep_SUMCOUNT = {
	.name = "sumcount",
	.keeps = PPI_KEEPS_LAST | PPI_KEEPS_SUM,
	.bytes = sizeof (struct ppi_shard),
	.has = PPI_HAS_SUM,
};

#endif
