/* SPDX-License-Identifier: MIT */
/*
 * feature.c: the sink `feature`: what is the own time of each mark and antimark goes into the
 * thread's table (thread/feature.h). General registers only, no libc.
 */
#include "base/atomic.h"
#include "base/ticks.h"
#include "libmetrics/marker/sink.h"
#include "libmetrics/tables/site.h"
#include "libmetrics/thread/feature.h"
#include "libmetrics/thread/frame.h"
#include "libmetrics/thread/rich.h"
#include "libmetrics/thread/text.h"
#include "recording/layout.h"

static void add (uint64_t *to, uint64_t n)
{
	ppi_store (to, *to + n);
}

/* Is it the turn of one that is timed, of which there are UNTIL until then? */
static bool is_looked_at (uint32_t *until)
{
	/* 0: a handler left the one that was to be timed */
	if (*until > 1) {
		--*until;
		return false;
	}
	*until = PPI_FEATURE_LOOK_EVERY;
	return true;
}

static void look (uint64_t *n, uint64_t *ticks, uint64_t from)
{
	uint64_t took = ppi_ticks_in_order () - from;

	if (took > PPI_FEATURE_LOOK_MOST)
		return;
	add (ticks, took);
	add (n, 1);
}

/* What the site captured becomes a number. */
static void find_payload (struct ppi_thread *t, const struct ppi_op *op,
			  const struct ppi_plan *plan, uint64_t *words)
{
	if (ppi_site_is_rich (plan->site)) {
		ppi_store (&words[0], ppi_rich_number (t, plan, words));
	} else if (op->words > PPI_FEATURE_WORDS && plan->site->value == PP_ABI_VALUE_STRING &&
		   (int64_t) words[0] != PP_ABI_NOT_CAPTURED) {
		const char *text = (const char *) (uintptr_t) words[0];

		ppi_store (&words[0], text ? ppi_thread_text_number (t, text)
					   : (uint64_t) PP_ABI_NOT_CAPTURED);
	}
}

static void begin (struct ppi_thread *t, const struct ppi_op *op, const struct ppi_plan *plan,
		   uint64_t *words)
{
	struct ppi_feature_open *table = ppi_feature_open_of (t);
	struct ppi_feature_words *own = (void *) &words[op->words - PPI_FEATURE_WORDS];
	bool looked_at = table && is_looked_at (&table->until_head);
	uint64_t from = looked_at ? ppi_ticks_in_order () : 0;

	find_payload (t, op, plan, words);
	if (looked_at)
		look (&table->first->heads, &table->first->head_ticks, from);
	ppi_store (&own->ticks, 0);
	ppi_store (&own->pairs, 0);
	ppi_store (&own->children, 0);
	ppi_store (&own->before, table ? table->pairs : 0);
	if (!table)
		return;
	table->open[plan->site->feature % PPI_FEATURE_OPEN]++;
	add (&table->first->begun, 1);
}

static void take (struct ppi_thread *t, const struct ppi_op *op, const struct ppi_taken *taken)
{
	struct ppi_frame *f = (struct ppi_frame *) (uintptr_t) taken->frame;
	struct ppi_feature_open *table = t->features ? ppi_feature_open_of (t) : NULL;
	const struct ppi_feature_words *own;
	struct ppi_feature_entry *entry;
	uint64_t begun, ticks, pairs;

	(void) op;
	if (!f || !table)
		return;
	own = ppi_feature_words (f);
	begun = ppi_load (&f->begin_ticks);
	ticks = taken->now > begun ? taken->now - begun : 0;
	pairs = table->pairs - own->before;
	ppi_feature_tell (t, f, taken->home, ticks, pairs);
	table->pairs++;
	entry = ppi_feature_entry_of (t, f);
	if (entry) {
		add (&entry->ticks, ticks > own->ticks ? ticks - own->ticks : 0);
		add (&entry->pairs, pairs - own->pairs);
		add (&entry->children, own->children);
		add (&entry->n, 1);
	}
	ppi_store (&table->first->last_ticks, taken->now);
	add (&table->first->by_c, taken->plan->site->id != PPI_FEATURE_OWN);
	if (entry && is_looked_at (&table->until_tail))
		look (&entry->tails, &entry->tail_ticks, taken->now);
}

const struct ppi_sink ppi_sink_feature = {.name = "feature",
					  .captures = true,
					  .is_plain = true,
					  .own_words = PPI_FEATURE_WORDS,
					  .intervals_only = true,
					  .begin = begin,
					  .take = take};
