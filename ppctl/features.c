/* SPDX-License-Identifier: MIT */
/*
 * features.c: ppctl features: what features of languages and libraries cost, and which instances.
 */
#include "assertions/language/ppctl.h"
#include "base/types.h"
#include "ppctl/features_read.h"
#include "ppctl/features_rows.h"
#include "ppctl/plugins.h"
#include "ppctl/ppctl.h"
#include "ppctl/report.h"
#include "ppctl/sections.h"
#include "profiler/analysis/put.h"
#include "report/model.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char verb[] = "features";

static void help (FILE *out)
{
	fprintf (
		out,
		"usage: ppctl features [OPTION]... RECORDING...\n\n"
		"Shows what each feature of a language or library cost, the dearest first, each\n"
		"broken down by its instances: of a program whose policy has 'profile:\n"
		"{features: sampled}', or 'exact', or a profile in which features are watched.\n"
		"Several recordings, of processes, runs or machines, are added up; one that is\n"
		"given more than once counts once.\n\n"
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

enum { FILES_MOST = PPCTL_TEXTS_MOST };

struct view {
	struct ppctl_list file;
	struct ppi_offline_rules about[FILES_MOST];
	struct ppctl_features_view shown;
	char *const *path;
	size_t n;
	const char *by_text, *top_text;
	struct ppctl_list paths;
	struct ppctl_plugins plugins;
	const char *section;
	struct ppctl_features_ask ask;
	char *key_text; /* a copy of BY_TEXT, cut into KEYS */
	const char *key[PP_ABI_DIMS + 1];
	bool has_key[PP_ABI_DIMS + 1];
};

/* ---- printing -------------------------------------------------------------------------------- */

/* That lines may have; 0: any number, in files and pipes where nobody says how many. */
static unsigned columns_of (FILE *out)
{
	const char *said = getenv ("COLUMNS");

	return (said && atoi (said) > 0) || isatty (fileno (out))
		       ? (unsigned) ppctl_look (out).columns
		       : 0;
}

/* LINE, and where it is wider than COLUMNS the rest in further ones, a little to the right. */
static void put_wrapped (const char *line, unsigned columns, FILE *out)
{
	unsigned blanks = (unsigned) strspn (line, " "), before = 0, taken;

	for (;;) {
		size_t n = ppi_put_fit (line, columns - before, &taken), end = n;

		if (!line[n])
			break;
		while (end > 0 && line[end] != ' ')
			end--;
		/* a word that is too long */
		if (end <= strspn (line, " "))
			end = n;
		fprintf (out, "%*s%.*s\n", (int) before, "", (int) end, line);
		line += end + strspn (line + end, " ");
		before = blanks < columns / 2 ? blanks + 2 : 2;
	}
	fprintf (out, "%*s%s\n", (int) before, "", line);
}

/* Prints and frees REPORT; NULL: there was no memory for it. */
static int print (const struct view *view, struct ppi_report *report)
{
	char *text = NULL, *rest, *line;
	size_t bytes;
	FILE *memory;

	if (view->shown.json || !view->shown.columns || !report || report->has_failed)
		return ppctl_print (report, view->shown.json, verb);
	memory = open_memstream (&text, &bytes);
	if (memory)
		ppi_report_text (memory, report, NULL);
	ppi_report_free (report);
	if (!memory || fclose (memory) != 0) {
		free (text);
		return ppctl_fail (PPCTL_PROBLEM, verb, "no memory");
	}
	for (rest = text; (line = strsep (&rest, "\n")) && rest;)
		put_wrapped (line, view->shown.columns, stdout);
	free (text);
	return PPCTL_OK;
}

/* ---- the command ----------------------------------------------------------------------------- */

static bool any_shown (const struct view *view, const struct ppi_features *all)
{
	for (size_t i = 0; i < all->features; i++)
		if (ppctl_features_is_shown (&view->shown, &all->feature[i]))
			return true;
	return false;
}

/* False: nothing that was seen has one of the dimensions that all is by, and that was told. */
static bool has_dims (const struct view *view)
{
	const char *nearest, *lacking = NULL;

	for (size_t i = view->ask.keys.n; i-- > 0;)
		lacking = view->has_key[i] ? lacking : view->key[i];
	if (!lacking)
		return true;
	nearest = ppi_nearest (lacking, (const char **) (uintptr_t) ppctl_features_bys);
	ppctl_wrong (verb,
		     "--by: no payload has a dimension '%s'; there are instance, place, caller, "
		     "thread and dimensions of payloads%s%s%s",
		     lacking, nearest ? ": did you mean '" : "", nearest ? nearest : "",
		     nearest ? "'?" : "");
	return false;
}

/*
 * No feature was seen: what is known of marks is said all the same, as they may all be lost, or
 * still open.
 */
static int show_none (const struct view *view, const struct ppctl_features_read *read)
{
	int status = print (view, ppctl_features_build (&view->shown, read));
	const char *more = view->n > 1 ? " and the others" : "";

	if (status != PPCTL_OK)
		return status;
	return view->shown.feature
		       ? ppctl_fail (PPCTL_PROBLEM, verb,
				     "%s%s: of the features that match '%s' none was seen",
				     *view->path, more, view->shown.feature)
		       : ppctl_fail (PPCTL_PROBLEM, verb,
				     "%s%s: no feature was seen; --all lists those that were "
				     "watched",
				     *view->path, more);
}

static int show_features (const struct view *view, const struct ppctl_features_read *read)
{
	if (view->section)
		return PPCTL_OK;
	if (!any_shown (view, &read->all))
		return show_none (view, read);
	if (!has_dims (view))
		return PPCTL_USAGE;
	return print (view, ppctl_features_build (&view->shown, read));
}

static int show (struct view *view)
{
	struct ppctl_features_read read;
	int status;

	view->ask.wants_instances = view->plugins.n;
	status = ppctl_features_read (verb, &view->ask, view->path, view->n, &read);
	if (status == PPCTL_OK)
		status = show_features (view, &read);
	if (status == PPCTL_OK && view->plugins.n)
		status = ppctl_sections_print (&view->plugins, view->section, &read.all,
					       &read.instances, verb);
	ppctl_features_clear (&read);
	return status;
}

/* What a breakdown is by: a word of its own, or else keys of dimensions with commas between. */
static bool understand_by (struct view *view)
{
	char *rest, *key;
	unsigned by = 0;

	if (!view->by_text)
		return true;
	while (ppctl_features_bys[by] && strcmp (view->by_text, ppctl_features_bys[by]) != 0)
		by++;
	view->ask.by = (enum ppi_features_by) by;
	if (ppctl_features_bys[by])
		return true;
	rest = view->key_text = strdup (view->by_text);
	while (rest && view->ask.keys.n < PP_ABI_DIMS && (key = strsep (&rest, ","))) {
		if (!*key)
			break;
		view->key[view->ask.keys.n++] = key;
	}
	view->ask.keys.key = view->key;
	view->ask.keys.has = view->has_key;
	if (view->key_text && !rest && view->ask.keys.n && *view->key[view->ask.keys.n - 1])
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
	const char *how = view->ask.how;

	if (how && strcmp (how, "sampled") != 0 && strcmp (how, "exact") != 0) {
		ppctl_wrong (verb, "--how: it is sampled or exact, not '%s'", how);
		return false;
	}
	if (!understand_by (view))
		return false;
	view->shown.by = view->ask.keys.n ? view->by_text : ppctl_features_bys[view->ask.by];
	view->shown.keys = &view->ask.keys;
	view->shown.by_place =
		view->ask.by == PPI_FEATURES_BY_INSTANCE || view->ask.by == PPI_FEATURES_BY_PLACE;
	view->shown.columns = columns_of (stdout);
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
	struct view view = {.n = 0};
	const struct ppctl_option options[] = {{"feature", PPCTL_TEXT, &view.shown.feature, 0},
					       {"how", PPCTL_TEXT, &view.ask.how, 0},
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
	if (optind >= argc)
		return ppctl_wrong (verb, "it needs a recording");
	view.path = argv + optind;
	view.n = (size_t) (argc - optind);
	status = understand (&view) ? with_plugins (&view) : PPCTL_USAGE;
	free (view.key_text);
	return status;
}
