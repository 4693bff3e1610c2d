/* SPDX-License-Identifier: MIT */
/*
 * names.c: the names that exist in the running program: metrics, sources, sites, assertions,
 * knobs, callables, groups. What reads policies and expressions asks for them.
 */
#include "assertions/engine/names.h"

#include "assertions/engine/assertion.h"
#include "assertions/engine/callback.h"
#include "assertions/engine/knob.h"
#include "assertions/engine/policies.h"
#include "assertions/language/policy.h"
#include "assertions/language/policy_names.h"
#include "base/types.h"
#include "libmetrics/region/groups.h"
#include "libmetrics/registry/metric.h"
#include "libmetrics/registry/pattern.h"
#include "libmetrics/registry/site.h"
#include "libmetrics/source/metric_spec.h"
#include "libmetrics/source/operator.h"
#include "libmetrics/source/source.h"
#include "libmetrics/source/users_statistic.h"

#include <stdio.h>
#include <string.h>
struct walk {
	bool (*fn) (const char *name, void *arg);
	void *arg;
	bool done;
};

static void walk_metric (pp_metric *metric, void *arg)
{
	struct walk *walk = arg;

	walk->done = walk->done || walk->fn (pp_metric_name (metric), walk->arg);
}

static bool each (const struct ppi_names *self, enum ppi_name_kind kind,
		  bool (*fn) (const char *name, void *arg), void *arg)
{
	const struct ppi_loaded *without = ((const struct ppi_runtime_names *) self)->without;
	struct walk walk = {fn, arg, false};

	switch (kind) {
	case PPI_NAME_METRIC:
		ppi_metric_each (walk_metric, &walk);
		break;
	case PPI_NAME_SOURCE:
		return ppi_names_each_source (fn, arg);
	case PPI_NAME_ASSERTION:
		for (struct ppi_assertion *a = ppi_assertions; a && !walk.done; a = a->next)
			walk.done = (!without || a->policy != without) && fn (a->name, arg);
		break;
	case PPI_NAME_KNOB:
		for (struct ppi_knob *k = ppi_knob_first (); k && !walk.done; k = k->next)
			walk.done = k->record && fn (k->name, arg);
		break;
	case PPI_NAME_OPERATOR:
		return ppi_operator_each (fn, arg);
	case PPI_NAME_CALLABLE:
		for (struct ppi_callable *c = ppi_callable_first (); c && !walk.done; c = c->next)
			walk.done = c->record && fn (c->name, arg);
		break;
	case PPI_NAME_STATISTIC:
	case PPI_NAME_SITE:
		break; /* asked for otherwise */
	}
	return walk.done;
}

static bool is_time (const struct ppi_metric_spec *spec)
{
	return spec->kind == PP_ABI_SITE_INTERVAL && spec->scope == PPI_SCOPE_TOTAL &&
	       !spec->combine && !spec->corrected && spec->source &&
	       strcmp (spec->source, "elapsed") == 0;
}

static bool metric (const struct ppi_names *self, const char *name, struct ppi_name_metric *out)
{
	const pp_metric *m = pp_metric_find (name);
	const struct ppi_metric_spec *spec = m ? ppi_metric_spec_of (m) : NULL;

	(void) self;
	if (!spec || spec->computed)
		return false;
	*out = (struct ppi_name_metric){spec->accumulator, (uint8_t) ppi_metric_unit (m),
					spec->kind,        spec->has_arguments,
					spec->source,      spec->window_ns,
					is_time (spec)};
	return true;
}

struct counted {
	unsigned kind;
	int all, fitting;
	const pp_site *first, *second;
};

static int count_site (pp_site *site, void *arg)
{
	struct counted *counted = arg;

	counted->all++;
	counted->fitting +=
		!counted->kind || ppi_kind_fits (counted->kind, ppi_site_kind_of (site));
	if (!counted->first)
		counted->first = site;
	else if (!counted->second)
		counted->second = site;
	return 0;
}

static int site (const struct ppi_names *self, const char *pattern, unsigned kind, char *why,
		 size_t room)
{
	struct counted counted = {.kind = kind};

	(void) self;
	if (!ppi_pattern_valid (pattern, why, room))
		return PP_EINVAL;
	pp_site_each (pattern, count_site, &counted);
	if (counted.all > 1 && ppi_pattern_is_plain (pattern)) {
		snprintf (why, room,
			  "'%s' means %d sites, like %s and %s; say more of the name, or use a "
			  "pattern with *",
			  pattern, counted.all, pp_site_name (counted.first),
			  pp_site_name (counted.second));
		return PP_EAMBIGUOUS;
	}
	if (counted.all && !counted.fitting) {
		snprintf (why, room, "'%s' means %s, but the metric is for %ss", pattern,
			  ppi_kind_with_article (ppi_site_kind_of (counted.first)),
			  ppi_kind_name (kind));
		return PP_EKIND;
	}
	return counted.all;
}

static int source (const struct ppi_names *self, const char *text, unsigned kind, uint8_t *unit,
		   char *why, size_t room)
{
	const char *argument;
	const struct ppi_source *found = ppi_source_find (text, &argument);

	if (!found) {
		ppi_name_missing (self, PPI_NAME_SOURCE, text, why, room);
		return PP_ENOENT;
	}
	*unit = found->unit;
	if (ppi_source_check (found, argument, why, room) < 0)
		return PP_EINVAL;
	if (found->kinds >> (kind == PP_ABI_SITE_INTERVAL) & 1)
		return PP_OK;
	snprintf (why, room, "source '%s' is for %ss, not for %ss", text,
		  kind == PP_ABI_SITE_INTERVAL ? "point" : "interval",
		  kind == PP_ABI_SITE_INTERVAL ? "interval" : "point");
	return PP_EKIND;
}

static const char *owner (const struct ppi_names *self, enum ppi_name_kind kind, const char *name)
{
	const struct ppi_loaded *without = ((const struct ppi_runtime_names *) self)->without;

	if (kind == PPI_NAME_KNOB) {
		const struct ppi_knob *knob = ppi_knob_find (name);

		return knob && knob->owner && knob->owner != without ? knob->owner->policy->path
								     : NULL;
	}
	for (const struct ppi_assertion *a = ppi_assertions; a; a = a->next)
		if (strcmp (a->name, name) == 0 && (!without || a->policy != without))
			return a->policy ? a->policy->policy->path
					 : "the program's own expectations";
	return NULL;
}

static const char *composite (const struct ppi_names *self, const char *name)
{
	const struct ppi_loaded *without = ((const struct ppi_runtime_names *) self)->without;

	const pp_metric *m = pp_metric_find (name);
	const struct ppi_metric_spec *spec = m ? ppi_metric_spec_of (m) : NULL;
	bool is_replaced = without && ppi_policy_composite (without->policy, name) != NULL;

	/* what nobody declares any more, or only the policy that is replaced, is not there */
	return spec && spec->computed && ppi_metric_users (m) > is_replaced ? spec->source : NULL;
}

static bool knob (const struct ppi_names *self, const char *name, struct ppi_name_knob *out)
{
	const struct ppi_knob *found = ppi_knob_find (name);

	(void) self;
	if (!found || !found->record)
		return false;
	*out = (struct ppi_name_knob){found->record->type, found->record->min, found->record->max,
				      found->record->step, found->words};
	return true;
}

static int statistic (const struct ppi_names *self, const char *name, int *power)
{
	(void) self;
	return ppi_users_statistic (name, power);
}

/* How often the policy that is replaced asks for A. */
static uint32_t asked_by (const struct ppi_loaded *without, const struct ppi_aggregate *a)
{
	const char *pattern[PPI_SITES_COUNT];
	struct ppi_events_wish wish =
		without ? ppi_policy_events_wish (&without->policy->events, pattern)
			: (struct ppi_events_wish){0};
	uint32_t n = 0;

	for (size_t i = 0; i < wish.aggregates; i++) {
		const struct ppi_aggregate_wish *one = &wish.aggregate[i];
		bool is_it = one->dims == a->dims && one->max_groups == a->max_groups &&
			     one->histogram == (a->accumulator == PPI_HISTOGRAM);

		for (unsigned k = 0; is_it && k < a->dims; k++)
			is_it = strcmp (one->by[k], a->by[k]) == 0;
		n += is_it;
	}
	return n;
}

static bool aggregates (const struct ppi_names *self,
			bool (*fn) (const struct ppi_name_aggregate *aggregate, void *arg),
			void *arg)
{
	const struct ppi_loaded *without = ((const struct ppi_runtime_names *) self)->without;
	const struct ppi_aggregate *a;

	for (uint32_t number = 1; (a = ppi_aggregate_at (number)); number++) {
		struct ppi_name_aggregate out = {.dims = a->dims, .accumulator = a->accumulator};

		memcpy (out.by, a->by, sizeof out.by);
		if (a->wanted > asked_by (without, a) && fn (&out, arg))
			return true;
	}
	return false;
}

void ppi_runtime_names_init (struct ppi_runtime_names *names, const struct ppi_loaded *without)
{
	names->names = (struct ppi_names){.each = each,
					  .metric = metric,
					  .site = site,
					  .source = source,
					  .owner = owner,
					  .composite = composite,
					  .knob = knob,
					  .statistic = statistic,
					  .aggregates = aggregates,
					  .grows = true};
	names->without = without;
}
