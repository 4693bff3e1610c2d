/* SPDX-License-Identifier: MIT */
/*
 * check.c: assertions at sites: evaluated by the thread that ran through the site, right after its
 * samples.
 */
#include "assertions/engine/action.h"
#include "assertions/engine/assertion.h"
#include "assertions/engine/check.h"
#include "assertions/engine/growth_check.h"
#include "assertions/engine/link.h"
#include "assertions/engine/looks.h"
#include "assertions/engine/post.h"
#include "assertions/engine/prove.h"
#include "assertions/engine/ring.h"
#include "assertions/engine/seen.h"
#include "assertions/engine/sweep.h"
#include "assertions/engine/violating.h"
#include "base/atomic.h"
#include "base/clock.h"
#include "base/estimate.h"
#include "base/wake.h"
#include "libmetrics/marker/marker.h"
#include "libmetrics/region/groups.h"
#include "libmetrics/registry/batch.h"
#include "libmetrics/registry/site.h"
#include "libmetrics/tables/check.h"
#include "libmetrics/thread/thread.h"
#include "libmetrics/thread/thread_life.h"

#include <math.h>
#include <stdlib.h>

void ppi_assertion_capture (const struct ppi_assertion *a, struct ppi_thread *thread, pp_site *site,
			    struct ppi_captured *out)
{
	const struct ppi_at at = {thread, site, NULL};

	for (uint32_t i = 0; i < a->n_captures; i++)
		out[i] = ppi_capture_now (&a->capture[i], &at, site);
}

void ppi_assertion_sample (const struct ppi_assertion *a,
			   double (*load) (const struct ppi_ref *ref, void *arg), void *arg)
{
	for (size_t i = 0; ppi_load (&a->has_samples) && i < a->n_on_fire; i++) {
		const struct ppi_action *action = &a->on_fire[i];
		/* acquire: the action may have waited, and is being built */
		const struct ppi_program *program =
			__atomic_load_n (&action->program, __ATOMIC_ACQUIRE);
		double value = program ? ppi_program_run (program, load, arg).value : NAN;

		if (isfinite (value) && action->metric)
			pp_sample (action->metric, value);
	}
}

static bool is_of_group (const struct ppi_ref *ref, const struct ppi_thread *thread,
			 const pp_site *site)
{
	const struct ppi_aggregate *aggregate = __atomic_load_n (&ref->place, __ATOMIC_ACQUIRE);
	uint32_t group = ppi_load (&ref->groups->node);

	/* the library's thread looks whether there is one by now */
	if (!group && ppi_is_asleep ())
		ppi_wake_if_asleep ();
	return aggregate && group && ppi_thread_grouped (thread, aggregate->number, group, site);
}

/* Has it a sample of this execution (1), none (0), or is it nothing that has (-1)? */
static int sampled_of (const struct ppi_ref *ref, const struct ppi_thread *thread,
		       const pp_site *site)
{
	const pp_metric *metric = ref->kind == PPI_REF_METRIC
					  ? __atomic_load_n (&ref->target, __ATOMIC_ACQUIRE)
					  : NULL;

	if (ref->kind == PPI_REF_GROUP && !ref->groups->is_merged)
		return is_of_group (ref, thread, site);
	return metric ? ppi_thread_sampled (thread, metric, site) : -1;
}

/*
 * Has anything that the condition reads a sample of this execution? Metrics of one site may be
 * sampled more and less often, those of an investigation at every execution: a condition on old
 * samples only was checked before.
 */

bool ppi_assertion_has_news (const struct ppi_assertion *a, const struct ppi_thread *thread,
			     const pp_site *site)
{
	bool is_known = false;

	for (size_t i = 0; i < a->program->n_references; i++) {
		int sampled = sampled_of (&a->program->references[i], thread, site);

		if (sampled > 0)
			return true;
		is_known |= !sampled;
	}
	return !is_known;
}

/* Inside a marker */
static void run (struct ppi_check *check, struct ppi_thread *thread, pp_site *site)
{
	struct ppi_assertion *a = ((struct ppi_site_check *) check)->assertion;
	struct ppi_at at = {thread, site, ((struct ppi_site_check *) check)->statics};
	struct ppi_verdict verdict;
	struct ppi_seen seen;

	if (!ppi_load (ppi_assertions_alive) || !ppi_assertion_has_news (a, thread, site) ||
	    !ppi_assertion_begun (a))
		return;
	if (a->growth) {
		ppi_growth_feed (a, &at);
		return;
	}
	verdict = ppi_program_run (a->program, ppi_load_at, &at);
	ppi_assertion_evaluated (a, thread, site);
	seen.outcome = (uint8_t) (isnan (verdict.value) ? PPI_UNKNOWN
				  : verdict.value > 0.5 ? PPI_PASS
							: PPI_FAIL);
	if (a->sweep && seen.outcome != PPI_UNKNOWN)
		ppi_sweep_add (a, thread, site, &verdict);
	if (seen.outcome == PPI_PASS && a->n_captures)
		ppi_assertion_look (a, thread, site);
	if (seen.outcome == PPI_PASS && ppi_assertion_is_quiet (a, ppi_thread_id (thread))) {
		ppi_assertion_passed (a, verdict.left, verdict.right, verdict.dimension);
		ppi_assertion_open (a, thread);
		return;
	}
	seen.dimension = verdict.dimension;
	seen.left = verdict.left;
	seen.right = verdict.right;
	seen.thread = ppi_thread_id (thread);
	seen.site = site;
	seen.ns = ppi_now_ns ();
	seen.execution.thread = 0;
	seen.is_uncounted = false;
	seen.group = 0;
	if (seen.outcome == PPI_FAIL) {
		ppi_violating_saw (thread, site, &seen);
		ppi_assertion_sample (a, ppi_load_near, &at);
		ppi_assertion_capture (a, thread, site, seen.captured);
	} else
		for (uint32_t i = 0; i < a->n_captures; i++)
			seen.captured[i] = (struct ppi_captured){NAN, NAN, NAN};
	ppi_assertion_saw (a, &seen, false);
}

static bool quick (struct ppi_check *check, const struct ppi_op *ops, unsigned n_ops,
		   struct ppi_quick *out)
{
	return ppi_assertion_quick (((struct ppi_site_check *) check)->assertion, ops, n_ops, out);
}

/* What the compiler knows of the site: more, once another module has brought a copy of it */
static void take_statics (struct ppi_site_check *check)
{
	struct ppi_statics known = ppi_site_statics (check->site);

	for (int i = 0; i < PPI_STATICS; i++)
		__atomic_store (&check->statics[i], &known.value[i], __ATOMIC_RELAXED);
}

static bool asks_statics (const struct ppi_assertion *a)
{
	for (size_t i = 0; i < a->program->n_references; i++)
		if (a->program->references[i].kind == PPI_REF_STATIC)
			return true;
	return false;
}

struct attaching {
	struct ppi_assertion *assertion;
	int n, error;
	bool statics; /* asked for */
};

static int attach_one (pp_site *site, void *arg)
{
	struct attaching *attaching = arg;
	struct ppi_assertion *a = attaching->assertion;
	struct ppi_site_check *check;

	attaching->n++;
	for (check = a->checks; check; check = check->next)
		if (check->site == site) {
			if (attaching->statics)
				take_statics (check);
			return 0;
		}
	check = calloc (1, sizeof *check);
	if (!check)
		return attaching->error = PP_ENOMEM;
	check->check.run = run;
	check->check.quick = quick;
	check->assertion = a;
	check->site = site;
	if (attaching->statics)
		take_statics (check);
	attaching->error = ppi_check_attach (site, &check->check);
	if (attaching->error < 0) {
		free (check);
		return attaching->error;
	}
	attaching->error = 0;
	check->next = a->checks;
	a->checks = check;
	if (!ppi_load (&a->chunk->site))
		ppi_store (&a->chunk->site, ppi_site_id (site));
	return 0;
}

int ppi_assertion_attach (struct ppi_assertion *a, char *why, size_t room)
{
	struct attaching attaching = {.assertion = a, .statics = asks_statics (a)};
	int error;

	if (!a->at)
		return 0;
	if (a->n_captures && !a->growth)
		ppi_assertion_count_looks (a);
	error = pp_site_each (a->at, attach_one, &attaching);
	if (error < 0 || attaching.error < 0) {
		error = attaching.error < 0 ? attaching.error : error;
		snprintf (why, room, "can't check at '%s': %s", a->at, pp_strerror (error));
		return error;
	}
	return attaching.n;
}

void ppi_assertion_detach (struct ppi_assertion *a)
{
	ppi_assertion_close (a);
	while (a->checks) {
		struct ppi_site_check *check = a->checks;

		ppi_check_detach (check->site, &check->check);
		a->checks = check->next;
		check->next = a->detached;
		a->detached = check;
	}
}
