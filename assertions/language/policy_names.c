/* SPDX-License-Identifier: MIT */
/* policy_names.c: see policy_names.h. */
#include "assertions/language/policy_names.h"

#include "base/hash.h"
#include "base/types.h"
#include "libmetrics/keep/accumulator.h"
#include "libmetrics/source/source.h"

#include <stdlib.h>
#include <string.h>

static bool each (const struct ppi_names *self, enum ppi_name_kind kind,
		  bool (*fn) (const char *name, void *arg), void *arg)
{
	const struct ppi_policy_names *inner = (const struct ppi_policy_names *) self;
	const struct ppi_policy *policy = inner->policy;

	for (size_t i = 0; kind == PPI_NAME_METRIC && i < policy->n_metrics; i++)
		if (fn (policy->metrics[i].name->scalar, arg))
			return true;
	for (size_t i = 0; kind == PPI_NAME_METRIC && i < policy->n_composites; i++)
		if (fn (policy->composites[i].name->scalar, arg))
			return true;
	for (size_t i = 0; kind == PPI_NAME_ASSERTION && i < policy->n_assertions; i++)
		if (fn (policy->assertions[i].name->scalar, arg))
			return true;
	return inner->outer->each (inner->outer, kind, fn, arg);
}

struct walk {
	bool (*fn) (const char *name, void *arg);
	void *arg;
	bool done;
};

static void walk_source (const struct ppi_source *source, void *arg)
{
	struct walk *walk = arg;

	walk->done = walk->done || walk->fn (source->name, walk->arg);
}

bool ppi_names_each_source (bool (*fn) (const char *name, void *arg), void *arg)
{
	struct walk walk = {fn, arg, false};

	ppi_source_each (walk_source, &walk);
	return walk.done;
}

static size_t slot_of (const struct ppi_policy_names *names, const char *name)
{
	return ppi_hash (name, strlen (name), 0) & (names->n_slots - 1);
}

const struct ppi_policy_metric *ppi_policy_own_metric (const struct ppi_policy_names *names,
						       const char *name)
{
	const struct ppi_policy_metric *metrics = names->policy->metrics;

	if (!names->slot)
		return ppi_policy_metric (names->policy, name);
	for (size_t at = slot_of (names, name); names->slot[at];
	     at = (at + 1) & (names->n_slots - 1))
		if (strcmp (metrics[names->slot[at] - 1].name->scalar, name) == 0)
			return &metrics[names->slot[at] - 1];
	return NULL;
}

static bool is_time (const struct ppi_policy_metric *m)
{
	return m->kind == PP_ABI_SITE_INTERVAL && m->scope == PPI_SCOPE_TOTAL && !m->combine &&
	       !m->corrected && m->source && strcmp (m->source->scalar, "elapsed") == 0;
}

static bool metric (const struct ppi_names *self, const char *name, struct ppi_name_metric *out)
{
	const struct ppi_policy_names *inner = (const struct ppi_policy_names *) self;
	const struct ppi_policy_metric *own = ppi_policy_own_metric (inner, name);

	if (!own)
		return inner->outer->metric (inner->outer, name, out);
	*out = (struct ppi_name_metric){
		own->accumulator,
		ppi_keeps (own->accumulator, PPI_KEEPS_ANY) ? own->unit : PPI_UNIT_PLAIN,
		own->kind,
		false,
		own->source ? own->source->scalar : NULL,
		own->window_ns,
		is_time (own)};
	return true;
}

static int site (const struct ppi_names *self, const char *pattern, unsigned kind, char *why,
		 size_t room)
{
	const struct ppi_names *outer = ((const struct ppi_policy_names *) self)->outer;

	return outer->site (outer, pattern, kind, why, room);
}

static const char *composite (const struct ppi_names *self, const char *name)
{
	const struct ppi_policy_names *inner = (const struct ppi_policy_names *) self;
	const char *own = ppi_policy_composite (inner->policy, name);

	if (own || ppi_policy_own_metric (inner, name) || !inner->outer->composite)
		return own;
	return inner->outer->composite (inner->outer, name);
}

static int statistic (const struct ppi_names *self, const char *name, int *power)
{
	const struct ppi_names *outer = ((const struct ppi_policy_names *) self)->outer;

	return outer->statistic ? outer->statistic (outer, name, power) : -1;
}

static int baseline (const struct ppi_names *self, const char *name, const char *site,
		     struct ppi_name_metric *out, char *why, size_t room)
{
	const struct ppi_policy_names *inner = (const struct ppi_policy_names *) self;

	/* that it can't be read was told; nothing follows from it */
	if (!inner->baseline)
		return PP_EIO;
	return ppi_baseline_metric (inner->baseline, name, site ? site : inner->at, out, why, room);
}

static double baseline_value (const struct ppi_names *self, const char *name, const char *site,
			      int statistic)
{
	const struct ppi_policy_names *inner = (const struct ppi_policy_names *) self;

	return ppi_baseline_value (inner->baseline, name, site ? site : inner->at,
				   (enum pp_statistic) statistic);
}

static bool aggregates (const struct ppi_names *self,
			bool (*fn) (const struct ppi_name_aggregate *aggregate, void *arg),
			void *arg)
{
	const struct ppi_policy_names *inner = (const struct ppi_policy_names *) self;
	const struct ppi_policy_events *events = &inner->policy->events;

	for (size_t i = 0; i < events->aggregates; i++) {
		const struct ppi_policy_aggregate *own = &events->aggregate[i];
		struct ppi_name_aggregate a = {.dims = (unsigned) own->dims,
					       .accumulator = own->keep == PPI_AGGREGATE_HISTOGRAM
								      ? PPI_HISTOGRAM
								      : PPI_STATS};

		for (size_t k = 0; k < own->dims; k++)
			a.by[k] = own->by[k]->scalar;
		if (fn (&a, arg))
			return true;
	}
	return inner->outer->aggregates && inner->outer->aggregates (inner->outer, fn, arg);
}

static void make_slots (struct ppi_policy_names *names)
{
	size_t at;

	names->n_slots = 64;
	while (names->n_slots < 2 * names->policy->n_metrics)
		names->n_slots *= 2;
	names->slot = calloc (names->n_slots, sizeof *names->slot);
	for (size_t i = 0; names->slot && i < names->policy->n_metrics; i++) {
		for (at = slot_of (names, names->policy->metrics[i].name->scalar); names->slot[at];)
			at = (at + 1) & (names->n_slots - 1);
		names->slot[at] = (uint32_t) i + 1;
	}
}

void ppi_policy_names_open (struct ppi_policy_names *names, const struct ppi_policy *policy,
			    const struct ppi_names *outer)
{
	*names = (struct ppi_policy_names){.names = {each, metric, site, outer->fits, outer->source,
						     outer->owner, NULL, NULL, composite,
						     outer->knob, statistic, aggregates,
						     outer->grows, outer->has_unknown_metrics},
					   .outer = outer,
					   .policy = policy};
	make_slots (names);
}

void ppi_policy_names_close (struct ppi_policy_names *names)
{
	ppi_baseline_close (names->baseline);
	free (names->slot);
}

int ppi_policy_names_baseline (struct ppi_policy_names *names, const char *file, char *why,
			       size_t room)
{
	names->names.baseline = baseline;
	names->names.baseline_value = baseline_value;
	return ppi_baseline_open (file, &names->baseline, why, room);
}
