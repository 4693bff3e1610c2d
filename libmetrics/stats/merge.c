/* SPDX-License-Identifier: MIT */
/*
 * merge.c: reading what is kept of a metric; see merge.h. Readers merge, writers never wait for
 * them.
 */
#include "libmetrics/stats/merge.h"

#include "base/atomic.h"
#include "base/clock.h"
#include "base/lock.h"
#include "base/types.h"
#include "libmetrics/keep/accumulator.h"
#include "libmetrics/keep/shard.h"
#include "libmetrics/keep/summary.h"
#include "libmetrics/region/wiped.h"
#include "libmetrics/tables/binding.h"
#include "libmetrics/tables/metric.h"
#include "libmetrics/tables/site.h"
#include "libmetrics/tables/window.h"
#include "libmetrics/thread/executions.h"
#include "libmetrics/thread/thread.h"
#include "libmetrics/thread/thread_life.h"

#include <errno.h>
#include <math.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* while threads end */
#define REAP_TRIES 100
/* while the budget throttles, at a marker */
#define OWN_TRIES 3
/* 2 ms in all */
#define PAUSES 20
#define PAUSE_NS 100000

/* ---- what is read ---------------------------------------------------------------------------- */

static void begin (struct ppi_summary *sum, uint8_t type, unsigned accumulator, bool all,
		   enum pp_statistic statistic)
{
	ppi_summary_init (sum,
			  ppi_keeps (accumulator, PPI_KEEPS_ANY) ? (enum pp_abi_sample_type) type
								 : PP_ABI_SAMPLE_INT,
			  accumulator);
	sum->wants_buckets = ppi_keeps (accumulator, PPI_KEEPS_BUCKETS) &&
			     (all || ppi_summary_needs_buckets (accumulator, statistic));
}

void ppi_merge_init (struct ppi_merge *r, const pp_metric *metric, const pp_site *site,
		     enum pp_statistic statistic)
{
	unsigned accumulator = metric->spec.accumulator;
	bool all = statistic == PP_STATISTICS;

	r->metric = metric;
	r->site = site;
	r->window = NULL;
	r->needs_ring = ppi_keeps (accumulator, PPI_KEEPS_RING) &&
			(all || ppi_summary_needs_window (accumulator, statistic));
	r->restart = NULL;
	r->also = NULL;
	begin (&r->sum, metric->instance.sample_type, accumulator, all, statistic);
}

void ppi_merge_init_window (struct ppi_merge *r, const struct ppi_window *window,
			    const pp_site *site, enum pp_statistic statistic)
{
	ppi_merge_init (r, window->metric, site, statistic);
	r->window = window;
	r->needs_ring = false;
	begin (&r->sum, window->metric->instance.sample_type, window->accumulator, false,
	       statistic);
}

/*
 * What METRIC is bound to: at SITE, where few are, or everywhere (SITE is NULL), where there may be
 * 100,000.
 */
static const struct ppi_binding *first_of (const struct ppi_merge *r)
{
	return __atomic_load_n (r->site ? &r->site->bindings : &r->metric->bindings,
				__ATOMIC_ACQUIRE);
}

static const struct ppi_binding *next_of (const struct ppi_merge *r, const struct ppi_binding *b)
{
	return r->site ? b->next_of_site : b->next_of_metric;
}

/* What holds B's samples of the window that is read, or of all times: B itself. NULL: none does. */
static const struct ppi_binding *part_of (const struct ppi_merge *r, const struct ppi_binding *b)
{
	if (!r->window)
		return b;
	b = __atomic_load_n (&b->windows, __ATOMIC_ACQUIRE);
	while (b && b->window != r->window)
		b = b->windows;
	return b;
}

/*
 * The time that the cells of the last ten periods are of, or less where the window has not been
 * there as long.
 */
static double seconds_of_window (const struct ppi_window *w, uint64_t now)
{
	uint64_t period = now / w->period_ticks, since = ppi_load (&w->since);
	/* the clock may have begun to run (the machine started) within the window */
	uint64_t first = period < PPI_CELLS - 1 ? 0 : (period - (PPI_CELLS - 1)) * w->period_ticks;

	return (double) (now - (first < since && since < now ? since : first)) *
	       ppi_seconds_per_tick ();
}

static double seconds_of (const struct ppi_merge *r, uint64_t now)
{
	if (r->window)
		return seconds_of_window (r->window, now);
	return (double) (ppi_now_ns () - __atomic_load_n (&r->metric->since_ns, __ATOMIC_RELAXED)) *
	       1e-9;
}

/* ---- merging --------------------------------------------------------------------------------- */

static void add_cells (struct ppi_merge *r, const struct ppi_ring_shard *ring, uint32_t every,
		       uint64_t now)
{
	uint64_t period = now / r->window->period_ticks;

	if (__atomic_load_n (&ring->head.epoch, __ATOMIC_ACQUIRE) !=
	    __atomic_load_n (&r->metric->epoch, __ATOMIC_ACQUIRE))
		return;
	for (uint64_t i = 0; i < PPI_CELLS && i <= period; i++)
		ppi_summary_add_shard (&r->sum, ppi_ring_cell (ring, r->window, period - i),
				       ppi_window_epoch (period - i), every);
}

static void add (struct ppi_merge *r, const struct ppi_shard *shard, uint32_t every, uint64_t now)
{
	uint32_t epoch = __atomic_load_n (&r->metric->epoch, __ATOMIC_ACQUIRE);

	if (!shard)
		return;
	if (r->window) {
		add_cells (r, (const struct ppi_ring_shard *) shard, every, now);
		return;
	}
	ppi_summary_add_shard (&r->sum, shard, epoch, every);
	if (r->needs_ring)
		ppi_summary_add_window (&r->sum, (const struct ppi_series_shard *) shard, epoch);
	if (r->also && __atomic_load_n (&shard->epoch, __ATOMIC_ACQUIRE) == epoch)
		r->also (r, shard);
}

static void add_gap (struct ppi_merge *r, const struct ppi_binding *b)
{
	r->sum.is_recent = r->window != NULL;
	r->sum.has_gaps |= ppi_binding_has_gap (b, r->window ? r->window->ns : 0);
}

static void add_binding (struct ppi_merge *r, const struct ppi_binding *b, uint64_t now)
{
	const struct ppi_binding *part = part_of (r, b);
	uint32_t every = ppi_binding_every (b);

	if (!part)
		return;
	add (r, __atomic_load_n (&part->retired, __ATOMIC_ACQUIRE), every, now);
	for (const struct ppi_thread *t = __atomic_load_n (&ppi_threads, __ATOMIC_ACQUIRE); t;
	     t = t->next)
		add (r, ppi_thread_shard (t, part->op.slot), every, now);
}

static void restart (struct ppi_merge *r)
{
	bool wants_buckets = r->sum.wants_buckets;

	ppi_summary_clear (&r->sum);
	ppi_summary_init (&r->sum, r->sum.type, r->sum.accumulator);
	r->sum.wants_buckets = wants_buckets;
	if (r->restart)
		r->restart (r);
}

static void merge (struct ppi_merge *r, uint64_t now)
{
	/* nothing was measured yet, or this is a child that still has the parent's region */
	if (ppi_load (ppi_alive))
		for (const struct ppi_binding *b = first_of (r); b; b = next_of (r, b))
			if (b->metric == r->metric) {
				add_binding (r, b, now);
				add_gap (r, b);
			}
}

/* All shards, each once: none moved to the retired one meanwhile. With the lock none does. */
static void merge_once_each (struct ppi_merge *r, uint64_t now)
{
	uint32_t reaped, changed;
	int tries = REAP_TRIES;

	if (r->also)
		ppi_lock ();
	do {
		reaped = ppi_reap_begin_read ();
		changed = ppi_executions_begin_read ();
		restart (r);
		merge (r, now);
	} while ((ppi_reap_changed (reaped) || ppi_executions_changed (changed)) && tries--);
	/* who does that has lost its processor, too */
	if (tries < 0)
		r->sum.torn++;
	if (r->also)
		ppi_unlock ();
}

/* ---- writers that stand still ---------------------------------------------------------------- */

static void (*replaced_pause) (void);

void ppi_pause_set (void (*fn) (void))
{
	replaced_pause = fn;
}

/*
 * By syscall: nanosleep is a cancellation point, and nothing that reads a statistic has been one.
 */
static void pause_a_little (void)
{
	const struct timespec pause = {0, PAUSE_NS};
	int saved = errno;

	if (replaced_pause)
		replaced_pause ();
	else
		syscall (SYS_nanosleep, &pause, NULL);
	errno = saved;
}

/* Whoever holds the lock, or stands inside a marker or its checks, keeps others waiting. */
static bool may_wait (void)
{
	const struct ppi_thread *t = ppi_thread_self ();

	if (ppi_lock_is_mine () || ppi_load (&ppi_scratch.guard))
		return false;
	return !t || !(ppi_load (&t->hot->busy) || ppi_load (&t->in_check));
}

void ppi_merge_read (struct ppi_merge *r)
{
	uint64_t now = r->window ? ppi_window_now () : 0;

	merge_once_each (r, now);
	for (int i = 0; r->sum.torn && i < PAUSES && may_wait (); i++) {
		pause_a_little ();
		now = r->window ? ppi_window_now () : 0;
		merge_once_each (r, now);
	}
	if (r->sum.torn)
		ppi_drop (NULL, PP_DROP_TORN, 1);
	r->sum.seconds = seconds_of (r, now);
}

static void merge_own (struct ppi_merge *r, const struct ppi_thread *thread, uint64_t now)
{
	for (const struct ppi_binding *b = first_of (r); b; b = next_of (r, b)) {
		const struct ppi_binding *part = b->metric == r->metric ? part_of (r, b) : NULL;

		if (!part)
			continue;
		add (r, ppi_hot_shard (thread->hot, part->op.slot), ppi_binding_every (b), now);
		add_gap (r, b);
	}
}

void ppi_merge_own (struct ppi_merge *r, struct ppi_thread *thread, bool handlers)
{
	uint64_t now = r->window ? ppi_window_now () : 0;
	uint32_t changed;
	int tries = OWN_TRIES;

	do {
		changed = ppi_executions_begin_read ();
		if (tries < OWN_TRIES)
			restart (r);
		for (const struct ppi_thread *t = thread; t; t = handlers ? t->alt : NULL)
			merge_own (r, t, now);
	} while (ppi_executions_changed (changed) && tries--);
	if (tries < 0)
		r->sum.executions = NAN; /* `every` changes just now: unknown */
	r->sum.seconds = seconds_of (r, now);
}
