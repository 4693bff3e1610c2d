/* SPDX-License-Identifier: MIT */
/* sites.c: how the markers of sites work, and what they cost. */
#include "base/types.h"
#include "recording/names.h"
#include "recording/read.h"
#include "report/read.h"
#include "report/sections.h"

#include <math.h>
#include <stddef.h>

#define SITES_SHOWN 40

static void put_site (struct ppi_row *row, const struct ppi_site_chunk *s)
{
	bool is_known = s->way != PPI_WAY_NONE && s->sampled_s > 0;

	ppi_put_text (row, "name", s->name);
	ppi_put_text (row, "short",
		      row ? ppi_report_short_name (row->table->report, s->name, 2) : NULL);
	ppi_put_text (row, "kind", ppi_kind_name (s->kind));
	ppi_put_count (row, "line", s->line);
	ppi_put_count (row, "markers", s->markers);
	ppi_put_count (row, "markers_in_blocks", s->in_blocks);
	ppi_put_text (row, "way", ppi_way_name (s->way));
	ppi_put_quantity (row, "cost_s", is_known ? s->sampled_s : (double) NAN, 1, 0, 0);
	ppi_put_quantity (row, "cost_inside_s", is_known ? s->inside_s : (double) NAN, 1, 0, 0);
	ppi_put_quantity (row, "cost_skipped_s", is_known ? s->skipped_s : (double) NAN, 1, 0, 0);
}

/* "2 markers, in code made for them; light" */
static void say_site (struct ppi_row *row, const struct ppi_site_chunk *s)
{
	ppi_report_show_site (row, "name", s->name, true);
	ppi_say (row, "  {name}: {markers} marker%s, ", ppi_report_plural (s->markers));
	if (!s->in_blocks)
		ppi_say (row, "by routines");
	else if (s->in_blocks >= s->markers)
		ppi_say (row, "in code made for %s", s->markers == 1 ? "it" : "them");
	else
		ppi_say (row, "{markers_in_blocks} in code made for them");
	if (s->way != PPI_WAY_PLAIN)
		ppi_say (row, "; {way}");
	if (s->sampled_s > 0)
		ppi_say (row, "; costs {cost_s} an execution");
	if (s->sampled_s > 0 && !isnan (s->inside_s))
		ppi_say (row, ", {cost_inside_s} of that inside");
	if (s->sampled_s > 0 && s->skipped_s > 0)
		ppi_say (row, "; {cost_skipped_s} where it is not sampled");
	ppi_say (row, "\n");
}

void ppi_section_sites (struct ppi_report *report, const struct ppi_recording *recording)
{
	struct ppi_table *table = ppi_table (report, "sites", "markers");
	size_t n = 0;

	for (const struct ppi_site_chunk *s = NULL;
	     (s = ppi_recording_next (recording, PPI_CHUNK_SITE, s));) {
		bool is_shown = s->way != PPI_WAY_NONE && n++ < SITES_SHOWN;
		struct ppi_row *row;

		/* there may be a million */
		if (report->extent == PPI_EXTENT_BRIEF && !is_shown)
			continue;
		if (is_shown && n == 1 && ppi_recording_header (recording)->at_once)
			ppi_say (ppi_row (table), "  so many were bound in one go that they have "
						  "no code of their own: those by "
						  "routines take longer\n");
		row = ppi_row (table);
		put_site (row, s);
		if (is_shown)
			say_site (row, s);
	}
	if (n > SITES_SHOWN)
		ppi_report_say_more (table, "  ", n - SITES_SHOWN);
}
