/* SPDX-License-Identifier: MIT */
/* sample.c: ppctl sample: where the time of a running process goes. */
#include "ppctl/door.h"
#include "ppctl/ppctl.h"
#include "ppctl/profile_view.h"
#include "ppctl/report.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char verb[] = "sample";

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
		"figures. Pauses nest.\n\n"
		"  --rate N              looks a second, 1 to 10000; 1000 unless "
		"said\n" PPCTL_PROFILE_HELP);
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

/* A profile that goes on says what there is of all of it. */
static void know_span (struct ppi_samples_span *span, const struct ppi_profile_chunk *before,
		       const struct ppi_profile_chunk *now)
{
	if (sampled_ns (now) < sampled_ns (before) || now->cpu_ns < before->cpu_ns ||
	    now->own_ns < before->own_ns)
		return;
	span->is_known = true;
	span->period_ns = now->period_ns;
	span->wall_ns = sampled_ns (now) - sampled_ns (before);
	span->own_ns = now->own_ns - before->own_ns;
	span->cpu_ns = now->cpu_ns - before->cpu_ns;
	for (unsigned i = 0; i < PPI_SAMPLE_LOSSES; i++)
		span->lost[i] = now->lost[i] - before->lost[i];
}

/*
 * Of the live region: what is seen by now. There is nothing to complete, and its name may be gone,
 * so it is opened by its descriptor and told of as the process.
 */
static int show_process (const struct ppctl_profile_view *view, const struct ppctl_process *process,
			 const struct ppi_profile_chunk *before)
{
	struct ppctl_profile_view live = *view;
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
		know_span (&live.span, before, watcher);
	status = ppctl_profile_show_recording (&live, recording);
	ppi_recording_close (recording);
	return status;
}

static int sample (struct ppctl_profile_view *view, const char *who, uint64_t ms)
{
	char text[24];
	const char *word[] = {"profile", view->rate, text};
	struct timespec time = {(time_t) (ms / 1000), (long) (ms % 1000 * 1000000)}, now;
	struct ppctl_process process;
	struct ppi_profile_chunk before;
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
		status = show_process (view, &process, &before);
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
