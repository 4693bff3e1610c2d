/* SPDX-License-Identifier: MIT */
/* report_figures.c: figures of a recording as text: composite metrics, statistics of the program's own, what was lately. */
#include "report.h"

#include <math.h>
#include <string.h>

/* VALUE in a unit of seconds^a × bytes^b; those that have no name are written out. */
static void put_value (FILE *out, double value, int seconds, int bytes)
{
	char text[64];

	if (!seconds && !bytes)
		fputs (ppi_report_quantity (value, PPI_UNIT_PLAIN, 0, text, sizeof text), out);
	else if (!bytes && (seconds == 1 || seconds == 2))
		fputs (ppi_report_quantity (value, PPI_UNIT_SECONDS, seconds, text, sizeof text), out);
	else if (!seconds && (bytes == 1 || bytes == 2))
		fputs (ppi_report_quantity (value, PPI_UNIT_BYTES, bytes, text, sizeof text), out);
	else if (isnan (value))
		fputs ("-", out);
	else {
		fprintf (out, "%.4g", value);
		if (bytes)
			fprintf (out, bytes == 1 ? " B" : " B^%d", bytes);
		if (seconds)
			fprintf (out, seconds == -1 ? "%s/s" : "%s s^%d", bytes ? "" : " ", seconds);
	}
}

static void put_figure (FILE *out, const struct ppi_figure_chunk *f)
{
	double value;

	__atomic_load (&f->value, &value, __ATOMIC_RELAXED);
	put_value (out, value, f->seconds, f->bytes);
}

static void put_window_name (FILE *out, uint64_t ns)
{
	char text[64];

	fprintf (out, "[%s]", ppi_report_quantity ((double) ns * 1e-9, PPI_UNIT_SECONDS, 1, text, sizeof text));
}

/* All of one metric and window in a line. */
static void put_window (FILE *out, const struct ppi_recording *recording, const struct ppi_figure_chunk *first)
{
	const char *between = ": ";

	fprintf (out, "  ");
	ppi_report_put_clean (out, ppi_report_metric_name (recording, first->chunk.id));
	put_window_name (out, first->window_ns);
	for (const struct ppi_figure_chunk *f = NULL; (f = ppi_recording_next (recording, PPI_CHUNK_FIGURE, f));) {
		if (f->chunk.id != first->chunk.id || f->window_ns != first->window_ns)
			continue;
		fputs (between, out);
		ppi_report_put_clean (out, f->name);
		fputc (' ', out);
		put_figure (out, f);
		between = ", ";
	}
	fputc ('\n', out);
}

static bool is_first_of_window (const struct ppi_recording *recording, const struct ppi_figure_chunk *figure)
{
	const struct ppi_figure_chunk *f = NULL;

	while ((f = ppi_recording_next (recording, PPI_CHUNK_FIGURE, f)) && f != figure)
		if (f->chunk.id == figure->chunk.id && f->window_ns == figure->window_ns)
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
	put_figure (out, f);
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
