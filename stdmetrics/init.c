/* SPDX-License-Identifier: MIT */
/* init.c: registers the library's sources. */
#include "stdmetrics/stdmetrics.h"

int ppi_stdmetrics_init (void)
{
#define X(name) &ppi_source_##name,
	static const struct ppi_source *const sources[] = {PPI_STANDARD_SOURCES (X)};
#undef X

	for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
		int error = ppi_source_register (sources[i]);

		if (error)
			return error;
	}
	return 0;
}
