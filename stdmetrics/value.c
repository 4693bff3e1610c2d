/* SPDX-License-Identifier: MIT */
/*
 * value.c: what a site captures: value, of #pragma pp point NAME value(EXPR) and #pragma pp feature
 * NAME payload(EXPR), and dim:KEY, of dim(KEY=EXPR). The type is the site's; an interval's sample
 * is what its begin captured.
 */
#include "stdmetrics/stdmetrics.h"

#include <ctype.h>
#include <stdio.h>

const struct ppi_source ppi_source_value = {
	.name = "value",
	.help = "the value that a point captures, or a feature's payload",
	.class = PPI_SOURCE_VALUE,
	.kinds = PPI_FOR_POINTS | PPI_FOR_INTERVALS,
	.sample_type = PP_ABI_SAMPLE_INT,
	.unit = PPI_UNIT_PLAIN,
	.scale = 1,
};

static int dim_open (struct ppi_source_instance *instance, char *why, size_t room)
{
	const char *at = instance->argument;

	while (isalnum ((unsigned char) *at) || *at == '_')
		at++;
	if (!*at && !isdigit ((unsigned char) *instance->argument))
		return PP_OK;
	snprintf (why, room, "\"dim:%s\": the name of a dimension is an identifier",
		  instance->argument);
	return PP_EINVAL;
}

const struct ppi_source ppi_source_dim = {
	.name = "dim",
	.help = "dim:KEY, the value that a point or an interval's begin captures under KEY",
	.prefix = true,
	.example = "KEY",
	.form = "KEY",
	.class = PPI_SOURCE_VALUE,
	.kinds = PPI_FOR_POINTS | PPI_FOR_INTERVALS,
	.sample_type = PP_ABI_SAMPLE_INT,
	.unit = PPI_UNIT_PLAIN,
	.scale = 1,
	.open = dim_open,
};
