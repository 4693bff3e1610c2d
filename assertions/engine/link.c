/* SPDX-License-Identifier: MIT */
/* link.c: what the names of expressions mean in the running program, and their values. */
#include "assertions/engine/link.h"

#include "assertions/engine/assertion.h"
#include "assertions/engine/grouped.h"
#include "assertions/engine/groups.h"
#include "assertions/engine/knob.h"
#include "assertions/engine/post.h"
#include "assertions/engine/prove.h"
#include "assertions/engine/tick.h"
#include "assertions/language/policy.h"
#include "base/atomic.h"
#include "base/lock.h"
#include "base/message.h"
#include "base/part.h"
#include "base/wake.h"
#include "libmetrics/calls/open.h"
#include "libmetrics/region/groups.h"
#include "libmetrics/registry/batch.h"
#include "libmetrics/registry/metric.h"
#include "libmetrics/registry/site.h"
#include "libmetrics/registry/window.h"
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
		ppi_captures_link (a);
	}
	ppi_parts_expressions (link_other, NULL);
	ppi_batch_end ();
	ppi_assertions_news ();
}
