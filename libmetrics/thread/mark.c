/* SPDX-License-Identifier: MIT */
/*
 * mark.c: the lists of mark.h, as their owner changes them. Runs inside markers: general registers
 * only, no libc.
 */
#include "libmetrics/thread/mark.h"

#include "base/chunk.h"
#include "libmetrics/region/texts.h"
#include "libmetrics/region/region.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/thread/frame.h"

/* of threads for which the live region has no room */
static struct ppi_top_chunk nowhere;

static struct ppi_top_chunk *shown_of (struct ppi_thread *t)
{
	struct ppi_top_chunk *c = t->shown;

	if (c)
		return c;
	c = ppi_region_alloc_fast (sizeof (*c));
	if (c)
		ppi_region_publish (&c->chunk, PPI_CHUNK_TOP, t->id);
	t->shown = c ? c : &nowhere;
	return t->shown;
}

/*
 * What is on top of a list now. WHAT is 0 while the others change: whoever reads them after a kill
 * -9 finds words of one mark, or nothing.
 */
static void show (struct ppi_thread *t, const struct ppi_segment *s, const struct ppi_frame *f)
{
	struct ppi_top *top = &shown_of (t)->top[s->is_calls];
	const struct ppi_mark *m = f ? ppi_mark_of (f) : NULL;

	__atomic_store_n (&top->what, 0, __ATOMIC_RELAXED);
	if (!m)
		return;
	/* release: each is seen after the one before */
	__atomic_store_n (&top->order, m->order, __ATOMIC_RELEASE);
	__atomic_store_n (&top->payload, m->payload, __ATOMIC_RELEASE);
	__atomic_store_n (&top->what, m->what, __ATOMIC_RELEASE);
}

/*
 * Release: whoever finds the new one finds the list as it is now. What is stored next is seen after
 * it.
 */
static void order_next (struct ppi_thread *t)
{
	__atomic_store_n (&t->order, t->order + 1, __ATOMIC_RELEASE);
	__atomic_thread_fence (__ATOMIC_RELEASE);
}

/*
 * What observers get of what the site captured as VALUE; *WHAT loses its type where it did not, or
 * the text is NULL. A text lives only as long as the marker: a number stands for it.
 */
static uint64_t payload_of (const struct ppi_plan *plan, int64_t value, uint64_t *what)
{
	const struct ppi_op *op = &plan->ops[plan->mark];
	uint64_t payload;
	bool is_text;

	if (op->class != PPI_SOURCE_VALUE)
		return 0;
	payload = (uint64_t) ppi_captured (plan, op, value);
	is_text = PPI_MARK_PAYLOAD (*what) == PP_ABI_VALUE_STRING;
	if (!ppi_is_captured (plan, payload) || (is_text && !payload)) {
		*what &= ~PPI_MARK_HAS_PAYLOAD;
		return 0;
	}
	return is_text ? ppi_text_number_of ((const char *) (uintptr_t) payload) : payload;
}

void ppi_mark_push (struct ppi_thread *t, struct ppi_segment *s, struct ppi_frame *f,
		    const struct ppi_plan *plan, int64_t value)
{
	struct ppi_mark *m = ppi_mark_of (f);
	uint64_t what = plan->what, payload = payload_of (plan, value, &what);

	/* above those of the thread that this handler interrupted */
	if (t->owner && t->order < t->owner->order)
		ppi_store (&t->order, t->owner->order);
	order_next (t);
	ppi_store (&m->order, t->order);
	ppi_store (&m->below, s->marked);
	ppi_store (&m->what, what);
	ppi_store (&m->payload, payload);
	__atomic_store_n (&s->marked, f, __ATOMIC_RELEASE);
	show (t, s, f);
}

/* Calls need not end in the order of their begins. */
static bool unlink_call (const struct ppi_segment *s, const struct ppi_frame *f)
{
	struct ppi_frame *newer = s->marked;

	while (newer && ppi_mark_of (newer)->below != f)
		newer = ppi_mark_of (newer)->below;
	if (newer)
		ppi_store (&ppi_mark_of (newer)->below, ppi_mark_of (f)->below);
	return newer;
}

void ppi_mark_pop (struct ppi_thread *t, struct ppi_segment *s, const struct ppi_frame *f)
{
	struct ppi_frame *below = ppi_mark_of (f)->below;

	/* what a handler left by siglongjmp may be in the stack and not in the list yet */
	if (s->marked != f) {
		if (s->is_calls && unlink_call (s, f))
			order_next (t);
		return;
	}
	__atomic_store_n (&s->marked, below, __ATOMIC_RELEASE);
	order_next (t);
	show (t, s, below);
}

void ppi_mark_hide (struct ppi_thread *t, const struct ppi_segment *s, struct ppi_frame *f)
{
	ppi_store (&ppi_mark_of (f)->what, 0);
	if (s->marked == f)
		show (t, s, f);
}

void ppi_marks_reset (struct ppi_thread *t)
{
	struct ppi_top_chunk *c = t->shown;

	for (struct ppi_segment *s = &t->own; s; s = s->next)
		__atomic_store_n (&s->marked, NULL, __ATOMIC_RELEASE);
	order_next (t);
	for (unsigned i = 0; c && i < 2; i++)
		__atomic_store_n (&c->top[i].what, 0, __ATOMIC_RELEASE);
	if (c)
		ppi_store (&c->chunk.id, t->id);
}
