/* SPDX-License-Identifier: MIT */
/*
 * figures.c: what the program computed: composite metrics, statistics of its own, what was lately.
 */
#include "recording/names.h"
#include "recording/read.h"
#include "report/read.h"
#include "report/sections.h"

#include <math.h>
#include <stddef.h>

static void put_value (struct ppi_row *row, const struct ppi_recording *recording,
		       const struct ppi_figure_chunk *f)
{
	const struct ppi_metric_chunk *metric =
		ppi_recording_find (recording, PPI_CHUNK_METRIC, f->chunk.id);
	double value;

	__atomic_load (&f->value, &value, __ATOMIC_RELAXED);
	ppi_put_quantity (row, "value", value, f->seconds, f->bytes,
			  f->window_ns && f->seconds == 1 && !f->bytes
				  ? ppi_report_resolution (recording, metric)
				  : 0);
	if (isnan (value) && !*f->name)
		ppi_show (row, "value", "unknown");
}

/* Of one metric, window and place */
static bool is_of_one (const struct ppi_figure_chunk *a, const struct ppi_figure_chunk *b)
{
	return a->chunk.id == b->chunk.id && a->window_ns == b->window_ns && a->site == b->site;
}

static bool is_first_of_window (const struct ppi_recording *recording,
				const struct ppi_figure_chunk *figure)
{
	const struct ppi_figure_chunk *f = NULL;

	while ((f = ppi_recording_next (recording, PPI_CHUNK_FIGURE, f)) && f != figure)
		if (is_of_one (f, figure))
			return false;
	return true;
}

/* All of one metric and window in a line. */
static void say_window (struct ppi_row *row, const struct ppi_recording *recording,
			const struct ppi_figure_chunk *first)
{
	struct ppi_table *all = ppi_put_table (row, "window", NULL);

	ppi_hide (row, "window");
	ppi_say (row, "  {metric}[{window_s}]");
	if (first->site) {
		ppi_report_show_site (row, "site", ppi_report_site_name (recording, first->site),
				      false);
		ppi_say (row, " at {site}");
	}
	ppi_say (row, ": {window}\n");
	for (const struct ppi_figure_chunk *f = NULL;
	     (f = ppi_recording_next (recording, PPI_CHUNK_FIGURE, f));)
		if (is_of_one (f, first)) {
			struct ppi_row *one = ppi_row (all);

			ppi_put_text (one, "statistic", f->name);
			put_value (one, recording, f);
			ppi_say (one, all && all->n_rows > 1 ? ", {statistic} {value}"
							     : "{statistic} {value}");
		}
}

static void say_single (struct ppi_row *row, const struct ppi_figure_chunk *f,
			const struct ppi_metric_chunk *metric)
{
	ppi_say (row, *f->name ? "  {metric}.{statistic} = {value}" : "  {metric} = {value}");
	if (!*f->name && metric) {
		ppi_show (row, "expression", "%s", ppi_chunk_text (metric, metric->source));
		ppi_say (row, "  ({expression})");
	}
	ppi_say (row, "\n");
}

void ppi_section_figures (struct ppi_report *report, const struct ppi_recording *recording)
{
	struct ppi_table *table = ppi_table (report, "figures", "figures");

	for (const struct ppi_figure_chunk *f = NULL;
	     (f = ppi_recording_next (recording, PPI_CHUNK_FIGURE, f));) {
		const struct ppi_metric_chunk *m =
			ppi_recording_find (recording, PPI_CHUNK_METRIC, f->chunk.id);
		struct ppi_row *row = ppi_row (table);

		ppi_put_text (row, "metric", ppi_report_metric_name (recording, f->chunk.id));
		ppi_put_text (row, "statistic", *f->name ? f->name : NULL);
		ppi_put_text (row, "expression",
			      m && !m->kind ? ppi_chunk_text (m, m->source) : NULL);
		ppi_put_quantity (row, "window_s",
				  f->window_ns ? (double) f->window_ns * 1e-9 : (double) NAN, 1, 0,
				  0);
		ppi_put_text (row, "site",
			      f->site ? ppi_report_site_name (recording, f->site) : NULL);
		put_value (row, recording, f);
		ppi_put_double (row, "seconds", PPI_CELL_WHOLE, f->seconds);
		ppi_put_double (row, "bytes", PPI_CELL_WHOLE, f->bytes);
		if (!f->window_ns)
			say_single (row, f, m);
		else if (is_first_of_window (recording, f))
			say_window (row, recording, f);
	}
}
