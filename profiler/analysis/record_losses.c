/* SPDX-License-Identifier: MIT */
/* record_losses.c: what of the event records is not there, in words; see records.h. */
#include "profiler/analysis/records.h"

#include <inttypes.h>

void ppi_records_put_losses (const struct ppi_records_info *info, FILE *out)
{
	if (info->dropped)
		fprintf (out, "%" PRIu64 " records were dropped: streams were full\n",
			 info->dropped);
	if (info->gaps)
		fprintf (out, "%" PRIu64 " parts of streams are missing or damaged\n", info->gaps);
}
