/* SPDX-License-Identifier: MIT */
/* printed.h: what a renderer of profiles prints. */
#ifndef TESTS_PRINTED_H
#define TESTS_PRINTED_H

#include "profiler/analysis/render.h"

#include "ppcheck.h"

#include <stdio.h>

/* Malloced. */
static char *printed (bool (*render) (const struct ppi_profile *, const struct ppi_render_options *,
				      FILE *),
		      const struct ppi_profile *p)
{
	const struct ppi_render_options options = PPI_RENDER_DEFAULTS;
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream (&text, &bytes);

	ck_assert (render (p, &options, out));
	fclose (out);
	return text;
}

#endif
