/* SPDX-License-Identifier: MIT */
/* opened.c: the lists of opened.h. */
#include "libmetrics/thread/opened.h"

#include "base/atomic.h"
#include "libmetrics/region/region.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/thread/flight.h"
#include "libmetrics/thread/frame.h"
#include "libmetrics/thread/mark.h"
#include "libmetrics/thread/nested.h"
#include "libmetrics/thread/thread.h"

/* slots that a frame and its values take together: the largest fills a page */
static const uint8_t class_slots[PPI_OPENED_CLASSES] = {1, 2, 4, 8, 16, 31};

#define FIRST_SLOT                                                                                 \
	((sizeof (struct ppi_opened) + PPI_FRAME_SLOT - 1) / PPI_FRAME_SLOT * PPI_FRAME_SLOT)

/* a frame, its mark, its values */
PP_ABI_ASSERT (PPI_WORDS_MAX / 8 + 2 <= 31 && 31 < PPI_FRAME_PAGE / PPI_FRAME_SLOT);
PP_ABI_ASSERT (PPI_OPENED_CLASSES <= 1u << PPI_OPENED_CLASS_BITS);
PP_ABI_ASSERT (FIRST_SLOT < PPI_FRAME_PAGE / 2);

/* ---- memory ---------------------------------------------------------------------------------- */

void ppi_opened_reset (struct ppi_opened *o)
{
	for (unsigned i = 0; i < PPI_OPENED_LISTS; i++) {
		o->n[i] = 0;
		o->list[i].bottom.sp = UINTPTR_MAX;
		o->list[i].marked = NULL;
		__atomic_store_n (&o->list[i].top, &o->list[i].bottom, __ATOMIC_RELEASE);
	}
	for (unsigned i = 0; i < PPI_OPENED_CLASSES; i++)
		o->free[i] = NULL;
	o->newest = &o->page;
	o->at = (uintptr_t) o + FIRST_SLOT;
}

static unsigned class_of (const struct ppi_frame *f)
{
	return f->link & ((1u << PPI_OPENED_CLASS_BITS) - 1);
}

static struct ppi_frame **free_of_class (struct ppi_opened *o, const struct ppi_frame *f)
{
	return &o->free[class_of (f)];
}

static void set_caller (struct ppi_frame *f, uintptr_t at)
{
	ppi_store (&f->link, class_of (f) | (uint64_t) at << PPI_OPENED_CLASS_BITS);
}

/* The thread's, made at its first call. */
static struct ppi_opened *opened_of (struct ppi_thread *t)
{
	struct ppi_opened *o = t->opened;
	struct ppi_segment *calls;

	if (o)
		return o;
	o = ppi_own_page_fast ();
	if (!o)
		return NULL;
	ppi_opened_reset (o);
	/* release: observers find the lists empty, not unmade */
	__atomic_store_n (&t->opened, o, __ATOMIC_RELEASE);
	calls = &o->list[PPI_OPENED_CALLS];
	calls->is_calls = 1;
	calls->next = t->own.next;
	/* release: who scans the thread's segments finds the list empty, not unmade */
	__atomic_store_n (&t->own.next, calls, __ATOMIC_RELEASE);
	return o;
}

static bool next_page (struct ppi_opened *o)
{
	struct ppi_frame_page *page = o->newest->following;

	if (!page) {
		page = ppi_own_page_fast ();
		if (!page)
			return false;
		o->newest->following = page;
	}
	o->newest = page;
	o->at = (uintptr_t) (page + 1);
	return true;
}

static struct ppi_frame *frame_alloc (struct ppi_opened *o, uint32_t value_slots)
{
	unsigned class = 0;
	struct ppi_frame *f;
	uintptr_t bytes;

	while (class_slots[class] < value_slots + 1)
		class ++;
	f = o->free[class];
	if (f) {
		o->free[class] = f->prev;
		return f;
	}
	bytes = class_slots[class] * PPI_FRAME_SLOT;
	if (o->at + bytes > (uintptr_t) o->newest + PPI_FRAME_PAGE && !next_page (o))
		return NULL;
	f = (struct ppi_frame *) (o->at + bytes) - 1;
	o->at += bytes;
	ppi_store (&f->slots, class_slots[class] - 1u);
	ppi_store (&f->link, class);
	return f;
}

/* ---- the lists ------------------------------------------------------------------------------- */

void ppi_opened_push (struct ppi_thread *t, enum ppi_opened_list list, struct ppi_frame *f,
		      uintptr_t tag, uintptr_t sp, const struct ppi_plan *plan, int64_t value)
{
	struct ppi_segment *s = &t->opened->list[list];

	/* readers of open_age see the frame before its time; 0: not read yet */
	ppi_store (&f->begin_ticks, 0);
	ppi_store (&f->tag, tag);
	ppi_store (&f->sp, sp);
	ppi_store (&f->prev, s->top);
	ppi_store (&f->plan, plan);
	t->opened->n[list]++;
	/* release: readers of open_age follow it */
	__atomic_store_n (&s->top, f, __ATOMIC_RELEASE);
	if (plan && plan->marked)
		ppi_mark_push (t, s, f, plan, value);
}

void ppi_opened_close (struct ppi_thread *t, enum ppi_opened_list list, struct ppi_frame *f)
{
	struct ppi_opened *o = t->opened;
	struct ppi_frame *newer = o->list[list].top;

	if (f->plan && ((const struct ppi_plan *) f->plan)->marked)
		ppi_mark_pop (t, &o->list[list], f);
	if (newer == f) {
		__atomic_store_n (&o->list[list].top, f->prev, __ATOMIC_RELEASE);
	} else {
		while (newer->prev != f)
			newer = newer->prev;
		__atomic_store_n (&newer->prev, f->prev, __ATOMIC_RELEASE);
	}
	/* a reader that is at it still takes it for nothing's */
	ppi_store (&f->tag, 0);
	ppi_store (&f->prev, *free_of_class (o, f));
	*free_of_class (o, f) = f;
	o->n[list]--;
}

void ppi_opened_drop (struct ppi_thread *t, enum ppi_opened_list list, struct ppi_frame *f,
		      enum pp_drop cause)
{
	if (f->plan && ppi_frame_is_of_the_past (t, f))
		cause = PP_DROP_DISABLED;
	if (f->plan && f->tag != PPI_TAG_STALE)
		ppi_nested_give (t, f, PPI_HOME_CALLS);
	ppi_drop (t, cause, 1);
	ppi_flight_drop (t, f);
	ppi_opened_close (t, list, f);
}

/* TAG's, or it was before its site was disabled. */
static bool is_of_tag (const struct ppi_frame *f, uintptr_t tag)
{
	return f->tag == tag || (f->tag == PPI_TAG_STALE && f->begin_ticks == tag);
}

static bool is_own (const struct ppi_thread *t, uintptr_t sp)
{
	return sp - t->own.lo < t->own.span;
}

/* Far below the stack pointer, on a stack whose bounds are known. */
static void drop_deeper (struct ppi_thread *t, enum ppi_opened_list list, uintptr_t sp)
{
	struct ppi_frame *f;

	if (!is_own (t, sp))
		return;
	while ((f = t->opened->list[list].top)->sp < sp - PPI_OPENED_REACH && is_own (t, f->sp))
		ppi_opened_drop (t, list, f, PP_DROP_LONGJMP);
}

void ppi_opened_leave (struct ppi_thread *t, uintptr_t sp)
{
	if (t->opened)
		drop_deeper (t, PPI_OPENED_CALLS, sp);
}

/* TAG's that the very call of CALLER began on its stack; NULL: none is open. */
static struct ppi_frame *twin_of (struct ppi_frame *f, uintptr_t tag, struct ppi_caller caller)
{
	/* an event's place is its own: there is no twin, however many are open */
	if (caller.sp >= PPI_OPENED_EVENTS)
		return NULL;
	/* the place of an event is near UINTPTR_MAX, which is that of the list's end */
	for (; f->sp != UINTPTR_MAX && f->sp <= caller.sp + PPI_OPENED_REACH; f = f->prev)
		if (f->sp == caller.sp && is_of_tag (f, tag) && ppi_opened_caller (f) == caller.at)
			return f;
	return NULL;
}

/* The call runs again, so what it began there did not end, nor did what began in that. */
static void drop_twin (struct ppi_thread *t, enum ppi_opened_list list, uintptr_t tag,
		       struct ppi_caller caller)
{
	struct ppi_frame *f = t->opened->list[list].top, *twin = twin_of (f, tag, caller), *older;
	bool is_twin = !twin;

	for (; !is_twin; f = older) {
		older = f->prev;
		is_twin = f == twin;
		if (f->sp == caller.sp && is_of_tag (f, tag))
			ppi_opened_drop (t, list, f, PP_DROP_LONGJMP);
	}
}

static void drop_oldest (struct ppi_thread *t, enum ppi_opened_list list)
{
	struct ppi_segment *s = &t->opened->list[list];
	struct ppi_frame *f = s->top;

	while (f->prev != &s->bottom)
		f = f->prev;
	ppi_opened_drop (t, list, f, PP_DROP_DEPTH);
}

struct ppi_frame *ppi_opened_take (struct ppi_thread *t, enum ppi_opened_list list, uintptr_t tag,
				   struct ppi_caller caller, uint32_t slots)
{
	struct ppi_opened *o = opened_of (t);
	struct ppi_frame *f;

	if (o) {
		drop_deeper (t, list, caller.sp);
		drop_twin (t, list, tag, caller);
		if (o->n[list] >= PPI_DEPTH_MAX)
			drop_oldest (t, list);
	}
	f = o ? frame_alloc (o, slots) : NULL;
	if (f)
		set_caller (f, caller.at);
	else
		ppi_drop (t, PP_DROP_POOL, 1);
	return f;
}

/* The newest of TAG, or the one that was begun at SP itself. */
static struct ppi_frame *look_for (const struct ppi_segment *s, uintptr_t tag, uintptr_t sp)
{
	struct ppi_frame *newest = NULL;

	for (struct ppi_frame *f = s->top; f != &s->bottom; f = f->prev) {
		if (newest && f->sp > sp + PPI_OPENED_REACH)
			break;
		if (!is_of_tag (f, tag))
			continue;
		if (f->sp == sp)
			return f;
		if (!newest)
			newest = f;
	}
	return newest;
}

struct ppi_frame *ppi_opened_find (struct ppi_thread *t, enum ppi_opened_list list, uintptr_t tag,
				   uintptr_t sp)
{
	struct ppi_opened *o = t->opened;
	struct ppi_frame *f = o ? look_for (&o->list[list], tag, sp) : NULL, *newer, *next;

	if (!f) {
		ppi_drop (t, PP_DROP_UNMATCHED, 1);
		return NULL;
	}
	for (newer = o->list[list].top; newer != f; newer = next) {
		next = newer->prev;
		if (is_of_tag (newer, tag))
			ppi_opened_drop (t, list, newer, PP_DROP_LONGJMP);
	}
	if (f->tag == PPI_TAG_STALE) {
		ppi_opened_drop (t, list, f, PP_DROP_DISABLED);
		return NULL;
	}
	return f;
}
