/* SPDX-License-Identifier: MIT */
/* count.c: count, how often a site was executed: nothing is read. */
#include "stdmetrics/stdmetrics.h"

const struct ppi_source ppi_source_count = {
	.name = "count",
	.help = "executions; reads nothing",
	.class = PPI_SOURCE_NONE,
	.kinds = PPI_FOR_POINTS | PPI_FOR_INTERVALS,
	.sample_type = PP_ABI_SAMPLE_INT,
	.unit = PPI_UNIT_PLAIN,
	.scale = 1,
};
