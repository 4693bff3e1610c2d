/* SPDX-License-Identifier: MIT */
/* profile_view.c: see profile_view.h. */
#include "ppctl/profile_view.h"

#include "ppctl/ppctl.h"
#include "ppctl/report.h"
#include "ppctl/unseen.h"
#include "profiler/analysis/query.h"
#include "recording/file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct ppctl_profile_format formats[] = {
	{"text", ppi_render_text, NULL},           {"chicken", ppi_render_chicken, NULL},
	{"json", ppi_render_json, NULL},           {"dot", ppi_render_dot, NULL},
	{"collapsed", NULL, ppi_render_collapsed}, {"speedscope", NULL, ppi_render_speedscope},
	{"pprof", NULL, ppi_render_pprof},
};

enum { FORMATS = sizeof formats / sizeof formats[0] };

/* ---- the command line ------------------------------------------------------------------------ */

/* Which of NAMES, which end with NULL, TEXT is; PPCTL_USAGE, negated, where it is none. */
static int choose (const struct ppctl_profile_view *view, const char *option, const char *text,
		   const char *const *names)
{
	char why[256];

	for (int i = 0; names[i]; i++)
		if (strcmp (text, names[i]) == 0)
			return i;
	ppi_query_none_of (text, names, why, sizeof why);
	ppctl_wrong (view->verb, "--%s: %s", option, why);
	return -1;
}

static bool take_percent (const struct ppctl_profile_view *view, const char *option,
			  const char *text, double *out)
{
	char *end;
	double value;

	if (!text)
		return true;
	value = strtod (text, &end);
	if (end == text || (*end && strcmp (end, "%") != 0) || !isfinite (value) || value < 0 ||
	    value > 100) {
		ppctl_wrong (view->verb, "--%s: '%s' is no percentage", option, text);
		return false;
	}
	*out = value / 100;
	return true;
}

static bool take_columns (const struct ppctl_profile_view *view, const char *text, unsigned *out)
{
	if (!text)
		return true;
	if (strspn (text, "0123456789") != strlen (text) || !*text || strlen (text) > 6) {
		ppctl_wrong (view->verb, "--truncate-source: '%s' is no number of columns", text);
		return false;
	}
	*out = (unsigned) atoi (text);
	return true;
}

/* False: it was told what is wrong. */
static bool understand (struct ppctl_profile_view *view)
{
	static const char *const orders[] = {"topological", "self", "total", NULL},
				 *const bys[] = {"function", "line", "interval", NULL};
	const char *names[FORMATS + 1] = {NULL};
	int chosen;

	for (size_t i = 0; i < FORMATS; i++)
		names[i] = formats[i].name;
	chosen = choose (view, "format", view->format, names);
	if (chosen < 0)
		return false;
	view->shown = &formats[chosen];
	chosen = choose (view, "order", view->order, orders);
	if (chosen < 0)
		return false;
	view->render.order = (enum ppi_profile_order) chosen;
	chosen = view->by ? choose (view, "by", view->by, bys) : PPI_BY_FUNCTION;
	if (chosen < 0)
		return false;
	view->what = (enum ppi_by) chosen;
	return take_percent (view, "hide-self", view->hide_self, &view->render.hide_self) &&
	       take_percent (view, "hide-subs", view->hide_subs, &view->render.hide_subs) &&
	       take_columns (view, view->truncate, &view->render.truncate_source);
}

int ppctl_profile_understand (struct ppctl_profile_view *view)
{
	if (!understand (view))
		return PPCTL_USAGE;
	if (strcmp (view->shown->name, "pprof") == 0 && !view->output && isatty (STDOUT_FILENO))
		return ppctl_wrong (view->verb,
				    "pprof is nothing for a terminal: --output FILE, or a pipe");
	return PPCTL_OK;
}

/* ---- writing  --------------------------------------------------------------------- */

int ppctl_profile_no_memory (const struct ppctl_profile_view *view)
{
	return ppctl_fail (PPCTL_PROBLEM, view->verb, "no memory");
}

/* To a file beside it, which takes its place when it is whole. */
static int write_file (const struct ppctl_profile_view *view, bool (*print) (void *arg, FILE *out),
		       void *arg)
{
	struct ppi_new_file file;
	char why[300];
	const char *guard = ppctl_guarded (view->output, view->path);
	bool ok = false, whole = false;
	FILE *out;

	if (*guard)
		return ppctl_fail (PPCTL_PROBLEM, view->verb, "%s is not replaced: %s",
				   view->output, guard);
	if (ppi_file_begin (view->output, PPI_REPLACE_FILE, NULL, &file, why, sizeof why) != PP_OK)
		return ppctl_fail (PPCTL_PROBLEM, view->verb, "%s can't be written: %s",
				   view->output, why);
	out = fdopen (fcntl (file.fd, F_DUPFD_CLOEXEC, 0), "w");
	if (out) {
		ok = print (arg, out);
		whole = !(ferror (out) | fclose (out));
	}
	if (!ok || !whole) {
		ppi_file_abandon (&file);
		return out && ok ? ppctl_fail (PPCTL_PROBLEM, view->verb, "%s could not be written",
					       view->output)
				 : ppctl_profile_no_memory (view);
	}
	if (ppi_file_commit (&file, why, sizeof why) != PP_OK)
		return ppctl_fail (PPCTL_PROBLEM, view->verb, "%s can't be written: %s",
				   view->output, why);
	close (file.fd);
	return PPCTL_OK;
}

/* What PRINT writes goes to the file that was asked for, or to standard output. */
static int write_out (const struct ppctl_profile_view *view, bool (*print) (void *arg, FILE *out),
		      void *arg)
{
	if (view->output)
		return write_file (view, print, arg);
	return print (arg, stdout) ? PPCTL_OK : ppctl_profile_no_memory (view);
}

struct printing {
	const struct ppctl_profile_view *view;
	const struct ppi_samples *samples;
	const struct ppi_profile *profile;
};

/* Lines are as wide as the terminal, unless the user said how long names may be. */
static bool print (void *arg, FILE *out)
{
	struct printing *p = arg;
	struct ppi_render_options render = p->view->render;

	if (!p->view->truncate)
		render.truncate_source = (unsigned) ppctl_look (out).columns - PPI_RENDER_BEFORE;
	return p->view->shown->stacks ? p->view->shown->stacks (p->samples, out)
				      : p->view->shown->graph (p->profile, &render, out);
}

/* ---- reading --------------------------------------------------------------------------------- */

static void tell (const char *path, const char *why, void *arg)
{
	const struct ppctl_profile_view *view = arg;

	ppctl_fail (PPCTL_OK, view->verb, "%s %s", path, why);
}

/* What was asked for, else what there is. */
static enum ppi_by by_of (const struct ppctl_profile_view *view,
			  const struct ppi_recording *recording)
{
	return !view->by && !ppi_recording_has_profile (recording, PPI_BY_FUNCTION)
		       ? PPI_BY_INTERVAL
		       : view->what;
}

static int tell_none (const struct ppctl_profile_view *view, const struct ppi_recording *recording,
		      enum ppi_by by)
{
	if (ppi_recording_next (recording, PPI_CHUNK_EXACT, NULL))
		return ppctl_fail (
			PPCTL_PROBLEM, view->verb,
			"%s has no samples: features were measured; ppctl features shows "
			"what they cost",
			view->path);
	if (!view->by)
		return ppctl_fail (PPCTL_PROBLEM, view->verb,
				   "%s has no profile: run the program with PP_SAMPLE=1000 in its "
				   "environment, or with 'profile: {}' in its policy",
				   view->path);
	return ppctl_fail (PPCTL_PROBLEM, view->verb,
			   by == PPI_BY_INTERVAL
				   ? "%s has no profile by interval: run the program with "
				     "'profile: {sampler: watcher}' in its policy"
				   : "%s has no profile by function or line: run the program with "
				     "PP_SAMPLE=1000 in its environment",
			   view->path);
}

/* Why there are none may be among what is missing. */
static int no_samples (const struct ppctl_profile_view *view, const struct ppi_samples *samples)
{
	int status = ppctl_fail (PPCTL_PROBLEM, view->verb,
				 samples->is_by_interval
					 ? "%s has no samples: no interval that is watched was "
					   "begun in a thread that is watched; the program "
					   "used %.1f ms of CPU time"
					 : "%s has no samples: the program used %.1f ms of CPU "
					   "time",
				 view->path, 1e3 * samples->cpu_s);

	ppi_sample_losses_put (samples->lost, stderr);
	return status;
}

/* What was not seen is in the time of what was around it, which no format of a profile can say. */
static void tell_unseen (const struct ppctl_profile_view *view,
			 const struct ppi_recording *recording)
{
	char causes[160];
	uint64_t n = ppctl_unseen_text (recording, causes, sizeof causes);

	if (n)
		(void) ppctl_fail (PPCTL_OK, view->verb,
				   "%s: %llu marks or intervals were not seen (%s): their time is "
				   "in what was around them",
				   view->path, (unsigned long long) n, causes);
}

/* OUT is freed by ppi_samples_clear, whatever it says. */
static int read_samples (const struct ppctl_profile_view *view,
			 const struct ppi_recording *recording, struct ppi_samples *out)
{
	enum ppi_by by = by_of (view, recording);

	ppi_samples_init (out);
	if (!ppi_recording_has_profile (recording, by))
		return tell_none (view, recording, by);
	if (!ppi_samples_read (recording, by, &view->span, out, tell, (void *) (uintptr_t) view))
		return ppctl_profile_no_memory (view);
	if (out->is_by_interval)
		tell_unseen (view, recording);
	return PPCTL_OK;
}

int ppctl_profile_analyse (const struct ppctl_profile_view *view,
			   const struct ppi_recording *recording, struct ppi_profile *out)
{
	struct ppi_samples samples;
	int status = read_samples (view, recording, &samples);

	*out = (struct ppi_profile){.program = NULL};
	if (status == PPCTL_OK && !ppi_profile_analyse (&samples, out))
		status = ppctl_profile_no_memory (view);
	ppi_samples_clear (&samples);
	return status;
}

/* ---- showing --------------------------------------------------------------------------------- */

int ppctl_profile_show (const struct ppctl_profile_view *view, const struct ppi_profile *profile)
{
	return write_out (view, print, &(struct printing){view, NULL, profile});
}

static int show_samples (const struct ppctl_profile_view *view, const struct ppi_samples *samples)
{
	struct ppi_profile profile = {.program = NULL};
	int status;

	if (!ppi_samples_count (samples))
		return no_samples (view, samples);
	if (view->shown->stacks)
		return write_out (view, print, &(struct printing){view, samples, NULL});
	status = ppi_profile_analyse (samples, &profile) ? ppctl_profile_show (view, &profile)
							 : ppctl_profile_no_memory (view);
	ppi_profile_clear (&profile);
	return status;
}

int ppctl_profile_show_recording (const struct ppctl_profile_view *view,
				  const struct ppi_recording *recording)
{
	struct ppi_samples samples;
	int status = read_samples (view, recording, &samples);

	if (status == PPCTL_OK)
		status = show_samples (view, &samples);
	ppi_samples_clear (&samples);
	return status;
}
