/* SPDX-License-Identifier: MIT */
/*
 * profile.c: ppctl profile: where the time of a program went, from the samples in its recording, or
 * in those of several runs.
 */
#include "ppctl/ppctl.h"
#include "ppctl/profile_view.h"
#include "ppctl/report.h"
#include "recording/blocks.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static const char verb[] = "profile";

static void help (FILE *out)
{
	fprintf (out,
		 "usage: ppctl profile [OPTION]... FILE...\n\n"
		 "Shows where the time of a program went. FILE is the recording of a program that\n"
		 "ran with PP_SAMPLE=RATE, or whose policy has `profile`, or what --format json\n"
		 "wrote. Several, of processes, runs or machines, are added up; one that is given\n"
		 "more than once counts once.\n\n"
		 "  --by WHAT             what a node is: function or line, of the interrupter's\n"
		 "                        samples; or interval, of the "
		 "watcher's\n" PPCTL_PROFILE_HELP);
}

static int read_json (const struct ppctl_profile_view *view, struct ppi_profile *out)
{
#ifdef HAVE_JANSSON
	char why[256];

	return ppi_profile_from_json (view->path, out, why, sizeof why)
		       ? PPCTL_OK
		       : ppctl_fail (PPCTL_PROBLEM, verb, "%s: %s", view->path, why);
#else
	(void) out;
	return ppctl_fail (
		PPCTL_PROBLEM, verb,
		"%s: this ppctl was built without JSON: install libjansson-dev and build again",
		view->path);
#endif
}

/* Does the file begin as JSON does? What can't be read is the recording's reader's to tell. */
static bool is_json (const char *path)
{
	FILE *in = fopen (path, "re");
	int c = in ? fgetc (in) : EOF;

	if (in)
		fclose (in);
	return c == '{';
}

/* What is given more than once counts once. */
struct given {
	struct ppi_process_entry *owner;
	size_t n, again;
};

/* Is it new among those that were GIVEN? */
static bool take (struct given *given, const struct ppi_recording *recording, const char *path)
{
	bool is_new = ppctl_is_new (recording, path, given->owner, given->n);

	given->n += is_new;
	given->again += !is_new;
	return is_new;
}

/*
 * The profile of VIEW->path, if that is new. OUT is freed by ppi_profile_clear, whatever it says.
 */
static int read_profile (const struct ppctl_profile_view *view, struct given *given,
			 struct ppi_profile *out)
{
	struct ppi_recording *recording;
	int status;

	*out = (struct ppi_profile){.program = NULL};
	if (is_json (view->path))
		return take (given, NULL, view->path) ? read_json (view, out) : PPCTL_OK;
	status = ppctl_open (verb, view->path, &recording);
	if (status != PPCTL_OK)
		return status;
	if (take (given, recording, view->path))
		status = ppctl_profile_analyse (view, recording, out);
	ppi_recording_close (recording);
	return status;
}

static int show_json (const struct ppctl_profile_view *view)
{
	struct ppi_profile profile;
	int status;

	if (view->shown->stacks)
		return ppctl_wrong (
			verb,
			"%s is a call graph, which has no stacks any more: %s needs the recording",
			view->path, view->shown->name);
	status = read_json (view, &profile);
	if (status == PPCTL_OK)
		status = ppctl_profile_show (view, &profile);
	ppi_profile_clear (&profile);
	return status;
}

static int show_one (const struct ppctl_profile_view *view)
{
	struct ppi_recording *recording;
	int status;

	if (is_json (view->path))
		return show_json (view);
	status = ppctl_open (verb, view->path, &recording);
	if (status != PPCTL_OK)
		return status;
	status = ppctl_profile_show_recording (view, recording);
	ppi_recording_close (recording);
	return status;
}

/* ---- several --------------------------------------------------------------------------------- */

/* Reads the N that PATH names, each once: GIVEN->n into PROFILE, which was all 0. */
static int read_all (struct ppctl_profile_view *view, char **path, size_t n, struct given *given,
		     struct ppi_profile *profile)
{
	for (size_t i = 0; i < n; i++) {
		size_t before = given->n;
		const char *why;
		int status;

		view->path = path[i];
		status = read_profile (view, given, &profile[before]);
		if (status != PPCTL_OK)
			return status;
		if (given->n == before)
			continue;
		why = ppi_profiles_differ (&profile[0], &profile[before]);
		if (why)
			return ppctl_fail (PPCTL_PROBLEM, verb,
					   "%s %s: such times have no sum; --by chooses, where a "
					   "recording has both",
					   path[i], why);
	}
	return PPCTL_OK;
}

static int show_sum (const struct ppctl_profile_view *view, const struct ppi_profile *profile,
		     size_t n)
{
	struct ppi_profile sum;
	int status;

	/* all others were it again: its threads keep their numbers */
	if (n == 1 && profile->sample_number)
		return ppctl_profile_show (view, profile);
	if (!ppi_profile_merge (profile, n, &sum))
		status = ppctl_profile_no_memory (view);
	else if (!sum.sample_number)
		status = ppctl_fail (PPCTL_PROBLEM, verb, "none of the %zu has a sample", n);
	else
		status = ppctl_profile_show (view, &sum);
	ppi_profile_clear (&sum);
	return status;
}

static int show_several (struct ppctl_profile_view *view, char **path, size_t n)
{
	struct ppi_profile *profile;
	struct given given = {.n = 0};
	int status = PPCTL_OK;

	if (view->shown->stacks)
		return ppctl_wrong (verb,
				    "several are added up as call graphs, which have no stacks: "
				    "%s needs one recording",
				    view->shown->name);
	for (size_t i = 0; view->output && i < n; i++) {
		const char *guard = ppctl_guarded (view->output, path[i]);

		if (*guard)
			return ppctl_fail (PPCTL_PROBLEM, verb, "%s is not replaced: %s",
					   view->output, guard);
	}
	profile = calloc (n, sizeof *profile);
	given.owner = calloc (n, sizeof *given.owner);
	if (profile && given.owner)
		status = read_all (view, path, n, &given, profile);
	else
		status = ppctl_profile_no_memory (view);
	if (status == PPCTL_OK) {
		ppctl_tell_again (verb, given.again);
		status = show_sum (view, profile, given.n);
	}
	free (given.owner);
	for (size_t i = 0; profile && i < n; i++)
		ppi_profile_clear (&profile[i]);
	free (profile);
	return status;
}

int ppctl_profile (int argc, char **argv)
{
	struct ppctl_profile_view view = PPCTL_PROFILE_VIEW (verb);
	const struct ppctl_option options[] = {
		{"by", PPCTL_TEXT, &view.by, 0}, PPCTL_PROFILE_OPTIONS (view), {0}};
	int status = ppctl_options (argc, argv, verb, options, help);

	if (status != PPCTL_GO_ON)
		return status;
	if (optind == argc)
		return ppctl_wrong (verb, "it needs a recording");
	view.path = argv[optind];
	status = ppctl_profile_understand (&view);
	if (status != PPCTL_OK)
		return status;
	return optind + 1 == argc ? show_one (&view)
				  : show_several (&view, argv + optind, (size_t) (argc - optind));
}
