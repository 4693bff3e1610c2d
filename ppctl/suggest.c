/* SPDX-License-Identifier: MIT */
/*
 * suggest.c: ppctl suggest RECORDING...: a policy whose constants come from what was measured. A
 * policy is checked in each process by itself, so where there are several recordings the constants
 * are those of the process that had the largest.
 */
#include "ppctl/suggest.h"

#include "base/chunk.h"
#include "base/glob.h"
#include "base/types.h"
#include "libmetrics/keep/accumulator.h"
#include "libmetrics/keep/summary.h"
#include "ppctl/ppctl.h"
#include "ppctl/report.h"
#include "recording/layout.h"
#include "recording/names.h"
#include "recording/read.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MARGIN 0.25
#define LEAST 30
#define NS_PER_S 1e9

static void help (FILE *out)
{
	fprintf (out,
		 "usage: ppctl suggest [OPTION]... RECORDING...\n\n"
		 "Writes a policy to standard output that expects of every measured site what it\n"
		 "did in these recordings, with a margin: a quantile where a histogram was kept,\n"
		 "else the average. To be read and edited: comments say where each constant comes\n"
		 "from. Of several recordings the largest counts.\n\n"
		 "  --margin SHARE       what may be added, like 0.5 or 50%% (default 25%%)\n"
		 "  --quantile Q         of histograms: p50, p90, p95, p99 (default) or p999\n"
		 "  --least N            no constant from fewer samples of a process (default 30)\n"
		 "  --site PATTERN       only sites of such names; may be given several times\n");
}

/* ---- gathering ------------------------------------------------------------------------------- */

static bool is_wanted (const struct suggest_options *options, const char *site)
{
	for (size_t i = 0; i < options->n_sites; i++)
		if (site && ppi_glob_suffix (options->sites[i], site))
			return true;
	return options->n_sites == 0;
}

static bool same_text (const char *a, const char *b)
{
	return a == b || (a && b && strcmp (a, b) == 0);
}

static struct suggest_row *row_of (struct suggest_gathered *g,
				   const struct ppi_metric_chunk *metric, const char *site)
{
	struct suggest_row *row;

	for (size_t i = 0; i < g->n_rows; i++)
		if (strcmp (g->row[i].metric->name, metric->name) == 0 &&
		    same_text (g->row[i].site, site))
			return &g->row[i];
	if (g->n_rows == g->room) {
		size_t room = g->room ? 2 * g->room : 64;
		struct suggest_row *more = reallocarray (g->row, room, sizeof *more);

		if (!more) {
			g->failed = true;
			return NULL;
		}
		g->row = more;
		g->room = room;
	}
	row = &g->row[g->n_rows++];
	*row = (struct suggest_row){.metric = metric,
				    .site = site,
				    .every = 1,
				    .rate = INFINITY,
				    .avg = NAN,
				    .max = NAN,
				    .p50 = NAN,
				    .quantile = NAN};
	return row;
}

/* What a series' window has forgotten counts too. */
static double average_of (const struct ppi_summary *summary, double scale)
{
	double n = ppi_summary_get (summary, PP_STAT_N, scale);
	double all = n > 0 ? ppi_summary_get (summary, PP_STAT_TOTAL, scale) / n : NAN;

	return fmax (all, ppi_summary_get (summary, PP_STAT_AVG, scale));
}

static void add_site (struct suggest_gathered *g, const struct suggest_options *options,
		      const struct ppi_recording *recording, const struct ppi_metric_chunk *metric,
		      uint32_t site, double seconds)
{
	double scale = ppi_recording_scale (recording, metric);
	const char *name = site ? ppi_report_site_name (recording, site) : NULL;
	uint32_t every = ppi_report_every (recording, metric->chunk.id, site);
	struct suggest_row *row = is_wanted (options, name) ? row_of (g, metric, name) : NULL;
	struct ppi_summary s;

	if (!row)
		return;
	row->every = every > row->every ? every : row->every;
	ppi_recording_summary (recording, metric, site, &s);
	if (s.all.n > 0) {
		row->n += s.all.n;
		row->processes++;
	}
	if (s.all.n >= options->least && s.all.n > 0) {
		row->lost |= s.lost > 0;
		row->rate = fmin (row->rate, (double) s.all.n / fmax (seconds, 1e-9));
		row->avg = fmax (row->avg, average_of (&s, scale));
		row->max = fmax (row->max, ppi_summary_get (&s, PP_STAT_MAX, scale));
		row->p50 = fmax (row->p50, ppi_summary_get (&s, PP_STAT_P50, scale));
		row->quantile =
			fmax (row->quantile, ppi_summary_get (&s, options->quantile, scale));
	} else if (s.all.n > 0) {
		row->short_of++;
	}
	ppi_summary_clear (&s);
}

/* Is this the first binding of its metric and site? */
static bool is_first (const struct ppi_recording *recording,
		      const struct ppi_binding_chunk *binding)
{
	for (const struct ppi_binding_chunk *b = NULL;
	     (b = ppi_recording_next (recording, PPI_CHUNK_BINDING, b)) && b != binding;)
		if (b->metric == binding->metric && b->site == binding->site)
			return false;
	return true;
}

/* False: METRIC is another one than that of the same name in the recordings before; WHY says so. */
static bool agrees (const struct suggest_gathered *g, const struct ppi_metric_chunk *metric,
		    char *why, size_t room)
{
	for (size_t i = 0; i < g->n_rows; i++) {
		const struct ppi_metric_chunk *m = g->row[i].metric;

		if (strcmp (m->name, metric->name) == 0 &&
		    (m->kind != metric->kind || m->accumulator != metric->accumulator ||
		     m->unit != metric->unit || m->corrected != metric->corrected ||
		     m->jumped != metric->jumped || m->window_ns != metric->window_ns ||
		     strcmp (ppi_chunk_text (m, m->source),
			     ppi_chunk_text (metric, metric->source)) != 0)) {
			snprintf (why, room,
				  "the metric %s is %s of %s in one recording and %s of %s in "
				  "another; give those of one program and policy",
				  m->name, ppi_accumulator_name (m->accumulator),
				  ppi_chunk_text (m, m->source),
				  ppi_accumulator_name (metric->accumulator),
				  ppi_chunk_text (metric, metric->source));
			return false;
		}
	}
	return true;
}

static bool add_recording (struct suggest_gathered *g, const struct suggest_options *options,
			   const struct ppi_recording *recording, char *why, size_t room)
{
	const struct ppi_region_header *header = ppi_recording_header (recording);
	double seconds = ((double) header->now_ns - (double) header->start_ns) / NS_PER_S;

	g->seconds = fmax (g->seconds, seconds);
	for (const struct ppi_metric_chunk *m = NULL;
	     (m = ppi_recording_next (recording, PPI_CHUNK_METRIC, m));) {
		if (!agrees (g, m, why, room))
			return false;
		for (const struct ppi_binding_chunk *b = NULL;
		     (b = ppi_recording_next (recording, PPI_CHUNK_BINDING, b));)
			if (!m->unavailable && b->metric == m->chunk.id && is_first (recording, b))
				add_site (g, options, recording, m, b->site, seconds);
	}
	if (g->failed)
		snprintf (why, room, "no memory");
	return !g->failed;
}

static bool gather (struct suggest_gathered *g, const struct suggest_options *options,
		    char *const *paths, size_t n, char *why, size_t room)
{
	g->recording = calloc (n + 1, sizeof *g->recording);
	if (!g->recording) {
		snprintf (why, room, "no memory");
		return false;
	}
	for (size_t i = 0; i < n; i++) {
		struct ppi_recording **r = &g->recording[g->n_recordings];

		*why = '\0';
		if (ppctl_open ("suggest", paths[i], r) != PPCTL_OK)
			return false;
		g->n_recordings++;
		if (!add_recording (g, options, *r, why, room))
			return false;
	}
	return true;
}

/* ---- the command line ------------------------------------------------------------------------ */

/* "0.5", "50%" */
static bool parse_share (const char *text, double *out)
{
	char *end;

	errno = 0;
	*out = strtod (text, &end);
	if (end == text || errno || !isfinite (*out))
		return false;
	if (*end == '%') {
		*out /= 100;
		end++;
	}
	return *end == '\0' && *out >= 0 && *out <= 1000;
}

static bool parse_quantile (const char *text, enum pp_statistic *out)
{
	int found = ppi_statistic_parse (text);

	if (found != PP_STAT_P50 && found != PP_STAT_P90 && found != PP_STAT_P95 &&
	    found != PP_STAT_P99 && found != PP_STAT_P999)
		return false;
	*out = (enum pp_statistic) found;
	return true;
}

static bool parse_count (const char *text, unsigned long *out)
{
	char *end;

	errno = 0;
	*out = strtoul (text, &end, 10);
	return end != text && *end == '\0' && !errno && *text != '-' && *out >= 1;
}

static int suggest (const struct suggest_options *options, char *const *paths, size_t n)
{
	struct suggest_gathered g = {.recording = NULL};
	char why[700] = "";
	bool done = gather (&g, options, paths, n, why, sizeof why) &&
		    suggest_write (stdout, &g, options, why, sizeof why);

	for (size_t i = 0; i < g.n_recordings; i++)
		ppi_recording_close (g.recording[i]);
	free (g.recording);
	free (g.row);
	if (done)
		return PPCTL_OK;
	/* what can't be opened was said by ppctl_open */
	return *why ? ppctl_fail (PPCTL_PROBLEM, "suggest", "%s", why) : PPCTL_PROBLEM;
}

static int wrong (const char *what, const char *text)
{
	return ppctl_wrong ("suggest", "%s, not \"%s\"", what, text);
}

int ppctl_suggest (int argc, char **argv)
{
	struct suggest_options options = {
		.margin = MARGIN, .quantile = PP_STAT_P99, .least = LEAST};
	const char *margin = NULL, *quantile = NULL, *few = NULL;
	struct ppctl_list sites = {.n = 0};
	const struct ppctl_option known[] = {{"margin", PPCTL_TEXT, &margin, 0},
					     {"quantile", PPCTL_TEXT, &quantile, 0},
					     {"least", PPCTL_TEXT, &few, 0},
					     {"site", PPCTL_TEXTS, &sites, 0},
					     {0}};
	int status = ppctl_options (argc, argv, "suggest", known, help);

	if (status != PPCTL_GO_ON)
		return status;
	if (margin && !parse_share (margin, &options.margin))
		return wrong ("--margin is a share from 0 to 1000, like 0.5 or 50%", margin);
	if (quantile && !parse_quantile (quantile, &options.quantile))
		return wrong ("--quantile is p50, p90, p95, p99 or p999", quantile);
	if (few && !parse_count (few, &options.least))
		return wrong ("--least is a number of samples from 1", few);
	if (optind == argc)
		return ppctl_wrong ("suggest", "it needs a recording, or several");
	options.sites = sites.text;
	options.n_sites = sites.n;
	return suggest (&options, argv + optind, (size_t) (argc - optind));
}
