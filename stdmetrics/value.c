/* SPDX-License-Identifier: MIT */
/* value.c: value, what a point captures: #pragma pp point NAME value(EXPR). Its type is the site's. */
#include "stdmetrics/stdmetrics.h"

const struct ppi_source ppi_source_value = {
	.name = "value",
	.help = "the value that a point captures",
	.class = PPI_SOURCE_VALUE,
	.kinds = PPI_FOR_POINTS,
	.sample_type = PP_ABI_SAMPLE_INT,
	.unit = PPI_UNIT_PLAIN,
	.scale = 1,
};
