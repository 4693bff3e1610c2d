/* SPDX-License-Identifier: MIT */
/*
 * thread_life.c: what happens to thread states outside of markers: the start, fork, threads that
 * have ended, quiescence.
 */
#include "libmetrics/thread/thread_life.h"

#include "base/atomic.h"
#include "base/barrier.h"
#include "base/clock.h"
#include "base/lock.h"
#include "base/stacks.h"
#include "base/types.h"
#include "libmetrics/keep/accumulate_int.h"
#include "libmetrics/keep/fold.h"
#include "libmetrics/keep/shard.h"
#include "libmetrics/region/drops.h"
#include "libmetrics/region/region.h"
#include "libmetrics/region/stream.h"
#include "libmetrics/region/wiped.h"
#include "libmetrics/tables/binding.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/tables/slots.h"
#include "libmetrics/tables/window.h"
#include "libmetrics/thread/activity.h"
#include "libmetrics/thread/frame.h"
#include "libmetrics/thread/mark.h"
#include "libmetrics/thread/opened.h"
#include "libmetrics/thread/ring.h"
#include "libmetrics/thread/thread.h"
#include "recording/layout.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

extern uint32_t ppi_lines_used PPI_HIDDEN, ppi_reap_at PPI_HIDDEN; /* thread.c */

static uint32_t reaping; /* atomic */
static uint32_t held;    /* how many copy shards just now; atomic */
static uint64_t
	/* of threads that have ended, and what the region's header has been told of; atomic */
	drops_retired[PP_DROPS];
/*
 * Readers that merge while a shard moves to the retired one would see it twice or not at all: they
 * look at this.
 */
static uint32_t reap_seq;

void ppi_thread_after_fork (void)
{
	ppi_self = &ppi_nobody;
	ppi_activity_forget ();
	for (uint32_t i = 0; i < ppi_load (&ppi_lines_used); i++)
		memset ((struct ppi_hot *) ppi_lines + ppi_hot_place (i), 0,
			sizeof (struct ppi_hot));
	ppi_store (&ppi_lines_used, 0);
	ppi_store (&ppi_reap_at, PPI_REAP_LEAST);
	__atomic_store_n (&reaping, 0, __ATOMIC_RELAXED);
	__atomic_store_n (&held, 0, __ATOMIC_RELAXED);
	__atomic_store_n (&reap_seq, 0, __ATOMIC_RELAXED);
	ppi_store (ppi_alive, 0);
	__atomic_store_n (&ppi_threads, NULL, __ATOMIC_RELAXED);
	memset (ppi_drops_nowhere, 0, sizeof (ppi_drops_nowhere));
	memset (drops_retired, 0, sizeof (drops_retired));
}

uint64_t ppi_flush (void)
{
	uint64_t number = __atomic_add_fetch (&ppi_flush_number, 1, __ATOMIC_SEQ_CST);

	/*
	 * a thread that restores its span looks at the number after it: either it sees the new one,
	 * or its span is taken away here
	 */
	for (struct ppi_thread *t = __atomic_load_n (&ppi_threads, __ATOMIC_ACQUIRE); t;
	     t = t->next)
		__atomic_store_n (&t->hot->span, 0, __ATOMIC_SEQ_CST);
	return number;
}

/* ---- threads that have ended ----------------------------------------------------------------- */

bool ppi_thread_is_gone (uint32_t tid)
{
	int saved = errno;
	bool gone = syscall (SYS_tgkill, ppi_main_tid, tid, 0) < 0 && errno == ESRCH;

	/*
	 * What the thread did is seen from here on. It left its address space with a full barrier
	 * (the kernel's membarrier needs one there) before it gave up its id; the fence puts the
	 * look at the id before all that follows.
	 */
	if (gone)
		__atomic_thread_fence (__ATOMIC_ACQUIRE);
	errno = saved;
	return gone;
}

static void restart (struct ppi_shard *s, const struct ppi_binding *b, uint32_t epoch)
{
	if (b && b->window)
		ppi_ring_restart ((struct ppi_ring_shard *) s, b->window, epoch);
	else
		ppi_shard_restart (s, b ? b->op.accumulator : PPI_STATS, epoch);
}

static void fold (struct ppi_shard *into, const struct ppi_shard *from, const struct ppi_binding *b)
{
	if (b->window)
		ppi_ring_fold ((struct ppi_ring_shard *) into, (const struct ppi_ring_shard *) from,
			       b);
	else if (from->all.n)
		ppi_shard_fold (into, from, b->op.accumulator, b->op.sample_type);
}

/*
 * One shard of a thread that has ended: into the binding's retired one, then it is empty for the
 * state's next thread.
 */
static void retire_shard (struct ppi_shard *s, uint32_t slot)
{
	struct ppi_binding *b = ppi_binding_find (slot + 1);
	struct ppi_shard *into = b ? ppi_binding_retired (b) : NULL;
	uint32_t epoch = b ? __atomic_load_n (b->op.epoch, __ATOMIC_RELAXED) : 0;

	if (!b || (!into && s->all.n)) {
		ppi_drop (NULL, PP_DROP_POOL, s->all.n);
	} else if (into) {
		if (into->epoch != epoch)
			restart (into, b, epoch);
		if (s->epoch == epoch)
			fold (into, s, b);
	}
	restart (s, b, epoch);
	s->skip = 0;
}

/*
 * What the thread read and wrote through its state comes before what the reaper does with it. The
 * kernel's word and the fence of ppi_thread_is_gone are enough for that; this says it in C's own
 * terms, which ThreadSanitizer understands. The last thing that a thread does with a state is a
 * store with release: of busy, when it leaves a marker or has read its own samples, or of in_check,
 * behind the checks that come after. A second state is used only inside a marker, or checks, of the
 * first one.
 */
static void see_all_of (const struct ppi_thread *t)
{
	(void) __atomic_load_n (&t->hot->busy, __ATOMIC_ACQUIRE);
	(void) __atomic_load_n (&t->in_check, __ATOMIC_ACQUIRE);
	if (t->owner)
		see_all_of (t->owner);
}

/*
 * What was open when the thread ended will have no end: it left its functions without being
 * unwound, by pthread_exit or cancellation in C without -fexceptions, nobody ended the event, or
 * the site's ends were switched off.
 */
static void drop_open (struct ppi_thread *t)
{
	for (const struct ppi_segment *s = &t->own; s; s = s->next)
		for (const struct ppi_frame *f = s == t->segment ? t->hot->top : s->top;
		     f != &s->bottom; f = f->prev)
			if (ppi_frame_is_of_the_past (t, f))
				ppi_drop (t, PP_DROP_DISABLED, 1);
			else if (((const struct ppi_plan *) f->plan)->has_events)
				ppi_drop (NULL, PP_DROP_OPEN, 1);
			else
				ppi_drop (t, PP_DROP_LONGJMP, 1);
}

static void retire_state (struct ppi_thread *t)
{
	see_all_of (t);
	drop_open (t);
	for (uint32_t slot = 0; slot < t->hot->slots; slot++) {
		struct ppi_shard *s = ppi_hot_shard (t->hot, slot);

		if (s)
			retire_shard (s, slot);
	}
	for (unsigned i = 0; i < PPI_THREAD_DROPS; i++) {
		__atomic_fetch_add (&drops_retired[i], t->drops[i], __ATOMIC_RELAXED);
		ppi_store (&t->drops[i], 0);
	}
	for (struct ppi_segment *s = &t->own; s; s = s->next) {
		s->overflow = 0;
		s->scoped = NULL;
		__atomic_store_n (&s->top, &s->bottom, __ATOMIC_RELEASE);
	}
	if (t->stream)
		ppi_stream_finish (t->stream);
	if (t->series)
		ppi_stream_finish (t->series);
	if (t->opened)
		ppi_opened_reset (t->opened);
	__atomic_store_n (&t->alt, NULL, __ATOMIC_RELEASE);
	ppi_store (&t->owner, NULL);
	ppi_store (&t->in_check, 0);
	ppi_store (&t->hot->top, &t->own.bottom);
	ppi_store (&t->segment, &t->own);
	ppi_store (&t->hot->span, 0);
	ppi_store (&t->hot->busy, 0);
	ppi_store (&t->id, 0);
	ppi_marks_reset (t);
	/* release: whoever takes the state finds it empty */
	__atomic_store_n (&t->state, PPI_THREAD_FREE, __ATOMIC_RELEASE);
}

uint32_t ppi_reap_begin_read (void)
{
	return __atomic_load_n (&reap_seq, __ATOMIC_ACQUIRE);
}

bool ppi_reap_changed (uint32_t seq)
{
	return (seq & 1) || __atomic_load_n (&reap_seq, __ATOMIC_ACQUIRE) != seq;
}

void ppi_reap_hold (void)
{
	__atomic_fetch_add (&held, 1, __ATOMIC_RELAXED);
}

void ppi_reap_release (void)
{
	/* release: what was copied was copied before */
	__atomic_fetch_sub (&held, 1, __ATOMIC_RELEASE);
}

void ppi_thread_reap (void)
{
	uint32_t used = 0;

	if (__atomic_load_n (&held, __ATOMIC_ACQUIRE))
		return;
	/* a handler of the thread that does it just now */
	if (__atomic_exchange_n (&reaping, 1, __ATOMIC_ACQUIRE))
		return;
	for (struct ppi_thread *t = __atomic_load_n (&ppi_threads, __ATOMIC_ACQUIRE); t;
	     t = t->next) {
		uint32_t tid = __atomic_load_n (&t->id, __ATOMIC_RELAXED);

		if (ppi_load (&t->state) != PPI_THREAD_USED)
			continue;
		if (!tid || !ppi_thread_is_gone (tid)) {
			used++;
			continue;
		}
		__atomic_fetch_add (&reap_seq, 1, __ATOMIC_ACQ_REL);
		retire_state (t);
		__atomic_fetch_add (&reap_seq, 1, __ATOMIC_ACQ_REL);
	}
	ppi_store (&ppi_reap_at, used < PPI_REAP_LEAST / 2 ? PPI_REAP_LEAST : used * 2);
	__atomic_store_n (&reaping, 0, __ATOMIC_RELEASE);
}

void ppi_thread_reap_at_marker (uintptr_t tag, const struct ppi_plan *plan, uintptr_t sp)
{
	int saved = errno;

	(void) tag;
	(void) plan;
	(void) sp;
	/* nor in a handler that interrupted who has the lock */
	if (!ppi_lock_is_mine () && ppi_try_lock ()) {
		ppi_thread_reap ();
		ppi_unlock_at_marker ();
	}
	errno = saved;
}

/* ---- quiescence ------------------------------------------------------------------------------ */

static bool thread_is_inside (const struct ppi_thread *t)
{
	bool inside = __atomic_load_n (&t->hot->busy, __ATOMIC_ACQUIRE) ||
		      __atomic_load_n (&t->in_check, __ATOMIC_ACQUIRE);

	return ppi_load (&t->state) == PPI_THREAD_USED && inside && t != ppi_thread_self () &&
	       !ppi_thread_is_gone (t->id);
}

/*
 * A thread that was seen outside once holds nothing it loaded before. The barrier makes sure that
 * what it loads next is new: without it its busy could still be in its store buffer while it
 * already executes the old plan.
 */
bool ppi_quiesce (unsigned timeout_ms)
{
	uint64_t end = ppi_real_now_ns () + (uint64_t) timeout_ms * 1000000;

	ppi_barrier ();
	for (struct ppi_thread *t = __atomic_load_n (&ppi_threads, __ATOMIC_ACQUIRE); t;
	     t = t->next)
		while (thread_is_inside (t)) {
			struct timespec pause = {.tv_nsec = 50000};

			if (ppi_real_now_ns () >= end)
				return false;
			nanosleep (&pause, NULL);
		}
	return true;
}

uint64_t pp_dropped (enum pp_drop cause)
{
	uint64_t n = 0;

	if ((unsigned) cause >= PP_DROPS)
		return 0;
	ppi_lock ();
	ppi_thread_reap (); /* what threads that have ended left open is counted then */
	n = __atomic_load_n (&ppi_drops_nowhere[cause], __ATOMIC_RELAXED);
	n += __atomic_load_n (&drops_retired[cause], __ATOMIC_RELAXED);
	for (struct ppi_thread *t = __atomic_load_n (&ppi_threads, __ATOMIC_ACQUIRE);
	     t && (unsigned) cause < PPI_THREAD_DROPS; t = t->next)
		n += ppi_load (&t->drops[cause]);
	ppi_unlock ();
	return n;
}

/* What no thread state could count goes into the header, where readers of a recording find it. */
void ppi_drops_publish (void)
{
	struct ppi_region_header *r = ppi_region_header ();

	for (unsigned i = 0; r && i < PP_DROPS; i++) {
		uint64_t n = __atomic_exchange_n (&ppi_drops_nowhere[i], 0, __ATOMIC_RELAXED);

		__atomic_fetch_add (&drops_retired[i], n, __ATOMIC_RELAXED);
		__atomic_fetch_add (&r->drops[i], n, __ATOMIC_RELAXED);
	}
}

const char *pp_drop_name (enum pp_drop cause)
{
	return ppi_drop_name (cause);
}

int ppi_thread_id (const struct ppi_thread *thread)
{
	return (int) thread->id;
}
