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

struct list {
	const struct ppi_frame *at;
	unsigned length;
};

static bool look (struct list *list, struct ppi_open *out)
{
	for (; list->at && is_frame (list->at) && list->length < LENGTH_MOST; list->length++) {
		const struct ppi_mark *m = ppi_mark_of (list->at);

		out->order = ppi_load (&m->order);
		out->what = ppi_load (&m->what);
		out->payload = ppi_load (&m->payload);
		for (unsigned i = 0; i < sizeof (out->word) / sizeof (out->word[0]); i++)
			out->word[i] = ppi_load (&m->word[i]);
		out->begin_ticks = ppi_load (&list->at->begin_ticks);
		out->plan = ppi_load (&list->at->plan);
		if (out->what)
			return true;
		list->at = ppi_load (&m->below);
	}
	return false;
}

static void step (struct list *list)
{
	list->at = ppi_load (&ppi_mark_of (list->at)->below);
	list->length++;
}

/*
 * Was its site switched off since, so that nobody knows whether it has ended? The thread finds out
 * at its next marker (ppi_frame_is_of_the_past). Plans and sites are never freed.
 */
static bool is_of_the_past (const struct ppi_thread *t, const struct ppi_open *open)
{
	const pp_site *site = ((const struct ppi_plan *) open->plan)->site;

	return !__atomic_load_n (&site->enabled, __ATOMIC_ACQUIRE) ||
	       ppi_load (&site->enabled_at) > ppi_load (&t->flushed);
}

/* Of N in a copy that is whole: how many can still end; they come first. */
static int leave_out_past (const struct ppi_thread *t, struct ppi_open *open, unsigned n)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < n; i++)
		if (!is_of_the_past (t, &open[i]))
			open[kept++] = open[i];
	return (int) kept;
}

/* The two lists of a state, merged by ORDER. */
static int read_state (const struct ppi_thread *t, struct ppi_open *out, unsigned room,
		       unsigned *more)
{
	uint64_t order = __atomic_load_n (&t->order, __ATOMIC_ACQUIRE);
	const struct ppi_segment *s = __atomic_load_n (&t->segment, __ATOMIC_ACQUIRE);
	const struct ppi_opened *calls = __atomic_load_n (&t->opened, __ATOMIC_ACQUIRE);
	struct list lists[2] = {{__atomic_load_n (&s->marked, __ATOMIC_ACQUIRE), 0}};
	struct ppi_open next[2];
	bool has[2];
	unsigned n = 0;

	if (calls)
		lists[1].at =
			__atomic_load_n (&calls->list[PPI_OPENED_CALLS].marked, __ATOMIC_ACQUIRE);
	has[0] = look (&lists[0], &next[0]);
	has[1] = look (&lists[1], &next[1]);
	while (has[0] || has[1]) {
		int newer = !has[0] || (has[1] && next[1].order > next[0].order);

		if (n < room)
			out[n++] = next[newer];
		else
			++*more;
		step (&lists[newer]);
		has[newer] = look (&lists[newer], &next[newer]);
	}
	/* what was copied comes before this look */
	__atomic_thread_fence (__ATOMIC_ACQUIRE);
	return __atomic_load_n (&t->order, __ATOMIC_RELAXED) == order ? leave_out_past (t, out, n)
								      : PPI_MARKS_TORN;
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
