/* SPDX-License-Identifier: MIT */
/*
 * thread.c: threads at their markers: attaching, handlers, segments, shards. Runs inside markers of
 * the host, so it is compiled with general registers only and calls nothing of libc.
 */
#include "libmetrics/thread/thread.h"

#include "base/atomic.h"
#include "base/chunk.h"
#include "base/stacks.h"
#include "base/ticks.h"
#include "libmetrics/keep/accumulate_int.h"
#include "libmetrics/keep/shard.h"
#include "libmetrics/region/drops.h"
#include "libmetrics/region/region.h"
#include "libmetrics/region/stream.h"
#include "libmetrics/region/wiped.h"
#include "libmetrics/tables/binding.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/tables/slots.h"
#include "libmetrics/tables/window.h"
#include "libmetrics/thread/flight.h"
#include "libmetrics/thread/frame.h"
#include "libmetrics/thread/light.h"
#include "libmetrics/thread/mark.h"
#include "libmetrics/thread/ring.h"
#include "libmetrics/thread/thread_life.h"
#include "recording/layout.h"

struct ppi_hot ppi_nobody;
__thread struct ppi_scratch ppi_scratch = {.self = &ppi_nobody};
struct ppi_newest_line ppi_newest_line = {PPI_NOBODY};
struct ppi_thread *ppi_threads;
uint64_t ppi_flush_number;

/* how many lines have been given out */
PPI_HIDDEN uint32_t ppi_lines_used;
/* how many lines make a thread that attaches look for threads that have ended */
PPI_HIDDEN uint32_t ppi_reap_at = PPI_REAP_LEAST;

void ppi_drop (struct ppi_thread *t, enum pp_drop cause, uint64_t n)
{
	struct ppi_region_header *r = t ? __atomic_load_n (&ppi_region, __ATOMIC_ACQUIRE) : NULL;

	if (t)
		ppi_store (&t->drops[cause], t->drops[cause] + n);
	else
		ppi_drop_nowhere (cause, n);
	/* for readers of what a killed process has left */
	if (r)
		__atomic_fetch_add (&r->drops[cause], n, __ATOMIC_RELAXED);
}

/* ---- stamps ---------------------------------------------------------------------------------- */

uint64_t ppi_stamp_slow (void)
{
	struct ppi_scratch *s = &ppi_scratch;
	uintptr_t newest = ppi_load (&ppi_newest);
	uint64_t now;

	/*
	 * before the clock is read: whoever had the word stamps nothing more with an older time,
	 * once it can know of this sample
	 */
	if (newest != PPI_NOBODY)
		ppi_store (&ppi_newest, PPI_NOBODY);
	now = ppi_ticks ();
	ppi_store (&s->stamp, now);
	ppi_store (&s->turns, s->turns + 1);
	if (newest == PPI_NOBODY && s->turns % PPI_STAMP_TURNS == 0) {
		s->id = (uintptr_t) s;
		ppi_store (&ppi_newest, s->id);
	}
	return now;
}

/* ---- segments -------------------------------------------------------------------------------- */

static void segment_start (struct ppi_segment *s, uintptr_t lo, uintptr_t hi)
{
	ppi_store (&s->lo, lo);
	ppi_store (&s->span, hi - lo);
	s->overflow = 0;
	s->scoped = NULL;
	ppi_store (&s->marked, NULL);
	s->kind = PPI_STACK_UNKNOWN;
	s->bottom.sp = UINTPTR_MAX;
	__atomic_store_n (&s->top, &s->bottom, __ATOMIC_RELEASE);
}

static bool segment_is_idle (const struct ppi_thread *t, const struct ppi_segment *s)
{
	const struct ppi_frame *top = s == t->segment ? t->hot->top : s->top;

	return top == &s->bottom && !s->overflow;
}

/* A learned segment for a stack that was never seen: an idle one again, or a page of its own. */
static struct ppi_segment *segment_new (struct ppi_thread *t, uintptr_t sp)
{
	struct ppi_segment *s;
	struct ppi_frame_page *page;

	for (s = t->own.next; s; s = s->next)
		if (!s->is_calls && segment_is_idle (t, s))
			break;
	if (!s) {
		if (t->segments >= PPI_SEGMENTS_MAX || !(page = ppi_own_page_fast ()))
			return NULL;
		s = (struct ppi_segment *) (page + 1);
		s->learned = 1;
		segment_start (s, sp, sp + 1);
		s->next = t->own.next;
		t->segments++;
		__atomic_store_n (&t->own.next, s, __ATOMIC_RELEASE);
	} else {
		segment_start (s, sp, sp + 1);
		if (s == t->segment)
			ppi_store (&t->hot->first, 0);
	}
	return s;
}

/* The learned segment that SP is in, or the nearest one within reach, grown to hold it. */
static struct ppi_segment *segment_near (struct ppi_thread *t, uintptr_t sp)
{
	struct ppi_segment *best = NULL;
	uintptr_t best_gap = PPI_SEGMENT_REACH;

	for (struct ppi_segment *s = t->own.next; s; s = s->next) {
		uintptr_t hi = s->lo + s->span;
		uintptr_t gap = sp < s->lo ? s->lo - sp : sp >= hi ? sp - hi + 1 : 0;

		if (segment_is_idle (t, s))
			continue;
		if (!gap)
			return s;
		if (gap < best_gap) {
			best = s;
			best_gap = gap;
		}
	}
	if (best) {
		uintptr_t hi = best->lo + best->span;

		if (sp < best->lo)
			ppi_store (&best->lo, sp);
		else
			hi = sp + 1;
		ppi_store (&best->span, hi - best->lo);
	}
	return best;
}

static struct ppi_segment *segment_of (struct ppi_thread *t, uintptr_t sp)
{
	struct ppi_segment *s;

	if (sp - t->own.lo < t->own.span)
		return &t->own;
	s = segment_near (t, sp);
	return s ? s : segment_new (t, sp);
}

/* Goes over to another stack: the line shows its frames. */
static void segment_switch (struct ppi_thread *t, struct ppi_segment *s)
{
	struct ppi_hot *h = t->hot;

	if (t->segment == s)
		return;
	__atomic_store_n (&t->segment->top, h->top, __ATOMIC_RELEASE);
	ppi_store (&h->top, s->top);
	ppi_store (&h->first, 0);
	ppi_marks_leave (t);
	__atomic_store_n (&t->segment, s, __ATOMIC_RELEASE);
	ppi_marks_arrive (t);
}

/* ---- flushes --------------------------------------------------------------------------------- */

static void shards_flush (const struct ppi_hot *h)
{
	for (uint64_t i = 0; i < h->slots; i++) {
		struct ppi_shard *s = h->table[i];
		const struct ppi_op *op = s ? ppi_op_of_slot ((uint32_t) i) : NULL;

		if (!op || s->epoch == ppi_load (op->epoch))
			continue;
		if (op->binding->window)
			ppi_ring_restart ((struct ppi_ring_shard *) s, op->binding->window,
					  ppi_load (op->epoch));
		else
			ppi_shard_restart (s, op->accumulator, ppi_load (op->epoch));
	}
}

static void flush (struct ppi_thread *t)
{
	for (struct ppi_segment *s = &t->own; s; s = s->next)
		ppi_frames_flush (t, s);
	shards_flush (t->hot);
	if (!t->owner)
		ppi_lights_flush (t);
}

/*
 * Lets the fast path through again. Who raises the number then takes every span away; a thread that
 * gives its span back in between looks at the number once more. The full fence keeps that look
 * after the store.
 */
static void span_restore (struct ppi_thread *t)
{
	struct ppi_segment *s = t->segment;
	uint64_t number;

	do {
		number = __atomic_load_n (&ppi_flush_number, __ATOMIC_ACQUIRE);
		if (t->flushed != number) {
			flush (t);
			ppi_store (&t->flushed, number);
		}
		ppi_store (&t->hot->lo, s->lo);
		ppi_store (&t->hot->span, s->overflow ? 0 : s->span);
		__atomic_thread_fence (__ATOMIC_SEQ_CST);
	} while (__atomic_load_n (&ppi_flush_number, __ATOMIC_ACQUIRE) != number);
}

/* ---- attaching ------------------------------------------------------------------------------- */

static void own_stack (uint32_t tid, uintptr_t *lo, uintptr_t *hi)
{
	if (tid == ppi_main_tid) {
		*lo = ppi_main_stack_lo;
		*hi = ppi_main_stack_hi;
	} else {
		*hi = pp_arch_thread_pointer ();
		*lo = *hi - ppi_stack_bytes;
	}
}

static struct ppi_hot *hot_line_take (void)
{
	uint32_t n = ppi_load (&ppi_lines_used);

	do
		if (!ppi_lines || n >= PPI_LINES)
			return NULL;
	while (!__atomic_compare_exchange_n (&ppi_lines_used, &n, n + 1, true, __ATOMIC_RELAXED,
					     __ATOMIC_RELAXED));
	return (struct ppi_hot *) ppi_lines + ppi_hot_place (n);
}

/* A state nobody uses, USED now; NULL: there is none. */
static struct ppi_thread *state_free (void)
{
	struct ppi_thread *t;

	for (t = __atomic_load_n (&ppi_threads, __ATOMIC_ACQUIRE); t; t = t->next) {
		uint32_t free = PPI_THREAD_FREE;

		/* acquire: what reaping wrote; only the winner goes on */
		if (ppi_load (&t->state) == PPI_THREAD_FREE &&
		    __atomic_compare_exchange_n (&t->state, &free, PPI_THREAD_USED, false,
						 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return t;
	}
	return NULL;
}

/*
 * A state nobody uses, or a fresh one; USED and in the list. Where the library has no thread, this
 * is when those of threads that have ended are noticed: whenever there are twice as many states as
 * last time.
 */
static struct ppi_thread *state_take (void)
{
	struct ppi_thread *t = state_free ();
	struct ppi_hot *line;

	if (!t && ppi_load (&ppi_lines_used) >= ppi_load (&ppi_reap_at)) {
		pp_arch_saving_vectors (ppi_thread_reap_at_marker, 0, NULL, 0);
		t = state_free ();
	}
	if (t)
		return t;
	line = hot_line_take ();
	if (!line)
		return NULL;
	t = ppi_own_page_fast ();
	if (!t)
		return NULL;
	t->hot = line;
	t->state = PPI_THREAD_USED;
	t->hot->table = t->first_table;
	t->hot->slots = PPI_SLOTS_FIRST;
	segment_start (&t->own, 0, 0);
	t->segment = &t->own;
	t->hot->top = &t->own.bottom;
	t->hot->thread = t;
	t->next = __atomic_load_n (&ppi_threads, __ATOMIC_RELAXED);
	/* release: whoever follows the list sees the state filled in */
	while (!__atomic_compare_exchange_n (&ppi_threads, &t->next, t, true, __ATOMIC_RELEASE,
					     __ATOMIC_RELAXED))
		;
	return t;
}

static struct ppi_thread *state_attach (struct ppi_thread *owner)
{
	uint32_t tid = owner ? owner->id : pp_arch_gettid ();
	struct ppi_thread *t = state_take ();
	uint64_t number = __atomic_load_n (&ppi_flush_number, __ATOMIC_ACQUIRE);
	uintptr_t lo, hi;

	if (!t)
		return NULL;
	own_stack (tid, &lo, &hi);
	segment_switch (t, &t->own);
	segment_start (&t->own, lo, hi);
	ppi_store (&t->hot->top, &t->own.bottom);
	if (!owner)
		ppi_lights_reset ();
	ppi_store (&t->owner, owner);
	__atomic_store_n (&t->alt, NULL, __ATOMIC_RELEASE);
	ppi_store (&t->hot->busy, 0);
	/* metrics may have been reset since it was another thread's */
	if (t->flushed != number)
		shards_flush (t->hot);
	ppi_store (&t->flushed, number);
	__atomic_store_n (&t->id, tid, __ATOMIC_RELEASE);
	ppi_marks_reset (t);
	ppi_flight_attach (t);
	t->measuring = NULL;
	if (t->stream) /* its chunk was given away when the last thread ended */
		t->stream->thread = tid;
	return t;
}

/*
 * Does the thread execute on its signal stack (sigaltstack)? Then *LO and *SPAN are where that is.
 * A system call, without libc. One that was registered with SS_AUTODISARM is none while it is in
 * use.
 */
static bool signal_stack (uintptr_t *lo, uintptr_t *span)
{
	stack_t stack = {.ss_flags = 0};
	long result = pp_arch_sigaltstack (&stack);

	*lo = (uintptr_t) stack.ss_sp;
	*span = stack.ss_size;
	return result == 0 && (stack.ss_flags & SS_ONSTACK);
}

#if PP_ARCH_CALLS
uintptr_t ppi_thread_other_stack (struct ppi_thread *t)
{
	struct ppi_segment *s = t->segment;
	uintptr_t stack, lo, span;

	if (s->kind == PPI_STACK_UNKNOWN)
		s->kind = signal_stack (&lo, &span) ? PPI_STACK_OF_SIGNALS : PPI_STACK_OF_FIBRE;
	if (s->kind == PPI_STACK_OF_SIGNALS)
		return 0;
	if (!t->stack) {
		stack = pp_arch_stack_make (PPI_STACK_BYTES);
		t->stack = stack ? stack : PPI_NO_STACK;
	}
	return t->stack == PPI_NO_STACK ? 0 : t->stack;
}
#endif

bool ppi_stack_was_left (uintptr_t old, uintptr_t sp)
{
	uintptr_t lo, span;

	return sp >= old && (!signal_stack (&lo, &span) || old - lo < span);
}

/*
 * Was the stack between LO and LO + SPAN unwound past the marker at OLD, whose handler left by
 * siglongjmp?
 */
static bool is_left (uintptr_t lo, uintptr_t span, uintptr_t old, uintptr_t sp)
{
	/*
	 * a handler's own stack pointer is below the red zone of what it interrupted: never equal
	 */
	return sp - lo < span && old - lo < span && ppi_stack_was_left (old, sp);
}

static bool busy_is_stale (const struct ppi_thread *t, uintptr_t sp)
{
	return is_left (t->segment->lo, t->segment->span, t->hot->busy, sp);
}

/* The state for a marker in a handler that interrupted a marker. */
static struct ppi_thread *state_second (struct ppi_thread *t, uintptr_t sp)
{
	if (!t->alt)
		/* release: observers find it made */
		__atomic_store_n (&t->alt, state_attach (t), __ATOMIC_RELEASE);
	if (!t->alt) {
		ppi_drop (NULL, PP_DROP_POOL, 1);
		return NULL;
	}
	if (t->alt->hot->busy && !busy_is_stale (t->alt, sp)) {
		ppi_drop (NULL, PP_DROP_SIGNAL, 1);
		return NULL;
	}
	return t->alt;
}

/* Clears a guard that was left; what had interrupted that block is gone too. */
static void guard_look (const struct ppi_thread *t, uintptr_t sp)
{
	uintptr_t guard = ppi_scratch.guard;

	if (!guard || !(is_left (t->segment->lo, t->segment->span, guard, sp) ||
			is_left (t->own.lo, t->own.span, guard, sp)))
		return;
	if (t->alt)
		ppi_store (&t->alt->hot->busy, 0);
	ppi_store (&ppi_scratch.guard, 0);
}

/*
 * Did this marker's handler interrupt a block that may be using the state? On another stack a block
 * uses nothing of it.
 */
static bool is_in_block (const struct ppi_thread *t)
{
	return ppi_scratch.guard && ppi_scratch.guard - t->segment->lo < t->segment->span;
}

/* The calling thread's first state, attached if this is its first marker. */
static struct ppi_thread *state_first (void)
{
	struct ppi_thread *t = ppi_self->thread;

	if (t)
		return t;
	t = state_attach (NULL);
	if (!t) {
		ppi_drop (NULL, PP_DROP_POOL, 1);
		return NULL;
	}
	if (ppi_self->thread) { /* a handler attached meanwhile */
		/*
		 * nobody's: who takes it next must not be mistaken for this thread when it has
		 * ended
		 */
		ppi_store (&t->id, 0);
		__atomic_store_n (&t->state, PPI_THREAD_FREE, __ATOMIC_RELEASE);
		return ppi_self->thread;
	}
	ppi_self = t->hot;
	return t;
}

struct ppi_thread *ppi_thread_enter (uintptr_t sp)
{
	struct ppi_thread *t;
	struct ppi_segment *s;

	if (!ppi_load (ppi_alive)) {
		ppi_drop (NULL, PP_DROP_FORK, 1);
		return NULL;
	}
	t = state_first ();
	if (t)
		guard_look (t, sp);
	if (t && (is_in_block (t) || (t->hot->busy && !busy_is_stale (t, sp))))
		t = state_second (t, sp);
	if (!t)
		return NULL;
	if (t->hot->busy &&
	    t->alt) /* and with that marker, the handlers that interrupted it are gone */
		ppi_store (&t->alt->hot->busy, 0);
	/* busy before anything is touched: from here on a handler uses the other state */
	ppi_store (&t->hot->busy, sp);
	ppi_compiler_barrier ();
	s = segment_of (t, sp);
	if (!s) {
		ppi_drop (t, PP_DROP_POOL, 1);
		ppi_thread_leave (t);
		return NULL;
	}
	segment_switch (t, s);
	ppi_marks_sync (t);
	if (s->learned)
		ppi_flight_note_stacks (t);
	span_restore (t);
	return t;
}

/* ---- shards ---------------------------------------------------------------------------------- */

static bool table_grow (struct ppi_thread *t, uint32_t slot)
{
	struct ppi_hot *h = t->hot;
	uint64_t wanted = h->slots;
	struct ppi_shard **table;

	while (wanted <= slot)
		wanted *= 2;
	table = ppi_own_alloc_fast (wanted * sizeof (*table));
	if (!table)
		return false;
	for (uint64_t i = 0; i < h->slots; i++)
		table[i] = h->table[i];
	/* readers take the capacity first: the table is never smaller than they think */
	__atomic_store_n (&h->table, table, __ATOMIC_RELEASE);
	__atomic_store_n (&h->slots, wanted, __ATOMIC_RELEASE);
	return true;
}

static struct ppi_shard *shard_new (struct ppi_thread *t, const struct ppi_op *op)
{
	struct ppi_shard *s;

	if (op->slot >= t->hot->slots && !table_grow (t, op->slot))
		return NULL;
	s = ppi_region_alloc_fast (op->bytes);
	if (!s)
		return NULL;
	s->thread = t->id;
	s->epoch = ppi_load (op->epoch);
	ppi_shard_size_set (s, op->accumulator, op->size);
	ppi_region_publish (&s->chunk, PPI_CHUNK_SHARD, op->slot + 1);
	__atomic_store_n (&t->hot->table[op->slot], s, __ATOMIC_RELEASE);
	return s;
}

struct ppi_shard *ppi_shard_get (struct ppi_thread *t, const struct ppi_op *op)
{
	struct ppi_shard *s = ppi_hot_shard (t->hot, op->slot);

	if (!s) {
		s = shard_new (t, op);
		if (!s)
			ppi_drop (t, PP_DROP_POOL, 1);
	}
	return s;
}
