/* SPDX-License-Identifier: MIT */
/*
 * profile_events.c: pp_profile_events: what a function does, as tables by the dimensions of its
 * events. Records go to a file in /tmp meanwhile, as they would go to a recording; the module that
 * shows profiles reads it as ppctl query does, and it is removed.
 */
#include "libpp/profile.h"

#include "base/c_locale.h"
#include "base/clock.h"
#include "base/environment.h"
#include "base/fp.h"
#include "base/lock.h"
#include "base/message.h"
#include "base/part.h"
#include "libmetrics/cost/site_state.h"
#include "libmetrics/life/recording.h"
#include "libmetrics/region/stream.h"
#include "libmetrics/thread/thread.h"
#include "profiler/analysis/module.h"
#include "profiler/events/events.h"
#include "recording/layout.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WHY = 512 };

#define POLICY "pp_profile_events"
/* %n: a name that nothing has */
#define PATTERN "/tmp/pp-events.%p.%n.pprec"

struct running {
	bool is_on;
	pid_t pid;
	uint64_t since_ns; /* CLOCK_MONOTONIC */
	uint32_t behind;   /* how many chunks of streams were begun before */
};

static bool is_taken; /* atomic: by one at a time */

static void tell_once (const char *why)
{
	static bool told; /* atomic */

	if (!__atomic_exchange_n (&told, true, __ATOMIC_RELAXED))
		ppi_message ("pp_profile_events: %s: the function runs without a profile (said "
			     "once)",
			     why);
}

/* The file is gone, and the process recorded nowhere, as before. */
static void stop_recording (void)
{
	char path[PATH_MAX];

	ppi_recording_path (path, sizeof path);
	ppi_lock ();
	ppi_recording_revert ();
	ppi_unlock ();
	if (*path)
		unlink (path);
}

static bool start_recording (char *why)
{
	const struct ppi_record_wish wish = {.pattern = PATTERN};
	int error = PP_EEXIST;

	ppi_lock ();
	if (ppi_recording_wanted ())
		snprintf (why, WHY, "the process is recorded; ppctl query shows that recording");
	else
		error = ppi_recording_start (&wish, true, why, WHY);
	ppi_unlock ();
	if (error == PP_ENOMEM)
		snprintf (why, WHY, "no memory");
	return error == PP_OK;
}

static bool has_thread (void)
{
	const char *threads = ppi_environment (PPI_ENVIRONMENT_THREADS);

	return !threads || strcmp (threads, "0") != 0;
}

static bool begin (struct running *running)
{
	PPI_KEEP_HOST;
	char why[WHY] = "";

	if (__atomic_exchange_n (&is_taken, true, __ATOMIC_ACQUIRE)) {
		tell_once ("one is taken already");
		return false;
	}
	if (!has_thread ()) {
		tell_once ("PP_THREADS=0 forbids the library's thread, which records events");
		__atomic_store_n (&is_taken, false, __ATOMIC_RELEASE);
		return false;
	}
	running->behind = __atomic_load_n (&ppi_streams_begun, __ATOMIC_RELAXED);
	if (start_recording (why)) {
		/* what is wrong with it is said there */
		if (pp_policy_load_text (POLICY,
					 "version: 1\n"
					 "events: {records: \"**\", when_full: wait}\n") == PP_OK) {
			running->pid = getpid ();
			running->since_ns = ppi_real_now_ns ();
			return true;
		}
		stop_recording ();
		snprintf (why, WHY, "events can't be recorded");
	}
	tell_once (why);
	__atomic_store_n (&is_taken, false, __ATOMIC_RELEASE);
	return false;
}

static void show (const struct running *running, const char *dimensions)
{
	const struct ppi_profile_module *module = ppi_results_module ();
	char path[PATH_MAX], why[WHY];
	int error;

	if (!module)
		return;
	ppi_recording_path (path, sizeof path);
	PPI_C_LOCALE;

	error = module->events (path, dimensions, running->behind, running->since_ns, stdin, stdout,
				why, sizeof why);
	fflush (stdout);
	if (error)
		ppi_message ("pp_profile_events: %s", why);
}

/* In a child that the function made there is none, and the file is its parent's. */
static void end (struct running *running, bool is_shown, const char *dimensions)
{
	PPI_KEEP_HOST;
	struct ppi_thread *thread = ppi_thread_self ();

	if (!running->is_on || running->pid != getpid ())
		return;
	running->is_on = false;
	/* while sites record: the tables take off what that cost */
	ppi_events_measure ();
	ppi_lock ();
	ppi_sites_note ();
	ppi_unlock ();
	pp_policy_unload (POLICY);
	/* the next records are in another file, so in another chunk */
	if (thread && thread->stream)
		ppi_stream_finish (thread->stream);
	if (is_shown) {
		ppi_parts_figures ();
		if (ppi_recording_copy (false) == PP_OK)
			show (running, dimensions);
	}
	stop_recording ();
	__atomic_store_n (&is_taken, false, __ATOMIC_RELEASE);
}

/* Behind an exception, or at the end of the thread, too. */
static void leave (struct running *running)
{
	end (running, false, NULL);
}

void *pp_profile_events (void *(*fn) (void *), void *arg, const char *dimensions)
{
	__attribute__ ((cleanup (leave))) struct running running = {.is_on = false};
	void *value;

	running.is_on = begin (&running);
	value = fn (arg);
	end (&running, true, dimensions);
	return value;
}
