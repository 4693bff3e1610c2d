/* SPDX-License-Identifier: MIT */
/* drops.c: what was not measured, by cause, and what is not exact. */
#include "base/types.h"
#include "recording/read.h"
#include "report/read.h"
#include "report/sections.h"

#include <pp.h>
#include <stddef.h>

void ppi_section_drops (struct ppi_report *report, const struct ppi_recording *recording)
{
	struct ppi_table *table = ppi_table (report, "drops", "not measured");
	struct ppi_row *row = ppi_row (table);

	if (table)
		table->is_single = true;
	for (int i = 0; i < PP_DROPS; i++) {
		const char *name = ppi_drop_name ((enum pp_drop) i);
		uint64_t n = ppi_recording_drops (recording, (enum pp_drop) i);

		if (!n)
			continue;
		ppi_put_count (row, name, n);
		if (!ppi_report_is_inexact ((enum pp_drop) i))
			ppi_say (row, "  {%s} %s\n", name, ppi_drop_sentence ((enum pp_drop) i));
	}
	for (int i = 0; i < PP_DROPS; i++) {
		const char *name = ppi_drop_name ((enum pp_drop) i);
		uint64_t n = ppi_report_is_inexact ((enum pp_drop) i)
				     ? ppi_recording_drops (recording, (enum pp_drop) i)
				     : 0;

		if (!n)
			continue;
		row = ppi_row (ppi_table (report, NULL, "not exact"));
		ppi_put_count (row, name, n);
		ppi_say (row, "  {%s} %s\n", name, ppi_drop_sentence ((enum pp_drop) i));
	}
}
