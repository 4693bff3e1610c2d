/* SPDX-License-Identifier: MIT */
/*
 * part.c: event records in the life of a process. Policies ask for them by the key `events`, each
 * for the sites of its patterns; markers write them (libmetrics/marker/record.c). What `events`
 * says of aggregates, and the key `flight`, have files of their own.
 *
 *   markers ──► chunks in the live region ──► library's thread ──► recording
 *
 * The recording takes what is there with each of its copies. Where chunks fill up before the next
 * one they are written here, without anything else.
 */
#include "profiler/events/ask.h"
#include "profiler/events/events.h"

#include "base/clock.h"
#include "base/environment.h"
#include "base/events.h"
#include "base/message.h"
#include "base/lock.h"
#include "base/part.h"
#include "libmetrics/calls/open.h"
#include "libmetrics/cost/cost.h"
#include "libmetrics/life/recording.h"
#include "libmetrics/marker/record.h"
#include "libmetrics/region/drops.h"
#include "libmetrics/region/region.h"
#include "libmetrics/region/stream.h"
#include "libmetrics/region/texts.h"
#include "libmetrics/registry/site.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/tables/site.h"
#include "libmetrics/thread/thread_life.h"
#include "profiler/events/events.h"

#include <limits.h>
#include <pp.h>
#include <stdio.h>
#include <string.h>

enum { WHY = 512, POOL_CHUNKS = 256 };

#define LOOK_NS UINT64_C (10000000)    /* at chunks, while they fill */
#define RECORD_NS UINT64_C (100000000) /* policies may say first where the recording goes */
#define PATTERN "%x.%p.pprec"

/* What a policy asks for. */
struct ask {
	struct ppi_ask is;
	bool waits;
	uint32_t strings;
	bool records; /* else it has aggregates only */
};

static struct ppi_ask *asks;
static bool any; /* was ever something asked for? atomic */

/* The library's thread's, and at the end that of who ends the process. */
static struct {
	bool recorded;    /* atomic: policies come and go meanwhile */
	bool is_ours;     /* the recording was begun here */
	bool is_measured; /* what recording costs; atomic */
	uint64_t start_ns, activity;
} state;

static bool is_wanted (void)
{
	return asks != NULL || ppi_flight_is_wanted ();
}

static bool has_thread (void)
{
	const char *threads = ppi_environment (PPI_ENVIRONMENT_THREADS);

	return !threads || strcmp (threads, "0") != 0;
}

/* ---- what is asked for [lock] ---------------------------------------------------------------- */

static int check (const void *value, const void *former, char *why, size_t room)
{
	const struct ppi_events_wish *wish = value;

	(void) former;
	*why = '\0';
	if (!ppi_ask_is_valid (wish->site, wish->sites, why, room))
		return PP_EINVAL;
	if (wish->waits && !has_thread ()) {
		snprintf (why, room,
			  "'when_full: wait' waits for the library's thread, which PP_THREADS=0 "
			  "forbids");
		return PP_EUNAVAILABLE;
	}
	return ppi_aggregate_check (wish, why, room);
}

/* Of all that is asked for: markers wait if one says so, and as many strings as one wants. */
static int prepare (void)
{
	bool waits = false, records = false;
	uint32_t strings = 0;
	int error;

	for (const struct ppi_ask *a = asks; a; a = a->next) {
		const struct ask *ask = (const struct ask *) a;

		waits |= ask->waits;
		records |= ask->records;
		strings = ask->strings > strings ? ask->strings : strings;
	}
	ppi_records_wait (waits);
	if (!asks)
		return PP_OK;
	error = ppi_region_init ();
	if (error == PP_OK)
		error = ppi_texts_prepare (strings);
	/* fewer chunks are worse than none */
	if (error == PP_OK && records && ppi_streams_prepare (POOL_CHUNKS) < 0 &&
	    ppi_streams_prepare (1) < 0)
		error = PP_ENOMEM;
	return error;
}

void ppi_events_record_soon (void)
{
	/* the recording that others had from a former one may have ended */
	if (!ppi_recording_wanted ())
		__atomic_store_n (&state.recorded, false, __ATOMIC_RELAXED);
	__atomic_store_n (&any, true, __ATOMIC_RELEASE);
}

static void apply (const void *value, const void *owner, const void *former)
{
	const struct ppi_events_wish *wish = value;
	struct ask *ask = ppi_ask_add (&asks, owner, sizeof *ask);

	if (ask) {
		ask->waits = wish->waits;
		ask->strings = wish->strings;
		ask->records = wish->sites > 0;
	}
	if (!ask || prepare () < 0) {
		ppi_message ("events: no memory for records: none are taken (PP_REGION_MAX)");
		return;
	}
	ppi_events_record_soon ();
	if (ask->records)
		ppi_tapped_set (&ask->is.tapped, PPI_SINK_RECORD, "events", 0, wish->site,
				wish->sites);
	ppi_aggregate_apply (wish, owner, former);
}

static void take_back (const void *owner)
{
	ppi_asks_take_back (&asks, owner, NULL);
	ppi_aggregate_take_back (owner);
	/* what was recorded so far is where the recording goes now: none has to be begun for it */
	if (!is_wanted () && ppi_recording_wanted ())
		__atomic_store_n (&state.recorded, true, __ATOMIC_RELAXED);
	(void) prepare ();
}

static const struct ppi_part_key keys[] = {
	{"events", check, apply, take_back},
	{"flight", ppi_flight_check, ppi_flight_apply, ppi_flight_take_back},
	{.name = NULL}};

static void look (void)
{
	(void) ppi_asks_look (asks);
	ppi_aggregate_look ();
	ppi_flight_look ();
}

/* ---- into the recording ---------------------------------------------------------------------- */

/* Where no policy says where that is. */
static void record (void)
{
	const struct ppi_record_wish wish = {.pattern = PATTERN};
	char why[WHY];
	int e = PP_OK;

	if (__atomic_load_n (&state.recorded, __ATOMIC_RELAXED))
		return;
	__atomic_store_n (&state.recorded, true, __ATOMIC_RELAXED);
	ppi_lock ();
	if (!ppi_recording_wanted ()) {
		e = ppi_recording_start (&wish, true, why, sizeof why);
		state.is_ours = e == PP_OK;
	}
	ppi_unlock ();
	if (e < 0)
		ppi_message ("events can't be recorded: %s", e == PP_ENOMEM ? "no memory" : why);
}

void ppi_events_measure (void)
{
	bool is_known = __atomic_load_n (&state.is_measured, __ATOMIC_RELAXED);

	if (is_known)
		return;
	ppi_lock ();
	for (const pp_site *s = ppi_site_first (); s && !is_known; s = s->next)
		is_known = s->plan && ppi_cost_of_records (s->plan);
	ppi_unlock ();
	__atomic_store_n (&state.is_measured, is_known, __ATOMIC_RELAXED);
}

static void housekeeping (void)
{
	uint64_t now_ns;

	if (!__atomic_load_n (&any, __ATOMIC_ACQUIRE))
		return;
	now_ns = ppi_real_now_ns ();
	ppi_events_measure ();
	if (!state.start_ns)
		state.start_ns = now_ns;
	if (now_ns - state.start_ns >= RECORD_NS)
		record ();
}

static uint64_t tick (uint64_t now_ns)
{
	uint64_t activity;

	if (!__atomic_load_n (&any, __ATOMIC_ACQUIRE))
		return UINT64_MAX;
	/* the recording is still to be begun */
	if (!__atomic_load_n (&state.recorded, __ATOMIC_RELAXED))
		return now_ns + RECORD_NS;
	/* while nothing comes, the first full chunk wakes the thread */
	activity = ppi_streams_activity ();
	if (activity == state.activity)
		return UINT64_MAX;
	state.activity = activity;
	return now_ns + LOOK_NS;
}

/* What is open when the process ends has no end any more, and is no record. */
static void count_open (void)
{
	uint64_t n;

	ppi_lock ();
	ppi_thread_reap ();
	n = ppi_events_open ();
	if (n)
		ppi_drop_nowhere (PP_DROP_OPEN, n);
	ppi_unlock ();
}

static void fini (void)
{
	char path[PATH_MAX];

	if (!__atomic_load_n (&any, __ATOMIC_ACQUIRE))
		return;
	count_open ();
	ppi_events_measure ();
	record ();
	ppi_recording_path (path, sizeof path);
	if (state.is_ours && *path && !ppi_environment (PPI_ENVIRONMENT_RUN))
		ppi_message ("events were recorded in %s", path);
	__atomic_store_n (&any, false, __ATOMIC_RELEASE);
}

/* A child records into a file of its own: what is asked for is its own, too. */
static void fork_child (void)
{
	memset (&state, 0, sizeof state);
}

const struct ppi_part ppi_events_part = {.module_added = look,
					 .needs_thread = is_wanted,
					 .tick = tick,
					 .housekeeping = housekeeping,
					 .fork_child = fork_child,
					 .keys = keys,
					 .fini = fini};
