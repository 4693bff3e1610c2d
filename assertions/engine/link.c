/* SPDX-License-Identifier: MIT */
/* link.c: what the names of expressions mean in the running program, and their values. */
#include "assertions/engine/link.h"

#include "assertions/engine/assertion.h"
#include "assertions/engine/callback.h"
#include "assertions/engine/grouped.h"
#include "assertions/engine/groups.h"
#include "assertions/engine/knob.h"
#include "assertions/engine/policies.h"
#include "assertions/engine/post.h"
#include "assertions/engine/prove.h"
#include "assertions/engine/ring.h"
#include "assertions/engine/tick.h"
#include "assertions/language/policy.h"
#include "assertions/language/policy_names.h"
#include "base/atomic.h"
#include "base/lock.h"
#include "base/message.h"
#include "base/part.h"
#include "base/types.h"
#include "base/wake.h"
#include "libmetrics/calls/open.h"
#include "libmetrics/region/groups.h"
#include "libmetrics/registry/batch.h"
#include "libmetrics/registry/metric.h"
#include "libmetrics/registry/pattern.h"
#include "libmetrics/registry/site.h"
#include "libmetrics/registry/window.h"
#include "libmetrics/source/metric_spec.h"
#include "libmetrics/source/operator.h"
#include "libmetrics/source/source.h"
#include "libmetrics/source/users_statistic.h"
#include "libmetrics/stats/stat.h"
#include "libmetrics/tables/window.h"
#include "libmetrics/thread/thread.h"
#include "recording/layout.h"

#include <math.h>
#include <string.h>

/* ---- values ---------------------------------------------------------------------------------- */

static double cached (const struct ppi_ref *ref)
{
	double value;

	__atomic_load (&ref->cache, &value, __ATOMIC_RELAXED);
	return value;
}

static double assertion_value (const struct ppi_assertion_chunk *chunk, int property)
{
	double violations = (double) ppi_load (&chunk->violations);
	double checks = (double) (ppi_load (&chunk->checks) + ppi_assertion_quick_passes (chunk));

	switch (property) {
	case PPI_ASSERTION_VIOLATIONS:
		return violations;
	case PPI_ASSERTION_CHECKS:
		return checks;
	case PPI_ASSERTION_FIRED:
		return (double) ppi_load (&chunk->fired);
	default:
		return violations / checks;
	}
}

/* What is the same everywhere */
static double common (const struct ppi_ref *ref, const void *target)
{
	if (!target)
		return NAN;
	if (ref->window_ns)
		return cached (ref);
	if (ref->kind == PPI_REF_KNOB) {
		double value;

		__atomic_load (&((const struct ppi_knob *) target)->shadow, &value,
			       __ATOMIC_RELAXED);
		return value;
	}
	return assertion_value (target, ref->property);
}

/* At a site (AT), or merged (NULL). */
static double metric_value (const struct ppi_ref *ref, const pp_metric *metric, const pp_site *site,
			    const struct ppi_at *at)
{
	const struct ppi_window *window = __atomic_load_n (&ref->window, __ATOMIC_ACQUIRE);
	enum pp_statistic statistic = (enum pp_statistic) ref->property;

	if (!metric || (ref->window_ns && !window))
		return NAN;
	if (ref->property >= PP_STATISTICS)
		/* the program's own, which is not called here: ppi_refresh_users */
		return cached (ref);
	if (at)
		return window ? ppi_window_thread_stat (at->thread, window, site, statistic)
			      : ppi_thread_stat (at->thread, metric, site, statistic);
	return window ? ppi_window_stat (window, site, statistic)
		      : ppi_stat (metric, site, statistic);
}

/*
 * What the library's thread keeps up to date while it is awake. A marker wakes it: its own value is
 * as old as the sleep was long, the next one's is not. The thread itself may look through a
 * marker's eyes, too.
 */
static void is_read_at_marker (const struct ppi_at *at)
{
	if (ppi_is_asleep () && at->thread == ppi_thread_self ())
		ppi_wake_if_asleep ();
}

/* Of this thread, at this site. */
static double group_value (const struct ppi_ref *ref, const pp_metric *metric,
			   const struct ppi_at *at)
{
	const struct ppi_aggregate *a = __atomic_load_n (&ref->place, __ATOMIC_ACQUIRE);
	uint32_t group = ppi_load (&ref->groups->node);

	return metric && a && group ? ppi_thread_group_stat (at->thread, metric, a, group, at->site,
							     (enum pp_statistic) ref->property)
				    : NAN;
}

double ppi_load_at (const struct ppi_ref *ref, void *arg)
{
	const struct ppi_at *at = arg;
	const void *target = __atomic_load_n (&ref->target, __ATOMIC_ACQUIRE);
	const pp_site *place;

	switch ((enum ppi_ref_kind) ref->kind) {
	case PPI_REF_METRIC:
		return metric_value (ref, target, at->site, at);
	case PPI_REF_METRIC_SITE:
		place = __atomic_load_n (&ref->place, __ATOMIC_ACQUIRE);
		return place ? metric_value (ref, target, place, at) : NAN;
	case PPI_REF_STATIC:
		if (!ref->site) {
			double value;

			__atomic_load (&at->statics[ref->property], &value, __ATOMIC_RELAXED);
			return value;
		}
		return cached (ref);
	case PPI_REF_BASELINE:
		return cached (ref);
	case PPI_REF_GROUP:
		is_read_at_marker (at);
		return ref->groups->is_merged ? cached (ref) : group_value (ref, target, at);
	case PPI_REF_ALL:
	case PPI_REF_SITE:
	case PPI_REF_ANY:
		is_read_at_marker (at);
		return cached (ref);
	default:
		is_read_at_marker (at);
		return common (ref, target);
	}
}

double ppi_load_near (const struct ppi_ref *ref, void *arg)
{
	const struct ppi_at *at = arg;
	const pp_metric *metric = ref->kind == PPI_REF_METRIC
					  ? __atomic_load_n (&ref->target, __ATOMIC_ACQUIRE)
					  : NULL;

	return metric && ppi_thread_stat (at->thread, metric, at->site, PP_STAT_N) <= 0
		       ? metric_value (ref, metric, NULL, at)
		       : ppi_load_at (ref, arg);
}

double ppi_load_merged (const struct ppi_ref *ref, void *arg)
{
	const void *target = __atomic_load_n (&ref->target, __ATOMIC_ACQUIRE);
	const pp_site *place = __atomic_load_n (&ref->place, __ATOMIC_ACQUIRE), *site = arg;

	switch ((enum ppi_ref_kind) ref->kind) {
	case PPI_REF_METRIC:
		return metric_value (ref, target, site, NULL);
	case PPI_REF_ALL:
		return metric_value (ref, target, NULL, NULL);
	case PPI_REF_METRIC_SITE:
		return place ? metric_value (ref, target, place, NULL) : NAN;
	case PPI_REF_SITE:
		if (!place)
			return NAN;
		return ref->property == PPI_SITE_OPEN_AGE ? ppi_site_open_age (place)
							  : (double) ppi_site_in_flight (place);
	case PPI_REF_STATIC:
	case PPI_REF_BASELINE:
	case PPI_REF_GROUP:
	case PPI_REF_ANY:
		return cached (ref);
	default:
		return common (ref, target);
	}
}

void ppi_refresh (struct ppi_program *program)
{
	for (size_t i = 0; i < program->n_references; i++) {
		struct ppi_ref *ref = &program->references[i];

		if ((ref->kind == PPI_REF_ALL && ref->property < PP_STATISTICS) ||
		    ref->kind == PPI_REF_SITE) {
			double value = ppi_load_merged (ref, NULL);

			__atomic_store (&ref->cache, &value, __ATOMIC_RELAXED);
		}
	}
}

static bool is_of_metric (const struct ppi_ref *ref)
{
	return ref->kind == PPI_REF_METRIC || ref->kind == PPI_REF_ALL ||
	       ref->kind == PPI_REF_METRIC_SITE;
}

static bool is_users (const struct ppi_ref *ref)
{
	return is_of_metric (ref) && ref->property >= PP_STATISTICS;
}

bool ppi_asks_users (const struct ppi_program *program)
{
	for (size_t i = 0; i < program->n_references; i++)
		if (is_users (&program->references[i]))
			return true;
	return false;
}

void ppi_refresh_users (struct ppi_program *program)
{
	for (size_t i = 0; i < program->n_references; i++) {
		struct ppi_ref *ref = &program->references[i];
		const pp_metric *metric =
			is_users (ref) ? __atomic_load_n (&ref->target, __ATOMIC_ACQUIRE) : NULL;
		const pp_site *place = __atomic_load_n (&ref->place, __ATOMIC_ACQUIRE);
		double value = NAN;

		if (!is_users (ref))
			continue;
		if (metric && (place || !ref->site))
			value = ppi_users_stat (metric, place,
						(unsigned) (ref->property - PP_STATISTICS));
		__atomic_store (&ref->cache, &value, __ATOMIC_RELAXED);
	}
}

/* ---- linking --------------------------------------------------------------------------------- */

struct found {
	pp_site *site;
	int n;
};

static int find_one (pp_site *site, void *arg)
{
	struct found *found = arg;

	found->site = site;
	found->n++;
	return 0;
}

static pp_site *find_site (const char *pattern)
{
	struct found found = {NULL, 0};

	pp_site_each (pattern, find_one, &found);
	return found.n == 1 ? found.site : NULL;
}

/* Its counts in the region: they stay when the assertion goes, whoever still reads them */
static void *find_counts (const char *name)
{
	struct ppi_assertion *a = ppi_assertion_find (name);

	return a && a->chunk != &a->spare.chunk ? a->chunk : NULL;
}

static void *find_target (const struct ppi_ref *ref)
{
	switch ((enum ppi_ref_kind) ref->kind) {
	case PPI_REF_SITE:
	case PPI_REF_STATIC:
	case PPI_REF_BASELINE:
		return NULL;
	case PPI_REF_KNOB:
		return ppi_knob_find (ref->name);
	case PPI_REF_ASSERTION:
		return find_counts (ref->name);
	default:
		return pp_metric_find (ref->name);
	}
}

/* What the compiler knows does not change while the program runs: looked up once */
static void link_static (struct ppi_ref *ref)
{
	double value = NAN;

	if (ref->place)
		value = ppi_site_statics (ref->place).value[ref->property];
	__atomic_store (&ref->cache, &value, __ATOMIC_RELAXED);
}

/* The window of another metric, or of none, is given back. */
static void link_window (struct ppi_ref *ref, pp_metric *metric)
{
	struct ppi_window *window = NULL, *former = ref->window;
	char why[256];

	if (!ref->window_ns || ref->windowed == metric)
		return;
	if (metric && ppi_window_acquire (metric, ref->window_ns, &window, why, sizeof why) < 0)
		ppi_message ("%s; what is expected of it stays unknown", why);
	__atomic_store_n (&ref->window, (void *) window, __ATOMIC_RELEASE);
	ref->windowed = metric;
	if (former)
		ppi_window_release (former);
}

void ppi_unlink (struct ppi_program *program)
{
	ppi_lock ();
	for (size_t i = 0; i < program->n_references; i++)
		if (program->references[i].groups)
			ppi_groups_unlink (&program->references[i]);
		else
			link_window (&program->references[i], NULL);
	ppi_unlock ();
}

bool ppi_link (struct ppi_program *program)
{
	bool changed = false;

	for (size_t i = 0; i < program->n_references; i++) {
		struct ppi_ref *ref = &program->references[i];
		void *target = find_target (ref);

		changed |= ref->target != target;
		if (is_users (ref) && ref->target != target) {
			const double unknown = NAN;

			__atomic_store (&ref->cache, &unknown, __ATOMIC_RELAXED);
		}
		/*
		 * the window first: who sees a metric with one finds it; release: and what both
		 * point to
		 */
		if (is_of_metric (ref))
			link_window (ref, target);
		else if (ref->groups)
			changed |= ppi_groups_link (ref, target);
		__atomic_store_n (&ref->target, target, __ATOMIC_RELEASE);
		if (ref->site) {
			pp_site *place = find_site (ref->site);

			if (place && ref->kind == PPI_REF_SITE)
				ppi_site_watch (place);
			__atomic_store_n (&ref->place, (void *) place, __ATOMIC_RELEASE);
		}
		if (ref->kind == PPI_REF_STATIC)
			link_static (ref);
		if (ref->kind == PPI_REF_ASSERTION && ref->window_ns)
			ppi_recent_link (ref);
	}
	ppi_refresh (program);
	return changed;
}

void ppi_link_samples (struct ppi_assertion *a)
{
	for (size_t i = 0; a->has_samples && i < a->n_on_fire; i++)
		if (a->on_fire[i].program)
			ppi_link (a->on_fire[i].program);
}

static bool link_other (struct ppi_program *program, const char *policy, void *arg)
{
	(void) policy;
	(void) arg;
	ppi_link (program);
	return false;
}

void ppi_link_all (void)
{
	ppi_batch_begin ();
	ppi_composites_link ();
	for (struct ppi_assertion *a = ppi_assertions; a; a = a->next) {
		/* markers know what they prove by the metrics */
		if (ppi_link (a->program))
			for (const struct ppi_site_check *check = a->checks; check;
			     check = check->next)
				ppi_check_touch (check->site);
		ppi_grouped_link (a);
		ppi_link_samples (a);
	}
	ppi_parts_expressions (link_other, NULL);
	ppi_batch_end ();
	ppi_assertions_news ();
}

/* ---- names ----------------------------------------------------------------------------------- */

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
