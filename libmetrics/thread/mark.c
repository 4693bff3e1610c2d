/* SPDX-License-Identifier: MIT */
/*
 * mark.c: the lists of mark.h, as their owner changes them. Runs inside markers: general registers
 * only, no libc.
 */
#include "libmetrics/thread/mark.h"

#include "base/chunk.h"
#include "libmetrics/region/region.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/thread/frame.h"
#include "libmetrics/thread/rich.h"
#include "libmetrics/thread/text.h"

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

/* ---- the path -------------------------------------------------------------------------------- */

struct ppi_path ppi_no_path;

static struct ppi_path *path_of (struct ppi_thread *t)
{
	struct ppi_path *path = t->path;

	if (path)
		return path;
	path = ppi_own_alloc_fast (sizeof *path);
	/* release: observers find it made */
	__atomic_store_n (&t->path, path ? path : &ppi_no_path, __ATOMIC_RELEASE);
	return t->path;
}

static unsigned level_of (const struct ppi_frame *f)
{
	return f ? (unsigned) (ppi_mark_of (f)->order & PPI_ORDER_LEVEL) : 0;
}

/*
 * The order after the next change. Release: whoever finds it finds the list and the path as they
 * are now. What is stored next is seen after it.
 */
static void order_next (struct ppi_path *path, uint64_t level)
{
	uint64_t order = (path->order & ~PPI_ORDER_LEVEL) + PPI_ORDER_STEP + level;

	__atomic_store_n (&path->order, order, __ATOMIC_RELEASE);
	__atomic_thread_fence (__ATOMIC_RELEASE);
}

/* What the path says of a mark: the rest of its payload is in the mark. */
static uint64_t short_of (uint64_t what, uint64_t payload)
{
	uint64_t type = PPI_MARK_PAYLOAD (what);
	bool has_room = type <= PP_ABI_VALUE_STRING && payload <= UINT32_MAX;

	if (type != PP_ABI_VALUE_NONE && !has_room) {
		type = PP_ABI_VALUE_STRING;
		payload = PPI_TEXT_OTHER;
	}
	return PPI_PATH_SITE (what) | type << 28 | payload << 32;
}

static void put_level (struct ppi_path *path, unsigned level, uint64_t open)
{
	if (level <= PPI_PATH)
		ppi_store (&path->open[level - 1], open);
}

void ppi_marks_leave (struct ppi_thread *t)
{
	if (t->path)
		order_next (t->path, PPI_LEVEL_UNKNOWN);
}

void ppi_marks_arrive (struct ppi_thread *t)
{
	const struct ppi_frame *top = t->segment->marked;

	if (!t->path)
		return;
	for (const struct ppi_frame *f = top; f; f = ppi_mark_of (f)->below)
		put_level (t->path, level_of (f),
			   ppi_mark_of (f)->what
				   ? short_of (ppi_mark_of (f)->what, ppi_mark_of (f)->payload)
				   : 0);
	order_next (t->path, level_of (top));
}

void ppi_marks_sync (struct ppi_thread *t)
{
	unsigned level = level_of (t->segment->marked);

	if (t->path && (t->path->order & PPI_ORDER_LEVEL) != level)
		order_next (t->path, level);
}

/* ---- the lists ------------------------------------------------------------------------------- */

/* What observers get of a site that captures several values; as payload_of. */
static uint64_t rich_of (struct ppi_thread *t, const struct ppi_plan *plan, int64_t value,
			 uint64_t *what)
{
	const void *captured = plan->is_array ? (const void *) (uintptr_t) value : &value;
	uint64_t payload = ppi_rich_number (t, plan, captured);

	if ((int64_t) payload != PP_ABI_NOT_CAPTURED)
		return payload;
	*what &= ~PPI_MARK_HAS_PAYLOAD;
	return 0;
}

/*
 * What observers get of what the site captured as VALUE; *WHAT loses its type where it did not, or
 * the text is NULL. A text lives only as long as the marker: a number stands for it.
 */
static uint64_t payload_of (struct ppi_thread *t, const struct ppi_plan *plan, int64_t value,
			    uint64_t *what)
{
	const struct ppi_op *op = &plan->ops[plan->mark];
	uint64_t payload;
	bool is_text;

	if (op->class != PPI_SOURCE_VALUE)
		return 0;
	if (ppi_site_is_rich (plan->site))
		return rich_of (t, plan, value, what);
	payload = (uint64_t) ppi_captured (plan, op, value);
	is_text = PPI_MARK_PAYLOAD (*what) == PP_ABI_VALUE_STRING;
	if (!ppi_is_captured (plan, payload) || (is_text && !payload)) {
		*what &= ~PPI_MARK_HAS_PAYLOAD;
		return 0;
	}
	return is_text ? ppi_thread_text_number (t, (const char *) (uintptr_t) payload) : payload;
}

void ppi_mark_push (struct ppi_thread *t, struct ppi_segment *s, struct ppi_frame *f,
		    const struct ppi_plan *plan, int64_t value)
{
	struct ppi_mark *m = ppi_mark_of (f);
	uint64_t what = plan->what, payload = payload_of (t, plan, value, &what);
	struct ppi_path *path = path_of (t);
	unsigned level = level_of (t->segment->marked);

	/* above those of the thread that this handler interrupted */
	if (t->owner && t->owner->path && path->order < t->owner->path->order)
		ppi_store (&path->order, t->owner->path->order);
	ppi_store (&path->by_c, path->by_c + 1);
	if (s->is_calls)
		ppi_store (&path->calls, path->calls + 1);
	else
		put_level (path, ++level, short_of (what, payload));
	order_next (path, level);
	ppi_store (&m->order, path->order);
	/* who sees one of the others sees that */
	__atomic_thread_fence (__ATOMIC_RELEASE);
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
	struct ppi_path *path = path_of (t);
	bool is_top = s->marked == f;

	/* what a handler left by siglongjmp may be in the stack and not in the list yet */
	if (!is_top && !(s->is_calls && unlink_call (s, f)))
		return;
	if (is_top)
		__atomic_store_n (&s->marked, below, __ATOMIC_RELEASE);
	if (s->is_calls)
		ppi_store (&path->calls, path->calls - 1);
	order_next (path, level_of (t->segment->marked));
	if (is_top)
		show (t, s, below);
}

void ppi_mark_hide (struct ppi_thread *t, const struct ppi_segment *s, struct ppi_frame *f)
{
	ppi_store (&ppi_mark_of (f)->what, 0);
	if (s == t->segment)
		put_level (path_of (t), level_of (f), 0);
	if (s->marked == f)
		show (t, s, f);
}

void ppi_marks_reset (struct ppi_thread *t)
{
	struct ppi_top_chunk *c = t->shown;

	for (struct ppi_segment *s = &t->own; s; s = s->next)
		__atomic_store_n (&s->marked, NULL, __ATOMIC_RELEASE);
	if (t->path) {
		ppi_store (&t->path->calls, 0);
		order_next (t->path, 0);
	}
	for (unsigned i = 0; c && i < 2; i++)
		__atomic_store_n (&c->top[i].what, 0, __ATOMIC_RELEASE);
	if (c)
		ppi_store (&c->chunk.id, t->id);
}
