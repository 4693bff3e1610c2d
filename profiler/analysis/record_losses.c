/* SPDX-License-Identifier: MIT */
/* record_losses.c: what of the event records is not there, in words; see records.h. */
#include "profiler/analysis/records.h"

#include "base/types.h"

#include <inttypes.h>

void ppi_records_put_losses (const struct ppi_records_info *info, FILE *out)
{
	for (int i = 0; i < PP_DROPS; i++)
		if (info->lost[i])
			fprintf (out, "%" PRIu64 " dropped (%s): %s\n", info->lost[i],
				 ppi_drop_name ((enum pp_drop) i),
				 ppi_drop_sentence ((enum pp_drop) i));
	if (info->others)
		fprintf (out, "%" PRIu64 " not exact (%s): %s\n", info->others,
			 ppi_drop_name (PP_DROP_STRINGS), ppi_drop_sentence (PP_DROP_STRINGS));
	if (info->gaps)
		fprintf (out, "%" PRIu64 " parts of streams are missing or damaged\n", info->gaps);
}
