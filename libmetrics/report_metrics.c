/* SPDX-License-Identifier: MIT */
/* report_metrics.c: the table of metrics in the report for people. */
#include "report.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define CELL 80

static const enum pp_statistic columns[] = {PP_STAT_N,      PP_STAT_AVG,   PP_STAT_MIN, PP_STAT_MAX,
					    PP_STAT_STDDEV, PP_STAT_TOTAL, PP_STAT_LAST};
#define STATISTICS (sizeof columns / sizeof columns[0])

/* One line of the table of metrics. */
struct row {
	const char *metric; /* a heading where set */
	char heading[400];
	const char *site;
	char cell[STATISTICS][CELL];
	char note[300];
};

struct table {
	struct row *row;
	size_t n, room;
};

static struct row *new_row (struct table *table)
{
	if (table->n == table->room) {
		size_t room = table->room ? 2 * table->room : 32;
		struct row *more = realloc (table->row, room * sizeof *more);

		if (!more)
			return NULL;
		table->row = more;
		table->room = room;
	}
	memset (&table->row[table->n], 0, sizeof *table->row);
	return &table->row[table->n++];
}

static void add_note (struct row *row, const char *format, ...) __attribute__ ((format (printf, 2, 3)));
static void add_note (struct row *row, const char *format, ...)
{
	size_t used = strlen (row->note);
	va_list ap;

	if (used && used + 2 < sizeof row->note) {
		memcpy (row->note + used, "; ", 3);
		used += 2;
	}
	va_start (ap, format);
	vsnprintf (row->note + used, sizeof row->note - used, format, ap);
	va_end (ap);
}

static void note_quantiles (struct row *row, const struct ppi_summary *summary, const struct ppi_metric_chunk *metric,
			    double scale, double resolution)
{
	static const enum pp_statistic quantiles[] = {PP_STAT_P50, PP_STAT_P90, PP_STAT_P99, PP_STAT_P999};
	char text[CELL], all[sizeof quantiles / sizeof quantiles[0] * (CELL + 8)] = "";
	size_t used = 0;

	for (size_t i = 0; i < sizeof quantiles / sizeof quantiles[0]; i++) {
		ppi_report_measured (ppi_summary_get (summary, quantiles[i], scale), metric, 1, resolution, text, CELL);
		if (used < sizeof all)
			used += (size_t) snprintf (all + used, sizeof all - used, "%s%s %s", used ? ", " : "",
						   ppi_statistic_name (quantiles[i]), text);
	}
	add_note (row, "%s", all);
}

static void fill_row (struct row *row, const struct ppi_recording *recording, const struct ppi_metric_chunk *metric,
		      uint32_t site)
{
	uint32_t every = site == PPI_ALL_SITES ? 0 : ppi_report_every (recording, metric->chunk.id, site);
	double scale = ppi_recording_scale (recording, metric), resolution = ppi_report_resolution (recording, metric);
	struct ppi_summary summary;

	ppi_recording_summary (recording, metric, site, &summary);
	for (size_t i = 0; i < STATISTICS; i++) {
		double value = ppi_summary_get (&summary, columns[i], scale);
		/* all alike is no deviation at all */
		double least = columns[i] == PP_STAT_STDDEV && value == 0 ? 0 : resolution;

		ppi_report_measured (value, metric, ppi_statistic_power (columns[i]), least, row->cell[i], CELL);
	}
	if (metric->accumulator == PPI_HISTOGRAM && summary.all.n)
		note_quantiles (row, &summary, metric, scale, resolution);
	if (every > 1)
		add_note (row, "1 in %u sampled, about %.0f executions", every, summary.executions);
	if (summary.lost)
		add_note (row, "%llu samples had no room", (unsigned long long) summary.lost);
	if (summary.torn)
		add_note (row, "%u interrupted while written: not in the count, perhaps in the rest", summary.torn);
	ppi_summary_clear (&summary);
}

static int compare_sites (const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;

	return x < y ? -1 : x > y;
}

/* The ids of the sites METRIC is or was bound to, each once; *N of them, to be freed. */
static uint32_t *sites_of (const struct ppi_recording *recording, uint32_t metric, size_t *n)
{
	size_t room = 0, kept = 0;
	uint32_t *site;

	for (const void *b = NULL; (b = ppi_recording_next (recording, PPI_CHUNK_BINDING, b));)
		room++;
	site = calloc (room + 1, sizeof *site);
	*n = 0;
	if (!site)
		return NULL;
	for (const struct ppi_binding_chunk *b = NULL; (b = ppi_recording_next (recording, PPI_CHUNK_BINDING, b));)
		if (b->metric == metric)
			site[(*n)++] = b->site;
	qsort (site, *n, sizeof *site, compare_sites);
	for (size_t i = 0; i < *n; i++)
		if (i == 0 || site[i] != site[kept - 1])
			site[kept++] = site[i];
	*n = kept;
	return site;
}

/* What is neither a point nor an interval. */
static void note_kind (struct row *row, const struct ppi_recording *recording, uint32_t id)
{
	const struct ppi_site_chunk *site = id ? ppi_recording_find (recording, PPI_CHUNK_SITE, id) : NULL;

	if (site && (site->kind == PP_ABI_SITE_FEATURE || site->kind == PP_ABI_SITE_ANTIMARK))
		add_note (row, "%s", ppi_kind_name (site->kind));
}

/* What it was really measured with, and how much of the time. */
static void note_source (struct row *row, const struct ppi_metric_chunk *metric)
{
	size_t used = strlen (row->heading);
	uint32_t share = metric->share_permille;

	if (metric->instead)
		snprintf (row->heading + used, sizeof row->heading - used, ", instead of %s",
			  ppi_chunk_text (metric, metric->instead));
	used = strlen (row->heading);
	if (share && share < 1000)
		snprintf (row->heading + used, sizeof row->heading - used, ", counted %.3g %% of the time and scaled",
			  share / 10.0);
}

static void add_metric (struct table *table, const struct ppi_recording *recording,
			const struct ppi_metric_chunk *metric)
{
	size_t n;
	uint32_t *site = sites_of (recording, metric->chunk.id, &n);
	struct row *row = new_row (table);

	if (row) {
		row->metric = metric->name;
		if (metric->accumulator == PPI_UNBOUNDED_SERIES)
			snprintf (row->heading, sizeof row->heading, "%s of %s, at most %llu of each thread",
				  ppi_accumulator_name (metric->accumulator), ppi_chunk_text (metric, metric->source),
				  (unsigned long long) metric->size);
		else if (metric->accumulator == PPI_BOUNDED_SERIES)
			snprintf (row->heading, sizeof row->heading, "%s of %s, the newest %llu of each thread",
				  ppi_accumulator_name (metric->accumulator), ppi_chunk_text (metric, metric->source),
				  (unsigned long long) metric->size);
		else
			snprintf (row->heading, sizeof row->heading, "%s of %s",
				  ppi_accumulator_name (metric->accumulator), ppi_chunk_text (metric, metric->source));
		note_source (row, metric);
	}
	for (size_t i = 0; site && i < n; i++) {
		row = new_row (table);
		if (row) {
			row->site = site[i] ? ppi_report_site_name (recording, site[i]) : "(pp_sample)";
			fill_row (row, recording, metric, site[i]);
			note_kind (row, recording, site[i]);
		}
	}
	row = n > 1 ? new_row (table) : NULL;
	if (row) {
		row->site = "all sites";
		fill_row (row, recording, metric, PPI_ALL_SITES);
	}
	free (site);
}

static void put_row (FILE *out, const struct row *row, const int width[1 + STATISTICS])
{
	fputs ("  ", out);
	ppi_report_put_left (out, row->site, width[0]);
	for (size_t i = 0; i < STATISTICS; i++) {
		fputs ("  ", out);
		ppi_report_put_right (out, row->cell[i], width[1 + i]);
	}
	if (*row->note)
		fprintf (out, "  (%s)", row->note);
	fputc ('\n', out);
}

enum { GROUP_MOST = 4096 };

/*
 * Would another site of the metric that row R is of be called the same? Nobody shortens the names
 * of thousands for a terminal.
 */
static bool is_twin_shorter (const struct table *table, size_t r, bool with_file)
{
	const char *name = ppi_report_short_name (table->row[r].site, with_file);
	size_t first = r, end = r;

	while (first > 0 && !table->row[first - 1].metric)
		first--;
	while (end < table->n && !table->row[end].metric)
		end++;
	for (size_t i = first; end - first <= GROUP_MOST && i < end; i++)
		if (i != r && strcmp (ppi_report_short_name (table->row[i].site, with_file), name) == 0)
			return true;
	return end - first > GROUP_MOST;
}

/* Gives sites shorter names where the table is wider than its terminal: "file.c:function/site", then "function/site". */
static void fit_names (const struct table *table, int width[1 + STATISTICS], int room)
{
	int rest = 2;

	for (size_t i = 0; i < STATISTICS; i++)
		rest += 2 + width[1 + i];
	for (int with_file = 1; with_file >= 0 && rest + width[0] > room; with_file--) {
		width[0] = 0;
		for (size_t r = 0; r < table->n; r++) {
			struct row *row = &table->row[r];

			if (row->metric)
				continue;
			if (!is_twin_shorter (table, r, with_file))
				row->site = ppi_report_short_name (row->site, with_file);
			width[0] = ppi_report_width (row->site) > width[0] ? ppi_report_width (row->site) : width[0];
		}
	}
}

static void put_table (FILE *out, const struct table *table)
{
	struct row head = {.site = ""};
	int width[1 + STATISTICS] = {0};

	for (size_t i = 0; i < STATISTICS; i++) {
		snprintf (head.cell[i], CELL, "%s", ppi_statistic_name (columns[i]));
		width[1 + i] = ppi_report_width (head.cell[i]);
	}
	for (size_t r = 0; r < table->n; r++) {
		const struct row *row = &table->row[r];

		if (row->metric)
			continue;
		width[0] = ppi_report_width (row->site) > width[0] ? ppi_report_width (row->site) : width[0];
		for (size_t i = 0; i < STATISTICS; i++)
			width[1 + i] = ppi_report_width (row->cell[i]) > width[1 + i] ? ppi_report_width (row->cell[i])
										      : width[1 + i];
	}
	fit_names (table, width, ppi_report_room (out));
	fputs ("\nmetrics\n", out);
	put_row (out, &head, width);
	for (size_t r = 0; r < table->n; r++) {
		const struct row *row = &table->row[r];

		if (!row->metric) {
			put_row (out, row, width);
			continue;
		}
		ppi_report_put_clean (out, row->metric);
		fputs (": ", out);
		ppi_report_put_clean (out, row->heading);
		fputc ('\n', out);
	}
}

void ppi_report_put_metrics (FILE *out, const struct ppi_recording *recording)
{
	struct table table = {NULL, 0, 0};
	bool unavailable = false;

	for (const struct ppi_metric_chunk *m = NULL; (m = ppi_recording_next (recording, PPI_CHUNK_METRIC, m));)
		if (m->unavailable)
			unavailable = true;
		else if (m->kind)
			add_metric (&table, recording, m);
	if (table.n)
		put_table (out, &table);
	free (table.row);
	if (unavailable)
		fputs ("\nnot available here\n", out);
	for (const struct ppi_metric_chunk *m = NULL; (m = ppi_recording_next (recording, PPI_CHUNK_METRIC, m));)
		if (m->unavailable) {
			fputs ("  ", out);
			ppi_report_put_clean (out, m->name);
			fputs (": ", out);
			ppi_report_put_clean (out, ppi_chunk_text (m, m->unavailable));
			fputc ('\n', out);
		}
}
