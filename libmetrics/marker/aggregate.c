/* SPDX-License-Identifier: MIT */
/*
 * aggregate.c: the sink `aggregate`: the time of each execution goes into the thread's entry of the
 * group that its dimensions make, in each aggregate that its site is in (tables/aggregate.h).
 *
 * At a begin: strings become numbers, since they live only then. The group is that of these values,
 * looked up when the next execution begins in it, or at its end (thread/aggregate.h); where a
 * dimension came late before, that of what came meanwhile. General registers only, no libc.
 */
#include "libmetrics/marker/aggregate.h"

#include "base/ticks.h"
#include "libmetrics/marker/sink.h"
#include "libmetrics/region/drops.h"
#include "libmetrics/region/texts.h"
#include "libmetrics/tables/site.h"
#include "libmetrics/thread/aggregate.h"
#include "libmetrics/thread/frame.h"
#include "libmetrics/thread/text.h"
#include "libmetrics/thread/thread.h"

#include <pp.h>

static inline struct ppi_aggregate_words *own_of (const struct ppi_op *op, const uint64_t *words)
{
	return (struct ppi_aggregate_words
			*) (void *) (uintptr_t) &words[op->words - PPI_AGGREGATE_WORDS];
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Its value of key K; the type is NONE where it has none. */
static inline unsigned value_of (struct ppi_thread *t, const struct ppi_aggregate_words *own,
				 const uint64_t *words, unsigned k, const pp_site *site,
				 uint64_t *value)
{
	const struct ppi_aggregate_set *set = own->set;
	unsigned late = ppi_likely (!own->late) ? 0 : ppi_late_type (own, k);

	*value = 0;
	if (ppi_unlikely (late)) {
		*value = own->value[k];
		return late;
	}
	if (ppi_likely (set->key[k].from == PPI_KEY_CAPTURED)) {
		if ((int64_t) words[set->key[k].capture] == PP_ABI_NOT_CAPTURED)
			return PP_ABI_VALUE_NONE;
		*value = words[set->key[k].capture];
		return set->key[k].type;
	}
	if (set->key[k].from == PPI_KEY_UNKNOWN)
		return PP_ABI_VALUE_NONE;
	*value = ppi_thread_text_number (t, site->name);
	return PP_ABI_VALUE_STRING;
}

/* Of any execution; false: it is in the rest, as strings are that there was no number for. */
static __attribute__ ((noinline)) bool key_of_any (struct ppi_thread *t,
						   const struct ppi_aggregate_words *own,
						   const uint64_t *words, unsigned i,
						   const pp_site *site, struct ppi_group_key *key)
{
	const struct ppi_aggregate *a = own->set->at[i].aggregate;

	*key = (struct ppi_group_key){.types = 0};
	for (unsigned k = 0; k < a->dims; k++) {
		key->type[k] = (uint8_t) value_of (t, own, words, own->set->at[i].key[k], site,
						   &key->value[k]);
		if (key->type[k] == PP_ABI_VALUE_STRING && key->value[k] == PPI_TEXT_OTHER)
			return false;
	}
	return true;
}

/* Of aggregate I of the set: the usual case is that the site captured all, and all is known. */
static inline bool key_of (struct ppi_thread *t, const struct ppi_aggregate_words *own,
			   const uint64_t *words, unsigned i, const pp_site *site,
			   struct ppi_group_key *key)
{
	const struct ppi_aggregate_set *set = own->set;
	unsigned dims = set->at[i].aggregate->dims;
	bool is_usual = set->at[i].is_captured && !own->late;

	*key = set->at[i].like;
	for (unsigned k = 0; is_usual && k < dims; k++) {
		uint64_t value = words[set->at[i].capture[k]];

		key->value[k] = value;
		is_usual = (int64_t) value != PP_ABI_NOT_CAPTURED &&
			   (key->type[k] != PP_ABI_VALUE_STRING || value != PPI_TEXT_OTHER);
	}
	return ppi_likely (is_usual) || key_of_any (t, own, words, i, site, key);
}

/* ---- begin ----------------------------------------------------------------------------------- */

/* Keys whose values came late at this site before, and have not come to OWN yet. */
static inline uint32_t awaited (const struct ppi_aggregate_words *own)
{
	uint32_t mask = ppi_load (&own->set->late);

	for (unsigned k = 0; own->late && k < PPI_SET_KEYS; k++)
		mask &= ~(ppi_late_type (own, k) ? 1u << k : 0);
	return mask;
}

/*
 * It is in its groups from now on, as far as these are known. Only what is on the thread's own
 * stack is.
 */
static inline void wait_for_groups (struct ppi_thread *t, struct ppi_aggregates_open *open,
				    struct ppi_aggregate_words *own, const uint64_t *words,
				    const pp_site *site)
{
	const struct ppi_aggregate_set *set = own->set;
	uint32_t missing = awaited (own), bits = 0;

	if (t->segment != &t->own || t->in_span)
		return;
	for (uint32_t i = 0; i < set->n; i++)
		bits |= (uint32_t) !(set->at[i].mask & missing) << i;
	if (!bits)
		return;
	ppi_store (&own->open, own->open | bits);
	open->waiting = own;
	open->captured = words;
	open->site = site;
}

/* What waits is in its groups, since something begins in it. */
static __attribute__ ((noinline)) void settle (struct ppi_thread *t,
					       struct ppi_aggregates_open *open)
{
	struct ppi_aggregate_words *own = open->waiting;

	open->waiting = NULL;
	for (uint32_t i = 0; i < own->set->n; i++) {
		struct ppi_group_key key;

		if (!(own->open >> i & 1))
			continue;
		ppi_store (&own->open, own->open & ~(1u << i));
		if (key_of (t, own, open->captured, i, open->site, &key))
			ppi_aggregate_open (t, own, i, &key);
	}
}

static inline void number_strings (struct ppi_thread *t, const struct ppi_aggregate_set *set,
				   uint64_t *words)
{
	for (uint32_t k = 0; k < set->texts; k++) {
		uint64_t *word = &words[set->text[k]];
		const char *text = (const char *) (uintptr_t) *word;

		if ((int64_t) *word != PP_ABI_NOT_CAPTURED)
			ppi_store (word, text ? ppi_thread_text_number (t, text)
					      : (uint64_t) PP_ABI_NOT_CAPTURED);
	}
}

static void begin (struct ppi_thread *t, const struct ppi_op *op, const struct ppi_plan *plan,
		   uint64_t *words)
{
	const pp_site *site = plan->site;
	struct ppi_aggregate_words *own = own_of (op, words);
	const struct ppi_aggregate_set *set = __atomic_load_n (&site->aggregates, __ATOMIC_ACQUIRE);
	struct ppi_aggregates_open *open;

	ppi_store (&own->set, set);
	ppi_store (&own->late, 0);
	ppi_store (&own->open, 0);
	if (!set)
		return;
	open = ppi_aggregates_of (t);
	number_strings (t, set, words);
	for (uint32_t i = 0; i < set->n; i++)
		ppi_store (&own->inner[i], 0);
	if (site->kind == PP_ABI_SITE_POINT || !open || t->in_span)
		return;
	if (open->waiting)
		settle (t, open);
	ppi_store (&own->open, PPI_AGGREGATE_COUNTED);
	open->frames++;
	if (!t->in_event)
		wait_for_groups (t, open, own, words, site);
}

void ppi_aggregate_begun (struct ppi_thread *t, struct ppi_frame *f)
{
	const struct ppi_plan *plan = f->plan;
	struct ppi_aggregate_words *own = plan->aggregate ? ppi_aggregate_words (f) : NULL;
	struct ppi_aggregates_open *open = own && own->set ? ppi_aggregates_of (t) : NULL;

	if (open)
		wait_for_groups (t, open, own,
				 ppi_frame_values (f) + plan->ops[plan->aggregate - 1].value,
				 plan->site);
}

/* ---- end ------------------------------------------------------------------------------------- */

static void take (struct ppi_thread *t, const struct ppi_op *op, const struct ppi_taken *taken)
{
	struct ppi_frame *f = (struct ppi_frame *) (uintptr_t) taken->frame;
	struct ppi_aggregate_words *own = own_of (op, taken->values);
	const pp_site *site = taken->plan->site;
	uint64_t begun = f ? ppi_load (&f->begin_ticks) : taken->now,
		 ticks = taken->now > begun ? taken->now - begun : 0;
	bool nests = f && taken->home != PPI_HOME_SPAN, waited;
	struct ppi_aggregates_open *open;

	if (!own->set)
		return;
	open = ppi_aggregates_of (t);
	waited = open && nests && open->waiting == own;
	if (waited)
		open->waiting = NULL;
	for (uint32_t i = 0; i < own->set->n; i++) {
		bool is_in = own->open >> i & 1;
		struct ppi_group_key key;
		struct ppi_aggregated it = {
			.site = site->id,
			.key = !(is_in && !waited) && key_of (t, own, taken->values, i, site, &key)
				       ? &key
				       : NULL,
			.is_leaf = is_in && waited,
			.ticks = ticks,
			.self_ticks = ticks > own->inner[i] ? ticks - own->inner[i] : 0,
			.now = taken->now,
			.nests = nests};

		ppi_aggregate_add (t, own, i, &it);
	}
	if (!nests)
		return;
	if (open)
		ppi_aggregate_forget (open, own);
	if (!open || open->frames)
		ppi_aggregate_tell (t, f, taken->home, ticks);
}

const struct ppi_sink ppi_sink_aggregate = {.name = "aggregate",
					    .captures = true,
					    .is_plain = true,
					    .late = true,
					    .own_words = PPI_AGGREGATE_WORDS,
					    .begin = begin,
					    .take = take};
