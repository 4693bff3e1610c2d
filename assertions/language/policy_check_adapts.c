/* SPDX-License-Identifier: MIT */
/*
 * policy_check_adapts.c: `adapt:` of a policy against what exists: its knob, which nobody else
 * turns, and what it is chosen for.
 */
#include "assertions/language/checker.h"

#include <string.h>

static bool is_of_metric (const struct ppi_ref *ref)
{
	return ref->kind == PPI_REF_METRIC || ref->kind == PPI_REF_ALL ||
	       ref->kind == PPI_REF_METRIC_SITE;
}

/*
 * What is adapted for is read over the window that just ended: the metrics of its expression get
 * that window
 */
static bool give_windows (struct ppi_checker *c, const struct ppi_policy_adapt *adapt)
{
	const struct ppi_expr_errors errors = ppi_checker_errors (c);
	bool any = false;

	for (size_t i = 0; i < adapt->program->n_references; i++) {
		struct ppi_ref *ref = &adapt->program->references[i];
		struct ppi_name_metric m = {.kind = 0};

		if (ref->window_ns) {
			ppi_expr_error (
				&errors, ref->window_offset,
				"what is adapted for is taken over windows of 'every' already");
			return false;
		}
		if (ref->kind == PPI_REF_STATIC)
			continue;
		if (!is_of_metric (ref)) {
			ppi_expr_error (&errors, ref->offset,
					"what is adapted for is made of metrics only");
			return false;
		}
		c->names.names.metric (&c->names.names, ref->name, &m);
		if (!ppi_policy_is_kept_lately (ref, &m, &errors))
			return false;
		ref->window_ns = adapt->every_ns;
		any = true;
	}
	if (!any)
		ppi_diagnose (c->d, adapt->objective->place,
			      "what is adapted for needs a metric, like time.avg");
	return any;
}

/* A knob that is chosen is turned by nobody else of this policy */
static void check_alone (struct ppi_checker *c, const struct ppi_policy_adapt *adapt, size_t n)
{
	const struct ppi_policy *policy = c->policy;
	const char *name = adapt->knob->scalar;

	for (size_t i = 0; i < n; i++)
		if (strcmp (policy->adapts[i].knob->scalar, name) == 0)
			ppi_diagnose (c->d, adapt->knob->place, "knob '%s' is chosen above already",
				      name);
	for (size_t i = 0; i < policy->n_assertions; i++) {
		const struct ppi_policy_assertion *a = &policy->assertions[i];

		for (size_t k = 0; k < a->n_on_fire + a->n_on_clear; k++) {
			const struct ppi_policy_action *action =
				k < a->n_on_fire ? &a->on_fire[k] : &a->on_clear[k - a->n_on_fire];

			if (action->kind == PPI_ACTION_KNOB && action->name &&
			    strcmp (action->name->scalar, name) == 0)
				ppi_diagnose (
					c->d, action->name->place,
					"knob '%s' is chosen by 'adapt': no action may turn it too",
					name);
		}
	}
}

static void check_adapt (struct ppi_checker *c, struct ppi_policy_adapt *adapt, size_t before)
{
	const struct ppi_expr_errors errors = ppi_checker_errors (c);
	const struct ppi_names *outer = c->names.outer;
	struct ppi_name_knob knob;

	check_alone (c, adapt, before);
	if (ppi_checker_is_knob_free (c, adapt->knob) && outer->knob &&
	    outer->knob (outer, adapt->knob->scalar, &knob))
		ppi_policy_adapt_values (adapt, &knob, c->d);
	if (ppi_checker_uses_broken (c, adapt->objective->scalar))
		return;
	c->expression = adapt->objective;
	c->names.at = NULL;
	if (ppi_program_create_number (adapt->objective->scalar, PPI_EXPR_MERGED, &c->names.names,
				       &errors, &adapt->dimension, &adapt->program) == PP_OK)
		give_windows (c, adapt);
}

void ppi_check_adapts (struct ppi_checker *c)
{
	for (size_t i = c->from.adapts; i < c->policy->n_adapts; i++) {
		struct ppi_policy_adapt *adapt = &c->policy->adapts[i];
		struct ppi_checked checked = ppi_checker_begin (c);

		if (adapt->refused)
			continue;
		ppi_program_destroy (adapt->program); /* of another time */
		adapt->program = NULL;
		check_adapt (c, adapt, i);
		adapt->waits = ppi_checker_end (c, &checked, &adapt->refused);
	}
}
