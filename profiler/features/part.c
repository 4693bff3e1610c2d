/* SPDX-License-Identifier: MIT */
/* part.c: see exact.h. */
#include "base/clock.h"
#include "base/environment.h"
#include "base/lock.h"
#include "base/message.h"
#include "base/part.h"
#include "base/ticks.h"
#include "base/wake.h"
#include "libmetrics/cost/self.h"
#include "libmetrics/life/recording.h"
#include "libmetrics/region/region.h"
#include "libmetrics/region/texts.h"
#include "libmetrics/registry/feature.h"
#include "libmetrics/registry/pattern.h"
#include "libmetrics/registry/tapped.h"
#include "libmetrics/tables/site.h"
#include "profiler/features/exact.h"
#include "profiler/features/policy.h"
#include "profiler/features/waits.h"
#include "recording/layout_profile.h"

#include <limits.h>
#include <math.h>
#include <pp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WHY = 512, TRIALS = 20 };

#define NOTE_NS UINT64_C (100000000)
#define PATTERN "%x.%p.pprec"

/* With the runtime's lock. */
static struct exact {
	const void *owner;         /* NULL: nobody asks */
	bool is_over;              /* its time is; marks are off again */
	uint64_t for_ns, until_ns; /* 0: to the end */
	bool is_recorded;
	struct ppi_tapped tapped;
	unsigned trials;        /* to find out what a mark takes */
	uint64_t stopped_ticks; /* when the one before ended; 0: there was none */
	struct ppi_exact_chunk *chunk;
} exact;

static bool any; /* was ever one asked for? atomic */

static bool is_on (void)
{
	return exact.owner && !exact.is_over;
}

/* ---- which sites ----------------------------------------------------------------------------- */

/* Also those that have come meanwhile. */
static void look (void)
{
	if (is_on ())
		(void) ppi_tapped_look (&exact.tapped);
}

static bool has_number (pp_site *site)
{
	return site->flags & PP_ABI_SITE_RETURN || ppi_feature_number (site) != 0;
}

/* That of one that is measured; NULL: there is none yet. */
static const struct ppi_plan *any_plan (void)
{
	for (uint32_t i = 0; i < exact.tapped.room; i++) {
		const pp_site *site = exact.tapped.site[i];

		if (site && site->plan && site->plan->exact)
			return site->plan;
	}
	return NULL;
}

/* ---- since when, and what it costs ----------------------------------------------------------- */

static void put_double (double *to, double value)
{
	__atomic_store (to, &value, __ATOMIC_RELAXED);
}

PP_ABI_ASSERT ((int) PPI_EXACT_KNOWN == (int) PPI_MARKS_HELD);

/* Of a mark as the program's are, once there is one that is measured. */
static void measure_cost (void)
{
	const struct ppi_plan *plan = any_plan ();
	struct ppi_mark_cost cost;

	if (!isnan (exact.chunk->pair_s) || !plan || exact.trials == TRIALS)
		return;
	exact.trials++;
	/* on a machine that is busy it may not be seen at all: then once more */
	if (!ppi_self_measure_feature (plan, &cost) || !(cost.pair_s > 0))
		return;
	for (int i = 0; i < PPI_EXACT_KNOWN; i++) {
		put_double (&exact.chunk->known[i].measured_s, cost.measured_s[i]);
		put_double (&exact.chunk->known[i].held_s, cost.held_s[i]);
	}
	put_double (&exact.chunk->empty_s, cost.empty_s);
	put_double (&exact.chunk->by_c_s, cost.by_c_s);
	put_double (&exact.chunk->by_c_inside_s, cost.by_c_inside_s);
	put_double (&exact.chunk->tail_s, cost.tail_s);
	put_double (&exact.chunk->by_c_tail_s, cost.by_c_tail_s);
	put_double (&exact.chunk->by_c_head_s, cost.by_c_head_s);
	put_double (&exact.chunk->pair_s, cost.pair_s);
}

static bool describe (void)
{
	struct ppi_exact_chunk *c = exact.chunk;
	uint64_t now = ppi_ticks ();

	if (c) {
		__atomic_store_n (&c->paused_ticks, c->paused_ticks + (now - exact.stopped_ticks),
				  __ATOMIC_RELAXED);
		return true;
	}
	if (ppi_region_init () < 0)
		return false;
	c = ppi_region_try_alloc (sizeof *c);
	if (!c)
		return false;
	c->start_ticks = c->stop_ticks = now;
	c->pair_s = c->empty_s = c->by_c_s = c->by_c_inside_s = (double) NAN;
	c->tail_s = c->by_c_tail_s = c->by_c_head_s = (double) NAN;
	ppi_region_publish (&c->chunk, PPI_CHUNK_EXACT, 1);
	exact.chunk = c;
	return true;
}

static void note (void)
{
	struct ppi_waits waits = {0, 0};

	if (exact.chunk && is_on ()) {
		ppi_waits_look (&waits);
		__atomic_store_n (&exact.chunk->waited_ns, exact.chunk->waited_ns + waits.ns,
				  __ATOMIC_RELAXED);
		__atomic_store_n (&exact.chunk->waits, exact.chunk->waits + waits.n,
				  __ATOMIC_RELAXED);
		exact.stopped_ticks = ppi_ticks ();
		__atomic_store_n (&exact.chunk->stop_ticks, exact.stopped_ticks, __ATOMIC_RELAXED);
	}
}

static void stop (void)
{
	if (!is_on ())
		return;
	note ();
	ppi_tapped_clear (&exact.tapped);
}

/* ---- what is asked for ----------------------------------------------------------------------- */

/*
 * Antimarks come with features, whatever the patterns say: without its own a feature would be
 * charged for the user's code.
 */
static unsigned also_of (const struct ppi_profile_wish *wish)
{
	return PPI_TAPPED_ANTIMARKS | (wish->sites ? PPI_TAPPED_ONLY : PPI_TAPPED_FEATURES);
}

static bool is_same (const struct ppi_profile_wish *wish)
{
	return exact.for_ns == wish->for_ns &&
	       (exact.is_over ||
		ppi_tapped_are (&exact.tapped, also_of (wish), wish->site, wish->sites));
}

int ppi_exact_check (const struct ppi_profile_wish *wish, const void *former, char *why,
		     size_t room)
{
	for (size_t i = 0; i < wish->sites; i++)
		if (!ppi_pattern_valid (wish->site[i], why, room))
			return PP_EINVAL;
	if (is_on () && exact.owner != former) {
		snprintf (why, room, "somebody else has features measured already");
		return PP_EUNAVAILABLE;
	}
	return PP_OK;
}

void ppi_exact_apply (const struct ppi_profile_wish *wish, const void *owner, const void *former)
{
	if (former && exact.owner == former && is_same (wish)) {
		/* it goes on */
		exact.owner = owner;
		return;
	}
	stop ();
	exact.owner = NULL;
	if (!describe () || ppi_texts_prepare (0) != PP_OK) {
		ppi_message ("profile: there is no memory, or no room in the live region: features "
			     "are not measured");
		return;
	}
	exact.owner = owner;
	exact.is_over = false;
	ppi_waits_begin ();
	exact.for_ns = wish->for_ns;
	exact.until_ns = wish->for_ns ? ppi_real_now_ns () + wish->for_ns : 0;
	exact.tapped.prepare = has_number;
	ppi_tapped_set (&exact.tapped, PPI_SINK_FEATURE, "profile", also_of (wish), wish->site,
			wish->sites);
	__atomic_store_n (&any, true, __ATOMIC_RELEASE);
	ppi_wake_thread ();
}

void ppi_exact_take_back (const void *owner)
{
	if (!exact.owner || exact.owner != owner)
		return;
	stop ();
	exact.owner = NULL;
}

/* ---- as time goes by ------------------------------------------------------------------------- */

static bool is_wanted (void)
{
	return is_on ();
}

static void record (void)
{
	const struct ppi_record_wish wish = {.pattern = PATTERN};
	char why[WHY];
	int e;

	if (exact.is_recorded)
		return;
	exact.is_recorded = true;
	e = ppi_recording_wanted () ? PP_OK : ppi_recording_start (&wish, true, why, sizeof why);
	if (e < 0)
		ppi_message ("what features cost can't be recorded: %s",
			     e == PP_ENOMEM ? "no memory" : why);
}

static void housekeeping (void)
{
	if (!__atomic_load_n (&any, __ATOMIC_ACQUIRE))
		return;
	ppi_lock ();
	if (is_on () && exact.chunk) {
		measure_cost ();
		note ();
		record ();
	}
	if (is_on () && exact.until_ns && ppi_real_now_ns () >= exact.until_ns) {
		stop ();
		exact.is_over = true;
	}
	ppi_unlock ();
}

static uint64_t tick (uint64_t now_ns)
{
	uint64_t next = UINT64_MAX, now;

	if (!__atomic_load_n (&any, __ATOMIC_ACQUIRE))
		return next;
	ppi_lock ();
	if (is_on ()) {
		next = now_ns + NOTE_NS;
		now = ppi_real_now_ns ();
		if (exact.until_ns && exact.until_ns < now + NOTE_NS)
			next = now_ns + (exact.until_ns > now ? exact.until_ns - now : 0);
	}
	ppi_unlock ();
	return next;
}

/* Before a recording is made: it goes as far as this. */
static void figures (void)
{
	ppi_lock ();
	note ();
	ppi_unlock ();
}

/* A child measures into its own region. */
static void fork_child (void)
{
	exact.chunk = NULL;
	exact.is_recorded = false;
	exact.trials = 0;
	exact.stopped_ticks = 0;
	ppi_waits_forget ();
	if (is_on () && !describe ())
		exact.is_over = true;
}

/* Who ran the program tells of it, where ppctl did. */
static void tell_where (void)
{
	char path[PATH_MAX];

	ppi_recording_path (path, sizeof path);
	if (*path && !ppi_environment (PPI_ENVIRONMENT_RUN))
		ppi_message ("what features cost was measured; see: ppctl features '%s'", path);
}

static void fini (void)
{
	if (!__atomic_load_n (&any, __ATOMIC_ACQUIRE))
		return;
	ppi_lock ();
	if (is_on () && exact.chunk) {
		measure_cost ();
		record ();
	}
	note ();
	ppi_unlock ();
	tell_where ();
}

const struct ppi_part ppi_features_part = {.module_added = look,
					   .needs_thread = is_wanted,
					   .tick = tick,
					   .housekeeping = housekeeping,
					   .figures = figures,
					   .keys = ppi_features_keys,
					   .fork_child = fork_child,
					   .fini = fini};
