/* SPDX-License-Identifier: MIT */
/* pending.c: what policies say of names and sites that there were not until the end. */
#include "recording/layout.h"
#include "recording/names.h"
#include "report/sections.h"

void ppi_section_pending (struct ppi_report *report, const struct ppi_recording *recording)
{
	struct ppi_table *table = ppi_table (report, "pending", "pending");
	const struct ppi_history_chunk *e = NULL;
	const char *what;

	while ((e = ppi_pending_next (recording, e, &what))) {
		struct ppi_row *row = ppi_row (table);

		ppi_put_text (row, "policy", e->text);
		ppi_put_text (row, "what", what);
		ppi_say (row, "  {policy}: no {what}\n");
	}
}
