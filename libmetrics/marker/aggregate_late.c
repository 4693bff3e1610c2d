/* SPDX-License-Identifier: MIT */
/* aggregate_late.c: dimensions of executions in groups that come from calls; see aggregate.h. */
#include "libmetrics/marker/aggregate.h"

#include "base/dims.h"
#include "libmetrics/marker/record.h"
#include "libmetrics/region/texts.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/thread/aggregate.h"
#include "libmetrics/thread/frame.h"
#include "libmetrics/thread/text.h"
#include "libmetrics/thread/thread.h"

#include <pp.h>
#include <string.h>

/*
 * OWN is in none of the groups any more that it is in by key K: which one it will be is late now.
 */
static void leave_groups (struct ppi_thread *t, struct ppi_aggregate_words *own, unsigned k)
{
	struct ppi_aggregates_open *open = ppi_aggregates_of (t);

	for (uint32_t i = 0; i < own->set->n; i++) {
		if (!(own->set->at[i].mask >> k & 1 && own->open >> i & 1))
			continue;
		if (open && open->waiting == own)
			ppi_store (&own->open, own->open & ~(1u << i));
		else
			ppi_aggregate_close (t, own, i);
	}
}

/* Key K of OWN has this value, a string's number. */
static void set (struct ppi_thread *t, struct ppi_aggregate_words *own, unsigned k, unsigned type,
		 uint64_t value)
{
	if (!t->in_event)
		/* a site's dimensions are told apart for good; the next executions wait for it */
		__atomic_fetch_or ((uint32_t *) (uintptr_t) &own->set->late, 1u << k,
				   __ATOMIC_RELAXED);
	leave_groups (t, own, k);
	ppi_store (&own->value[k], value);
	ppi_store (&own->late, (own->late & ~(15u << 4 * k)) | type << 4 * k);
}

/* The place of that key in what OWN goes to; -1: nothing is told apart by it. */
static int key_of (const struct ppi_aggregate_words *own, const char *name)
{
	for (unsigned k = 0; k < own->set->keys; k++)
		if (strcmp (own->set->key[k].name, name) == 0)
			return (int) k;
	return -1;
}

void ppi_aggregate_late (struct ppi_thread *t, struct ppi_frame *f, const struct ppi_late *late)
{
	const struct ppi_plan *plan = f->plan;
	struct ppi_aggregate_words *own = plan->aggregate ? ppi_aggregate_words (f) : NULL;
	char name[PPI_TEXT_MOST + 1];
	int k;

	if (!own || !own->set || !ppi_text_copy (late->key, name))
		return;
	k = key_of (own, name);
	if (k >= 0)
		set (t, own, (unsigned) k, late->type, late->value);
}

bool ppi_aggregate_dim (struct ppi_thread *t, struct ppi_frame *f, const struct pp_event_dim *dim)
{
	const struct ppi_plan *plan = f->plan;
	struct ppi_aggregate_words *own = plan->aggregate ? ppi_aggregate_words (f) : NULL;
	uint64_t value = dim->value;
	int k;

	if (!own || !own->set || !dim->key || !ppi_is_value (dim->type))
		return false;
	k = key_of (own, dim->key);
	if (k < 0)
		return false;
	if (dim->type == PP_ABI_VALUE_STRING) {
		const char *text = (const char *) (uintptr_t) value;

		if (!text)
			return true;
		value = ppi_thread_text_number (t, text);
	}
	set (t, own, (unsigned) k, dim->type, value);
	return true;
}
