/* SPDX-License-Identifier: MIT */
/* scalar.h: the newest sample. */
#ifndef PPI_KEEP_SCALAR_H
#define PPI_KEEP_SCALAR_H

#include "libmetrics/keep/accumulator.h"

static const struct ppi_keep ppi_keep_SCALAR = {
	.name = "scalar",
	.keeps = PPI_KEEPS_LAST,
	.bytes = sizeof (struct ppi_shard),
	.has = PPI_HAS_N | PPI_STAT (LAST),
	.alone = PPI_STAT (LAST),
};

#endif
