/* SPDX-License-Identifier: MIT */
/*
 * marks_read.c: other threads' marked frames (mark.h). They change while this looks: nothing is
 * followed that does not lie in the process's own memory, and what was read counts only if nothing
 * has changed by then.
 */
#include "libmetrics/region/region.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/tables/site.h"
#include "libmetrics/thread/mark.h"
#include "libmetrics/thread/opened.h"

/* Lists are as long as stacks are deep; a torn one may be a circle. */
#define LENGTH_MOST PPI_DEPTH_MAX

static bool is_frame (const struct ppi_frame *f)
{
	return !((uintptr_t) f % PPI_FRAME_SLOT) &&
	       ppi_own_has (ppi_mark_of (f), sizeof (struct ppi_mark) + sizeof (struct ppi_frame));
}

/* A state at one moment: who has changed it since has a larger order. */
struct moment {
	const struct ppi_segment *segment;
	uint64_t order;
	unsigned level, calls;
	uint64_t open[PPI_PATH];
};

static bool take_moment (const struct ppi_thread *t, const struct ppi_path *path, struct moment *m)
{
	m->segment = __atomic_load_n (&t->segment, __ATOMIC_ACQUIRE);
	m->order = __atomic_load_n (&path->order, __ATOMIC_ACQUIRE);
	m->level = (unsigned) (m->order & PPI_ORDER_LEVEL);
	m->calls = ppi_load (&path->calls);
	for (unsigned i = 0; i < PPI_PATH && i < m->level; i++)
		m->open[i] = ppi_load (&path->open[i]);
	/* what was copied comes before this look */
	__atomic_thread_fence (__ATOMIC_ACQUIRE);
	return __atomic_load_n (&path->order, __ATOMIC_RELAXED) == m->order &&
	       m->level != PPI_LEVEL_UNKNOWN && ppi_load (&t->segment) == m->segment;
}

/* Marks of a list that are as old as the moment. */
struct list {
	const struct ppi_frame *at;
	unsigned length;
};

static uint64_t order_of (const struct ppi_frame *f)
{
	return __atomic_load_n (&ppi_mark_of (f)->order, __ATOMIC_ACQUIRE);
}

/* The next one, or NULL: there is none any more. */
static const struct ppi_frame *next_of (struct list *list, const struct moment *m)
{
	for (; list->at && is_frame (list->at) && list->length < LENGTH_MOST; list->length++) {
		if (order_of (list->at) <= m->order)
			return list->at;
		list->at = ppi_load (&ppi_mark_of (list->at)->below);
	}
	return NULL;
}

static void step (struct list *list)
{
	list->at = ppi_load (&ppi_mark_of (list->at)->below);
	list->length++;
}

/*
 * Was its site switched off, so that nobody knows whether it has ended? The thread finds out at its
 * next marker (ppi_frame_is_of_the_past). Plans and sites are never freed. Where the mark has ended
 * the plan may be another's already, or none.
 */
static bool is_of_the_past (const struct ppi_thread *t, const struct ppi_open *open)
{
	const struct ppi_plan *plan = open->plan;

	return plan && plan->site->id == PPI_MARK_SITE (open->what) &&
	       (!__atomic_load_n (&plan->site->enabled, __ATOMIC_ACQUIRE) ||
		ppi_load (&plan->site->enabled_at) > ppi_load (&t->flushed));
}

/* WHAT is 0 where the mark can't end any more. False: it has ended, and is another one now. */
static bool copy (const struct ppi_thread *t, const struct ppi_frame *f, struct ppi_open *out)
{
	const struct ppi_mark *m = ppi_mark_of (f);

	out->order = order_of (f);
	out->what = ppi_load (&m->what);
	out->payload = ppi_load (&m->payload);
	for (unsigned i = 0; i < sizeof (out->word) / sizeof (out->word[0]); i++)
		out->word[i] = ppi_load (&m->word[i]);
	out->begin_ticks = ppi_load (&f->begin_ticks);
	out->plan = ppi_load (&f->plan);
	__atomic_thread_fence (__ATOMIC_ACQUIRE);
	if (ppi_load (&m->order) != out->order)
		return false;
	if (out->what && is_of_the_past (t, out))
		out->what = 0;
	return true;
}

/* What is open at LEVEL. False: nobody knows. */
static bool open_at (const struct ppi_thread *t, const struct moment *m, unsigned level,
		     struct list *list, struct ppi_open *out)
{
	const struct ppi_frame *f = next_of (list, m);
	bool is_there = f && (order_of (f) & PPI_ORDER_LEVEL) == level && copy (t, f, out) &&
			out->order <= m->order;
	uint64_t open;

	if (is_there)
		step (list);
	if (level > PPI_PATH)
		return is_there;
	open = m->open[level - 1];
	if (is_there && (!out->what || PPI_MARK_SITE (out->what) == PPI_PATH_SITE (open)))
		return true;
	/* it has ended meanwhile */
	*out = (struct ppi_open){.payload = PPI_PATH_PAYLOAD (open)};
	if (open)
		out->what = PPI_MARK_WHAT (PPI_PATH_SITE (open), 0, PPI_PATH_TYPE (open));
	return true;
}

/* Did the mark at LEVEL begin later than CALL? */
static bool is_newer (const struct ppi_open *mark, unsigned level, const struct ppi_frame *call)
{
	return mark->order ? mark->order > order_of (call)
			   : level > (order_of (call) & PPI_ORDER_LEVEL);
}

/* The two lists of a state, merged: marks from LEVEL on down, and calls. */
static int merge (const struct ppi_thread *t, const struct moment *m, struct list *marks,
		  struct list *calls, struct ppi_open *out, unsigned room, unsigned *more)
{
	unsigned level = m->level, left = m->calls, n = 0;
	uint64_t newest = m->order + 1;
	struct ppi_open mark;
	bool is_known = false;

	while (level || left) {
		const struct ppi_frame *call = left ? next_of (calls, m) : NULL;
		struct ppi_open one;

		if (level && !is_known && !(is_known = open_at (t, m, level, marks, &mark)))
			return PPI_MARKS_TORN;
		if (left && !call)
			return PPI_MARKS_TORN;
		if (level && (!call || is_newer (&mark, level, call))) {
			one = mark;
			if (!one.order)
				one.order = newest - 1;
			is_known = false;
			level--;
		} else {
			if (!copy (t, call, &one) || one.order > m->order)
				return PPI_MARKS_TORN;
			step (calls);
			left--;
		}
		newest = one.order;
		if (one.what && n < room)
			out[n++] = one;
		else if (one.what)
			++*more;
	}
	return (int) n;
}

static int read_state (const struct ppi_thread *t, struct ppi_open *out, unsigned room,
		       unsigned *more)
{
	const struct ppi_path *path = __atomic_load_n (&t->path, __ATOMIC_ACQUIRE);
	const struct ppi_opened *opened = __atomic_load_n (&t->opened, __ATOMIC_ACQUIRE);
	struct list marks = {NULL, 0}, calls = {NULL, 0};
	struct moment m;

	if (!path)
		return 0;
	if (path == &ppi_no_path || !take_moment (t, path, &m))
		return PPI_MARKS_TORN;
	marks.at = __atomic_load_n (&m.segment->marked, __ATOMIC_ACQUIRE);
	if (opened)
		calls.at =
			__atomic_load_n (&opened->list[PPI_OPENED_CALLS].marked, __ATOMIC_ACQUIRE);
	return merge (t, &m, &marks, &calls, out, room, more);
}

int ppi_marks_read (const struct ppi_thread *t, struct ppi_open *out, unsigned room, unsigned *more)
{
	const struct ppi_thread *alt = __atomic_load_n (&t->alt, __ATOMIC_ACQUIRE);
	unsigned left_out = 0;
	int n = 0, of_thread;

	/* a handler's came later than all of the thread's */
	if (alt && (n = read_state (alt, out, room, &left_out)) < 0)
		return n;
	of_thread = read_state (t, out + n, room - (unsigned) n, &left_out);
	if (more)
		*more = left_out;
	return of_thread < 0 ? of_thread : n + of_thread;
}

struct ppi_changes ppi_marks_changes (const struct ppi_thread *t)
{
	const struct ppi_path *path = __atomic_load_n (&t->path, __ATOMIC_ACQUIRE);
	struct ppi_changes none = {0};

	if (!path || path == &ppi_no_path)
		return none;
	return (struct ppi_changes){ppi_load (&path->order) / PPI_ORDER_STEP,
				    ppi_load (&path->by_c)};
}
