/* SPDX-License-Identifier: MIT */
/* read.c: what sections read of a recording alike; see read.h. */
#include "report/read.h"

#include "base/types.h"
#include "recording/read.h"
#include "base/quantity.h"

#include <stdio.h>
#include <string.h>

double ppi_report_seconds (const struct ppi_recording *recording, uint64_t ns)
{
	return ((double) ns - (double) ppi_recording_header (recording)->start_ns) * 1e-9;
}

double ppi_report_resolution (const struct ppi_recording *recording,
			      const struct ppi_metric_chunk *metric)
{
	const struct ppi_region_header *header = ppi_recording_header (recording);

	/* a scale of its own: it does not come from the clock that markers read */
	return metric && metric->unit == PPI_UNIT_SECONDS && metric->scale == 0
		       ? (double) header->resolution_ticks * header->seconds_per_tick
		       : 0;
}

/* The dimension of a composite metric is that of its figure. */
void ppi_report_put_value (struct ppi_row *row, const char *key, uint32_t id, double value)
{
	const struct ppi_recording *recording = row ? row->table->report->recording : NULL;
	const struct ppi_metric_chunk *metric =
		row ? ppi_recording_find (recording, PPI_CHUNK_METRIC, id) : NULL;
	const struct ppi_figure_chunk *f = NULL;
	int seconds = metric && metric->unit == PPI_UNIT_SECONDS,
	    bytes = metric && metric->unit == PPI_UNIT_BYTES;

	if (!row)
		return;
	while (metric && !metric->kind && (f = ppi_recording_next (recording, PPI_CHUNK_FIGURE, f)))
		if (f->chunk.id == id && !*f->name) {
			ppi_put_quantity (row, key, value, f->seconds, f->bytes, 0);
			return;
		}
	ppi_put_quantity (row, key, value, seconds, bytes,
			  ppi_report_resolution (recording, metric));
}

void ppi_report_show_site (struct ppi_row *row, const char *key, const char *site, bool with_file)
{
	if (row)
		ppi_show (row, key, "%s",
			  ppi_report_short_name (row->table->report, site, with_file ? 3 : 2));
}

const char *ppi_report_knob (const struct ppi_knob_chunk *knob, double value, char *out,
			     size_t room)
{
	return ppi_knob_format (knob && knob->words ? ppi_chunk_text (knob, knob->words) : NULL,
				value, out, room);
}

void ppi_report_say_more (struct ppi_table *table, const char *indent, size_t n)
{
	ppi_say (ppi_row (table), "%s... %zu more; ppctl report --json has them all\n", indent, n);
}

bool ppi_report_is_shown (struct ppi_table *table, const char *indent, size_t i, size_t n,
			  size_t most)
{
	if (n <= most || i < most / 2 || i >= n - most / 2)
		return true;
	if (i == most / 2)
		ppi_report_say_more (table, indent, n - most / 2 * 2);
	return false;
}
