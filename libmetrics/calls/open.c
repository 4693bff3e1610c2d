/* SPDX-License-Identifier: MIT */
/* open.c: see open.h. */
#include "libmetrics/calls/open.h"

#include "base/atomic.h"
#include "base/clock.h"
#include "base/ticks.h"
#include "libmetrics/calls/span.h"
#include "libmetrics/region/region.h"
#include "libmetrics/registry/site.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/tables/site.h"
#include "libmetrics/thread/thread.h"
#include "libmetrics/thread/thread_life.h"

struct open_now {
	uint64_t n, oldest;
};

/*
 * Another thread's frames, while it pushes and pops: what looks like a frame may be the middle of
 * one by now. So nothing is followed that does not lie in the process's own memory, and nothing in
 * it is believed but compared.
 */
static bool is_frame (const void *p)
{
	return !((uintptr_t) p & 7) && ppi_own_has (p, sizeof (struct ppi_frame));
}

static bool is_of_site (const struct ppi_frame *f, const pp_site *site)
{
	uintptr_t tag = ppi_load (&f->tag) & ~(uintptr_t) PP_ABI_DEPTH_MASK;

	for (const struct ppi_copy *c = site->copies; c; c = c->next)
		if ((uintptr_t) c->descriptor == tag)
			return true;
	return false;
}

/*
 * When F, seen below the frame NEWEST on *TOP, began; 0: that isn't known, or it was popped
 * meanwhile and its place holds something else, a frame or its values. One whose begin has not read
 * the clock is no younger than this look at it.
 */
static uint64_t age_of (const struct ppi_frame *f, const pp_site *site,
			struct ppi_frame *const *top, const struct ppi_frame *newest)
{
	uint64_t begun = __atomic_load_n (&f->begin_ticks, __ATOMIC_ACQUIRE);

	/* acquire above: these are looked at behind it */
	if (!is_of_site (f, site) ||
	    (f == newest && __atomic_load_n (top, __ATOMIC_ACQUIRE) != newest) ||
	    ppi_load (&f->begin_ticks) != begun)
		return 0;
	if (!begun)
		__atomic_compare_exchange_n ((uint64_t *) (uintptr_t) &f->begin_ticks, &begun,
					     ppi_ticks (), false, __ATOMIC_RELAXED,
					     __ATOMIC_RELAXED);
	return begun;
}

static void scan_segment (const struct ppi_thread *t, const struct ppi_segment *s,
			  const pp_site *site, struct open_now *out)
{
	bool current = __atomic_load_n (&t->segment, __ATOMIC_ACQUIRE) == s;
	struct ppi_frame *const *top = current ? &t->hot->top : &s->top;
	const struct ppi_frame *newest = __atomic_load_n (top, __ATOMIC_ACQUIRE), *f = newest;

	for (unsigned i = 0; i < PPI_DEPTH_MAX && f != &s->bottom && is_frame (f); i++) {
		if (is_of_site (f, site)) {
			uint64_t begun = age_of (f, site, top, newest);

			out->n++;
			if (begun && begun < out->oldest)
				out->oldest = begun;
		}
		f = ppi_load (&f->prev);
	}
}

/* What is asked for beside how many: the oldest, also of spans; what threads left that are gone. */
enum { AGE = 1, LEFT = 2 };

static struct open_now open_frames (const pp_site *site, unsigned asked)
{
	struct open_now now = {0, UINT64_MAX}, before;

	if (!__atomic_load_n (&site->enabled, __ATOMIC_RELAXED))
		return now;
	for (const struct ppi_thread *t = __atomic_load_n (&ppi_threads, __ATOMIC_ACQUIRE); t;
	     t = t->next) {
		/*
		 * a thread that has not honoured the site's last enabling has only frames from
		 * before it
		 */
		if (ppi_load (&t->state) != PPI_THREAD_USED ||
		    ppi_load (&t->flushed) < ppi_load (&site->enabled_at))
			continue;
		before = now;
		for (const struct ppi_segment *s = &t->own; s;
		     s = __atomic_load_n (&s->next, __ATOMIC_ACQUIRE))
			scan_segment (t, s, site, &now);
		/*
		 * a thread that has ended without unwinding (pthread_exit in C) leaves frames
		 * behind until it is reaped
		 */
		if (now.n != before.n && !(asked & LEFT) && ppi_thread_is_gone (ppi_load (&t->id)))
			now = before;
	}
	now.n += ppi_spans_open (site, asked & AGE ? &now.oldest : NULL);
	return now;
}

double ppi_site_open_age (const pp_site *site)
{
	struct open_now now = open_frames (site, AGE);
	uint64_t ticks = ppi_ticks ();

	/* where nothing is bound nobody sees what is open */
	if (now.n ? now.oldest == UINT64_MAX : !__atomic_load_n (&site->enabled, __ATOMIC_RELAXED))
		return __builtin_nan ("");
	/* the processors' counters may differ by a little */
	if (!now.n || ticks < now.oldest)
		return 0;
	return (double) (ticks - now.oldest) * ppi_seconds_per_tick ();
}

uint64_t ppi_site_in_flight (const pp_site *site)
{
	return open_frames (site, 0).n;
}

uint64_t ppi_events_open (void)
{
	uint64_t n = 0;

	for (const pp_site *s = ppi_site_first (); s; s = s->next)
		if (s->plan->has_events)
			n += open_frames (s, LEFT).n;
	return n;
}
