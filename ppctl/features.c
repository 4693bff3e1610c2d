/* SPDX-License-Identifier: MIT */
/* features.c: ppctl features: what features of languages and libraries cost, and which instances. */
#include "base/glob.h"
#include "base/types.h"
#include "ppctl/ppctl.h"
#include "profiler/analysis/features.h"
#include "profiler/analysis/read.h"
#include "profiler/analysis/render.h"
#include "recording/read.h"
#include "report/model.h"
#include "report/read.h"

#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char verb[] = "features";

static void help (FILE *out)
{
	fprintf (
		out,
		"usage: ppctl features [OPTION]... RECORDING\n\n"
		"Shows what each feature of a language or library cost, from the samples of a\n"
		"program whose policy has 'profile: {features: sampled}', or a profile in which\n"
		"features are watched: the dearest first, each broken down by its instances.\n\n"
		"  --feature PATTERN  those whose names, library.feature, match\n"
		"  --by WHAT          what each is broken down by: instance (the payload, or else\n"
		"                     the mark's place in the source), place, caller (the "
		"interval\n"
		"                     or feature it was begun in), or thread\n"
		"  --top N            so many of its parts, 10 unless said; 0: all\n"
		"  --all              features and instances that were never seen, too\n"
		"  --json             one JSON object\n");
}

static const char *const bys[] = {
#define X(id, name) name,
	PPI_FEATURES_BY (X)
#undef X
		NULL};

struct view {
	const char *path, *feature, *by_text, *top_text;
	bool all, json;
	enum ppi_features_by by;
	unsigned top;
};

/* Nothing that was never seen, unless asked. */
static bool is_shown (const struct view *view, const struct ppi_feature *feature)
{
	return (feature->samples || view->all) &&
	       (!view->feature || ppi_glob_whole (view->feature, feature->name));
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void put_ms (struct ppi_row *row, const char *key, double seconds)
{
	ppi_put_quantity (row, key, seconds, 1, 0, 0);
	ppi_show (row, key, "%.0f", 1e3 * seconds);
}

static double share_of (double time, const struct ppi_features *all)
{
	return all->total > 0 ? time / all->total : (double) NAN;
}

static void put_part (struct ppi_table *table, const struct ppi_feature_part *part,
		      const struct ppi_features *all)
{
	struct ppi_row *row = ppi_row (table);
	double margin = ppi_features_margin (part->samples, all->samples);

	put_ms (row, "time_s", part->time);
	ppi_put_text (row, "name", part->name);
	ppi_put_double (row, "share", PPI_CELL_SHARE, share_of (part->time, all));
	ppi_put_count (row, "samples", part->samples);
	ppi_put_double (row, "margin", PPI_CELL_SHARE, margin);
	if (part->samples)
		ppi_say (row, "  (± %.0f ms, %llu sample%s)\n", 1e3 * margin * all->total,
			 (unsigned long long) part->samples, ppi_report_plural (part->samples));
	else
		ppi_say (row, "  (never seen)\n");
}

static void put_parts (struct ppi_row *row, const struct view *view,
		       const struct ppi_feature *feature, const struct ppi_features *all)
{
	struct ppi_table *table = ppi_put_table (row, "parts", NULL);
	size_t shown = 0, left = 0;

	ppi_form (table, "  {time_s:*} ms : {name}");
	for (size_t i = 0; i < feature->parts; i++) {
		const struct ppi_feature_part *part = &feature->part[i];

		if (!part->samples && !view->all)
			continue;
		if (view->top && shown == view->top && !view->json)
			left++;
		else if (++shown)
			put_part (table, part, all);
	}
	if (left)
		ppi_say (ppi_row (table), "  [%zu more; --top 0 shows all]\n", left);
	if (shown)
		ppi_say (row, "\nCost Breakdown\n{parts}");
}

static void put_feature (struct ppi_table *table, const struct view *view,
			 const struct ppi_feature *feature, const struct ppi_features *all)
{
	struct ppi_row *row = ppi_row (table);
	double share = share_of (feature->time, all),
	       margin = ppi_features_margin (feature->samples, all->samples);

	ppi_put_text (row, "name", feature->name);
	put_ms (row, "time_s", feature->time);
	ppi_put_double (row, "share", PPI_CELL_SHARE, share);
	ppi_show (row, "share", "%.2f%%", 100 * share);
	ppi_put_count (row, "samples", feature->samples);
	ppi_put_double (row, "margin", PPI_CELL_SHARE, margin);
	ppi_say (row, "\n{name}\n");
	if (!feature->samples)
		ppi_say (row, "was never seen\n");
	else
		ppi_say (row,
			 "accounts for {share} of total running time (± %.2f points)\n"
			 "{time_s} / %.0f ms (%llu of %llu samples)\n",
			 100 * margin, 1e3 * all->total, (unsigned long long) feature->samples,
			 (unsigned long long) all->samples);
	put_parts (row, view, feature, all);
}

static void put_head (struct ppi_report *report, const struct view *view,
		      const struct ppi_features *all, const struct ppi_samples *samples)
{
	struct ppi_table *table = ppi_table (report, "profile", NULL);
	struct ppi_row *row = ppi_row (table);

	if (table)
		table->is_single = true;
	ppi_put_text (row, "program", all->program);
	ppi_put_text (row, "how", "sampled");
	ppi_put_text (row, "clock", all->is_cpu ? "cpu" : "wall");
	ppi_put_text (row, "by", bys[view->by]);
	put_ms (row, "running_s", all->total);
	ppi_put_count (row, "samples", all->samples);
	ppi_put_count (row, "threads", all->threads);
	put_ms (row, "period_s", samples->period_s);
	ppi_put_double (row, "watcher_cpu_s", PPI_CELL_NUMBER, samples->own_s);
	ppi_say (row,
		 "{program}: {running_s} ms of %s in %zu thread%s with marks, {samples} samples\n",
		 all->is_cpu ? "CPU time" : "wall clock", all->threads,
		 ppi_report_plural (all->threads));
}

static void put_losses (struct ppi_report *report, const struct ppi_samples *samples)
{
	struct ppi_table *table = ppi_table (report, "lost", "");

	for (unsigned i = 0; i < PPI_SAMPLE_LOSSES; i++) {
		struct ppi_row *row = samples->lost[i] ? ppi_row (table) : NULL;

		ppi_put_text (row, "name", ppi_sample_loss_name (i));
		ppi_put_count (row, "n", samples->lost[i]);
		ppi_say (row, "{name}: {n} %s\n", ppi_sample_loss_sentence (i));
	}
}

static struct ppi_report *build (const struct view *view, const struct ppi_features *all,
				 const struct ppi_samples *samples)
{
	struct ppi_report *report = ppi_report_begin (NULL);
	struct ppi_table *table;

	if (!report)
		return NULL;
	put_head (report, view, all, samples);
	table = ppi_table (report, "features", NULL);
	for (size_t i = 0; i < all->features; i++)
		if (is_shown (view, &all->feature[i]))
			put_feature (table, view, &all->feature[i], all);
	put_losses (report, samples);
	return report;
}

/* ---- the command ----------------------------------------------------------------------------- */

static void tell (const char *path, const char *why, void *arg)
{
	(void) arg;
	ppctl_fail (PPCTL_OK, verb, "%s %s", path, why);
}

static bool any_shown (const struct view *view, const struct ppi_features *all)
{
	for (size_t i = 0; i < all->features; i++)
		if (is_shown (view, &all->feature[i]))
			return true;
	return false;
}

static int show_features (const struct view *view, const struct ppi_samples *samples)
{
	struct ppi_features all;
	int status = PPCTL_PROBLEM;

	if (!ppi_features_analyse (samples, view->by, &all))
		ppctl_fail (PPCTL_PROBLEM, verb, "no memory");
	else if (!all.features)
		ppctl_fail (PPCTL_PROBLEM, verb,
			    "%s: no feature was watched: the program has none, or the profile's "
			    "'sites' chose none",
			    view->path);
	else if (!any_shown (view, &all))
		ppctl_fail (PPCTL_PROBLEM, verb,
			    view->feature
				    ? "%s: of the features that match '%s' none was seen in "
				      "%llu samples"
				    : "%s: no%s feature was seen in %llu samples; --all lists "
				      "those that were watched",
			    view->path, view->feature ? view->feature : "",
			    (unsigned long long) all.samples);
	else
		status = ppctl_print (build (view, &all, samples), view->json, verb);
	ppi_features_clear (&all);
	return status;
}

static int show (const struct view *view)
{
	static const struct ppi_samples_span all = PPI_SAMPLES_ALL;
	struct ppi_recording *recording;
	struct ppi_samples samples;
	char why[512];
	int status;

	if (ppi_recording_open (view->path, &recording, why, sizeof why) < 0)
		return ppctl_fail (PPCTL_PROBLEM, verb, "%s", why);
	if (!ppi_recording_has_profile (recording, PPI_BY_MARK)) {
		ppi_recording_close (recording);
		return ppctl_fail (PPCTL_PROBLEM, verb,
				   "%s has no profile of features: run the program with 'profile: "
				   "{features: sampled}' in its policy",
				   view->path);
	}
	if (ppi_samples_read (recording, PPI_BY_MARK, &all, &samples, tell, NULL))
		status = show_features (view, &samples);
	else
		status = ppctl_fail (PPCTL_PROBLEM, verb, "no memory");
	ppi_samples_clear (&samples);
	ppi_recording_close (recording);
	return status;
}

/* False: it was told what is wrong. */
static bool understand (struct view *view)
{
	const char *nearest;
	unsigned by = 0;

	while (view->by_text && bys[by] && strcmp (view->by_text, bys[by]) != 0)
		by++;
	view->by = (enum ppi_features_by) by;
	if (!bys[by]) {
		nearest = ppi_nearest (view->by_text, (const char **) (uintptr_t) bys);
		ppctl_wrong (verb, "--by: there is no '%s'%s%s%s", view->by_text,
			     nearest ? "; did you mean '" : "", nearest ? nearest : "",
			     nearest ? "'?" : "");
		return false;
	}
	if (view->top_text && (!*view->top_text || strlen (view->top_text) > 6 ||
			       view->top_text[strspn (view->top_text, "0123456789")] != '\0')) {
		ppctl_wrong (verb, "--top: '%s' is no number", view->top_text);
		return false;
	}
	view->top = view->top_text ? (unsigned) strtoul (view->top_text, NULL, 10) : 10;
	return true;
}

int ppctl_features (int argc, char **argv)
{
	struct view view = {.path = NULL};
	const struct ppctl_option options[] = {
		{"feature", PPCTL_TEXT, &view.feature, 0}, {"by", PPCTL_TEXT, &view.by_text, 0},
		{"top", PPCTL_TEXT, &view.top_text, 0},    {"all", PPCTL_FLAG, &view.all, 0},
		{"json", PPCTL_FLAG, &view.json, 0},       {0}};
	int status = ppctl_options (argc, argv, verb, options, help);

	if (status != PPCTL_GO_ON)
		return status;
	if (optind + 1 != argc)
		return ppctl_wrong (verb, "it needs one recording");
	view.path = argv[optind];
	return understand (&view) ? show (&view) : PPCTL_USAGE;
}
