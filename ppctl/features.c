/* SPDX-License-Identifier: MIT */
/* features.c: ppctl features: what features of languages and libraries cost, and which instances. */
#include "assertions/language/ppctl.h"
#include "base/types.h"
#include "ppctl/features_rows.h"
#include "ppctl/plugins.h"
#include "ppctl/ppctl.h"
#include "ppctl/report.h"
#include "ppctl/sections.h"
#include "profiler/analysis/features.h"
#include "profiler/analysis/read.h"
#include "recording/read.h"
#include "report/model.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static const char verb[] = "features";

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
	struct ppctl_features_view shown;
	const char *path, *how, *by_text, *top_text;
	struct ppctl_list paths;
	struct ppctl_plugins plugins;
	const char *section;
	bool is_exact;
	enum ppi_features_by by;
	char *key_text; /* a copy of BY_TEXT, cut into KEYS */
	const char *key[PP_ABI_DIMS + 1];
	struct ppi_payload_keys keys;
};

/* ---- the command ----------------------------------------------------------------------------- */

static void tell (const char *path, const char *why, void *arg)
{
	(void) arg;
	ppctl_fail (PPCTL_OK, verb, "%s %s", path, why);
}

static bool any_shown (const struct view *view, const struct ppi_features *all)
{
	for (size_t i = 0; i < all->features; i++)
		if (ppctl_features_is_shown (&view->shown, &all->feature[i]))
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
	ppctl_wrong (verb,
		     "--by: no payload has a dimension '%s'; there are instance, place, caller, "
		     "thread and dimensions of payloads%s%s%s",
		     view->by_text, nearest ? ": did you mean '" : "", nearest ? nearest : "",
		     nearest ? "'?" : "");
	return false;
}

/*
 * No feature was seen: what is known of marks is said all the same, as they may all be lost, or
 * still open.
 */
static int show_none (const struct view *view, const struct ppi_features *all,
		      const struct ppi_samples *samples, const struct ppi_recording *recording)
{
	int status = ppctl_print (ppctl_features_build (&view->shown, all, samples, recording),
				  view->shown.json, verb);

	if (status != PPCTL_OK)
		return status;
	return view->shown.feature
		       ? ppctl_fail (PPCTL_PROBLEM, verb,
				     "%s: of the features that match '%s' none was seen",
				     view->path, view->shown.feature)
		       : ppctl_fail (PPCTL_PROBLEM, verb,
				     "%s: no feature was seen; --all lists those that were watched",
				     view->path);
}

/* ALL was made of RECORDING, and of SAMPLES, or NULL. */
static int show_features (const struct view *view, const struct ppi_features *all,
			  const struct ppi_samples *samples, const struct ppi_recording *recording)
{
	if (!all->features)
		return ppctl_fail (PPCTL_PROBLEM, verb,
				   "%s: no feature was watched: the program has none, or the "
				   "profile's 'sites' chose none",
				   view->path);
	if (view->section)
		return PPCTL_OK;
	if (!any_shown (view, all))
		return show_none (view, all, samples, recording);
	if (!has_dims (view, all))
		return PPCTL_USAGE;
	return ppctl_print (ppctl_features_build (&view->shown, all, samples, recording),
			    view->shown.json, verb);
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
		status = show_features (view, &all, &samples, recording);
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
		status = show_features (view, &all, NULL, recording);
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
	view->shown.by = view->keys.n ? view->by_text : bys[view->by];
	if (view->top_text && (!*view->top_text || strlen (view->top_text) > 6 ||
			       view->top_text[strspn (view->top_text, "0123456789")] != '\0')) {
		ppctl_wrong (verb, "--top: '%s' is no number", view->top_text);
		return false;
	}
	view->shown.top = view->top_text ? (unsigned) strtoul (view->top_text, NULL, 10) : 10;
	return true;
}

/* False: it was told what is wrong. */
static bool read_files (struct view *view)
{
	view->shown.about = view->about;
	for (size_t *n = &view->shown.files; *n < view->file.n; ++*n)
		if (ppi_offline_rules_read (view->file.text[*n], ppctl_put_line, stderr,
					    &view->about[*n]) < 0)
			return false;
	return true;
}

static int with_plugins (struct view *view)
{
	int status;

	if (view->shown.json && (view->paths.n || view->section))
		return ppctl_wrong (verb, "--json: what plug-ins say is text");
	status = ppctl_plugins_open (&view->paths, verb, &view->plugins);
	if (status != PPCTL_OK)
		return status;
	if (view->section)
		status = ppctl_sections_find (&view->plugins, view->section, verb);
	if (status == PPCTL_OK)
		status = read_files (view) ? show (view) : PPCTL_PROBLEM;
	while (view->shown.files)
		ppi_offline_rules_clear (&view->about[--view->shown.files]);
	ppctl_plugins_close (&view->plugins);
	return status;
}

int ppctl_features (int argc, char **argv)
{
	struct view view = {.path = NULL};
	const struct ppctl_option options[] = {{"feature", PPCTL_TEXT, &view.shown.feature, 0},
					       {"how", PPCTL_TEXT, &view.how, 0},
					       {"by", PPCTL_TEXT, &view.by_text, 0},
					       {"top", PPCTL_TEXT, &view.top_text, 0},
					       {"features", PPCTL_TEXTS, &view.file, 0},
					       {"all", PPCTL_FLAG, &view.shown.all, 0},
					       {"json", PPCTL_FLAG, &view.shown.json, 0},
					       {"plugin", PPCTL_TEXTS, &view.paths, 0},
					       {"section", PPCTL_TEXT, &view.section, 0},
					       {0}};
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
