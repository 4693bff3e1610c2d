/* SPDX-License-Identifier: MIT */
/* drops.c: what was not measured, by cause, and what is not exact. */
#include "report/read.h"
#include "report/sections.h"

void ppi_section_drops (struct ppi_report *report, const struct ppi_recording *recording)
{
	static const char *const causes[PP_DROPS] = {
		[PP_DROP_LONGJMP] = "intervals whose end was jumped over (longjmp)",
		[PP_DROP_DISABLED] = "intervals that were unbound, or bound anew, while open",
		[PP_DROP_UNMATCHED] = "ends without a begin: bound while open",
		[PP_DROP_DEPTH] = "intervals nested deeper than 1,024",
		[PP_DROP_POOL] = "for want of room in the live region",
		[PP_DROP_FORK] = "in children that had no region yet",
		[PP_DROP_SIGNAL] = "in signal handlers inside signal handlers",
		[PP_DROP_UNKNOWN] = "samples whose source had no value",
		[PP_DROP_UNAVAILABLE] = "samples whose source could not be opened in their thread",
		[PP_DROP_SPAN] = "ends of spans that had ended, or never begun",
		[PP_DROP_HISTORY] = "of the oldest entries of the history, whose place newer ones took",
	};
	uint64_t torn = ppi_recording_drops (recording, PP_DROP_TORN);
	struct ppi_table *table = ppi_table (report, "drops", "not measured");
	struct ppi_row *row = ppi_row (table);

	if (table)
		table->is_single = true;
	for (int i = 0; i < PP_DROPS; i++) {
		const char *name = ppi_report_drop_name ((enum pp_drop) i);
		uint64_t n = ppi_recording_drops (recording, (enum pp_drop) i);

		if (!n)
			continue;
		ppi_put_count (row, name, n);
		if (causes[i])
			ppi_say (row, "  {%s} %s\n", name, causes[i]);
	}
	row = torn ? ppi_row (ppi_table (report, NULL, "not exact")) : NULL;
	ppi_put_count (row, "torn", torn);
	ppi_say (row, "  {torn} figures that were read while a thread stood still in the middle of a sample\n");
}
