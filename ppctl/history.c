/* SPDX-License-Identifier: MIT */
/*
 * history.c: ppctl history: values over time, from the blocks of a recording: what each step of
 * time added.
 */
#include "base/glob.h"
#include "base/quantity.h"
#include "ppctl/ppctl.h"
#include "ppctl/report.h"
#include "recording/intern.h"
#include "recording/pprec.h"
#include "recording/read.h"

#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void help (FILE *out)
{
	fprintf (out,
		 "usage: ppctl history [OPTION]... FILE\n\n"
		 "What was measured in each step of time (interval: of record: in the policy, a\n"
		 "second when it is not said): samples, how many that is a second, and their\n"
		 "mean, over all threads and sites. Steps without a sample have no line. What\n"
		 "happened (fires, knobs) tells ppctl report --history.\n\n"
		 "  --metric METRIC  metrics of that name; a pattern\n"
		 "  --site PATTERN   what was measured at sites of such names\n");
}

/* What a shard had when it was last seen. */
struct shard {
	uint64_t n;
	double total;
	uint32_t epoch;
};

/* A metric that was asked for, its lines so far, and what the step that is gone through added. */
struct metric {
	pprec_metric row;
	FILE *out;
	char *text;
	size_t size;
	int64_t n;
	double total;
};

struct steps {
	struct ppi_intern shard, metric; /* by struct key, and by id; `what` of others is NULL */
	double time, before_s;
	size_t lines;
};

static void print_line (struct steps *steps, struct metric *m)
{
	const struct ppi_dimension dimension = {strcmp (m->row.unit, "s") == 0,
						strcmp (m->row.unit, "B") == 0};
	double seconds = steps->time - steps->before_s;
	char mean[PPI_QUANTITY_BYTES], rate[PPI_QUANTITY_BYTES];

	if (!m->size)
		fprintf (m->out, "%s\n  %10s %14s %14s %14s\n", m->row.name, "time", "samples",
			 "a second", "mean");
	ppi_quantity_format (m->total / (double) m->n, dimension, mean, sizeof mean);
	ppi_quantity_format (seconds > 0 ? (double) m->n / seconds : NAN,
			     (struct ppi_dimension){-1, 0}, rate, sizeof rate);
	ppi_text_for_locale (mean);
	ppi_text_for_locale (rate);
	fprintf (m->out, "  %8.1f s %14lld %14s %14s\n", steps->time, (long long) m->n, rate,
		 isnan (m->total) ? "-" : mean);
	fflush (m->out);
	steps->lines++;
}

/* The step is over, for all metrics. */
static void end_step (struct steps *steps)
{
	struct metric *m;

	for (size_t i = 0; i < steps->metric.room; i++) {
		m = steps->metric.slot[i].what;
		if (m && m->n > 0)
			print_line (steps, m);
		if (m)
			m->n = 0, m->total = 0;
	}
	steps->before_s = steps->time;
}

/* An ended thread's samples leave its shard and come to another: the step adds up to what is new.
 */
static void add (struct metric *m, struct shard *shard, const pprec_value *v)
{
	/* a reset began it anew */
	if (shard->epoch != v->epoch)
		*shard = (struct shard){.epoch = v->epoch};
	m->n += (int64_t) (v->n - shard->n);
	m->total += (v->n ? v->total : 0) - (shard->n ? shard->total : 0);
	*shard = (struct shard){v->n, v->total, v->epoch};
}

static bool is_wanted (pprec *recording, uint32_t site, const char *pattern)
{
	pprec_site s;

	if (!pattern)
		return true;
	for (size_t i = 0; pprec_site_get (recording, i, &s) > 0; i++)
		if (s.id == site)
			return ppi_glob_suffix (pattern, s.name);
	return false;
}

/* False: no memory. */
static bool take (struct steps *steps, pprec *recording, const pprec_value *v, const char *site)
{
	const uint64_t key[] = {v->shard, (uint64_t) v->metric << 32 | v->site};
	struct ppi_intern_entry *shard, *metric;
	bool is_new;

	if (v->time_s != steps->time)
		end_step (steps);
	steps->time = v->time_s;
	metric = ppi_intern (&steps->metric, &v->metric, sizeof v->metric, &is_new);
	if (!metric || !metric->what)
		return metric != NULL;
	shard = ppi_intern (&steps->shard, key, sizeof key, &is_new);
	if (shard && is_new && is_wanted (recording, v->site, site)) {
		shard->what = calloc (1, sizeof (struct shard));
		if (!shard->what)
			return false;
	}
	if (shard && shard->what)
		add (metric->what, shard->what, v);
	return shard != NULL;
}

/* The metrics that PATTERN names; how many, or -1: no memory. */
static long choose (struct steps *steps, pprec *recording, const char *pattern)
{
	struct ppi_intern_entry *entry;
	struct metric *m;
	pprec_metric row;
	bool is_new;
	long n = 0;

	for (size_t i = 0; pprec_metric_get (recording, i, &row) > 0; i++) {
		if (pattern && !ppi_glob_whole (pattern, row.name))
			continue;
		entry = ppi_intern (&steps->metric, &row.id, sizeof row.id, &is_new);
		m = entry && is_new ? calloc (1, sizeof *m) : NULL;
		if (!m)
			return -1;
		entry->what = m;
		m->row = row;
		m->out = open_memstream (&m->text, &m->size);
		if (!m->out)
			return -1;
		n++;
	}
	return n;
}

/* The lines of all metrics, in the recording's order. */
static void put_lines (struct steps *steps, pprec *recording)
{
	struct ppi_intern_entry *entry;
	struct metric *m;
	pprec_metric row;
	bool is_new;

	for (size_t i = 0; pprec_metric_get (recording, i, &row) > 0; i++) {
		entry = ppi_intern (&steps->metric, &row.id, sizeof row.id, &is_new);
		m = entry ? entry->what : NULL;
		if (m && m->size)
			fputs (m->text, stdout);
	}
}

static void free_steps (struct steps *steps)
{
	struct metric *m;

	for (size_t i = 0; i < steps->metric.room; i++) {
		m = steps->metric.slot[i].what;
		if (m && m->out) {
			fclose (m->out);
			free (m->text);
		}
	}
	ppi_intern_free (&steps->metric);
	ppi_intern_free (&steps->shard);
}

static int print_steps (struct steps *steps, pprec *recording, const char *metric, const char *site)
{
	long known = choose (steps, recording, metric);
	pprec_info info = {.size = sizeof info};
	pprec_value v;
	int more;

	if (metric && !known)
		return ppctl_fail (PPCTL_PROBLEM, "history", "there is no metric '%s'", metric);
	while (known >= 0 && (more = pprec_value_next (recording, &v)) > 0)
		if (!take (steps, recording, &v, site))
			known = -1;
	if (known < 0)
		return ppctl_fail (PPCTL_PROBLEM, "history", "no memory");
	end_step (steps);
	put_lines (steps, recording);
	pprec_info_get (recording, &info);
	if (info.damage)
		fprintf (stderr, "ppctl history: %s\n", info.damage);
	if (more < 0)
		return ppctl_fail (PPCTL_PROBLEM, "history",
				   "the recording can't be read any further");
	if (info.lost_values)
		return ppctl_fail (PPCTL_PROBLEM, "history",
				   "%llu block%s of values %s damaged, the first at %.1f s",
				   (unsigned long long) info.lost_values,
				   info.lost_values == 1 ? "" : "s",
				   info.lost_values == 1 ? "is" : "are", info.lost_s);
	if (!steps->lines)
		puts ("there are no values over time");
	return PPCTL_OK;
}

static int print_all (pprec *recording, const char *metric, const char *site)
{
	struct steps steps = {.time = 0};
	int status = print_steps (&steps, recording, metric, site);

	free_steps (&steps);
	return status;
}

int ppctl_history (int argc, char **argv)
{
	const char *metric = NULL, *site = NULL;
	const struct ppctl_option options[] = {
		{"metric", PPCTL_TEXT, &metric, 0}, {"site", PPCTL_TEXT, &site, 0}, {0}};
	int status = ppctl_options (argc, argv, "history", options, help);
	struct ppi_recording *finished;
	pprec *recording;
	char why[600];

	if (status == PPCTL_GO_ON && argc - optind != 1)
		status = ppctl_wrong ("history", "it needs a recording, and just one");
	if (status != PPCTL_GO_ON)
		return status;
	/* what a killed process left is completed first */
	status = ppctl_open ("history", argv[optind], &finished);
	if (status != PPCTL_OK)
		return status;
	ppi_recording_close (finished);
	if (pprec_open (argv[optind], &recording, why, sizeof why) < 0)
		return ppctl_fail (PPCTL_PROBLEM, "history", "%s", why);
	status = print_all (recording, metric, site);
	pprec_close (recording);
	return status;
}
