/* SPDX-License-Identifier: MIT */
/* aggregate.c: which execution is in which; see aggregate.h. General registers only, no libc. */
#include "libmetrics/thread/aggregate.h"

#include "base/ticks.h"
#include "libmetrics/thread/frame.h"
#include "libmetrics/thread/opened.h"

static const struct ppi_plan *plan_of (const struct ppi_frame *f)
{
	return f->plan;
}

struct ppi_aggregate_words *ppi_aggregate_words (struct ppi_frame *f)
{
	const struct ppi_op *op = &plan_of (f)->ops[plan_of (f)->aggregate - 1];

	return (struct ppi_aggregate_words *) (void *) &ppi_frame_values (
		f)[op->value + op->words - PPI_AGGREGATE_WORDS];
}

/* The place of aggregate A in the set of F; -1: F does not go there. */
static int place_in (struct ppi_frame *f, const struct ppi_aggregate *a)
{
	const struct ppi_plan *plan = plan_of (f);
	const struct ppi_aggregate_set *set;

	if (!plan || !plan->aggregate || f->tag == PPI_TAG_STALE)
		return -1;
	set = ppi_aggregate_words (f)->set;
	for (uint32_t i = 0; set && i < set->n; i++)
		if (set->at[i].aggregate == a)
			return (int) i;
	return -1;
}

static bool is_within (const struct ppi_segment *s, uintptr_t sp)
{
	return sp - s->lo < s->span;
}

/*
 * Of F and those behind it, on the stack ON where that is not NULL: the first that goes to A, and
 * began before BEGUN.
 */
static struct ppi_frame *look (struct ppi_frame *f, const struct ppi_aggregate *a, uint64_t begun,
			       const struct ppi_segment *on)
{
	/* the sentinel's is larger than any */
	while (f && f->sp != UINTPTR_MAX &&
	       !(f->begin_ticks <= begun &&
		 (!on || f->sp >= PPI_OPENED_EVENTS || is_within (on, f->sp)) &&
		 place_in (f, a) >= 0))
		f = f->prev;
	return f && f->sp != UINTPTR_MAX ? f : NULL;
}

/* Among frames of markers and of calls, that which began last is the inner one. */
static struct ppi_frame *around (const struct ppi_thread *t, struct ppi_frame *f,
				 enum ppi_home home, const struct ppi_aggregate *a)
{
	struct ppi_frame *calls = t->opened ? t->opened->list[PPI_OPENED_CALLS].top : NULL,
			 *marker = NULL;

	if (home == PPI_HOME_SPAN)
		return NULL;
	if (home == PPI_HOME_STACK)
		marker = look (f->prev, a, f->begin_ticks, NULL);
	else
		marker = look (t->hot->top, a, f->begin_ticks, NULL);
	if (home == PPI_HOME_CALLS)
		calls = f->prev;
	if (ppi_unlikely (calls != NULL))
		calls = look (calls, a, f->begin_ticks, t->segment);
	return !marker || (calls && calls->begin_ticks > marker->begin_ticks) ? calls : marker;
}

void ppi_aggregate_tell (struct ppi_thread *t, struct ppi_frame *f, enum ppi_home home,
			 uint64_t ticks)
{
	const struct ppi_aggregate_set *set = ppi_aggregate_words (f)->set;

	for (uint32_t i = 0; i < set->n; i++) {
		const struct ppi_aggregate *a = set->at[i].aggregate;
		struct ppi_frame *outer = around (t, f, home, a);
		struct ppi_aggregate_words *its;
		int at;

		if (!outer)
			continue;
		its = ppi_aggregate_words (outer);
		at = place_in (outer, a);
		/*
		 * where there was a frame a moment ago: who looks for open ones may read it still
		 */
		ppi_store (&its->inner[at], its->inner[at] + ticks);
	}
}

void ppi_aggregate_give (struct ppi_thread *t, struct ppi_frame *f, enum ppi_home home)
{
	const struct ppi_plan *plan = plan_of (f);
	struct ppi_aggregates_open *open = (struct ppi_aggregates_open *) t->aggregates;
	struct ppi_aggregate_words *own;

	if (!plan || !plan->aggregate)
		return;
	own = ppi_aggregate_words (f);
	if (open && own->set)
		ppi_aggregate_forget (open, own);
	for (uint32_t i = 0; own->set && i < own->set->n; i++) {
		const struct ppi_aggregate *a = own->set->at[i].aggregate;
		struct ppi_frame *outer = own->inner[i] ? around (t, f, home, a) : NULL;
		struct ppi_aggregate_words *its = outer ? ppi_aggregate_words (outer) : NULL;
		int at = outer ? place_in (outer, a) : 0;

		/* what ran in it ran in the one around it */
		if (its)
			ppi_store (&its->inner[at], its->inner[at] + own->inner[i]);
		if (own->open >> i & 1)
			ppi_aggregate_close (t, own, i);
	}
}
