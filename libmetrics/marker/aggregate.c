/* SPDX-License-Identifier: MIT */
/*
 * aggregate.c: the sink `aggregate`: the time of each execution goes into the thread's entry of the
 * group that its dimensions make, in each aggregate that its site is in (tables/aggregate.h).
 *
 * At a begin: strings become numbers, since they live only then, and the group is open from now on,
 * but where a dimension came late before. At the end the group is that, or the one of what came
 * meanwhile.
 */
#include "libmetrics/marker/aggregate.h"

#include "base/ticks.h"
#include "libmetrics/marker/record.h"
#include "libmetrics/marker/sink.h"
#include "libmetrics/region/drops.h"
#include "libmetrics/region/texts.h"
#include "libmetrics/tables/site.h"
#include "libmetrics/thread/aggregate.h"
#include "libmetrics/thread/frame.h"
#include "libmetrics/thread/thread.h"

#include <pp.h>
#include <string.h>

static struct ppi_aggregate_words *own_of (const struct ppi_op *op, const uint64_t *words)
{
	return (struct ppi_aggregate_words
			*) (void *) (uintptr_t) &words[op->words - PPI_AGGREGATE_WORDS];
}

static uint64_t text_number (struct ppi_thread *t, const char *text)
{
	struct ppi_lane *lane = ppi_lane_of (t);

	return lane ? ppi_lane_text (lane, text) : ppi_text_number_of (text);
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Its value of key K; the type is NONE where it has none. */
static unsigned value_of (struct ppi_thread *t, const struct ppi_aggregate_words *own,
			  const uint64_t *words, unsigned k, const pp_site *site, uint64_t *value)
{
	const struct ppi_aggregate_set *set = own->set;
	unsigned late = ppi_late_type (own, k);

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
	*value = text_number (t, site->name);
	return PP_ABI_VALUE_STRING;
}

/* Of aggregate I of the set; 0: it is in the rest, as strings are that there was no number for. */
static uint32_t group_of (struct ppi_thread *t, const struct ppi_aggregate_words *own,
			  const uint64_t *words, unsigned i, const pp_site *site)
{
	const struct ppi_aggregate *a = own->set->at[i].aggregate;
	struct ppi_groups *groups = __atomic_load_n (&a->groups, __ATOMIC_ACQUIRE);
	struct ppi_group_key key = {0};

	for (unsigned k = 0; k < a->dims; k++) {
		key.type[k] = (uint8_t) value_of (t, own, words, own->set->at[i].key[k], site,
						  &key.value[k]);
		if (key.type[k] == PP_ABI_VALUE_STRING && key.value[k] == PPI_TEXT_OTHER)
			return 0;
	}
	return groups ? ppi_group_of (a, groups, &key) : 0;
}

/* ---- begin ----------------------------------------------------------------------------------- */

/* Will a value of aggregate I come later, by what came so far at this site? */
static bool is_awaited (const struct ppi_aggregate_words *own, unsigned i)
{
	const struct ppi_aggregate_set *set = own->set;

	for (unsigned n = 0; n < set->at[i].aggregate->dims; n++) {
		unsigned k = set->at[i].key[n];

		if (ppi_load (&set->key[k].is_late) && !ppi_late_type (own, k))
			return true;
	}
	return false;
}

/*
 * It is in the group of aggregate I from now on, if that is known. Only what is on the thread's own
 * stack is.
 */
static void open_group (struct ppi_thread *t, struct ppi_aggregate_words *own,
			const uint64_t *words, unsigned i, const pp_site *site)
{
	uint32_t group;

	if (t->segment != &t->own || t->in_span || is_awaited (own, i))
		return;
	group = group_of (t, own, words, i, site);
	if (group)
		ppi_aggregate_open (t, own, i, group);
}

static void number_strings (struct ppi_thread *t, const struct ppi_aggregate_set *set,
			    uint64_t *words)
{
	for (uint32_t k = 0; k < set->keys; k++) {
		uint64_t *word = &words[set->key[k].capture];
		const char *text = (const char *) (uintptr_t) *word;

		if (set->key[k].from != PPI_KEY_CAPTURED ||
		    set->key[k].type != PP_ABI_VALUE_STRING ||
		    (int64_t) *word == PP_ABI_NOT_CAPTURED)
			continue;
		ppi_store (word, text ? text_number (t, text) : (uint64_t) PP_ABI_NOT_CAPTURED);
	}
}

static void begin (struct ppi_thread *t, const struct ppi_op *op, const struct ppi_plan *plan,
		   uint64_t *words)
{
	const pp_site *site = plan->site;
	struct ppi_aggregate_words *own = own_of (op, words);
	const struct ppi_aggregate_set *set = __atomic_load_n (&site->aggregates, __ATOMIC_ACQUIRE);

	ppi_store (&own->set, set);
	ppi_store (&own->late, 0);
	ppi_store (&own->open, 0);
	if (!set)
		return;
	number_strings (t, set, words);
	for (uint32_t i = 0; i < set->n; i++) {
		ppi_store (&own->inner[i], 0);
		if (site->kind != PP_ABI_SITE_POINT && !t->in_event)
			open_group (t, own, words, i, site);
	}
}

/* ---- end ------------------------------------------------------------------------------------- */

static void take (struct ppi_thread *t, const struct ppi_op *op, const struct ppi_taken *taken)
{
	struct ppi_frame *f = (struct ppi_frame *) (uintptr_t) taken->frame;
	struct ppi_aggregate_words *own = own_of (op, taken->values);
	const pp_site *site = taken->plan->site;
	uint64_t begun = f ? ppi_load (&f->begin_ticks) : taken->now,
		 ticks = taken->now > begun ? taken->now - begun : 0;

	if (!own->set)
		return;
	for (uint32_t i = 0; i < own->set->n; i++) {
		struct ppi_aggregated it = {
			.site = site->id,
			.group = own->open >> i & 1 ? 0 : group_of (t, own, taken->values, i, site),
			.ticks = ticks,
			.self_ticks = ticks > own->inner[i] ? ticks - own->inner[i] : 0,
			.now = taken->now,
			.nests = f && taken->home != PPI_HOME_SPAN};

		ppi_aggregate_add (t, own, i, &it);
	}
	if (f && taken->home != PPI_HOME_SPAN)
		ppi_aggregate_tell (t, f, taken->home, ticks);
}

const struct ppi_sink ppi_sink_aggregate = {.name = "aggregate",
					    .captures = true,
					    .late = true,
					    .own_words = PPI_AGGREGATE_WORDS,
					    .begin = begin,
					    .take = take};

/* ---- dimensions from calls ------------------------------------------------------------------- */

bool ppi_aggregate_dim (struct ppi_thread *t, struct ppi_frame *f, const struct pp_event_dim *dim)
{
	const struct ppi_plan *plan = f->plan;
	struct ppi_aggregate_words *own = plan->aggregate ? ppi_aggregate_words (f) : NULL;
	uint64_t value = dim->value;
	unsigned k = 0;

	if (!own || !own->set || !dim->key || dim->type <= PP_ABI_VALUE_NONE ||
	    dim->type > PP_ABI_VALUE_STRING)
		return false;
	while (k < own->set->keys && strcmp (own->set->key[k].name, dim->key) != 0)
		k++;
	if (k == own->set->keys)
		return false;
	if (dim->type == PP_ABI_VALUE_STRING) {
		if (!value)
			return true;
		value = text_number (t, (const char *) (uintptr_t) value);
	}
	if (!t->in_event)
		/* a site's dimensions are told apart for good; the next executions wait for it */
		ppi_store ((uint8_t *) (uintptr_t) &own->set->key[k].is_late, 1);
	/* what is in a group by that already isn't any more: which one it will be is late now */
	for (uint32_t i = 0; i < own->set->n; i++)
		for (unsigned n = 0; n < own->set->at[i].aggregate->dims; n++)
			if (own->set->at[i].key[n] == k && own->open >> i & 1)
				ppi_aggregate_close (t, own, i);
	ppi_store (&own->value[k], value);
	ppi_store (&own->late, (own->late & ~(15u << 4 * k)) | dim->type << 4 * k);
	return true;
}

void ppi_aggregate_begun (struct ppi_thread *t, struct ppi_frame *f)
{
	const struct ppi_plan *plan = f->plan;
	struct ppi_aggregate_words *own = plan->aggregate ? ppi_aggregate_words (f) : NULL;

	for (uint32_t i = 0; own && own->set && i < own->set->n; i++)
		open_group (t, own, ppi_frame_values (f) + plan->ops[plan->aggregate - 1].value, i,
			    plan->site);
}
