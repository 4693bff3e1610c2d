/* SPDX-License-Identifier: MIT */
/* report_figures.c: figures of a recording as text: composite metrics, statistics of the program's own, what was lately. */
#include "report.h"

#include <math.h>
#include <string.h>

static void put_figure (FILE *out, const struct ppi_recording *recording, const struct ppi_figure_chunk *f)
{
	const struct ppi_metric_chunk *metric = ppi_recording_find (recording, PPI_CHUNK_METRIC, f->chunk.id);
	char text[64];
	double value;

	__atomic_load (&f->value, &value, __ATOMIC_RELAXED);
	if (isnan (value) && !*f->name)
		fputs ("unknown", out);
	else if (metric && f->window_ns && f->seconds == 1 && !f->bytes)
		fputs (ppi_report_measured (value, metric, 1, ppi_report_resolution (recording, metric), text,
					    sizeof text),
		       out);
	else
		fputs (ppi_report_dimensioned (value, f->seconds, f->bytes, text, sizeof text), out);
}

static void put_window_name (FILE *out, uint64_t ns)
{
	char text[64];

	fprintf (out, "[%s]", ppi_report_quantity ((double) ns * 1e-9, PPI_UNIT_SECONDS, 1, text, sizeof text));
}

/* Of one metric, window and place */
static bool is_of_one (const struct ppi_figure_chunk *a, const struct ppi_figure_chunk *b)
{
	return a->chunk.id == b->chunk.id && a->window_ns == b->window_ns && a->site == b->site;
}

/* All of one metric and window in a line. */
static void put_window (FILE *out, const struct ppi_recording *recording, const struct ppi_figure_chunk *first)
{
	const char *between = ": ";

	fprintf (out, "  ");
	ppi_report_put_clean (out, ppi_report_metric_name (recording, first->chunk.id));
	put_window_name (out, first->window_ns);
	if (first->site) {
		fputs (" at ", out);
		ppi_report_put_clean (
			out, ppi_report_short_site (recording, ppi_report_site_name (recording, first->site), false));
	}
	for (const struct ppi_figure_chunk *f = NULL; (f = ppi_recording_next (recording, PPI_CHUNK_FIGURE, f));) {
		if (!is_of_one (f, first))
			continue;
		fputs (between, out);
		ppi_report_put_clean (out, f->name);
		fputc (' ', out);
		put_figure (out, recording, f);
		between = ", ";
	}
	fputc ('\n', out);
}

static bool is_first_of_window (const struct ppi_recording *recording, const struct ppi_figure_chunk *figure)
{
	const struct ppi_figure_chunk *f = NULL;

	while ((f = ppi_recording_next (recording, PPI_CHUNK_FIGURE, f)) && f != figure)
		if (is_of_one (f, figure))
			return false;
	return true;
}

static void put_single (FILE *out, const struct ppi_recording *recording, const struct ppi_figure_chunk *f)
{
	const struct ppi_metric_chunk *metric = ppi_recording_find (recording, PPI_CHUNK_METRIC, f->chunk.id);

	fputs ("  ", out);
	ppi_report_put_clean (out, ppi_report_metric_name (recording, f->chunk.id));
	if (*f->name) {
		fputc ('.', out);
		ppi_report_put_clean (out, f->name);
	}
	fputs (" = ", out);
	put_figure (out, recording, f);
	if (!*f->name && metric) {
		fputs ("  (", out);
		ppi_report_put_clean (out, ppi_chunk_text (metric, metric->source));
		fputc (')', out);
	}
	fputc ('\n', out);
}

void ppi_report_put_figures (FILE *out, const struct ppi_recording *recording)
{
	const struct ppi_figure_chunk *f = NULL;
	bool any = false;

	while ((f = ppi_recording_next (recording, PPI_CHUNK_FIGURE, f))) {
		if (!any)
			fputs ("\nfigures\n", out);
		any = true;
		if (!f->window_ns)
			put_single (out, recording, f);
		else if (is_first_of_window (recording, f))
			put_window (out, recording, f);
	}
}
