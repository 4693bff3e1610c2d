/* SPDX-License-Identifier: MIT */
/* drops.c: what was not measured, by cause, and what is not exact. */
#include "base/types.h"
#include "recording/read.h"
#include "report/read.h"
#include "report/sections.h"

#include <pp.h>
#include <stdbool.h>
#include <stddef.h>

/* Nothing is missing for these, but what was read, or written, is not exact. */
static bool is_inexact (int cause)
{
	return cause == PP_DROP_TORN || cause == PP_DROP_STRINGS;
}

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
		if (!is_inexact (i))
			ppi_say (row, "  {%s} %s\n", name, ppi_drop_sentence ((enum pp_drop) i));
	}
	for (int i = 0; i < PP_DROPS; i++) {
		const char *name = ppi_drop_name ((enum pp_drop) i);
		uint64_t n = is_inexact (i) ? ppi_recording_drops (recording, (enum pp_drop) i) : 0;

		if (!n)
			continue;
		row = ppi_row (ppi_table (report, NULL, "not exact"));
		ppi_put_count (row, name, n);
		ppi_say (row, "  {%s} %s\n", name, ppi_drop_sentence ((enum pp_drop) i));
	}
}
