/* SPDX-License-Identifier: MIT */
/* feature.c: see feature.h. General registers only, no libc. */
#include "libmetrics/thread/feature.h"

#include "base/ticks.h"
#include "libmetrics/tables/site.h"
#include "libmetrics/thread/frame.h"
#include "libmetrics/thread/opened.h"

static const struct ppi_plan *plan_of (const struct ppi_frame *f)
{
	return f->plan;
}

struct ppi_feature_words *ppi_feature_words (struct ppi_frame *f)
{
	return (struct ppi_feature_words *) (void *) ((char *) f + plan_of (f)->exact_at);
}

static struct ppi_feature_open *open_of (const struct ppi_thread *t)
{
	return (struct ppi_feature_open *) (void *) t->features;
}

/* F, which is dropped, had TICKS of its own. */
static void lose (struct ppi_thread *t, struct ppi_frame *f, uint64_t ticks)
{
	struct ppi_feature_entry *entry = ppi_feature_entry_of (t, f);

	if (!entry)
		return;
	ppi_store (&entry->lost, entry->lost + 1);
	ppi_store (&entry->lost_ticks, entry->lost_ticks + ticks);
}

static uint32_t *count_of (const struct ppi_thread *t, uint32_t feature)
{
	return &open_of (t)->open[feature % PPI_FEATURE_OPEN];
}

static bool is_around (const struct ppi_frame *f, uint32_t feature, uint64_t begun)
{
	const struct ppi_plan *plan = plan_of (f);

	return plan && plan->exact && f->tag != PPI_TAG_STALE && plan->site->feature == feature &&
	       f->begin_ticks <= begun;
}

static bool is_within (const struct ppi_segment *s, uintptr_t sp)
{
	return sp - s->lo < s->span;
}

/* Of F and those behind it, on the stack ON where that is not NULL: the first that is around. */
static struct ppi_frame *look (struct ppi_frame *f, uint32_t feature, uint64_t begun,
			       const struct ppi_segment *on)
{
	/* the sentinel's is larger than any */
	while (f && f->sp != UINTPTR_MAX &&
	       !(is_around (f, feature, begun) && (!on || is_within (on, f->sp))))
		f = f->prev;
	return f && f->sp != UINTPTR_MAX ? f : NULL;
}

/* Among frames of markers and of calls, that which began last is the inner one. */
static struct ppi_frame *around (const struct ppi_thread *t, struct ppi_frame *f,
				 enum ppi_home home)
{
	uint32_t feature = plan_of (f)->site->feature;
	struct ppi_frame *calls = t->opened ? t->opened->list[PPI_OPENED_CALLS].top : NULL,
			 *marker = NULL;

	if (home == PPI_HOME_SPAN || !feature)
		return NULL;
	if (home == PPI_HOME_STACK)
		marker = look (f->prev, feature, f->begin_ticks, NULL);
	else if (is_within (t->segment, f->sp))
		marker = look (t->hot->top, feature, f->begin_ticks, NULL);
	if (home == PPI_HOME_CALLS)
		calls = f->prev;
	if (calls && is_within (t->segment, f->sp))
		calls = look (calls, feature, f->begin_ticks, t->segment);
	else
		calls = NULL;
	return !marker || (calls && calls->begin_ticks > marker->begin_ticks) ? calls : marker;
}

void ppi_feature_tell (struct ppi_thread *t, struct ppi_frame *f, enum ppi_home home,
		       uint64_t ticks, uint64_t pairs)
{
	uint32_t *count = count_of (t, plan_of (f)->site->feature);
	struct ppi_frame *outer = *count > 1 ? around (t, f, home) : NULL;
	struct ppi_feature_words *its = outer ? ppi_feature_words (outer) : NULL;

	*count -= *count > 0;
	if (!its)
		return;
	/* where there was a frame a moment ago: who looks for open ones may read it still */
	ppi_store (&its->ticks, its->ticks + ticks);
	ppi_store (&its->pairs, its->pairs + pairs + 1);
	ppi_store (&its->children, its->children + 1);
}

void ppi_feature_give (struct ppi_thread *t, struct ppi_frame *f, enum ppi_home home)
{
	const struct ppi_plan *plan = plan_of (f);
	uint64_t begun = f->begin_ticks, now, ticks, in;

	if (!plan || !plan->exact || !t->features)
		return;
	now = ppi_ticks ();
	ticks = begun && now > begun ? now - begun : 0;
	in = ppi_feature_words (f)->ticks;
	lose (t, f, ticks > in ? ticks - in : 0);
	ppi_feature_tell (t, f, home, ticks, open_of (t)->pairs - ppi_feature_words (f)->before);
	/* those around it were told of it as of a pair */
	open_of (t)->pairs++;
}
