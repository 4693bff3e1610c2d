/* SPDX-License-Identifier: MIT */
/*
 * profile.c: ppctl profile: where the time of a program went, from the samples in its recording; and
 * ppctl sample: where that of a running one goes.
 */
#include "base/profile.h"
#include "base/types.h"
#include "ppctl/door.h"
#include "ppctl/ppctl.h"
#include "ppctl/unseen.h"
#include "ppctl/report.h"
#include "profiler/analysis/read.h"
#include "profiler/analysis/render.h"
#include "recording/file.h"
#include "recording/read.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char *verb = "profile";

#define SHARED_HELP                                                                                \
	"  --format FORMAT       text, chicken, json, dot, collapsed, speedscope or pprof\n"       \
	"  --order ORDER         of the text: topological (callers first), self or total\n"        \
	"  --hide-self PERCENT   of the text and dot: hide what has less time of its own,\n"       \
	"                        1 unless said, where ...\n"                                       \
	"  --hide-subs PERCENT   ... it is also less of each of its callers and callees,\n"        \
	"                        2 unless said\n"                                                  \
	"  --truncate-source N   of the text: columns of a name with its source, 50 "              \
	"unless\n"                                                                                 \
	"                        said; 0: all\n"                                                   \
	"  -o, --output FILE     writes there instead of standard output; never over a\n"          \
	"                        recording, or what is read\n"

static void help (FILE *out)
{
	fprintf (out,
		 "usage: ppctl profile [OPTION]... FILE\n\n"
		 "Shows where the time of a program went. FILE is the recording of a program that\n"
		 "ran with PP_SAMPLE=RATE, or whose policy has `profile`, or what --format json\n"
		 "wrote.\n\n"
		 "  --by WHAT             what a node is: function or line, of the interrupter's\n"
		 "                        samples; or interval, of the watcher's\n" SHARED_HELP);
}

static void help_sample (FILE *out)
{
	fprintf (out,
		 "usage: ppctl sample [OPTION]... WHO TIME\n\n"
		 "Has the intervals of a running process watched for TIME (500ms, 5s, 2min), and\n"
		 "shows where its time went. WHO is its number or its program's name. It is not\n"
		 "interrupted, and nothing is written there.\n\n"
		 "  --rate N              looks a second, 1 to 10000; 1000 unless "
		 "said\n" SHARED_HELP);
}

struct view {
	const char *rate; /* of sample */
	struct ppi_samples_span span;
	const char *path, *format, *by, *order, *hide_self, *hide_subs, *truncate, *output;
	enum ppi_by what;
	struct ppi_render_options render;
};

struct format {
	const char *name;
	bool (*graph) (const struct ppi_profile *profile, const struct ppi_render_options *options,
		       FILE *out);
	bool (*stacks) (const struct ppi_samples *samples, FILE *out);
};

static const struct format formats[] = {
	{"text", ppi_render_text, NULL},           {"chicken", ppi_render_chicken, NULL},
	{"json", ppi_render_json, NULL},           {"dot", ppi_render_dot, NULL},
	{"collapsed", NULL, ppi_render_collapsed}, {"speedscope", NULL, ppi_render_speedscope},
	{"pprof", NULL, ppi_render_pprof},
};

enum { FORMATS = sizeof formats / sizeof formats[0] };

/* ---- the command line ------------------------------------------------------------------------ */

/* Which of NAMES, which end with NULL, TEXT is; PPCTL_USAGE, negated, where it is none. */
static int choose (const char *option, const char *text, const char *const *names)
{
	const char *nearest = ppi_nearest (text, (const char **) (uintptr_t) names);

	for (int i = 0; names[i]; i++)
		if (strcmp (text, names[i]) == 0)
			return i;
	ppctl_wrong (verb, "--%s: there is no '%s'%s%s%s", option, text,
		     nearest ? "; did you mean '" : "", nearest ? nearest : "",
		     nearest ? "'?" : "");
	return -1;
}

static bool take_percent (const char *option, const char *text, double *out)
{
	char *end;
	double value;

	if (!text)
		return true;
	value = strtod (text, &end);
	if (end == text || (*end && strcmp (end, "%") != 0) || !isfinite (value) || value < 0 ||
	    value > 100) {
		ppctl_wrong (verb, "--%s: '%s' is no percentage", option, text);
		return false;
	}
	*out = value / 100;
	return true;
}

static bool take_columns (const char *text, unsigned *out)
{
	if (!text)
		return true;
	if (strspn (text, "0123456789") != strlen (text) || !*text || strlen (text) > 6) {
		ppctl_wrong (verb, "--truncate-source: '%s' is no number of columns", text);
		return false;
	}
	*out = (unsigned) atoi (text);
	return true;
}

/* False: it was told what is wrong. */
static bool understand (struct view *view, const struct format **format)
{
	static const char *const orders[] = {"topological", "self", "total", NULL},
				 *const bys[] = {"function", "line", "interval", NULL};
	const char *names[FORMATS + 1] = {NULL};
	int chosen;

	for (size_t i = 0; i < FORMATS; i++)
		names[i] = formats[i].name;
	chosen = choose ("format", view->format, names);
	if (chosen < 0)
		return false;
	*format = &formats[chosen];
	chosen = choose ("order", view->order, orders);
	if (chosen < 0)
		return false;
	view->render.order = (enum ppi_profile_order) chosen;
	chosen = view->by ? choose ("by", view->by, bys) : PPI_BY_FUNCTION;
	if (chosen < 0)
		return false;
	view->what = (enum ppi_by) chosen;
	return take_percent ("hide-self", view->hide_self, &view->render.hide_self) &&
	       take_percent ("hide-subs", view->hide_subs, &view->render.hide_subs) &&
	       take_columns (view->truncate, &view->render.truncate_source);
}

/* ---- reading and writing --------------------------------------------------------------------- */

#define SHARED_OPTIONS(view)                                                                       \
	{"format", PPCTL_TEXT, &(view).format, 0}, {"order", PPCTL_TEXT, &(view).order, 0},        \
		{"hide-self", PPCTL_TEXT, &(view).hide_self, 0},                                   \
		{"hide-subs", PPCTL_TEXT, &(view).hide_subs, 0},                                   \
		{"truncate-source", PPCTL_TEXT, &(view).truncate, 0},                              \
	{                                                                                          \
		"output", PPCTL_TEXT, &(view).output, 'o'                                          \
	}

static int no_memory (void)
{
	return ppctl_fail (PPCTL_PROBLEM, verb, "no memory");
}

/* To a file beside it, which takes its place when it is whole. */
static int write_file (const struct view *view, bool (*print) (void *arg, FILE *out), void *arg)
{
	struct ppi_new_file file;
	char why[300];
	const char *guard = ppctl_guarded (view->output, view->path);
	bool ok = false, whole = false;
	FILE *out;

	if (*guard)
		return ppctl_fail (PPCTL_PROBLEM, verb, "%s is not replaced: %s", view->output,
				   guard);
	if (ppi_file_begin (view->output, PPI_REPLACE_FILE, NULL, &file, why, sizeof why) != PP_OK)
		return ppctl_fail (PPCTL_PROBLEM, verb, "%s can't be written: %s", view->output,
				   why);
	out = fdopen (fcntl (file.fd, F_DUPFD_CLOEXEC, 0), "w");
	if (out) {
		ok = print (arg, out);
		whole = !(ferror (out) | fclose (out));
	}
	if (!ok || !whole) {
		ppi_file_abandon (&file);
		return out && ok ? ppctl_fail (PPCTL_PROBLEM, verb, "%s could not be written",
					       view->output)
				 : no_memory ();
	}
	if (ppi_file_commit (&file, why, sizeof why) != PP_OK)
		return ppctl_fail (PPCTL_PROBLEM, verb, "%s can't be written: %s", view->output,
				   why);
	close (file.fd);
	return PPCTL_OK;
}

/* What PRINT writes goes to the file that was asked for, or to standard output. */
static int write_out (const struct view *view, bool (*print) (void *arg, FILE *out), void *arg)
{
	if (view->output)
		return write_file (view, print, arg);
	return print (arg, stdout) ? PPCTL_OK : no_memory ();
}

struct printing {
	const struct format *format;
	const struct view *view;
	const struct ppi_samples *samples;
	const struct ppi_profile *profile;
};

static bool print (void *arg, FILE *out)
{
	struct printing *p = arg;

	return p->format->stacks ? p->format->stacks (p->samples, out)
				 : p->format->graph (p->profile, &p->view->render, out);
}

static void tell (const char *path, const char *why, void *arg)
{
	(void) arg;
	ppctl_fail (PPCTL_OK, verb, "%s %s", path, why);
}

static int show_samples (const struct view *view, const struct format *format,
			 const struct ppi_samples *samples)
{
	struct ppi_profile profile = {.program = NULL};
	int status;

	if (!format->stacks && !ppi_profile_analyse (samples, &profile))
		status = no_memory ();
	else
		status = write_out (view, print,
				    &(struct printing){format, view, samples, &profile});
	ppi_profile_clear (&profile);
	return status;
}

/* What was asked for, else what there is. */
static enum ppi_by by_of (const struct view *view, const struct ppi_recording *recording)
{
	return !view->by && !ppi_recording_has_profile (recording, PPI_BY_FUNCTION)
		       ? PPI_BY_INTERVAL
		       : view->what;
}

static int tell_none (const struct view *view, const struct ppi_recording *recording,
		      enum ppi_by by)
{
	if (ppi_recording_next (recording, PPI_CHUNK_EXACT, NULL))
		return ppctl_fail (
			PPCTL_PROBLEM, verb,
			"%s has no samples: features were measured; ppctl features shows "
			"what they cost",
			view->path);
	if (!view->by)
		return ppctl_fail (PPCTL_PROBLEM, verb,
				   "%s has no profile: run the program with PP_SAMPLE=1000 in its "
				   "environment, or with 'profile: {}' in its policy",
				   view->path);
	return ppctl_fail (PPCTL_PROBLEM, verb,
			   by == PPI_BY_INTERVAL
				   ? "%s has no profile by interval: run the program with "
				     "'profile: {sampler: watcher}' in its policy"
				   : "%s has no profile by function or line: run the program with "
				     "PP_SAMPLE=1000 in its environment",
			   view->path);
}

/* Why there are none may be among what is missing. */
static int no_samples (const struct view *view, const struct ppi_samples *samples, enum ppi_by by)
{
	int status = ppctl_fail (PPCTL_PROBLEM, verb,
				 by == PPI_BY_INTERVAL
					 ? "%s has no samples: no interval that is watched was "
					   "begun; the program used %.1f ms of CPU time"
					 : "%s has no samples: the program used %.1f ms of CPU "
					   "time",
				 view->path, 1e3 * samples->cpu_s);

	ppi_sample_losses_put (samples->lost, stderr);
	return status;
}

/* What was not seen is in the time of what was around it, which no format of a profile can say. */
static void tell_unseen (const struct view *view, const struct ppi_recording *recording)
{
	char causes[160];
	uint64_t n = ppctl_unseen_text (recording, causes, sizeof causes);

	if (n)
		(void) ppctl_fail (PPCTL_OK, verb,
				   "%s: %llu marks or intervals were not seen (%s): their time is "
				   "in what was around them",
				   view->path, (unsigned long long) n, causes);
}

static int show (const struct view *view, const struct format *format,
		 const struct ppi_recording *recording, enum ppi_by by)
{
	struct ppi_samples samples;
	int status;

	if (!ppi_samples_read (recording, by, &view->span, &samples, tell, NULL))
		status = no_memory ();
	else if (!ppi_samples_count (&samples))
		status = no_samples (view, &samples, by);
	else
		status = show_samples (view, format, &samples);
	if (samples.is_watched)
		tell_unseen (view, recording);
	ppi_samples_clear (&samples);
	return status;
}

/* Closes RECORDING. */
static int show_opened (const struct view *view, const struct format *format,
			struct ppi_recording *recording)
{
	enum ppi_by by = by_of (view, recording);
	int status = ppi_recording_has_profile (recording, by) ? show (view, format, recording, by)
							       : tell_none (view, recording, by);

	ppi_recording_close (recording);
	return status;
}

static int show_recording (const struct view *view, const struct format *format)
{
	struct ppi_recording *recording;
	int status = ppctl_open (verb, view->path, &recording);

	return status == PPCTL_OK ? show_opened (view, format, recording) : status;
}

static int show_json (const struct view *view, const struct format *format)
{
#ifdef HAVE_JANSSON
	struct ppi_profile profile = {.program = NULL};
	char why[256];
	int status;

	if (format->stacks)
		return ppctl_wrong (
			verb,
			"%s is a call graph, which has no stacks any more: %s needs the recording",
			view->path, format->name);
	if (!ppi_profile_from_json (view->path, &profile, why, sizeof why))
		status = ppctl_fail (PPCTL_PROBLEM, verb, "%s: %s", view->path, why);
	else
		status = write_out (view, print, &(struct printing){format, view, NULL, &profile});
	ppi_profile_clear (&profile);
	return status;
#else
	(void) format;
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

/* ---- a running process ----------------------------------------------------------------------- */

/* TEXT, a number with its unit, from 1 ms to an hour; 0: it is none. */
static uint64_t milliseconds (const char *text)
{
	static const struct {
		const char *name;
		double ms;
	} units[] = {{"ms", 1}, {"s", 1e3}, {"min", 60e3}, {"h", 3600e3}};
	char *end;
	double value = strtod (text, &end);

	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (end > text && strcmp (end, units[i].name) == 0) {
			value *= units[i].ms;
			return value >= 1 && value <= 3600e3 ? (uint64_t) value : 0;
		}
	return 0;
}

static const struct ppi_profile_chunk *watcher_of (const struct ppi_recording *recording)
{
	const struct ppi_profile_chunk *p = NULL;

	while ((p = ppi_recording_next (recording, PPI_CHUNK_PROFILE, p)) &&
	       p->chunk.id != PPI_SAMPLER_WATCHER)
		;
	return p;
}

static int open_process (const struct ppctl_process *process, struct ppi_recording **out)
{
	char path[64], why[600] = "";

	snprintf (path, sizeof path, "/proc/self/fd/%d", process->fd);
	if (ppi_recording_open (path, out, why, sizeof why) == 0)
		return PPCTL_OK;
	return ppctl_fail (PPCTL_PROBLEM, "sample", "process %d: %s", (int) process->pid, why);
}

/* As of the beginning. */
struct before {
	uint64_t cpu_ns;                  /* that the process has used; 0: not known */
	struct ppi_profile_chunk watcher; /* all 0: there is none yet */
};

static uint64_t cpu_ns_of (const struct ppctl_process *process)
{
	struct timespec used;
	clockid_t clock;

	if (clock_getcpuclockid (process->pid, &clock) != 0 || clock_gettime (clock, &used) != 0)
		return 0;
	return (uint64_t) used.tv_sec * 1000000000u + (uint64_t) used.tv_nsec;
}

static int look_before (const struct ppctl_process *process, struct before *out)
{
	struct ppi_recording *recording;
	const struct ppi_profile_chunk *watcher;
	int status = open_process (process, &recording);

	*out = (struct before){.cpu_ns = cpu_ns_of (process)};
	if (status != PPCTL_OK)
		return status;
	watcher = watcher_of (recording);
	if (watcher)
		out->watcher = *watcher;
	ppi_recording_close (recording);
	return status;
}

/* Times of a profile that goes on are of all of it, pauses too: CPU time is read at both ends. */
static void know_span (struct ppi_samples_span *span, const struct before *before,
		       const struct ppi_profile_chunk *now, uint64_t cpu_ns)
{
	uint64_t begin = now->start_ns > span->since_ns ? now->start_ns : span->since_ns;
	uint64_t own_ns = now->own_ns - before->watcher.own_ns, used_ns = cpu_ns - before->cpu_ns;

	if (!before->cpu_ns || cpu_ns < before->cpu_ns || now->own_ns < before->watcher.own_ns)
		return;
	span->is_known = true;
	span->period_ns = now->period_ns;
	span->wall_ns = now->stop_ns > begin ? now->stop_ns - begin : 0;
	span->own_ns = own_ns;
	span->cpu_ns = used_ns > own_ns ? used_ns - own_ns : 0;
	for (unsigned i = 0; i < PPI_SAMPLE_LOSSES; i++)
		span->lost[i] = now->lost[i] - before->watcher.lost[i];
}

/*
 * Of the live region: what is seen by now. There is nothing to complete, and its name may be gone,
 * so it is opened by its descriptor and told of as the process.
 */
static int show_process (const struct view *view, const struct format *format,
			 const struct ppctl_process *process, const struct before *before)
{
	struct view live = *view;
	const struct ppi_profile_chunk *watcher;
	struct ppi_recording *recording;
	char who[40];
	int status = open_process (process, &recording);

	if (status != PPCTL_OK)
		return status;
	snprintf (who, sizeof who, "process %d", (int) process->pid);
	live.path = who;
	live.by = "interval";
	live.what = PPI_BY_INTERVAL;
	watcher = watcher_of (recording);
	if (watcher)
		know_span (&live.span, before, watcher, cpu_ns_of (process));
	return show_opened (&live, format, recording);
}

static int sample (struct view *view, const struct format *format, const char *who, uint64_t ms)
{
	char text[24];
	const char *word[] = {"profile", view->rate, text};
	struct timespec time = {(time_t) (ms / 1000), (long) (ms % 1000 * 1000000)}, now;
	struct ppctl_process process;
	struct before before;
	struct ppctl_reply reply = {0, NULL, 0};
	int status = ppctl_find (verb, who, &process);

	if (status != PPCTL_OK)
		return status;
	status = look_before (&process, &before);
	if (status != PPCTL_OK) {
		ppctl_leave (&process);
		return status;
	}
	snprintf (text, sizeof text, "%llu", (unsigned long long) ms);
	clock_gettime (CLOCK_MONOTONIC, &now);
	view->span.since_ns = (uint64_t) now.tv_sec * 1000000000u + (uint64_t) now.tv_nsec;
	status = ppctl_ask (verb, &process, word, 3, &reply);
	if (status == PPCTL_OK && reply.status)
		status = ppctl_tell (verb, &process, &reply);
	else
		free (reply.text);
	while (status == PPCTL_OK && nanosleep (&time, &time) < 0 && errno == EINTR)
		continue;
	if (status == PPCTL_OK)
		status = show_process (view, format, &process, &before);
	ppctl_leave (&process);
	return status;
}

static int is_for_terminal (const struct view *view, const struct format *format)
{
	if (strcmp (format->name, "pprof") == 0 && !view->output && isatty (STDOUT_FILENO))
		return ppctl_wrong (verb,
				    "pprof is nothing for a terminal: --output FILE, or a pipe");
	return PPCTL_OK;
}

int ppctl_sample (int argc, char **argv)
{
	struct view view = {.format = "text",
			    .order = "topological",
			    .rate = "1000",
			    .span = PPI_SAMPLES_ALL,
			    .render = PPI_RENDER_DEFAULTS};
	const struct ppctl_option options[] = {
		{"rate", PPCTL_TEXT, &view.rate, 0}, SHARED_OPTIONS (view), {0}};
	const struct format *format;
	uint64_t ms;
	int status;

	verb = "sample";
	status = ppctl_options (argc, argv, verb, options, help_sample);
	if (status != PPCTL_GO_ON)
		return status;
	if (optind + 2 != argc)
		return ppctl_wrong (verb, "it needs a process and a time");
	ms = milliseconds (argv[optind + 1]);
	if (!ms)
		return ppctl_wrong (verb, "'%s' is no time from 1ms to 1h", argv[optind + 1]);
	if (!understand (&view, &format))
		return PPCTL_USAGE;
	status = is_for_terminal (&view, format);
	return status == PPCTL_OK ? sample (&view, format, argv[optind], ms) : status;
}

int ppctl_profile (int argc, char **argv)
{
	struct view view = {.format = "text",
			    .order = "topological",
			    .span = PPI_SAMPLES_ALL,
			    .render = PPI_RENDER_DEFAULTS};
	const struct ppctl_option options[] = {
		{"by", PPCTL_TEXT, &view.by, 0}, SHARED_OPTIONS (view), {0}};
	int status = ppctl_options (argc, argv, verb, options, help);
	const struct format *format;

	if (status != PPCTL_GO_ON)
		return status;
	if (optind + 1 != argc)
		return ppctl_wrong (verb, "it needs one recording");
	view.path = argv[optind];
	if (!understand (&view, &format))
		return PPCTL_USAGE;
	status = is_for_terminal (&view, format);
	if (status != PPCTL_OK)
		return status;
	return is_json (view.path) ? show_json (&view, format) : show_recording (&view, format);
}
