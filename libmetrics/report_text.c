/* SPDX-License-Identifier: MIT */
/* report_text.c: the report for people; see report.h. What has nothing to say is left out. */
#include "report.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NS_PER_S 1e9
#define COLUMNS 9 /* site, n, and the statistics below */
#define EVENTS_SHOWN 60
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

/* Columns that TEXT takes on a screen: its UTF-8 characters. */
static int width_of (const char *text)
{
	int n = 0;

	for (; *text; text++)
		n += ((unsigned char) *text & 0xc0) != 0x80;
	return n;
}

/* Names come from files: nothing in them may talk to a terminal. */
void ppi_report_put_clean (FILE *out, const char *text)
{
	for (; *text; text++)
		fputc ((unsigned char) *text < 0x20 || *text == 0x7f ? '?' : *text, out);
}

static void put_left (FILE *out, const char *text, int width)
{
	ppi_report_put_clean (out, text);
	fprintf (out, "%*s", width > width_of (text) ? width - width_of (text) : 0, "");
}

static void put_right (FILE *out, const char *text, int width)
{
	fprintf (out, "%*s%s", width > width_of (text) ? width - width_of (text) : 0, "", text);
}

static double seconds_since_start (const struct ppi_region_header *header, uint64_t ns)
{
	return ((double) ns - (double) header->start_ns) / NS_PER_S;
}

/* ---- who, when, how long ----------------------------------------------------------------------------------------- */

static void put_head (FILE *out, const struct ppi_recording *recording)
{
	const struct ppi_region_header *header = ppi_recording_header (recording);
	time_t seconds = (time_t) (header->start_realtime_ns / 1000000000u);
	char when[64] = "?";
	struct tm tm;

	if (localtime_r (&seconds, &tm))
		strftime (when, sizeof when, "%Y-%m-%d %H:%M:%S %z", &tm);
	fputs ("program    ", out);
	ppi_report_put_clean (out, header->program[0] ? header->program : "?");
	fprintf (out, "\nprocess    %u\nstarted    %s\nmeasured   %.3f s\nrecording  %s\n", header->pid, when,
		 seconds_since_start (header, header->now_ns), ppi_report_state (header));
}

/* ---- metrics ----------------------------------------------------------------------------------------------------- */

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

	used += (size_t) snprintf (row->note + used, sizeof row->note - used, "%s", used ? "; " : "");
	va_start (ap, format);
	vsnprintf (row->note + used, sizeof row->note - used, format, ap);
	va_end (ap);
}

static void note_quantiles (struct row *row, const struct ppi_summary *summary, const struct ppi_metric_chunk *metric,
			    double scale)
{
	static const enum pp_statistic quantiles[] = {PP_STAT_P50, PP_STAT_P90, PP_STAT_P99, PP_STAT_P999};
	char text[CELL], all[200] = "";
	size_t used = 0;

	for (size_t i = 0; i < sizeof quantiles / sizeof quantiles[0]; i++) {
		ppi_report_quantity (ppi_summary_get (summary, quantiles[i], scale), metric->unit, 1, text, CELL);
		used += (size_t) snprintf (all + used, sizeof all - used, "%s%s %s", used ? ", " : "",
					   ppi_statistic_name (quantiles[i]), text);
	}
	add_note (row, "%s", all);
}

static void fill_row (struct row *row, const struct ppi_recording *recording, const struct ppi_metric_chunk *metric,
		      uint32_t site)
{
	uint32_t every = site == PPI_ALL_SITES ? 0 : ppi_report_every (recording, metric->chunk.id, site);
	double scale = ppi_recording_scale (recording, metric);
	struct ppi_summary summary;

	ppi_recording_summary (recording, metric, site, &summary);
	for (size_t i = 0; i < STATISTICS; i++)
		ppi_report_quantity (ppi_summary_get (&summary, columns[i], scale), metric->unit,
				     ppi_statistic_power (columns[i]), row->cell[i], CELL);
	if (metric->accumulator == PPI_HISTOGRAM && summary.all.n)
		note_quantiles (row, &summary, metric, scale);
	if (every > 1)
		add_note (row, "1 in %u sampled, about %.0f executions", every, summary.executions);
	if (summary.lost)
		add_note (row, "%llu samples had no room", (unsigned long long) summary.lost);
	if (summary.torn)
		add_note (row, "%u interrupted while written", summary.torn);
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
	put_left (out, row->site, width[0]);
	for (size_t i = 0; i < STATISTICS; i++) {
		fputs ("  ", out);
		put_right (out, row->cell[i], width[1 + i]);
	}
	if (*row->note)
		fprintf (out, "  (%s)", row->note);
	fputc ('\n', out);
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
			row->site = ppi_report_short_name (row->site, with_file);
			width[0] = width_of (row->site) > width[0] ? width_of (row->site) : width[0];
		}
	}
}

static void put_table (FILE *out, const struct table *table)
{
	struct row head = {.site = ""};
	int width[1 + STATISTICS] = {0};

	for (size_t i = 0; i < STATISTICS; i++) {
		snprintf (head.cell[i], CELL, "%s", ppi_statistic_name (columns[i]));
		width[1 + i] = width_of (head.cell[i]);
	}
	for (size_t r = 0; r < table->n; r++) {
		const struct row *row = &table->row[r];

		if (row->metric)
			continue;
		width[0] = width_of (row->site) > width[0] ? width_of (row->site) : width[0];
		for (size_t i = 0; i < STATISTICS; i++)
			width[1 + i] = width_of (row->cell[i]) > width[1 + i] ? width_of (row->cell[i]) : width[1 + i];
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

static void put_metrics (FILE *out, const struct ppi_recording *recording)
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

/* ---- assertions -------------------------------------------------------------------------------------------------- */

static void put_captures (FILE *out, const struct ppi_recording *recording, const struct ppi_assertion_chunk *assertion)
{
	const struct ppi_capture_entry *entry = ppi_capture_entries (assertion);
	int width = 0;

	if (assertion->captures == 0 || assertion->violations == 0)
		return;
	fputs ("    what else was high then\n", out);
	for (uint32_t i = 0; i < assertion->captures; i++) {
		int one = width_of (ppi_report_metric_name (recording, entry[i].metric));

		width = one > width ? one : width;
	}
	for (uint32_t i = 0; i < assertion->captures; i++) {
		const struct ppi_metric_chunk *metric =
			ppi_recording_find (recording, PPI_CHUNK_METRIC, entry[i].metric);
		double ratio = ppi_capture_ratio (&entry[i]);
		char text[CELL];

		fputs ("      ", out);
		put_left (out, ppi_report_metric_name (recording, entry[i].metric), width);
		if (entry[i].n == 0) {
			fputs ("  unknown at every violation\n", out);
			continue;
		}
		ppi_report_quantity (ppi_capture_average (&entry[i]), metric ? metric->unit : PPI_UNIT_PLAIN, 1, text,
				     sizeof text);
		fprintf (out, "  %s on average", text);
		if (!isnan (ratio))
			fprintf (out, ", %.2f times its own average", ratio);
		fputc ('\n', out);
	}
}

/* A factor as what it adds: +37 %, -5 % */
static void put_excess (FILE *out, double factor)
{
	char text[CELL];

	snprintf (text, sizeof text, "%+.1f %%", 100 * (factor - 1));
	put_right (out, isnan (factor) ? "-" : text, 12);
}

static void put_sweep (FILE *out, const struct ppi_recording *recording, const struct ppi_assertion_chunk *assertion)
{
	const struct ppi_capture_entry *entry = ppi_capture_entries (assertion);
	struct ppi_sweep sweep;

	if (!ppi_report_sweep (recording, assertion, &sweep))
		return;
	fprintf (out,
		 "    sweep of %llu checks: at those over each threshold, how much above its own average\n"
		 "    each metric was, as that was then, and at all checks\n      threshold  violations    share",
		 (unsigned long long) sweep.checks);
	for (uint32_t c = 0; c < sweep.captures; c++) {
		fputs ("  ", out);
		put_right (out, ppi_report_metric_name (recording, entry[c].metric), 24);
	}
	fputc ('\n', out);
	fprintf (out, "%36s", "");
	for (uint32_t c = 0; c < sweep.captures; c++)
		fprintf (out, "  %12s%12s", "then", "all");
	fputc ('\n', out);
	for (uint32_t t = 0; t < sweep.thresholds; t++) {
		fprintf (out, "      %9.4g  %10llu  %5.1f %%", sweep.threshold[t],
			 (unsigned long long) sweep.violations[t],
			 100 * (double) sweep.violations[t] / (double) sweep.checks);
		for (uint32_t c = 0; c < sweep.captures; c++) {
			fputs ("  ", out);
			put_excess (out, ppi_sweep_ratio (&sweep, t, c));
			put_excess (out, ppi_sweep_excess (&sweep, t, c));
		}
		fputc ('\n', out);
	}
	free (sweep.sum);
}

/* The newest investigation's result */
static void put_found (FILE *out, const struct ppi_recording *recording, const struct ppi_assertion_chunk *assertion)
{
	const struct ppi_event_chunk *newest = NULL;

	for (const struct ppi_event_chunk *e = NULL; (e = ppi_recording_next (recording, PPI_CHUNK_EVENT, e));)
		if (e->kind == PPI_EVENT_INVESTIGATE && strcmp (e->text, assertion->name) == 0)
			newest = e;
	if (!newest)
		return;
	fprintf (out,
		 "    investigated at %.3f s: ", seconds_since_start (ppi_recording_header (recording), newest->ns));
	ppi_report_put_clean (out, newest->text + strlen (newest->text) + 1);
	fputc ('\n', out);
}

static void put_sides (FILE *out, const struct ppi_assertion_chunk *assertion)
{
	if (!isnan (assertion->left) && !isnan (assertion->right))
		fprintf (out, "; the sides of the newest check are %.4g and %.4g", assertion->left, assertion->right);
}

static void put_assertion (FILE *out, const struct ppi_recording *recording,
			   const struct ppi_assertion_chunk *assertion)
{
	const struct ppi_region_header *header = ppi_recording_header (recording);
	uint64_t quick = ppi_recording_quick_passes (recording, assertion);
	double share = ppi_violation_share (recording, assertion);

	fputs ("  ", out);
	ppi_report_put_clean (out, assertion->name);
	fputs (": ", out);
	ppi_report_put_clean (out, ppi_chunk_text (assertion, assertion->expression));
	fprintf (out, "\n    %s", assertion->site ? "at " : "by time or in the code");
	if (assertion->site)
		ppi_report_put_clean (out, ppi_report_site_name (recording, assertion->site));
	fprintf (out, "; %s; %s", ppi_severity_name (assertion->severity), ppi_state_name (assertion->state));
	if (assertion->since_ns)
		fprintf (out, " since %.3f s", seconds_since_start (header, assertion->since_ns));
	if (assertion->per_thread)
		fprintf (out, ", each thread for itself: %u fire", assertion->firing);
	fprintf (out, "; fired %llu, cleared %llu\n", (unsigned long long) assertion->fired,
		 (unsigned long long) assertion->cleared);
	fprintf (out, "    %llu checks: %llu held, %llu violated", (unsigned long long) assertion->checks + quick,
		 (unsigned long long) assertion->passes + quick, (unsigned long long) assertion->violations);
	if (!isnan (share))
		fprintf (out, " (%.3g %%)", 100 * share);
	fprintf (out, ", %llu unknown\n", (unsigned long long) assertion->unknowns);
	if (assertion->violations) {
		fprintf (out, "    violated first at %.3f s, last at %.3f s",
			 seconds_since_start (header, assertion->first_ns),
			 seconds_since_start (header, assertion->last_ns));
		put_sides (out, assertion);
		fputc ('\n', out);
	}
	if (assertion->suppressed)
		fprintf (out, "    %llu more lines were not logged\n", (unsigned long long) assertion->suppressed);
	put_found (out, recording, assertion);
	put_captures (out, recording, assertion);
	put_sweep (out, recording, assertion);
}

static void put_assertions (FILE *out, const struct ppi_recording *recording)
{
	const struct ppi_assertion_chunk *a = ppi_recording_next (recording, PPI_CHUNK_ASSERTION, NULL);

	if (a)
		fputs ("\nassertions\n", out);
	for (; a; a = ppi_recording_next (recording, PPI_CHUNK_ASSERTION, a))
		put_assertion (out, recording, a);
}

/* ---- knobs, events, drops ---------------------------------------------------------------------------------------- */

static void put_knob_value (FILE *out, const struct ppi_knob_chunk *knob, double value)
{
	char text[64];

	ppi_report_put_clean (out, ppi_report_knob_value (knob, value, text, sizeof text));
}

static void put_knobs (FILE *out, const struct ppi_recording *recording)
{
	const struct ppi_region_header *header = ppi_recording_header (recording);
	const struct ppi_knob_chunk *k = ppi_recording_next (recording, PPI_CHUNK_KNOB, NULL);

	if (k)
		fputs ("\nknobs\n", out);
	for (; k; k = ppi_recording_next (recording, PPI_CHUNK_KNOB, k)) {
		fputs ("  ", out);
		ppi_report_put_clean (out, k->name);
		fputs (": ", out);
		put_knob_value (out, k, k->initial);
		fputs (" at first, ", out);
		put_knob_value (out, k, k->value);
		fputs (k->words ? " now; one of " : " now; range ", out);
		if (k->words)
			ppi_report_put_clean (out, ppi_chunk_text (k, k->words));
		else
			fprintf (out, "%.6g to %.6g", k->min, k->max);
		fprintf (out, "; turned %u times\n", k->turned);
		for (const struct ppi_event_chunk *e = NULL; (e = ppi_recording_next (recording, PPI_CHUNK_EVENT, e));)
			if (e->kind == PPI_EVENT_KNOB && strcmp (e->text, k->name) == 0) {
				fprintf (out, "    %9.3f s  ", seconds_since_start (header, e->ns));
				put_knob_value (out, k, e->value[0]);
				fputs (" → ", out);
				put_knob_value (out, k, e->value[1]);
				fputc ('\n', out);
			}
	}
}

/* VALUE of the objective: a time, bytes or a number */
static void put_objective (FILE *out, const struct ppi_adapt_chunk *adapt, double value)
{
	enum ppi_unit unit = adapt->seconds == 1 && !adapt->bytes   ? PPI_UNIT_SECONDS
			     : adapt->bytes == 1 && !adapt->seconds ? PPI_UNIT_BYTES
								    : PPI_UNIT_PLAIN;
	char text[40];

	fprintf (out, "%12s", ppi_report_quantity (value, unit, 1, text, sizeof text));
}

static void put_adapt (FILE *out, const struct ppi_recording *recording, const struct ppi_adapt_chunk *adapt)
{
	char value[64];

	fputs ("  ", out);
	ppi_report_put_clean (out, ppi_chunk_text (adapt, adapt->knob));
	fprintf (out, ": %s ", adapt->maximise ? "maximise" : "minimise");
	ppi_report_put_clean (out, ppi_chunk_text (adapt, adapt->objective));
	fprintf (out, "; %s", ppi_adapt_state_name (adapt->state));
	if (adapt->state == PP_ADAPT_SETTLED)
		fprintf (out, " on %s", ppi_adapt_value (recording, adapt, adapt->best, value, sizeof value));
	if (adapt->since_ns)
		fprintf (out, " since %.3f s", seconds_since_start (ppi_recording_header (recording), adapt->since_ns));
	fprintf (out,
		 "\n    %llu windows: settled %llu times, degraded %llu, another was better %llu; %llu with too few "
		 "samples, "
		 "in %llu somebody else turned the knob\n",
		 (unsigned long long) adapt->windows, (unsigned long long) adapt->settled,
		 (unsigned long long) adapt->degraded, (unsigned long long) adapt->better,
		 (unsigned long long) adapt->empty, (unsigned long long) adapt->disturbed);
	for (uint32_t i = 0; i < adapt->variants; i++) {
		fprintf (out, "    %c %-16s", i == adapt->best && adapt->state == PP_ADAPT_SETTLED ? '>' : ' ',
			 ppi_adapt_value (recording, adapt, i, value, sizeof value));
		put_objective (out, adapt, adapt->variant[i].mean);
		fputs (" ±", out);
		put_objective (out, adapt, adapt->variant[i].margin);
		fprintf (out, "  %llu windows%s\n", (unsigned long long) adapt->variant[i].windows,
			 adapt->variant[i].out ? ", left out" : "");
	}
}

static void put_adapts (FILE *out, const struct ppi_recording *recording)
{
	const struct ppi_adapt_chunk *a = ppi_recording_next (recording, PPI_CHUNK_ADAPT, NULL);

	if (a)
		fputs ("\nadaptations\n", out);
	for (; a; a = ppi_recording_next (recording, PPI_CHUNK_ADAPT, a))
		put_adapt (out, recording, a);
}

static void put_event_whole (FILE *out, const struct ppi_region_header *header, const struct ppi_event_chunk *event)
{
	const char *sentence = event->text + strlen (event->text) + 1;

	fprintf (out, "  %9.3f s  %-6s  ", seconds_since_start (header, event->ns), ppi_event_name (event->kind));
	ppi_report_put_clean (out, event->text);
	/* a knob's sentence says both, as words where it has some */
	if (event->kind == PPI_EVENT_KNOB && !*sentence)
		fprintf (out, "  %.6g → %.6g", event->value[0], event->value[1]);
	if (*sentence) {
		fputs ("  ", out);
		ppi_report_put_clean (out, sentence);
	}
	fputc ('\n', out);
}

/* An event is a line: what doesn't fit a terminal's is cut off. Files and pipes get all of it. */
static void put_event (FILE *out, const struct ppi_region_header *header, const struct ppi_event_chunk *event)
{
	int room = ppi_report_room (out), used = 0;
	char *line = NULL, *p;
	size_t bytes = 0;
	FILE *memory = room < INT_MAX ? open_memstream (&line, &bytes) : NULL;

	if (!memory) {
		put_event_whole (out, header, event);
		return;
	}
	put_event_whole (memory, header, event);
	if (fclose (memory) != 0) {
		free (line);
		return;
	}
	line[strcspn (line, "\n")] = '\0';
	if (width_of (line) <= room) {
		fprintf (out, "%s\n", line);
	} else {
		for (p = line; *p && used < room - 3; p++)
			used += (p[1] & 0xc0) != 0x80;
		fprintf (out, "%.*s...\n", (int) (p - line), line);
	}
	free (line);
}

/* The first and the last of many: how it began and how it ended. */
static void put_events (FILE *out, const struct ppi_recording *recording)
{
	const struct ppi_event_chunk *e = NULL;
	size_t n = 0, i = 0;

	while ((e = ppi_recording_next (recording, PPI_CHUNK_EVENT, e)))
		n++;
	if (n)
		fputs ("\nevents\n", out);
	while ((e = ppi_recording_next (recording, PPI_CHUNK_EVENT, e))) {
		if (n <= EVENTS_SHOWN || i < EVENTS_SHOWN / 2 || i >= n - EVENTS_SHOWN / 2)
			put_event (out, ppi_recording_header (recording), e);
		else if (i == EVENTS_SHOWN / 2)
			fprintf (out, "  ... %zu more; --json has them all\n", n - EVENTS_SHOWN / 2 * 2);
		i++;
	}
}

static void put_drops (FILE *out, const struct ppi_recording *recording)
{
	static const char *const causes[PP_DROPS] = {
		[PP_DROP_LONGJMP] = "intervals whose end was jumped over (longjmp)",
		[PP_DROP_DISABLED] = "intervals that were unbound, or bound anew, while open",
		[PP_DROP_UNMATCHED] = "ends without a begin: bound while open",
		[PP_DROP_DEPTH] = "intervals nested deeper than 1,024",
		[PP_DROP_POOL] = "for want of room in the live region",
		[PP_DROP_FORK] = "in children that had no region yet",
		[PP_DROP_SIGNAL] = "in signal handlers inside signal handlers",
		[PP_DROP_UNKNOWN] = "samples whose source had no value",
		[PP_DROP_UNAVAILABLE] = "samples whose source could not be opened in their thread",
		[PP_DROP_SPAN] = "ends of spans that had ended, or never begun",
	};
	bool any = false;

	for (int i = 0; i < PP_DROPS; i++) {
		uint64_t n = ppi_recording_drops (recording, (enum pp_drop) i);

		if (n == 0)
			continue;
		fprintf (out, "%s  %llu %s\n", any ? "" : "\nnot measured\n", (unsigned long long) n, causes[i]);
		any = true;
	}
}

void ppi_report_text (FILE *out, const struct ppi_recording *recording)
{
	put_head (out, recording);
	put_metrics (out, recording);
	ppi_report_put_figures (out, recording);
	put_assertions (out, recording);
	put_knobs (out, recording);
	put_adapts (out, recording);
	put_events (out, recording);
	put_drops (out, recording);
}
