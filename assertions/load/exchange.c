/* SPDX-License-Identifier: MIT */
/*
 * exchange.c: the rules and checks of one version of a policy come, and those of the former one go,
 * in one batch; what is unchanged is handed over. See load.c for what comes before and after.
 */
#include "assertions/engine/action.h"
#include "assertions/engine/assertion.h"
#include "assertions/engine/check.h"
#include "assertions/engine/growth_check.h"
#include "assertions/engine/link.h"
#include "assertions/engine/grouped.h"
#include "assertions/engine/groups.h"
#include "assertions/engine/machine.h"
#include "assertions/engine/policies.h"
#include "assertions/engine/post.h"
#include "assertions/engine/prove.h"
#include "assertions/engine/report_text.h"
#include "assertions/engine/ring.h"
#include "assertions/engine/sweep.h"
#include "assertions/load/loaded.h"
#include "assertions/react/actions.h"
#include "assertions/react/adapt.h"
#include "assertions/react/investigate.h"
#include "base/clock.h"
#include "libmetrics/registry/batch.h"
#include "libmetrics/registry/binding.h"
#include "libmetrics/registry/rule.h"

#include <math.h>
#include <string.h>

enum { WHY_ROOM = 384 };

/* ---- attaching ------------------------------------------------------------------------------- */

static int attach_rules (struct ppi_loaded *loaded, struct ppi_diagnostics *d)
{
	uint64_t now_ns = ppi_now_ns ();
	int worst = 0;

	for (size_t i = 0; i < loaded->n_slots; i++) {
		struct ppi_slot *slot = &loaded->slots[i];
		char why[WHY_ROOM] = "";
		int sites;

		if (slot->rule || slot->over)
			continue;
		if (slot->for_ns && !slot->until_ns)
			slot->until_ns = now_ns + slot->for_ns;
		sites = ppi_rule_create (slot->metric, slot->pattern, slot->every, &slot->rule, why,
					 sizeof why);
		if (sites < 0) {
			slot->rule = NULL;
			ppi_diagnose (d, slot->place, "%s", *why ? why : pp_strerror (sites));
			worst = PP_EPOLICY;
		} else if (!sites && !pp_unavailable (slot->metric)) {
			ppi_policy_note_pending (loaded, "site", slot->pattern);
			slot->is_pending = true;
		}
	}
	return worst;
}

static int attach_checks (struct ppi_loaded *loaded, size_t first, struct ppi_diagnostics *d)
{
	int worst = 0;

	for (size_t i = first; i < loaded->policy->n_assertions; i++) {
		struct ppi_assertion *a = loaded->assertions[i];
		char why[WHY_ROOM] = "";
		int sites = ppi_assertion_attach (a, why, sizeof why);

		if (sites < 0) {
			ppi_diagnose (d, a->written->at->place, "%s", why);
			worst = PP_EPOLICY;
		} else if (!sites && a->at) {
			ppi_policy_note_pending (loaded, "site", a->at);
			a->is_pending = true;
		}
	}
	return worst;
}

static void detach_slots (struct ppi_slot *slots, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (slots[i].rule)
			ppi_rule_destroy (slots[i].rule);
		slots[i].rule = NULL;
	}
}

static void detach_actions (struct ppi_action *actions, size_t n)
{
	for (size_t i = 0; i < n; i++)
		detach_slots (actions[i].slots, actions[i].n_slots);
}

static void detach_rules (struct ppi_loaded *loaded)
{
	detach_slots (loaded->slots, loaded->n_slots);
	for (size_t i = 0; i < loaded->policy->n_assertions; i++) {
		detach_actions (loaded->assertions[i]->on_fire, loaded->assertions[i]->n_on_fire);
		detach_actions (loaded->assertions[i]->on_clear, loaded->assertions[i]->n_on_clear);
	}
}

static void detach_checks (struct ppi_loaded *loaded)
{
	for (size_t i = 0; i < loaded->policy->n_assertions; i++) {
		ppi_actions_interrupt (loaded->assertions[i]);
		ppi_assertion_detach (loaded->assertions[i]);
	}
}

void ppi_loaded_detach (struct ppi_loaded *loaded)
{
	detach_checks (loaded);
	detach_rules (loaded);
}

/* ---- handing over ---------------------------------------------------------------------------- */

static bool same_slot (const struct ppi_slot *a, const struct ppi_slot *b)
{
	return a->metric == b->metric && a->for_ns == b->for_ns && a->every == b->every &&
	       strcmp (a->pattern, b->pattern) == 0;
}

/* The time of a binding that both versions have goes on */
static void hand_over_times (struct ppi_loaded *to, const struct ppi_loaded *from)
{
	for (size_t i = 0; i < to->n_slots; i++)
		for (size_t k = 0; to->slots[i].for_ns && k < from->n_slots; k++)
			if (same_slot (&to->slots[i], &from->slots[k])) {
				to->slots[i].until_ns = from->slots[k].until_ns;
				to->slots[i].over = from->slots[k].over;
			}
}

static void hand_over_actions (struct ppi_action *to, struct ppi_action *from, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (to[i].investigation && from[i].investigation)
			ppi_investigation_hand_over (to[i].investigation, from[i].investigation);
		/* one that waited in the former version, or waits in this one, has none */
		for (size_t k = 0; k < to[i].n_slots && k < from[i].n_slots &&
				   to[i].written->kind == PPI_ACTION_BIND;
		     k++) {
			if (!from[i].slots[k].rule || to[i].slots[k].rule ||
			    to[i].slots[k].metric != from[i].slots[k].metric)
				continue;
			to[i].slots[k].rule = from[i].slots[k].rule;
			to[i].slots[k].until_ns = from[i].slots[k].until_ns;
			from[i].slots[k].rule = NULL;
		}
	}
}

/* What it has in the region, which one of them ends with. Back again with TO and FROM exchanged. */
static void hand_over_chunks (struct ppi_assertion *to, struct ppi_assertion *from)
{
	if (to->sweep && from->sweep) {
		*to->sweep = *from->sweep;
		ppi_sweep_forget (from->sweep);
	}
	to->violating = from->violating;
	to->n_violating = from->n_violating;
	from->violating = NULL;
	if (from->chunk != &from->spare.chunk) {
		to->chunk = from->chunk;
		to->entries = from->entries;
		from->chunk = &from->spare.chunk;
		from->entries = from->spare.entries;
	} else {
		to->spare = from->spare;
	}
	ppi_tally_hand_over (to, from);
}

/* An unchanged assertion keeps its state and counts. Neither is checked just now. */
static void hand_over (struct ppi_assertion *to, struct ppi_assertion *from)
{
	to->machine = from->machine;
	if (to->threads && from->threads)
		*to->threads = *from->threads;
	to->quiet = ppi_machine_idle (&to->machine, PPI_PASS);
	if (to->program->has_groups && !to->grouped) {
		/* states are by the numbers that groups have where they are merged */
		ppi_groups_hand_over (to->program, from->program);
		to->grouped = from->grouped;
		from->grouped = NULL;
		to->quiet = !to->grouped || !to->grouped->restless;
	}
	ppi_captures_hand_over (to, from);
	to->state = ppi_load (&from->state);
	to->firing = ppi_load (&from->firing);
	to->samples = ppi_load (&from->samples);
	to->due_ns = from->due_ns;
	to->log_tokens = from->log_tokens;
	to->log_ns = from->log_ns;
	to->log_suppressed = from->log_suppressed;
	from->log_suppressed = 0;
	to->culprit_share = from->culprit_share;
	memcpy (to->culprit, from->culprit, sizeof to->culprit);
	memcpy (to->culprit_text, from->culprit_text, sizeof to->culprit_text);
	if (to->growth) {
		to->growth->growth = from->growth->growth;
		to->growth->due_ns = from->growth->due_ns;
	}
	hand_over_chunks (to, from);
}

static bool same_word (const struct ppi_yaml *a, const struct ppi_yaml *b)
{
	return a && b ? strcmp (a->scalar, b->scalar) == 0 : a == b;
}

static bool same_constant (double a, double b)
{
	return a <= b ? a >= b : isnan (a) && isnan (b);
}

/*
 * Do they compute the same? The same text need not: composites that it names are in them as what
 * they stand for.
 */
static bool same_programs (const struct ppi_program *a, const struct ppi_program *b)
{
	if (a->n_code != b->n_code || a->n_references != b->n_references)
		return false;
	for (size_t i = 0; i < a->n_code; i++) {
		const struct ppi_code *x = &a->code[i], *y = &b->code[i];

		if (x->op != y->op || x->index != y->index ||
		    !same_constant (x->constant, y->constant))
			return false;
	}
	for (size_t i = 0; i < a->n_references; i++) {
		const struct ppi_ref *x = &a->references[i], *y = &b->references[i];

		if (x->kind != y->kind || x->property != y->property ||
		    x->window_ns != y->window_ns || !x->name != !y->name ||
		    (x->name && strcmp (x->name, y->name) != 0) || !x->site != !y->site ||
		    (x->site && strcmp (x->site, y->site) != 0))
			return false;
	}
	return true;
}

static bool same_metric (const struct ppi_policy_metric *a, const struct ppi_policy_metric *b)
{
	if (a->accumulator != b->accumulator || a->size != b->size || a->kind != b->kind ||
	    a->scope != b->scope || a->every != b->every || a->window_ns != b->window_ns ||
	    a->corrected != b->corrected || a->jumped != b->jumped ||
	    a->n_fallbacks != b->n_fallbacks || !same_word (a->combine, b->combine) ||
	    !same_word (a->source, b->source))
		return false;
	for (size_t i = 0; i < a->n_fallbacks; i++)
		if (!same_word (a->fallback[i], b->fallback[i]))
			return false;
	return true;
}

/* Do both policies declare what PROGRAM reads, and equally, or neither? */
static bool same_metrics (const struct ppi_program *program, const struct ppi_policy *a,
			  const struct ppi_policy *b)
{
	for (size_t i = 0; i < program->n_references; i++) {
		const struct ppi_ref *ref = &program->references[i];
		const struct ppi_policy_metric *now, *then;

		if (!ref->name || ref->kind == PPI_REF_ASSERTION || ref->kind == PPI_REF_KNOB)
			continue;
		now = ppi_policy_metric (a, ref->name);
		then = ppi_policy_metric (b, ref->name);
		if (!now != !then || (now && !same_metric (now, then)))
			return false;
	}
	return true;
}

static bool same_adapt (const struct ppi_loaded *a, size_t i, const struct ppi_loaded *b, size_t k)
{
	const struct ppi_adapt *to = a->adapts[i], *from = b->adapts[k];

	if (to->knob != from->knob || to->chooser.variants != from->chooser.variants)
		return false;
	for (uint32_t v = 0; v < to->chooser.variants; v++)
		if (to->value[v] != from->value[v])
			return false;
	return ppi_yaml_equal (a->policy->adapts[i].body, b->policy->adapts[k].body) &&
	       same_programs (to->program, from->program) &&
	       same_metrics (to->program, a->policy, b->policy);
}

void ppi_adapts_hand_over (struct ppi_loaded *to, struct ppi_loaded *from)
{
	for (size_t i = 0; i < to->n_adapts; i++)
		for (size_t k = 0; k < from->n_adapts; k++)
			if (same_adapt (to, i, from, k)) {
				struct ppi_adapt *fresh = to->adapts[i];

				/* the fresh one goes with the former policy */
				to->adapts[i] = from->adapts[k];
				from->adapts[k] = fresh;
				break;
			}
}

/* The same is written there, so it is a figure in both or in none. */
static bool same_capture (const struct ppi_assertion *a, const struct ppi_assertion *b, uint32_t i)
{
	const struct ppi_program *figure = a->capture[i].figure;

	return a->capture[i].metric == b->capture[i].metric &&
	       (!figure || (same_programs (figure, b->capture[i].figure) &&
			    same_metrics (figure, a->policy->policy, b->policy->policy)));
}

static bool same_assertion (const struct ppi_assertion *a, const struct ppi_assertion *b)
{
	if (strcmp (a->name, b->name) != 0 || !ppi_yaml_equal (a->written->body, b->written->body))
		return false;
	for (uint32_t i = 0; i < a->n_captures; i++)
		if (!same_capture (a, b, i))
			return false;
	return same_programs (a->program, b->program) &&
	       same_metrics (a->program, a->policy->policy, b->policy->policy);
}

static struct ppi_assertion *former_of (const struct ppi_assertion *a,
					const struct ppi_loaded *former)
{
	for (size_t i = 0; former && i < former->policy->n_assertions; i++)
		if (same_assertion (a, former->assertions[i]))
			return former->assertions[i];
	return NULL;
}

/* Counts, state and names of the assertions from FIRST on, before they are checked */
static void prepare (struct ppi_loaded *loaded, size_t first, struct ppi_loaded *former)
{
	for (size_t i = first; i < loaded->policy->n_assertions; i++) {
		struct ppi_assertion *a = loaded->assertions[i], *same = former_of (a, former);

		if (same)
			hand_over (a, same);
		else
			ppi_assertion_describe (a);
		ppi_link (a->program);
		ppi_link_samples (a);
		ppi_captures_link (a);
	}
}

/*
 * What bind actions have bound goes on where the assertion is the same; back again with TO and FROM
 * exchanged
 */
static void hand_over_rules (struct ppi_loaded *to, struct ppi_loaded *from)
{
	for (size_t i = 0; from && i < to->policy->n_assertions; i++) {
		struct ppi_assertion *a = to->assertions[i], *same = former_of (a, from);

		if (!same)
			continue;
		hand_over_actions (a->on_fire, same->on_fire, a->n_on_fire);
		hand_over_actions (a->on_clear, same->on_clear, a->n_on_clear);
	}
}

/* Back to the former version */
static void hand_back (struct ppi_loaded *to, struct ppi_loaded *from)
{
	for (size_t i = 0; i < to->policy->n_assertions; i++) {
		struct ppi_assertion *same = former_of (to->assertions[i], from);

		if (same)
			hand_over_chunks (to->assertions[i], same);
	}
}

/* ---- what can't be known --------------------------------------------------------------------- */

#define SITES 64

static bool binds_in_actions (const struct ppi_action *actions, size_t n, const pp_metric *metric)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < actions[i].n_slots; k++)
			if (actions[i].slots[k].metric == metric)
				return true;
	return false;
}

static bool is_bound_by_actions (const struct ppi_loaded *loaded, const pp_metric *metric)
{
	for (size_t i = 0; i < loaded->policy->n_assertions; i++) {
		const struct ppi_assertion *a = loaded->assertions[i];

		if (binds_in_actions (a->on_fire, a->n_on_fire, metric) ||
		    binds_in_actions (a->on_clear, a->n_on_clear, metric))
			return true;
	}
	return false;
}

/*
 * Is METRIC bound, but to none of the sites of A? One that is bound nowhere may be the program's,
 * to be bound by it.
 */
static bool is_elsewhere (const struct ppi_assertion *a, const pp_metric *metric)
{
	const pp_site *site[SITES];
	size_t n = ppi_metric_sites (metric, site, SITES);

	for (const struct ppi_site_check *check = a->checks; check; check = check->next)
		for (size_t i = 0; i < n && i < SITES; i++)
			if (site[i] == check->site)
				return false;
	return n && n <= SITES && a->checks;
}

void ppi_loaded_warn (const struct ppi_loaded *loaded, size_t first, struct ppi_diagnostics *d)
{
	for (size_t i = first; i < loaded->policy->n_assertions; i++) {
		const struct ppi_assertion *a = loaded->assertions[i];

		for (size_t k = 0; a->at && a->written->expect && k < a->program->n_references;
		     k++) {
			const struct ppi_ref *ref = &a->program->references[k];

			if (ref->kind != PPI_REF_METRIC || !ref->target ||
			    !is_elsewhere (a, ref->target) ||
			    is_bound_by_actions (loaded, ref->target))
				continue;
			ppi_diagnose_warning (
				d,
				ppi_yaml_place (a->written->expect, loaded->policy->text,
						ref->offset),
				"'%s' is not bound to %s, where this is checked, and "
				"is unknown there; all(%s) is what is measured everywhere, %s@SITE "
				"what is at one site",
				ref->name, pp_site_name (a->checks->site), ref->name, ref->name);
		}
	}
}

/* ---- the exchange ---------------------------------------------------------------------------- */

void ppi_loaded_flush (struct ppi_loaded *loaded)
{
	for (size_t i = 0; i < loaded->policy->n_assertions; i++) {
		ppi_assertion_saw (loaded->assertions[i], NULL, true);
		ppi_assertion_flush (loaded->assertions[i], ppi_now_ns ());
	}
}

void ppi_loaded_extend (struct ppi_loaded *loaded, size_t first, struct ppi_diagnostics *d)
{
	int error;

	ppi_batch_begin ();
	attach_rules (loaded, d);
	prepare (loaded, first, NULL);
	attach_checks (loaded, first, d);
	error = ppi_batch_end ();
	if (error < 0)
		ppi_diagnose (d, (struct ppi_place){0, 0},
			      "what it waited for can't be applied: %s", pp_strerror (error));
}

/* What its investigations were interrupted in; not in a batch */
static void resume (struct ppi_loaded *loaded)
{
	uint64_t now_ns = ppi_now_ns ();

	for (size_t i = 0; loaded && i < loaded->policy->n_assertions; i++)
		for (size_t k = 0; k < loaded->assertions[i]->n_on_fire; k++)
			if (loaded->assertions[i]->on_fire[k].investigation)
				ppi_investigation_resume (
					loaded->assertions[i]->on_fire[k].investigation, now_ns);
}

/* LOADED's part is taken back, FORMER's is as it was. In a batch of the caller's. */
static void take_back (struct ppi_loaded *loaded, struct ppi_loaded *former)
{
	struct ppi_diagnostics quiet;

	detach_checks (loaded);
	if (former) {
		ppi_diagnostics_init (&quiet, "", NULL, 1);
		hand_over_rules (former, loaded);
		hand_back (former, loaded);
		attach_rules (former, &quiet);
		attach_checks (former, 0, &quiet);
		ppi_diagnostics_clear (&quiet);
	}
	detach_rules (loaded);
}

/*
 * New rules come before old ones go, so that a binding that both have never ends; old checks go
 * before new ones come, so that no sample is checked twice.
 */
int ppi_loaded_exchange (struct ppi_loaded *loaded, struct ppi_loaded *former,
			 struct ppi_diagnostics *d)
{
	int error, late;

	ppi_batch_begin ();
	if (former)
		hand_over_times (loaded, former);
	error = attach_rules (loaded, d);
	if (!error && former) {
		detach_checks (former);
		ppi_loaded_flush (former);
	}
	if (!error) {
		prepare (loaded, 0, former);
		error = attach_checks (loaded, 0, d);
	}
	if (!error && former) {
		hand_over_rules (loaded, former);
		detach_rules (former);
	}
	if (error)
		take_back (loaded, former);
	late = ppi_batch_end ();
	if (error || late >= 0) {
		resume (error ? former : loaded);
		return error;
	}
	ppi_diagnose (d, (struct ppi_place){0, 0}, "can't be applied: %s", pp_strerror (late));
	ppi_batch_begin ();
	take_back (loaded, former);
	ppi_batch_end ();
	resume (former);
	return PP_EPOLICY;
}
