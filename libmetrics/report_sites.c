/* SPDX-License-Identifier: MIT */
/* report_sites.c: how the markers of bound sites work, and what they cost, in the report for people. */
#include "report.h"

#include <math.h>

#define SITES_SHOWN 40

/* "2 markers, in code made for them; light" */
static void put_way (FILE *out, const struct ppi_site_chunk *s)
{
	fprintf (out, "%u marker%s, ", s->markers, s->markers == 1 ? "" : "s");
	if (!s->in_blocks)
		fputs ("by routines", out);
	else if (s->in_blocks >= s->markers)
		fprintf (out, "in code made for %s", s->markers == 1 ? "it" : "them");
	else
		fprintf (out, "%u in code made for them", s->in_blocks);
	if (s->way != PPI_WAY_PLAIN)
		fprintf (out, "; %s", ppi_way_name (s->way));
}

static void put_cost (FILE *out, const struct ppi_site_chunk *s)
{
	char text[64];

	if (!(s->sampled_s > 0))
		return;
	fprintf (out, "; costs %s an execution",
		 ppi_report_quantity (s->sampled_s, PPI_UNIT_SECONDS, 1, text, sizeof text));
	if (!isnan (s->inside_s))
		fprintf (out, ", %s of that inside",
			 ppi_report_quantity (s->inside_s, PPI_UNIT_SECONDS, 1, text, sizeof text));
	if (s->skipped_s > 0)
		fprintf (out, "; %s where it is not sampled",
			 ppi_report_quantity (s->skipped_s, PPI_UNIT_SECONDS, 1, text, sizeof text));
}

static void put_title (FILE *out, const struct ppi_region_header *header)
{
	fputs ("\nmarkers\n", out);
	if (header->at_once)
		fputs ("  so many were bound in one go that they have no code of their own: those by routines take "
		       "longer\n",
		       out);
}

void ppi_report_put_sites (FILE *out, const struct ppi_recording *recording)
{
	size_t n = 0;

	for (const struct ppi_site_chunk *s = NULL; (s = ppi_recording_next (recording, PPI_CHUNK_SITE, s));) {
		if (s->way == PPI_WAY_NONE || n++ >= SITES_SHOWN)
			continue;
		if (n == 1)
			put_title (out, ppi_recording_header (recording));
		fputs ("  ", out);
		ppi_report_put_clean (out, ppi_report_short_site (recording, s->name, true));
		fputs (": ", out);
		put_way (out, s);
		put_cost (out, s);
		fputc ('\n', out);
	}
	if (n > SITES_SHOWN)
		fprintf (out, "  ... %zu more; --json has them all\n", n - SITES_SHOWN);
}
