/* SPDX-License-Identifier: MIT */
/* frame.c: the unusual cases of frame.h. Runs inside markers: general registers only, no libc. */
#include "libmetrics/thread/frame.h"

#include "base/atomic.h"
#include "base/ticks.h"
#include "libmetrics/keep/accumulate_int.h"
#include "libmetrics/keep/shard.h"
#include "libmetrics/region/region.h"
#include "libmetrics/tables/binding.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/tables/site.h"
#include "libmetrics/thread/flight.h"
#include "libmetrics/thread/light.h"
#include "libmetrics/thread/mark.h"
#include "libmetrics/thread/nested.h"
#include "libmetrics/thread/ring.h"
#include "libmetrics/thread/thread.h"

/* ---- removing -------------------------------------------------------------------------------- */

bool ppi_frame_is_of_the_past (const struct ppi_thread *t, const struct ppi_frame *f)
{
	const pp_site *site = ((const struct ppi_plan *) f->plan)->site;

	return f->tag == PPI_TAG_STALE || !ppi_load (&site->enabled) ||
	       ppi_load (&site->enabled_at) > t->flushed;
}

/*
 * F was jumped over: metrics that keep samples of such executions have one, that ends where it was
 * noticed. True: that is all that F was for.
 */
static bool keep_jumped (struct ppi_thread *t, struct ppi_frame *f)
{
	const struct ppi_plan *plan = f->plan;
	bool is_all = plan->n_all == plan->n_ops;
	uint64_t now = ppi_ticks ();

	for (uint32_t i = 0; i < plan->n_ops; i++) {
		const struct ppi_op *op = &plan->ops[i];
		int64_t sample = op->counts ? 0 : (int64_t) (now - ppi_load (&f->begin_ticks));
		struct ppi_shard *s;

		is_all &= op->jumped;
		if (!op->jumped || (plan->skips && f->skipped >> i & 1) ||
		    !ppi_nested_counts (t, f, op) || !(s = ppi_shard_get (t, op)))
			continue;
		ppi_accumulate_int_any (s, op->accumulator, sample, now);
		if (op->binding->windows)
			ppi_windows_add_int (t, op->binding, sample);
	}
	return is_all;
}

/* Removes the top frame, which was left behind. */
static void drop_top (struct ppi_thread *t)
{
	struct ppi_frame *f = t->hot->top;
	bool is_past = ppi_frame_is_of_the_past (t, f);

	if (f->tag != PPI_TAG_STALE)
		ppi_nested_give (t, f, PPI_HOME_STACK);
	if (is_past || !((const struct ppi_plan *) f->plan)->keeps_jumped || !keep_jumped (t, f))
		ppi_drop (t, is_past ? PP_DROP_DISABLED : PP_DROP_LONGJMP, 1);
	ppi_nested_leave (t, f);
	ppi_flight_drop (t, f);
	if (((const struct ppi_plan *) f->plan)->marked)
		ppi_mark_pop (t, t->segment, f);
	ppi_frame_pop (t->hot, f);
	ppi_light_close (t->hot, f->plan);
}

/* Frames of activations below SP are gone. */
static void drop_deeper (struct ppi_thread *t, uintptr_t sp)
{
	while (t->hot->top->sp < sp)
		drop_top (t);
}

void ppi_frames_flush (struct ppi_thread *t, struct ppi_segment *s)
{
	struct ppi_frame *f = s == t->segment ? t->hot->top : s->top;

	for (; f != &s->bottom; f = f->prev) {
		const struct ppi_plan *plan = f->plan;

		if (f->tag == PPI_TAG_STALE || ppi_load (&plan->site->enabled_at) <= t->flushed)
			continue;
		ppi_nested_give (t, f, s->is_calls ? PPI_HOME_CALLS : PPI_HOME_STACK);
		ppi_store (&f->begin_ticks, f->tag);
		ppi_store (&f->tag, PPI_TAG_STALE);
		if (plan->marked)
			ppi_mark_hide (t, s, f);
	}
}

/* ---- overflow -------------------------------------------------------------------------------- */

/*
 * From the first begin without room on, everything below it is dropped together, begins and ends
 * alike, or an end might find the frame of an outer activation of its own function. Meanwhile the
 * span is 0, so that every marker comes here.
 */
static void overflow_begin (struct ppi_thread *t, uintptr_t sp, enum pp_drop cause)
{
	struct ppi_segment *s = t->segment;

	if (!s->overflow++)
		s->overflow_sp = sp;
	ppi_store (&t->hot->span, 0);
	ppi_drop (t, cause, 1);
}

/*
 * The next marker, on the slow path still, gives the span back: only there a flush of just now is
 * not missed.
 */
static void overflow_over (struct ppi_thread *t)
{
	t->segment->overflow = 0;
}

/* Is this end the end of a pair that was begun without room? */
static bool overflow_end (struct ppi_thread *t, uintptr_t tag, uintptr_t sp)
{
	struct ppi_segment *s = t->segment;

	if (!s->overflow)
		return false;
	if (sp > s->overflow_sp || (t->hot->top->tag == tag && sp == t->hot->top->sp)) {
		overflow_over (t);
		return false;
	}
	if (!--s->overflow)
		overflow_over (t);
	return true;
}

/* ---- making room ----------------------------------------------------------------------------- */

static struct ppi_frame_page *page_of (const struct ppi_frame *f)
{
	return (struct ppi_frame_page *) ((uintptr_t) f & ~(uintptr_t) (PPI_FRAME_PAGE - 1));
}

/*
 * Frames of the segment up to its top: those of earlier pages are known, those of this one are
 * counted.
 */
static uint64_t depth_of (const struct ppi_segment *s, const struct ppi_frame *top)
{
	const struct ppi_frame_page *page = page_of (top);
	uint64_t n = page->depth;

	for (; top != &s->bottom && page_of (top) == page; top = top->prev)
		n++;
	return n;
}

/*
 * Where the fast path may begin in a page: the same in all, so that one comparison finds both ends
 * of it. In the page where a learned segment lies, that is behind its first frame: it is pushed the
 * slow way, where the segment begins anew, with the stack it is on now.
 */
static uintptr_t first_fast (const struct ppi_frame_page *page)
{
	return (uintptr_t) page + PPI_FRAME_FIRST;
}

/* a page's head, a frame, its mark */
PP_ABI_ASSERT (PPI_WORDS_MAX == (PPI_FRAME_PAGE / PPI_FRAME_SLOT - 3) * 8);
PP_ABI_ASSERT (sizeof (struct ppi_frame_page) + sizeof (struct ppi_segment) + PPI_FRAME_SLOT ==
	       PPI_FRAME_FIRST);

/*
 * The place of a frame with its values behind the top, in the next page where this one has no room;
 * also sets up the fast path for the page, unless the depth could be reached in it.
 */
static struct ppi_frame *place (struct ppi_thread *t, uint32_t value_slots, uint64_t depth)
{
	struct ppi_frame *top = t->hot->top;
	struct ppi_frame_page *page = page_of (top), *next;
	uintptr_t at = (uintptr_t) (top + 1), end = (uintptr_t) page + PPI_FRAME_PAGE;

	if (at + (value_slots + 1) * PPI_FRAME_SLOT > end) {
		next = page->following;
		if (!next) {
			next = ppi_own_page_fast ();
			if (!next)
				return NULL;
			page->following = next;
		}
		next->depth = depth;
		page = next;
		at = (uintptr_t) (next + 1);
	}
	ppi_store (&t->hot->first, page->depth + PPI_FRAME_PAGE / PPI_FRAME_SLOT > PPI_DEPTH_MAX
					   ? 0
					   : first_fast (page));
	return (struct ppi_frame *) (at + value_slots * PPI_FRAME_SLOT);
}

/*
 * A frame of the same tag at the same SP was left behind, and with it what is above; so was one
 * that can't end any more, or a loop whose interval is disabled inside and enabled outside would
 * fill the segment.
 */
static void drop_twin (struct ppi_thread *t, uintptr_t tag, uintptr_t sp)
{
	const struct ppi_frame *twin = NULL;

	for (const struct ppi_frame *f = t->hot->top; f->sp == sp; f = f->prev)
		if (f->tag == tag || (f->tag == PPI_TAG_STALE && f->begin_ticks == tag))
			twin = f;
	while (twin) {
		if (t->hot->top == twin)
			twin = NULL;
		drop_top (t);
	}
}

void ppi_frames_leave (struct ppi_thread *t, uintptr_t sp)
{
	struct ppi_segment *s = t->segment;

	drop_deeper (t, sp);
	if (s->overflow && sp > s->overflow_sp)
		overflow_over (t);
}

struct ppi_frame *ppi_frame_make_room (struct ppi_thread *t, const struct ppi_plan *plan,
				       uintptr_t tag, uintptr_t sp)
{
	struct ppi_segment *s = t->segment;
	struct ppi_frame *f = NULL;
	enum pp_drop cause = PP_DROP_DEPTH;
	uint64_t depth;

	ppi_frames_leave (t, sp);
	drop_twin (t, tag, sp);
	if (!s->overflow && (depth = depth_of (s, t->hot->top)) < PPI_DEPTH_MAX) {
		cause = PP_DROP_POOL;
		f = place (t, plan->value_slots, depth);
	}
	if (f)
		ppi_store (&f->slots, plan->value_slots);
	else if (
		ppi_light_is_nothing (
			plan)) /* and so is the end of what has no frame: nobody would count it down */
		ppi_drop (t, cause, 1);
	else
		overflow_begin (t, sp, cause);
	return f;
}

/* ---- finding --------------------------------------------------------------------------------- */

/* Stale frames on top go; true if one of them is the one that TAG would have ended. */
static bool drop_stale (struct ppi_thread *t, uintptr_t tag)
{
	bool found = false;

	while (t->hot->top->tag == PPI_TAG_STALE && !found) {
		found = t->hot->top->begin_ticks == tag;
		drop_top (t);
	}
	return found;
}

/*
 * The frame that the execution of PLAN begun at BEGAN (light.h) would have; what was begun later
 * was left behind. NULL: it can't end.
 */
static struct ppi_frame *frame_of_light (struct ppi_thread *t, uintptr_t tag,
					 const struct ppi_plan *plan, uintptr_t began)
{
	struct ppi_frame *f = NULL;

	drop_deeper (t, began & ~PPI_LIGHT_FLAGS);
	if (!(began & PPI_LIGHT_STALE))
		f = place (t, 0, depth_of (t->segment, t->hot->top));
	if (!f) {
		ppi_drop (t, began & PPI_LIGHT_STALE ? PP_DROP_DISABLED : PP_DROP_POOL, 1);
		return NULL;
	}
	ppi_store (&f->slots, 0);
	ppi_store (&f->skipped, 0);
	ppi_store (&f->begin_ticks, 0);
	ppi_frame_push (t->hot, f, tag, began & ~PPI_LIGHT_FLAGS, plan);
	return f;
}

struct ppi_frame *ppi_frame_find (struct ppi_thread *t, uintptr_t tag, uintptr_t sp)
{
	struct ppi_segment *s = t->segment;
	const struct ppi_plan *light;
	struct ppi_frame *f;
	uintptr_t began;

	if (overflow_end (t, tag, sp))
		return NULL;
	drop_deeper (t, sp);
	light = ppi_light_find (t, tag, sp, &began);
	if (light)
		return frame_of_light (t, tag, light, began);
	if (drop_stale (t, tag))
		return NULL;
	for (f = t->hot->top; f != &s->bottom && f->tag != tag; f = f->prev)
		;
	if (f == &s->bottom) {
		const pp_site *site = ppi_light_site (tag);

		/*
		 * nothing of it was to be measured: neither by what is bound, nor while its begins
		 * were off
		 */
		if (!site || !(ppi_load (&site->is_sampled) | ppi_load (&site->begins_off)))
			ppi_drop (t, PP_DROP_UNMATCHED, 1);
		return NULL;
	}
	while (t->hot->top != f)
		drop_top (t);
	return f;
}

#define LOOK_OUT 64 /* frames */

bool ppi_thread_is_inside (const struct ppi_thread *t, const pp_site *parent, const pp_site *outer)
{
	const struct ppi_frame *f = t->hot->top, *bottom = &t->segment->bottom;

	if (f == bottom || (parent && ((const struct ppi_plan *) f->plan)->site != parent))
		return false;
	for (int i = 0; i < LOOK_OUT && f != bottom; i++, f = f->prev)
		if (f->tag != PPI_TAG_STALE && ((const struct ppi_plan *) f->plan)->site == outer)
			return true;
	return false;
}
