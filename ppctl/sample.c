/* SPDX-License-Identifier: MIT */
/* sample.c: ppctl sample: where the time of a running process goes. */
#include "ppctl/door.h"
#include "ppctl/ppctl.h"
#include "ppctl/profile_view.h"
#include "ppctl/report.h"
#include "base/process.h"
#include "base/profile.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char verb[] = "sample";

#define LOOK_NS UINT64_C (50000000)
#define SLACK_NS UINT64_C (20000000)
#define PATIENCE_NS UINT64_C (1000000000)

static void help (FILE *out)
{
	fprintf (
		out,
		"usage: ppctl sample [OPTION]... WHO TIME\n"
		"       ppctl sample WHO pause|resume\n\n"
		"Has the intervals of a running process watched for TIME (500ms, 5s, 2min), and\n"
		"shows where its time went. WHO is its number or its program's name. It is not\n"
		"interrupted, and nothing is written there.\n\n"
		"pause has nothing sampled by the profiles that are taken of the process now, by\n"
		"a policy, by PP_SAMPLE or by itself, until resume: that time is in none of their\n"
		"figures. Pauses nest. A process with nothing but PP_SAMPLE takes such orders if\n"
		"it was started with PP_CONTROL=1.\n\n"
		"  --rate N              looks a second, 1 to 10000; 1000 unless "
		"said\n" PPCTL_PROFILE_HELP);
}

static uint64_t now_ns (void)
{
	struct timespec now;

	clock_gettime (CLOCK_MONOTONIC, &now);
	return (uint64_t) now.tv_sec * 1000000000u + (uint64_t) now.tv_nsec;
}

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

/* The watcher's profile as it is before; all 0: there is none yet. */
static int look_before (const struct ppctl_process *process, struct ppi_profile_chunk *out)
{
	struct ppi_recording *recording;
	const struct ppi_profile_chunk *watcher;
	int status = open_process (process, &recording);

	*out = (struct ppi_profile_chunk){.is_cpu = 0};
	if (status != PPCTL_OK)
		return status;
	watcher = watcher_of (recording);
	if (watcher)
		*out = *watcher;
	ppi_recording_close (recording);
	return status;
}

/* ns that it sampled. */
static uint64_t sampled_ns (const struct ppi_profile_chunk *profile)
{
	return profile->stop_ns - profile->start_ns - profile->left_out_ns;
}

/* What was asked for, and when. */
struct asked {
	const struct ppctl_process *process;
	struct ppi_profile_chunk before; /* the watcher's profile */
	uint64_t since_ns, ns;
	uint64_t period_ns;
};

/* A profile that goes on says what there is of all of it. */
static void know_span (struct ppi_samples_span *span, const struct asked *asked,
		       const struct ppi_profile_chunk *now)
{
	const struct ppi_profile_chunk *before = &asked->before;

	if (sampled_ns (now) < sampled_ns (before) || now->cpu_ns < before->cpu_ns ||
	    now->own_ns < before->own_ns)
		return;
	span->is_known = true;
	/* the profile says the longest that it ever had */
	span->period_ns = asked->period_ns;
	span->wall_ns = sampled_ns (now) - sampled_ns (before);
	span->own_ns = now->own_ns - before->own_ns;
	span->cpu_ns = now->cpu_ns - before->cpu_ns;
	for (unsigned i = 0; i < PPI_SAMPLE_LOSSES; i++)
		span->lost[i] = now->lost[i] - before->lost[i];
}

static bool is_short (const struct asked *asked, const struct ppi_samples_span *span)
{
	/* it ends with what the library's thread does next, and begins so */
	return span->is_known && span->wall_ns + asked->ns / 20 + SLACK_NS < asked->ns;
}

static bool runs (const struct ppctl_process *process)
{
	return ppctl_process_state (process->pid) &&
	       ppi_process_presence (process->header.pid, &process->header.who) != PPI_PROCESS_GONE;
}

/* Until NS of CLOCK_MONOTONIC, or until the process ends; false: it has. */
static bool wait_until (const struct ppctl_process *process, uint64_t ns)
{
	uint64_t now;
	bool is_there = true;

	while ((now = now_ns ()) < ns && (is_there = runs (process))) {
		uint64_t part = ns - now < LOOK_NS ? ns - now : LOOK_NS;

		nanosleep (&(struct timespec){0, (long) part}, NULL);
	}
	return is_there;
}

/*
 * The live region, and in SPAN what of it was asked for. The watcher says from time to time how far
 * it is: what is missing may come.
 */
static int open_asked (const struct asked *asked, bool *is_there, struct ppi_samples_span *span,
		       struct ppi_recording **out)
{
	uint64_t until = asked->since_ns + asked->ns + PATIENCE_NS;

	for (;;) {
		const struct ppi_profile_chunk *watcher;
		int status = open_process (asked->process, out);

		if (status != PPCTL_OK)
			return status;
		watcher = watcher_of (*out);
		if (watcher)
			know_span (span, asked, watcher);
		if (!*is_there || !is_short (asked, span) || now_ns () >= until)
			return status;
		ppi_recording_close (*out);
		*is_there = wait_until (asked->process, now_ns () + LOOK_NS);
	}
}

/* Less than was asked for is a profile, too, but nobody shall take it for all of it. */
static void tell_short (const struct asked *asked, bool is_there,
			const struct ppi_samples_span *span)
{
	if (is_there && !is_short (asked, span))
		return;
	if (!span->is_known)
		ppctl_fail (0, verb, "process %d has ended", (int) asked->process->pid);
	else
		ppctl_fail (0, verb, "process %d: %s after %.0f ms of the %.0f ms",
			    (int) asked->process->pid,
			    is_there ? "it was paused, or its profile was ended," : "it ended",
			    1e-6 * (double) span->wall_ns, 1e-6 * (double) asked->ns);
}

/*
 * Of the live region: what is seen by now. There is nothing to complete, and its name may be gone,
 * so it is opened by its descriptor and told of as the process.
 */
static int show_process (const struct ppctl_profile_view *view, const struct asked *asked)
{
	struct ppctl_profile_view live = *view;
	struct ppi_recording *recording;
	char who[40];
	bool is_there = wait_until (asked->process, asked->since_ns + asked->ns);
	int status = open_asked (asked, &is_there, &live.span, &recording);

	if (status != PPCTL_OK)
		return status;
	snprintf (who, sizeof who, "process %d", (int) asked->process->pid);
	live.path = who;
	live.by = "interval";
	live.what = PPI_BY_INTERVAL;
	status = ppctl_profile_show_recording (&live, recording);
	tell_short (asked, is_there, &live.span);
	ppi_recording_close (recording);
	return status;
}

/* TEXT is a rate where the process has found it to be one; 0: not even a number. */
static uint64_t period_of (const char *text)
{
	unsigned long rate = strtoul (text, NULL, 10);

	return rate ? PPI_SAMPLE_PERIOD (rate) : 0;
}

static int sample (struct ppctl_profile_view *view, const char *who, uint64_t ms)
{
	char text[24];
	const char *word[] = {"profile", view->rate, text};
	struct ppctl_process process;
	struct asked asked = {
		.process = &process, .ns = ms * 1000000u, .period_ns = period_of (view->rate)};
	struct ppctl_reply reply = {0, NULL, 0};
	int status = ppctl_find (verb, who, &process);

	if (status != PPCTL_OK)
		return status;
	status = look_before (&process, &asked.before);
	if (status != PPCTL_OK) {
		ppctl_leave (&process);
		return status;
	}
	snprintf (text, sizeof text, "%llu", (unsigned long long) ms);
	view->span.since_ns = now_ns ();
	status = ppctl_ask (verb, &process, word, 3, &reply);
	if (status == PPCTL_OK && reply.status)
		status = ppctl_tell (verb, &process, &reply);
	else
		free (reply.text);
	asked.since_ns = now_ns ();
	if (status == PPCTL_OK)
		status = show_process (view, &asked);
	ppctl_leave (&process);
	return status;
}

/* WORD, pause or resume, is asked of the process WHO. */
static int hold (const char *who, const char *word)
{
	struct ppctl_process process;
	struct ppctl_reply reply = {0, NULL, 0};
	int status = ppctl_find (verb, who, &process);

	if (status != PPCTL_OK)
		return status;
	status = ppctl_ask (verb, &process, &word, 1, &reply);
	if (status == PPCTL_OK)
		status = ppctl_tell (verb, &process, &reply);
	ppctl_leave (&process);
	return status;
}

int ppctl_sample (int argc, char **argv)
{
	struct ppctl_profile_view view = PPCTL_PROFILE_VIEW (verb);
	const struct ppctl_option options[] = {
		{"rate", PPCTL_TEXT, &view.rate, 0}, PPCTL_PROFILE_OPTIONS (view), {0}};
	uint64_t ms;
	int status;

	status = ppctl_options (argc, argv, verb, options, help);
	if (status != PPCTL_GO_ON)
		return status;
	if (optind + 2 != argc)
		return ppctl_wrong (verb, "it needs a process and a time");
	if (strcmp (argv[optind + 1], "pause") == 0 || strcmp (argv[optind + 1], "resume") == 0)
		return hold (argv[optind], argv[optind + 1]);
	ms = milliseconds (argv[optind + 1]);
	if (!ms)
		return ppctl_wrong (verb,
				    "'%s' is neither a time from 1ms to 1h nor pause or resume",
				    argv[optind + 1]);
	view.rate = view.rate ? view.rate : "1000";
	status = ppctl_profile_understand (&view);
	return status == PPCTL_OK ? sample (&view, argv[optind], ms) : status;
}
