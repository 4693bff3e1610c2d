/* SPDX-License-Identifier: MIT */
/* policy_adapt.c: `adapt:` of a policy: what it says, and which variants of a knob that means. */
#include "assertions/language/policy.h"

#include "libmetrics/keep/accumulator.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EVERY_NS UINT64_C (1000000000) /* when it is not said */
#define SAMPLES 10
#define EXPLORE 0.05

/* ---- reading --------------------------------------------------------------------------------- */

/* minimise: or maximise:, exactly one */
static bool read_goal (struct ppi_diagnostics *d, const struct ppi_yaml *map,
		       struct ppi_policy_adapt *out)
{
	const struct ppi_yaml *least = ppi_yaml_get (map, "minimise"),
			      *most = ppi_yaml_get (map, "maximise");

	if (!least == !most) {
		ppi_diagnose (d, map->place,
			      "'adapt' needs either 'minimise' or 'maximise', an expression");
		return false;
	}
	out->maximise = most != NULL;
	out->objective = most ? most : least;
	return ppi_policy_word (d, out->objective, most ? "'maximise'" : "'minimise'");
}

static bool read_values (struct ppi_diagnostics *d, const struct ppi_yaml *list,
			 struct ppi_policy_adapt *out)
{
	bool ok = true;

	if (!list)
		return true;
	if (!ppi_policy_is (d, list, PPI_YAML_LIST, "'values'"))
		return false;
	if (list->n < 2 || list->n > PPI_VARIANTS) {
		ppi_diagnose (d, list->place, "'values' has from 2 to %d values or words",
			      PPI_VARIANTS);
		return false;
	}
	for (size_t i = 0; i < list->n; i++) {
		const char *end;
		double number;

		if (!ppi_policy_word (d, list->items[i], "a value")) {
			ok = false;
			continue;
		}
		end = ppi_lex_name (list->items[i]->scalar);
		if (!end || *end)
			ok = ppi_policy_number (d, list->items[i], "a value", &number) && ok;
	}
	out->values = list;
	return ok;
}

static bool read_explore (struct ppi_diagnostics *d, const struct ppi_yaml *map,
			  struct ppi_policy_adapt *out)
{
	const struct ppi_yaml *explore = ppi_yaml_get (map, "explore");

	if (!explore)
		return true;
	if (!ppi_policy_number (d, explore, "'explore'", &out->explore))
		return false;
	if (out->explore >= 0 && out->explore <= 0.5)
		return true;
	ppi_diagnose (d, explore->place, "'explore' is from 0 to 50%%, not %s", explore->scalar);
	return false;
}

static bool read_one (struct ppi_diagnostics *d, const struct ppi_yaml *map,
		      struct ppi_policy_adapt *out)
{
	const struct ppi_policy_key *keys = ppi_keys_adapt ();
	bool ok;

	if (!ppi_policy_is (d, map, PPI_YAML_MAP, "'adapt'"))
		return false;
	*out = (struct ppi_policy_adapt){
		.body = map, .explore = EXPLORE, .every_ns = EVERY_NS, .samples = SAMPLES};
	ok = ppi_policy_keys (d, map, "'adapt'", keys, PPI_LACKS_NONE);
	ok = ppi_policy_needs (d, map, "'adapt'", keys, false) && ok;
	ok = ppi_policy_take (d, map, keys, out) && ok;
	ok = read_goal (d, map, out) && ok;
	ok = read_explore (d, map, out) && ok;
	return read_values (d, ppi_yaml_get (map, "values"), out) && ok;
}

void ppi_policy_read_adapt (struct ppi_diagnostics *d, const struct ppi_yaml *node,
			    struct ppi_policy *policy)
{
	size_t n = node && node->kind == PPI_YAML_LIST ? node->n : 1;

	if (!node)
		return;
	if (!n)
		ppi_diagnose (
			d, node->place,
			"'adapt' is an empty list: say what is to be chosen, or leave it out");
	policy->adapts = calloc (n + 1, sizeof *policy->adapts);
	if (!policy->adapts)
		return;
	for (size_t i = 0; i < n; i++)
		if (read_one (d, node->kind == PPI_YAML_LIST ? node->items[i] : node,
			      &policy->adapts[policy->n_adapts]))
			policy->n_adapts++;
}

bool ppi_policy_is_kept_lately (const struct ppi_ref *ref, const struct ppi_name_metric *m,
				const struct ppi_expr_errors *errors)
{
	if (ref->property >= PP_STATISTICS)
		ppi_expr_error (errors, ref->property_offset,
				"a statistic of the program's own is not kept over a window of "
				"time, as what is adapted for must be; take one of "
				"the library's, like %s.avg",
				ref->name);
	else if (!ppi_statistic_has_window ((enum ppi_accumulator) m->accumulator,
					    (enum pp_statistic) ref->property))
		ppi_expr_error (errors, ref->property_offset,
				"'%s' of '%s' is not kept over a window of time, as what is "
				"adapted for must be",
				ppi_statistic_name ((enum pp_statistic) ref->property), ref->name);
	else
		return true;
	return false;
}

/* ---- variants -------------------------------------------------------------------------------- */

static double number_of (const struct ppi_name_knob *knob, union pp_abi_number number)
{
	return knob->type == PP_ABI_KNOB_DOUBLE ? number.d : (double) number.i;
}

/*
 * Every value in the knob's range, a step from the last; told where these are too many or too few
 */
static bool take_range (struct ppi_policy_adapt *adapt, const struct ppi_name_knob *knob,
			struct ppi_diagnostics *d)
{
	double min = number_of (knob, knob->min), max = number_of (knob, knob->max),
	       step = number_of (knob, knob->step), n;

	/* a last step that rounding keeps from being whole is one */
	n = step > 0 ? floor ((max - min) / step * (1 + 1e-9)) + 1 : 0;
	if (!(n >= 2 && n <= PPI_VARIANTS)) {
		ppi_diagnose (d, adapt->knob->place,
			      "knob '%s' has %.0f values in its range; say with 'values' which to "
			      "choose from, 2 to %d",
			      adapt->knob->scalar, n, PPI_VARIANTS);
		return false;
	}
	for (uint32_t i = 0; i < (uint32_t) n; i++)
		adapt->value[adapt->n_values++] = fmin (min + i * step, max);
	return true;
}

/* One of `values`, as a value of the knob's */
static bool value_of (const struct ppi_yaml *node, const struct ppi_policy_adapt *adapt,
		      const struct ppi_name_knob *knob, struct ppi_diagnostics *d, double *out)
{
	const char *name = adapt->knob->scalar, *end;

	if (knob->type == PP_ABI_KNOB_ENUM) {
		*out = ppi_word_place (knob->words, node->scalar);
		if (*out < 0)
			ppi_diagnose (d, node->place, "knob '%s' has no word '%s'; it has %s", name,
				      node->scalar, knob->words);
		return *out >= 0;
	}
	end = ppi_lex_name (node->scalar);
	if (end && !*end) {
		ppi_diagnose (d, node->place, "'%s' is no number, and knob '%s' has no words",
			      node->scalar, name);
		return false;
	}
	if (!ppi_policy_number (d, node, "a value", out))
		return false;
	if (*out >= number_of (knob, knob->min) && *out <= number_of (knob, knob->max) &&
	    (knob->type == PP_ABI_KNOB_DOUBLE || *out == rint (*out)))
		return true;
	ppi_diagnose (d, node->place,
		      "%s is no value of knob '%s', whose range is %.10g to %.10g%s", node->scalar,
		      name, number_of (knob, knob->min), number_of (knob, knob->max),
		      knob->type == PP_ABI_KNOB_DOUBLE ? "" : ", whole numbers");
	return false;
}

void ppi_policy_adapt_values (struct ppi_policy_adapt *adapt, const struct ppi_name_knob *knob,
			      struct ppi_diagnostics *d)
{
	bool ok = true;

	adapt->n_values = 0;
	for (int i = 0; !adapt->values && knob->type == PP_ABI_KNOB_ENUM && i < PPI_VARIANTS; i++) {
		char word[PP_ABI_NAME_BYTES];

		if (ppi_word_at (knob->words, i, word, sizeof word))
			adapt->value[adapt->n_values++] = i;
	}
	if (!adapt->values && knob->type != PP_ABI_KNOB_ENUM)
		ok = take_range (adapt, knob, d);
	for (size_t i = 0; adapt->values && i < adapt->values->n; i++) {
		double value = 0;

		if (!value_of (adapt->values->items[i], adapt, knob, d, &value)) {
			ok = false;
			continue;
		}
		for (uint32_t k = 0; k < adapt->n_values; k++)
			if (adapt->value[k] == value) {
				ppi_diagnose (d, adapt->values->items[i]->place,
					      "%s is there twice", adapt->values->items[i]->scalar);
				ok = false;
			}
		adapt->value[adapt->n_values++] = value;
	}
	if (ok && adapt->n_values < 2)
		ppi_diagnose (d, adapt->knob->place,
			      "knob '%s' has one value only: there is nothing to choose",
			      adapt->knob->scalar);
}
