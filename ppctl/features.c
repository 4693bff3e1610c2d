/* SPDX-License-Identifier: MIT */
/* features.c: ppctl features: what features of languages and libraries cost, and which instances. */
#include "assertions/language/ppctl.h"
#include "base/glob.h"
#include "base/types.h"
#include "ppctl/plugins.h"
#include "ppctl/ppctl.h"
#include "ppctl/report.h"
#include "ppctl/sections.h"
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

/* As a part of the running time: marks that take more are no small correction any more. */
#define MUCH 0.1
/* ... that are worth a line */
#define LITTLE 0.01

static void help (FILE *out)
{
	fprintf (
		out,
		"usage: ppctl features [OPTION]... RECORDING\n\n"
		"Shows what each feature of a language or library cost, the dearest first, each\n"
		"broken down by its instances: of a program whose policy has 'profile:\n"
		"{features: sampled}', or 'exact', or a profile in which features are watched.\n\n"
		"  --how HOW          sampled or exact; what there is, exact before sampled\n"
		"  --feature PATTERN  those whose names, library.feature, match\n"
		"  --by WHAT          what each is broken down by: instance (the payload, or else\n"
		"                     the mark's place in the source), place; of samples also\n"
		"                     caller (the interval or feature it was begun in), or "
		"thread;\n"
		"                     else dimensions of payloads, KEY or KEY,KEY...\n"
		"  --top N            so many of its parts, 10 unless said; 0: all\n"
		"  --all              features and instances that were never seen, too\n"
		"  --plugin FILE.so   what analyses of your own in C (pp_analysis.h) say of them,\n"
		"                     below; several times\n"
		"  --section NAME     nothing but this section of a plug-in\n"
		"  --features FILE    the file that describes them: what it says of each; several\n"
		"                     of them may be given\n"
		"  --json             one JSON object\n");
}

static const char *const bys[] = {
#define X(id, name) name,
	PPI_FEATURES_BY (X)
#undef X
		NULL};

enum { FILES_MOST = PPCTL_TEXTS_MOST };

struct view {
	struct ppctl_list file;
	struct ppi_offline_rules about[FILES_MOST];
	size_t files;
	const char *path, *feature, *how, *by_text, *top_text;
	struct ppctl_list paths;
	struct ppctl_plugins plugins;
	const char *section;
	bool all, json, is_exact;
	enum ppi_features_by by;
	char *key_text; /* a copy of BY_TEXT, cut into KEYS */
	const char *key[PP_ABI_DIMS + 1];
	struct ppi_payload_keys keys;
	unsigned top;
};

/* Nothing that was never seen, unless asked. */
static bool is_shown (const struct view *view, const struct ppi_feature *feature)
{
	return (feature->times || view->all) &&
	       (!view->feature || ppi_glob_whole (view->feature, feature->name));
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void put_ms (struct ppi_row *row, const char *key, double seconds)
{
	ppi_put_quantity (row, key, seconds, 1, 0, 0);
	if (!isnan (seconds))
		ppi_show (row, key, "%.0f", 1e3 * seconds);
}

static double share_of (double time, double all)
{
	return all > 0 ? time / all : (double) NAN;
}

/* By how much its share may be off. */
static double margin_of (const struct ppi_feature_part *part, const struct ppi_features *all)
{
	double margin = ppi_features_margin (part->times, all->times),
	       bias = ppi_features_bias (all, part->time);

	if (all->is_exact)
		return ppi_features_doubt (all, part->time, part->doubt);
	return isnan (bias) ? margin : fmin (1, margin + bias);
}

/* A time of SHARE, and how sure that is; of what was measured also what it was with the marks. */
static void put_figures (struct ppi_row *row, const struct ppi_feature_part *part,
			 const struct ppi_features *all)
{
	put_ms (row, "time_s", part->time);
	ppi_put_double (row, "share", PPI_CELL_SHARE, share_of (part->time, all->total));
	ppi_put_count (row, all->is_exact ? "marks" : "samples", part->times);
	if (all->is_exact) {
		put_ms (row, "raw_s", part->raw);
		ppi_put_double (row, "raw_share", PPI_CELL_SHARE, share_of (part->raw, all->raw));
	}
	ppi_put_double (row, "margin", PPI_CELL_SHARE, margin_of (part, all));
}

static void put_value (struct ppi_row *row, const char *key, const struct ppi_payload_value *value)
{
	double real;

	memcpy (&real, &value->bits, sizeof real);
	if (value->type == PP_ABI_VALUE_INT)
		ppi_put_integer (row, key, (int64_t) value->bits);
	else if (value->type == PP_ABI_VALUE_DOUBLE)
		ppi_put_double (row, key, PPI_CELL_NUMBER, real);
	else
		ppi_put_text (row, key,
			      ppi_report_copy (row->table->report, "%.*s", (int) value->bytes,
					       value->text));
}

/* The values of PAYLOAD, each by itself: one object for programs. */
static void put_dims (struct ppi_row *row, const char *payload)
{
	struct ppi_payload_value value;
	struct ppi_table *table = NULL;
	struct ppi_row *values = NULL;

	while (ppi_payload_next (&payload, &value)) {
		if (!table) {
			table = ppi_put_table (row, "dims", NULL);
			values = ppi_row (table);
			if (!values)
				return;
			table->is_single = true;
		}
		put_value (values,
			   ppi_report_copy (row->table->report, "%.*s", (int) value.key_bytes,
					    value.key),
			   &value);
	}
}

static void put_part (struct ppi_table *table, const struct ppi_feature_part *part,
		      const struct ppi_features *all)
{
	struct ppi_row *row = ppi_row (table);
	double margin = margin_of (part, all);

	put_figures (row, part, all);
	ppi_put_text (row, "name", part->name);
	put_dims (row, part->payload);
	if (!part->times)
		ppi_say (row, "  (never seen)\n");
	else if (all->is_exact)
		ppi_say (row, "  ({marks} mark%s, ± %.0f ms; with what they take {raw_s} ms)\n",
			 ppi_report_plural (part->times), 1e3 * part->doubt);
	else
		ppi_say (row, "  (± %.0f ms, {samples} sample%s)\n", 1e3 * margin * all->total,
			 ppi_report_plural (part->times));
}

static void put_parts (struct ppi_row *row, const struct view *view,
		       const struct ppi_feature *feature, const struct ppi_features *all)
{
	struct ppi_table *table = ppi_put_table (row, "parts", NULL);
	size_t shown = 0, left = 0;

	ppi_form (table, "  {time_s:*} ms : {name}");
	for (size_t i = 0; i < feature->parts; i++) {
		const struct ppi_feature_part *part = &feature->part[i];

		if (!part->times && !view->all)
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

/* What a file says of the feature, or NULL. */
static const char *report_of (const struct view *view, const char *name)
{
	for (size_t i = 0; i < view->files; i++)
		for (size_t k = 0; k < view->about[i].features; k++)
			if (strcmp (view->about[i].feature[k].name, name) == 0)
				return view->about[i].feature[k].report;
	return NULL;
}

static void put_feature (struct ppi_table *table, const struct view *view,
			 const struct ppi_feature *feature, const struct ppi_features *all)
{
	struct ppi_row *row = ppi_row (table);
	const struct ppi_feature_part whole = {.time = feature->time,
					       .raw = feature->raw,
					       .doubt = feature->doubt,
					       .times = feature->times};
	double margin = margin_of (&whole, all);
	char points[40] = "";

	/* a share of next to nothing is none */
	if (margin >= 0)
		snprintf (points, sizeof points, " (± %.2f points)", 100 * margin);
	ppi_put_text (row, "name", feature->name);
	put_figures (row, &whole, all);
	if (feature->times && all->total > 0)
		ppi_show (row, "share", "%.2f%%", 100 * share_of (feature->time, all->total));
	ppi_say (row, "\n{name}\n");
	if (report_of (view, feature->name)) {
		ppi_put_text (row, "report", report_of (view, feature->name));
		ppi_say (row, "{report}\n");
	}
	if (!feature->times)
		ppi_say (row, "was never seen\n");
	else if (all->is_exact)
		ppi_say (row,
			 "accounts for {share} of total running time%s\n"
			 "{time_s} / %.0f ms ({marks} mark%s; with what marks take {raw_s} / %.0f "
			 "ms, "
			 "%.2f%%)\n",
			 points, 1e3 * all->total, ppi_report_plural (feature->times),
			 1e3 * all->raw, 100 * share_of (feature->raw, all->raw));
	else
		ppi_say (row,
			 "accounts for {share} of total running time%s\n"
			 "{time_s} / %.0f ms ({samples} of %llu samples)\n",
			 points, 1e3 * all->total, (unsigned long long) all->times);
	put_parts (row, view, feature, all);
}

/* ---- the head -------------------------------------------------------------------------------- */

static void say_exact (struct ppi_row *row, const struct ppi_features *all)
{
	ppi_put_count (row, "marks", all->times);
	ppi_put_double (row, "mark_s", PPI_CELL_NUMBER, all->mark_s);
	put_ms (row, "raw_s", all->raw);
	ppi_put_count (row, "open", all->open);
	ppi_put_count (row, "lost", all->lost);
	ppi_put_double (row, "lost_s", PPI_CELL_NUMBER, all->lost_s);
	ppi_say (row, "{program}: {raw_s} ms of wall clock in %zu thread%s with marks, measured\n",
		 all->threads, ppi_report_plural (all->threads));
	if (isnan (all->mark_s))
		ppi_say (
			row,
			"what {marks} marks and antimarks took is not known: it is in all times\n");
	else
		ppi_say (row, "{marks} marks and antimarks took %.0f ms of it, %.0f ns each\n",
			 1e3 * (all->raw - all->total), 1e9 * all->mark_s);
	if (all->raw - all->total > MUCH * all->raw)
		ppi_say (row, "that is much, and what is left without it is not exact: see what it "
			      "may be "
			      "off by (±)\n");
	ppi_put_double (row, "waited_s", PPI_CELL_NUMBER, all->waited);
	ppi_put_count (row, "waits", all->waits);
	if (all->waited > LITTLE * all->raw)
		ppi_say (row,
			 "threads waited %.0f ms of it for a processor, {waits} times: in which "
			 "marks is chance (±)\n",
			 1e3 * all->waited);
	if (all->open)
		ppi_say (row, "{open} of them had not ended: their time is in no feature\n");
	if (all->lost)
		ppi_say (row,
			 "{lost} were jumped over, or ended with the profile: %.0f ms are "
			 "nobody's\n",
			 1e3 * all->lost_s);
}

/* Marks that are sampled cost something, too, and nobody knows in whose time it is. */
static void say_marks (struct ppi_row *row, const struct ppi_features *all)
{
	ppi_put_count (row, "marks", all->begun);
	ppi_put_double (row, "marks_s", PPI_CELL_NUMBER, all->took);
	if (isnan (all->took))
		ppi_say (row, "what {marks} marks and antimarks took is not known, and not in ±\n");
	else if (all->took > LITTLE * all->total)
		ppi_say (row, "about {marks} marks and antimarks took %.0f ms of it (in ±)\n",
			 1e3 * all->took);
	if (all->took > MUCH * all->total)
		ppi_say (row, "that is much: they are too short for samples to say more\n");
}

static void put_head (struct ppi_report *report, const struct view *view,
		      const struct ppi_features *all, const struct ppi_samples *samples)
{
	struct ppi_table *table = ppi_table (report, "profile", NULL);
	struct ppi_row *row = ppi_row (table);

	if (table)
		table->is_single = true;
	ppi_put_text (row, "program", all->program);
	ppi_put_text (row, "how", all->is_exact ? "exact" : "sampled");
	ppi_put_text (row, "clock", all->is_cpu ? "cpu" : "wall");
	ppi_put_text (row, "by", view->keys.n ? view->by_text : bys[view->by]);
	put_ms (row, "running_s", all->total);
	ppi_put_count (row, "threads", all->threads);
	if (all->is_exact) {
		say_exact (row, all);
		return;
	}
	ppi_put_count (row, "samples", all->times);
	put_ms (row, "period_s", samples->period_s);
	ppi_put_double (row, "watcher_cpu_s", PPI_CELL_NUMBER, samples->own_s);
	ppi_say (row,
		 "{program}: {running_s} ms of %s in %zu thread%s with marks, {samples} samples\n",
		 all->is_cpu ? "CPU time" : "wall clock", all->threads,
		 ppi_report_plural (all->threads));
	say_marks (row, all);
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
	if (samples)
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

/* False: nothing that was seen has any of the dimensions that all is by, and that was told. */
static bool has_dims (const struct view *view, const struct ppi_features *all)
{
	char *none = view->keys.n ? ppi_payload_by (NULL, &view->keys) : NULL;
	const char *nearest;
	bool has = !none;

	for (size_t i = 0; !has && i < all->features; i++)
		for (size_t k = 0; !has && k < all->feature[i].parts; k++)
			has = all->feature[i].part[k].times &&
			      strcmp (all->feature[i].part[k].name, none) != 0;
	free (none);
	if (has)
		return true;
	nearest = ppi_nearest (view->by_text, (const char **) (uintptr_t) bys);
	ppctl_wrong (verb, "--by: no payload has a dimension '%s'%s%s%s", view->by_text,
		     nearest ? "; did you mean '" : "", nearest ? nearest : "",
		     nearest ? "'?" : "");
	return false;
}

/* SAMPLES: of which ALL was made, or NULL. */
static int show_features (const struct view *view, const struct ppi_features *all,
			  const struct ppi_samples *samples)
{
	if (!all->features)
		return ppctl_fail (PPCTL_PROBLEM, verb,
				   "%s: no feature was watched: the program has none, or the "
				   "profile's 'sites' chose none",
				   view->path);
	if (view->section)
		return PPCTL_OK;
	if (!any_shown (view, all))
		return view->feature
			       ? ppctl_fail (PPCTL_PROBLEM, verb,
					     "%s: of the features that match '%s' none was seen",
					     view->path, view->feature)
			       : ppctl_fail (PPCTL_PROBLEM, verb,
					     "%s: no feature was seen; --all lists those that were "
					     "watched",
					     view->path);
	if (!has_dims (view, all))
		return PPCTL_USAGE;
	return ppctl_print (build (view, all, samples), view->json, verb);
}

/* What plug-ins say of ALL; OK: the instances were made. */
static int show_sections (const struct view *view, const struct ppi_features *all,
			  struct ppi_instances *instances, bool ok)
{
	int status = ok ? ppctl_sections_print (&view->plugins, view->section, all, instances, verb)
			: ppctl_fail (PPCTL_PROBLEM, verb, "no memory");

	ppi_instances_clear (instances);
	return status;
}

static int show_sampled (const struct view *view, const struct ppi_recording *recording)
{
	struct ppi_samples samples;
	static const struct ppi_samples_span span = PPI_SAMPLES_ALL;
	struct ppi_features all = {.program = NULL};
	struct ppi_instances instances;
	int status;

	if (!ppi_samples_read (recording, PPI_BY_MARK, &span, &samples, tell, NULL) ||
	    !ppi_features_analyse (&samples, view->by, &view->keys, &all))
		status = ppctl_fail (PPCTL_PROBLEM, verb, "no memory");
	else
		status = show_features (view, &all, &samples);
	if (status == PPCTL_OK && view->plugins.n)
		status = show_sections (view, &all, &instances,
					ppi_instances_sampled (&samples, &instances));
	ppi_features_clear (&all);
	ppi_samples_clear (&samples);
	return status;
}

static int show_exact (const struct view *view, const struct ppi_recording *recording)
{
	struct ppi_instances instances;
	struct ppi_features all;
	int status;

	if (view->by == PPI_FEATURES_BY_CALLER || view->by == PPI_FEATURES_BY_THREAD)
		return ppctl_wrong (verb,
				    "--by: what was measured is by instance or place; '%s' needs "
				    "samples",
				    bys[view->by]);
	if (ppi_features_measured (recording, view->by, &view->keys, &all))
		status = show_features (view, &all, NULL);
	else
		status = ppctl_fail (PPCTL_PROBLEM, verb, "no memory");
	if (status == PPCTL_OK && view->plugins.n)
		status = show_sections (view, &all, &instances,
					ppi_instances_measured (recording, &instances));
	ppi_features_clear (&all);
	return status;
}

static int tell_none (const struct view *view)
{
	if (!view->how)
		return ppctl_fail (PPCTL_PROBLEM, verb,
				   "%s has no profile of features: run the program with 'profile: "
				   "{features: sampled}' in its policy",
				   view->path);
	return ppctl_fail (PPCTL_PROBLEM, verb,
			   "%s has no profile of features that is %s: run the program with "
			   "'profile: {features: %s}' in its policy",
			   view->path, view->how, view->how);
}

static int show (const struct view *view)
{
	struct ppi_recording *recording;
	bool has_exact, has_sampled;
	int status = ppctl_open (verb, view->path, &recording);

	if (status != PPCTL_OK)
		return status;
	has_exact = ppi_recording_next (recording, PPI_CHUNK_EXACT, NULL) != NULL;
	has_sampled = ppi_recording_has_profile (recording, PPI_BY_MARK);
	if (has_exact && (!view->how || view->is_exact))
		status = show_exact (view, recording);
	else if (has_sampled && !view->is_exact)
		status = show_sampled (view, recording);
	else
		status = tell_none (view);
	ppi_recording_close (recording);
	return status;
}

/* What a breakdown is by: a word of its own, or else keys of dimensions with commas between. */
static bool understand_by (struct view *view)
{
	char *rest, *key;
	unsigned by = 0;

	while (view->by_text && bys[by] && strcmp (view->by_text, bys[by]) != 0)
		by++;
	view->by = (enum ppi_features_by) by;
	if (bys[by])
		return true;
	rest = view->key_text = strdup (view->by_text);
	while (rest && view->keys.n < PP_ABI_DIMS && (key = strsep (&rest, ","))) {
		if (!*key)
			break;
		view->key[view->keys.n++] = key;
	}
	view->keys.key = view->key;
	if (view->key_text && !rest && view->keys.n && *view->key[view->keys.n - 1])
		return true;
	ppctl_wrong (verb,
		     "--by: expected instance, place, caller, thread, or up to %d dimensions "
		     "with commas between, not '%s'",
		     PP_ABI_DIMS, view->by_text);
	return false;
}

/* False: it was told what is wrong. */
static bool understand (struct view *view)
{
	if (view->how && strcmp (view->how, "sampled") != 0 && strcmp (view->how, "exact") != 0) {
		ppctl_wrong (verb, "--how: it is sampled or exact, not '%s'", view->how);
		return false;
	}
	view->is_exact = view->how && strcmp (view->how, "exact") == 0;

	if (!understand_by (view))
		return false;
	if (view->top_text && (!*view->top_text || strlen (view->top_text) > 6 ||
			       view->top_text[strspn (view->top_text, "0123456789")] != '\0')) {
		ppctl_wrong (verb, "--top: '%s' is no number", view->top_text);
		return false;
	}
	view->top = view->top_text ? (unsigned) strtoul (view->top_text, NULL, 10) : 10;
	return true;
}

/* False: it was told what is wrong. */
static bool read_files (struct view *view)
{
	for (; view->files < view->file.n; view->files++)
		if (ppi_offline_rules_read (view->file.text[view->files], ppctl_put_line, stderr,
					    &view->about[view->files]) < 0)
			return false;
	return true;
}

static int with_plugins (struct view *view)
{
	int status;

	if (view->json && (view->paths.n || view->section))
		return ppctl_wrong (verb, "--json: what plug-ins say is text");
	status = ppctl_plugins_open (&view->paths, verb, &view->plugins);
	if (status != PPCTL_OK)
		return status;
	if (view->section)
		status = ppctl_sections_find (&view->plugins, view->section, verb);
	if (status == PPCTL_OK)
		status = read_files (view) ? show (view) : PPCTL_PROBLEM;
	while (view->files)
		ppi_offline_rules_clear (&view->about[--view->files]);
	ppctl_plugins_close (&view->plugins);
	return status;
}

int ppctl_features (int argc, char **argv)
{
	struct view view = {.path = NULL};
	const struct ppctl_option options[] = {
		{"feature", PPCTL_TEXT, &view.feature, 0}, {"how", PPCTL_TEXT, &view.how, 0},
		{"by", PPCTL_TEXT, &view.by_text, 0},      {"top", PPCTL_TEXT, &view.top_text, 0},
		{"features", PPCTL_TEXTS, &view.file, 0},  {"all", PPCTL_FLAG, &view.all, 0},
		{"json", PPCTL_FLAG, &view.json, 0},       {"plugin", PPCTL_TEXTS, &view.paths, 0},
		{"section", PPCTL_TEXT, &view.section, 0}, {0}};
	int status = ppctl_options (argc, argv, verb, options, help);

	if (status != PPCTL_GO_ON)
		return status;
	if (optind + 1 != argc)
		return ppctl_wrong (verb, "it needs one recording");
	view.path = argv[optind];
	status = understand (&view) ? with_plugins (&view) : PPCTL_USAGE;
	free (view.key_text);
	return status;
}
