/* SPDX-License-Identifier: MIT */
/*
 * build.c: the objects of a policy that is being loaded: its metrics, slots, actions, assertions.
 * Nothing is measured by them yet.
 */
#include "assertions/engine/action.h"
#include "assertions/engine/assertion.h"
#include "assertions/engine/callback.h"
#include "assertions/engine/growth_check.h"
#include "assertions/engine/knob.h"
#include "assertions/engine/link.h"
#include "assertions/engine/policies.h"
#include "assertions/engine/ring.h"
#include "assertions/engine/sweep.h"
#include "assertions/load/loaded.h"
#include "assertions/react/actions.h"
#include "assertions/react/adapt.h"
#include "assertions/react/investigate.h"
#include "base/clock.h"
#include "libmetrics/calls/by_hand.h"
#include "libmetrics/registry/metric.h"
#include "libmetrics/source/metric_spec.h"

#include <stdlib.h>
#include <string.h>

#define WHY_ROOM 384

/* ---- objects --------------------------------------------------------------------------------- */

void ppi_loaded_destroy (struct ppi_loaded *loaded)
{
	if (!loaded)
		return;
	free (loaded->file);
	free (loaded->slots);
	free (loaded->metrics);
	free (loaded->composites);
	free (loaded->assertions);
	for (size_t i = 0; i < loaded->n_adapts; i++)
		ppi_adapt_destroy (loaded->adapts[i]);
	free (loaded->adapts);
	free (loaded->awaited);
	ppi_policy_destroy (loaded->policy);
	free (loaded);
}

/* A slot for each pattern of each binding; room was counted by the caller */
static size_t fill_slots (struct ppi_slot *slots, const struct ppi_policy_bind *bind,
			  bool permanent)
{
	for (size_t i = 0; i < bind->n_sites; i++)
		slots[i] = (struct ppi_slot){.metric = pp_metric_find (bind->metric->scalar),
					     .pattern = bind->sites[i]->scalar,
					     .place = bind->sites[i]->place,
					     .every = bind->every,
					     .for_ns = bind->for_ns,
					     .until_clear = bind->until_clear,
					     .permanent = permanent};
	return bind->n_sites;
}

static bool build_slots (struct ppi_loaded *loaded)
{
	const struct ppi_policy *policy = loaded->policy;
	size_t room = 1;

	for (size_t i = 0; i < policy->n_binds + policy->late.binds; i++)
		room += policy->binds[i].n_sites;
	if (!loaded->slots)
		loaded->slots = calloc (room, sizeof *loaded->slots);
	for (size_t i = loaded->built.binds; loaded->slots && i < policy->n_binds; i++)
		loaded->n_slots +=
			fill_slots (&loaded->slots[loaded->n_slots], &policy->binds[i], true);
	loaded->built.binds = policy->n_binds;
	return loaded->slots != NULL;
}

/* A marker samples it: everything that needs the lock is made now */
static void build_sample (struct ppi_action *action, struct ppi_policy_action *written)
{
	action->metric = pp_metric_find (written->name->scalar);
	if (action->metric)
		ppi_sample_prepare (action->metric);
	/* release: a marker that sees it sees the metric */
	__atomic_store_n (&action->program, written->program, __ATOMIC_RELEASE);
	written->program = NULL; /* taken over */
}

/* Markers may look at it while its assertion is checked. False: no memory */
static bool build_action (struct ppi_assertion *a, struct ppi_action *action,
			  struct ppi_policy_action *written)
{
	struct ppi_callable *callable =
		written->kind == PPI_ACTION_CALL ? ppi_callable_find (written->name->scalar) : NULL;

	/* release: who sees it sees what is in it */
	__atomic_store_n (&action->callable, callable, __ATOMIC_RELEASE);
	if (callable && callable->inlined)
		ppi_store (&a->has_inline, true);
	if (written->kind == PPI_ACTION_KNOB)
		action->knob = ppi_knob_find (written->name->scalar);
	if (written->kind == PPI_ACTION_SAMPLE)
		build_sample (action, written);
	if (written->kind == PPI_ACTION_INVESTIGATE &&
	    !(action->investigation = ppi_investigation_create (a, action)))
		return false;
	if (written->kind != PPI_ACTION_BIND && written->kind != PPI_ACTION_UNBIND)
		return true;
	action->slots = calloc (written->bind.n_sites + 1, sizeof *action->slots);
	if (action->slots)
		action->n_slots = fill_slots (action->slots, &written->bind, false);
	return action->slots != NULL;
}

static bool build_actions (struct ppi_assertion *a, struct ppi_policy_action *written, size_t n,
			   struct ppi_action **out, size_t *n_out)
{
	*out = calloc (n + 1, sizeof **out);
	for (size_t i = 0; *out && i < n; i++) {
		struct ppi_action *action = &(*out)[(*n_out)++];

		action->written = &written[i];
		action->waits = written[i].waits;
		if (!action->waits && !build_action (a, action, &written[i]))
			return false;
	}
	return *out != NULL;
}

/* Those that have waited, and don't any more */
static bool build_late_actions (struct ppi_assertion *a, struct ppi_action *actions, size_t n,
				struct ppi_policy_action *written)
{
	for (size_t i = 0; i < n; i++) {
		if (!actions[i].waits || written[i].waits)
			continue;
		if (!build_action (a, &actions[i], &written[i]))
			return false;
		actions[i].waits = actions[i].told = false;
		if (actions[i].program)
			ppi_store (&a->has_samples, true);
	}
	return true;
}

static struct ppi_assertion *build_assertion (struct ppi_loaded *loaded,
					      struct ppi_policy_assertion *w, uint64_t now_ns)
{
	struct ppi_assertion *a =
		ppi_assertion_create (w->name->scalar, w->at ? w->at->scalar : NULL, w->program);
	bool ok;

	if (!a)
		return NULL;
	w->program = NULL; /* taken over */
	a->policy = loaded;
	a->reactions = &ppi_actions;
	a->written = w;
	a->every_ns = w->every_ns;
	a->due_ns = now_ns + w->every_ns;
	if (w->growth.of)
		a->growth = ppi_growth_check_create ((enum ppi_growth_class) w->growth.at_most,
						     w->growth.every_ns, now_ns);
	if (w->n_thresholds)
		a->sweep = ppi_sweep_create (w->threshold, w->n_thresholds);
	ok = ppi_assertion_take_clauses (a, w) && (!w->growth.of || a->growth) &&
	     (a->sweep || !w->n_thresholds);
	if (ok && build_actions (a, w->on_fire, w->n_on_fire, &a->on_fire, &a->n_on_fire) &&
	    build_actions (a, w->on_clear, w->n_on_clear, &a->on_clear, &a->n_on_clear)) {
		for (size_t i = 0; i < a->n_on_fire; i++)
			a->has_samples = a->has_samples || a->on_fire[i].program;
		return a;
	}
	ppi_assertion_destroy (a);
	return NULL;
}

/* ---- metrics --------------------------------------------------------------------------------- */

static int declare (struct ppi_loaded *loaded, size_t i, struct ppi_diagnostics *d)
{
	const struct ppi_policy_metric *m = &loaded->policy->metrics[i];
	char where[512], why[WHY_ROOM] = "";
	struct ppi_metric_spec spec = {
		.name = m->name->scalar,
		.kind = m->kind,
		.accumulator = m->accumulator,
		.source = m->source->scalar,
		.scope = m->scope,
		.combine = m->combine ? m->combine->scalar : NULL,
		.size = m->size,
		.every = m->every,
		.window_ns = m->window_ns,
		.where = where,
		.optional = m->optional,
		.corrected = m->corrected,
		.jumped = m->jumped,
	};
	char *fallback = ppi_policy_fallbacks (m);
	const char *unavailable;
	int error;

	if (m->n_fallbacks && !fallback)
		return PP_ENOMEM;
	spec.fallback = fallback;

	snprintf (where, sizeof where, "%s:%u:%u", loaded->policy->path, m->name->place.line,
		  m->name->place.column);
	error = ppi_metric_declare (&spec, &loaded->metrics[i], why, sizeof why);
	free (fallback);
	if (error < 0) {
		loaded->metrics[i] = NULL;
		ppi_diagnose (d, m->name->place, "%s", *why ? why : pp_strerror (error));
		return error;
	}
	unavailable = pp_unavailable (loaded->metrics[i]);
	if (unavailable && !m->optional)
		ppi_diagnose_warning (d, m->source->place, "'%s' can't be measured here: %s",
				      m->name->scalar, unavailable);
	return PP_OK;
}

/*
 * What others expect of it is expected of its former expression: they would go on with that, and
 * nobody would know.
 */
static bool changes_for_others (const struct ppi_loaded *loaded,
				const struct ppi_policy_composite *c, struct ppi_diagnostics *d)
{
	const pp_metric *former = pp_metric_find (c->name->scalar);
	const struct ppi_metric_spec *spec = former ? ppi_metric_spec_of (former) : NULL;
	char who[512];

	if (!spec || !spec->computed || strcmp (spec->source, c->expr->scalar) == 0 ||
	    !ppi_composite_is_used (c->name->scalar, loaded, who, sizeof who))
		return false;
	ppi_diagnose (d, c->name->place,
		      "composite metric '%s' was '%s', and %s still speaks of that: unload that "
		      "first, and load it again after this",
		      c->name->scalar, spec->source, who);
	return true;
}

static int declare_composite (struct ppi_loaded *loaded, size_t i, struct ppi_diagnostics *d)
{
	const struct ppi_policy_composite *c = &loaded->policy->composites[i];
	char where[512], why[WHY_ROOM] = "";
	int error;

	if (changes_for_others (loaded, c, d))
		return PP_EEXIST;
	snprintf (where, sizeof where, "%s:%u:%u", loaded->policy->path, c->name->place.line,
		  c->name->place.column);
	error = ppi_composite_declare (c->name->scalar, c->expr->scalar, where, loaded->policy,
				       &loaded->composites[i], why, sizeof why);
	/*
	 * its expression was checked: it speaks of the policy's baseline, which is for assertions
	 * only
	 */
	if (error == PP_EINVAL)
		return PP_OK;
	if (error < 0)
		ppi_diagnose (d, c->name->place, "%s", *why ? why : pp_strerror (error));
	return error;
}

void ppi_loaded_release_metrics (struct ppi_loaded *loaded)
{
	for (size_t i = 0; loaded->composites && i < loaded->policy->n_composites; i++) {
		if (loaded->composites[i])
			ppi_metric_release (loaded->composites[i]);
		loaded->composites[i] = NULL;
	}
	for (size_t i = 0; loaded->metrics && i < loaded->policy->n_metrics; i++) {
		if (loaded->metrics[i])
			ppi_metric_release (loaded->metrics[i]);
		loaded->metrics[i] = NULL;
	}
}

void ppi_loaded_lend_metrics (struct ppi_loaded *loaded)
{
	for (size_t i = 0; i < loaded->policy->n_composites; i++)
		if (loaded->composites[i])
			ppi_metric_release (loaded->composites[i]);
	for (size_t i = 0; i < loaded->policy->n_metrics; i++)
		if (loaded->metrics[i])
			ppi_metric_release (loaded->metrics[i]);
}

void ppi_loaded_take_back_metrics (struct ppi_loaded *loaded)
{
	struct ppi_diagnostics quiet;

	ppi_diagnostics_init (&quiet, "", NULL, 1);
	for (size_t i = 0; i < loaded->policy->n_metrics; i++)
		if (loaded->metrics[i]) {
			ppi_metric_restore (loaded->metrics[i]);
			declare (loaded, i, &quiet);
		}
	for (size_t i = 0; i < loaded->policy->n_composites; i++)
		if (loaded->composites[i]) {
			ppi_metric_restore (loaded->composites[i]);
			declare_composite (loaded, i, &quiet);
		}
	ppi_diagnostics_clear (&quiet);
}

static int build_adapts (struct ppi_loaded *loaded, struct ppi_diagnostics *d)
{
	const struct ppi_policy *policy = loaded->policy;

	if (!loaded->adapts)
		loaded->adapts =
			calloc (policy->n_adapts + policy->late.adapts + 1, sizeof *loaded->adapts);
	for (size_t i = loaded->built.adapts; loaded->adapts && i < policy->n_adapts; i++) {
		struct ppi_policy_adapt *written = &policy->adapts[i];
		struct ppi_knob *knob = ppi_knob_find (written->knob->scalar);

		if (!knob || !written->n_values) {
			ppi_diagnose (d, written->knob->place, "the module of knob '%s' was closed",
				      written->knob->scalar);
			return PP_EPOLICY;
		}
		loaded->adapts[i] = ppi_adapt_create (written, knob);
		if (!loaded->adapts[i])
			return PP_ENOMEM;
		loaded->built.adapts = ++loaded->n_adapts;
	}
	return loaded->adapts ? PP_OK : PP_ENOMEM;
}

/* ---- building -------------------------------------------------------------------------------- */

static bool make_room (struct ppi_loaded *loaded)
{
	const struct ppi_policy *policy = loaded->policy;
	const struct ppi_policy_counts *late = &policy->late;

	if (loaded->metrics)
		return true;
	loaded->metrics = calloc (policy->n_metrics + late->metrics + 1, sizeof *loaded->metrics);
	loaded->assertions =
		calloc (policy->n_assertions + late->assertions + 1, sizeof *loaded->assertions);
	loaded->composites =
		calloc (policy->n_composites + late->composites + 1, sizeof *loaded->composites);
	return loaded->metrics && loaded->assertions && loaded->composites;
}

/* All that is declared and was not before */
static int declare_all (struct ppi_loaded *loaded, struct ppi_diagnostics *d)
{
	const struct ppi_policy *policy = loaded->policy;
	int error = 0;

	for (size_t i = loaded->built.metrics; i < policy->n_metrics; i++)
		if (declare (loaded, i, d) < 0)
			error = PP_EPOLICY;
	for (size_t i = loaded->built.composites; !error && i < policy->n_composites; i++)
		if (declare_composite (loaded, i, d) < 0)
			error = PP_EPOLICY;
	loaded->built.metrics = policy->n_metrics;
	loaded->built.composites = policy->n_composites;
	return error;
}

static int build_assertions (struct ppi_loaded *loaded)
{
	struct ppi_policy *policy = loaded->policy;
	uint64_t now_ns = ppi_now_ns ();

	for (size_t i = 0; i < loaded->built.assertions; i++) {
		struct ppi_assertion *a = loaded->assertions[i];
		const struct ppi_policy_assertion *w = &policy->assertions[i];

		if (!build_late_actions (a, a->on_fire, a->n_on_fire, w->on_fire) ||
		    !build_late_actions (a, a->on_clear, a->n_on_clear, w->on_clear))
			return PP_ENOMEM;
	}
	for (size_t i = loaded->built.assertions; i < policy->n_assertions; i++) {
		loaded->assertions[i] = build_assertion (loaded, &policy->assertions[i], now_ns);
		if (!loaded->assertions[i])
			return PP_ENOMEM;
		loaded->built.assertions++;
	}
	return PP_OK;
}

int ppi_loaded_build (struct ppi_loaded *loaded, struct ppi_diagnostics *d)
{
	int error = make_room (loaded) ? PP_OK : PP_ENOMEM;

	if (!error)
		error = declare_all (loaded, d);
	if (!error && !build_slots (loaded))
		error = PP_ENOMEM;
	if (!error)
		error = build_assertions (loaded);
	if (!error)
		error = build_adapts (loaded, d);
	return error;
}

void ppi_loaded_unbuild (struct ppi_loaded *loaded)
{
	for (size_t i = 0; loaded->assertions && i < loaded->policy->n_assertions; i++) {
		struct ppi_assertion *a = loaded->assertions[i];

		if (a && a->detached)
			ppi_assertion_retire (a); /* a marker may look at it just now */
		else
			ppi_assertion_destroy (a);
	}
	ppi_loaded_release_metrics (loaded);
	ppi_loaded_destroy (loaded);
}
