/* SPDX-License-Identifier: MIT */
/*
 * policy_assertion.c: `assertions:` of a policy's tree. As in policy_read.c every key is looked at,
 * and errors don't follow from errors.
 */
#include "assertions/language/growth.h"
#include "assertions/language/policy.h"
#include "recording/layout.h"

#include <stdlib.h>
#include <string.h>

/* A metric's name, or a figure of a group, which the check reads */
static bool read_captured (struct ppi_diagnostics *d, const struct ppi_yaml *item)
{
	static const char *const what = "what is captured";

	if (!ppi_policy_word (d, item, what))
		return false;
	return ppi_policy_is_figure (item) || ppi_policy_name (d, item, "a metric's name");
}

static bool read_capture (struct ppi_diagnostics *d, const struct ppi_yaml *list,
			  struct ppi_policy_assertion *out)
{
	bool ok = true;

	if (!list)
		return true;
	if (!ppi_policy_is (d, list, PPI_YAML_LIST, "'capture'"))
		return false;
	if (list->n > PPI_CAPTURES) {
		ppi_diagnose (d, list->items[PPI_CAPTURES]->place,
			      "at most %d metrics can be captured", PPI_CAPTURES);
		return false;
	}
	for (size_t i = 0; i < list->n; i++) {
		ok = read_captured (d, list->items[i]) && ok;
		out->capture[out->n_captures++] = list->items[i];
	}
	if (!ok)
		out->n_captures = 0;
	return ok;
}

/* sweep: [1.05, 1.25, 2], for assertions at sites */
static void read_sweep (struct ppi_diagnostics *d, const struct ppi_yaml *list,
			struct ppi_policy_assertion *out)
{
	if (!list || !ppi_policy_is (d, list, PPI_YAML_LIST, "'sweep'"))
		return;
	out->sweep = list;
	if (!list->n || list->n > PPI_SWEEP_MAX)
		ppi_diagnose (d, list->place, "'sweep' has from 1 to %d thresholds", PPI_SWEEP_MAX);
	if (out->every_ns || out->growth.of)
		ppi_diagnose (d, list->place, "only what is expected 'at' a site can be swept");
	for (size_t i = 0; i < list->n && i < PPI_SWEEP_MAX; i++) {
		double *number = &out->threshold[out->n_thresholds];

		if (!ppi_policy_number (d, list->items[i], "a threshold", number))
			continue;
		if (*number > 0)
			out->n_thresholds++;
		else
			ppi_diagnose (d, list->items[i]->place, "a threshold is above 0");
	}
}

/* at: or every:, exactly one */
static void read_when (struct ppi_diagnostics *d, const struct ppi_yaml *body,
		       struct ppi_policy_assertion *out)
{
	const struct ppi_yaml *every = ppi_yaml_get (body, "every");

	out->at = ppi_yaml_get (body, "at");
	if (!out->at == !every) {
		ppi_diagnose (d, body->place,
			      "an assertion needs either 'at' (a site) or 'every' (a time)");
		out->at = NULL;
	} else if (every) {
		ppi_policy_duration (d, every, "'every'", &out->every_ns);
	} else if (!ppi_policy_word (d, out->at, "'at'")) {
		out->at = NULL;
	}
}

static void read_scope (struct ppi_diagnostics *d, const struct ppi_yaml *scope,
			struct ppi_policy_assertion *out)
{
	int place;

	if (!scope || !ppi_policy_word (d, scope, "'scope'"))
		return;
	place = ppi_policy_word_place (ppi_policy_key (ppi_keys_assertion (), "scope")->words,
				       scope->scalar);
	if (!place)
		return;
	out->per_thread = true;
	if (place < 0)
		ppi_diagnose (d, scope->place,
			      "there is no scope '%s'; there are process and thread",
			      scope->scalar);
	else if (out->every_ns || out->growth.of)
		ppi_diagnose (d, scope->place,
			      "only what is expected 'at' a site is checked by threads; 'every' "
			      "and 'growth' are checked for all of them together");
}

static bool read_growth_class (struct ppi_diagnostics *d, const struct ppi_yaml *text, uint8_t *out)
{
	int class;

	if (!ppi_policy_word (d, text, "'at_most'"))
		return false;
	class = ppi_growth_parse (text->scalar);
	if (class < 0)
		ppi_diagnose (
			d, text->place,
			"there is no growth class '%s'; there are 1, log n, n, n log n, n^2, n^3",
			text->scalar);
	*out = (uint8_t) class;
	return class >= 0;
}

static void read_growth (struct ppi_diagnostics *d, const struct ppi_yaml *body,
			 struct ppi_policy_growth *out)
{
	const struct ppi_policy_key *keys = ppi_keys_growth ();
	const struct ppi_yaml *at_most;
	struct ppi_policy_growth growth = {.every_ns = PPI_GROWTH_EVERY_NS};
	bool ok;

	if (!ppi_policy_is (d, body, PPI_YAML_MAP, "'growth'"))
		return;
	ok = ppi_policy_keys (d, body, "'growth'", keys, PPI_LACKS_NONE) &&
	     ppi_policy_needs (d, body, "'growth'", keys, true);
	ok = ppi_policy_take (d, body, keys, &growth) && ok;
	at_most = ppi_yaml_get (body, "at_most");
	ok = (!at_most || read_growth_class (d, at_most, &growth.at_most)) && ok;
	if (ok)
		*out = growth;
}

/* The keys of which exactly one says what is expected */
static const char *const conditions[] = {"expect", "model", "growth"};

enum { CONDITIONS = sizeof conditions / sizeof conditions[0] };

/*
 * UNDERSTOOD: there was no key that may be meant to be one. A model is an expression that may speak
 * of sources and dimensions; it and growth are about a site.
 */
static void read_condition (struct ppi_diagnostics *d, const struct ppi_yaml *body, bool understood,
			    struct ppi_policy_assertion *out)
{
	const struct ppi_yaml *first = NULL, *value;
	size_t which = 0;

	for (size_t i = 0; i < CONDITIONS; i++) {
		value = ppi_yaml_get (body, conditions[i]);
		if (value && first) {
			ppi_diagnose (d, value->place, "an assertion has either '%s' or '%s'",
				      conditions[which], conditions[i]);
			return;
		}
		if (value) {
			first = value;
			which = i;
		}
	}
	if (!first && understood)
		ppi_diagnose (d, body->place, "an assertion needs 'expect', 'model' or 'growth'");
	if (!first)
		return;
	if (which && ppi_yaml_get (body, "every"))
		ppi_diagnose (d, first->place, "'%s' is of a site: it needs 'at', not 'every'",
			      conditions[which]);
	out->is_model = which == 1;
	if (which == 2)
		read_growth (d, first, &out->growth);
	else if (ppi_policy_word (d, first, which ? "'model'" : "'expect'"))
		out->expect = first;
}

static void read_how (struct ppi_diagnostics *d, const struct ppi_yaml *body,
		      struct ppi_policy_assertion *out)
{
	out->fire_after = out->clear_after = 1;
	out->severity = PP_SEVERITY_WARNING;
	ppi_policy_take (d, body, ppi_keys_assertion (), out);
	read_scope (d, ppi_yaml_get (body, "scope"), out);
	read_capture (d, ppi_yaml_get (body, "capture"), out);
}

void ppi_policy_read_clauses (struct ppi_diagnostics *d, const struct ppi_yaml *map,
			      struct ppi_policy_assertion *out)
{
	*out = (struct ppi_policy_assertion){0};
	if (!ppi_policy_is (d, map, PPI_YAML_MAP, "what is said of an expectation"))
		return;
	ppi_policy_keys (d, map, "an expectation in the program", ppi_keys_assertion (),
			 PPI_IN_PROGRAM);
	read_how (d, map, out);
}

static void read_assertion (struct ppi_diagnostics *d, const struct ppi_yaml *name,
			    const struct ppi_yaml *body, struct ppi_policy_assertion *out)
{
	const struct ppi_yaml *value;
	bool understood;

	out->name = name;
	ppi_policy_name (d, name, "an assertion's name");
	if (!ppi_policy_is (d, body, PPI_YAML_MAP, "an assertion"))
		return;
	out->body = body;
	/* a key that is not understood may be the one that seems to be missing */
	understood =
		ppi_policy_keys (d, body, "an assertion", ppi_keys_assertion (), PPI_LACKS_NONE);
	if (understood || ppi_yaml_get (body, "at") || ppi_yaml_get (body, "every"))
		read_when (d, body, out);
	read_condition (d, body, understood, out);
	read_how (d, body, out);
	read_sweep (d, ppi_yaml_get (body, "sweep"), out);
	value = ppi_yaml_get (body, "on_fire");
	if (value)
		ppi_policy_read_actions (d, value, "'on_fire'", &out->on_fire, &out->n_on_fire);
	value = ppi_yaml_get (body, "on_clear");
	if (value)
		ppi_policy_read_actions (d, value, "'on_clear'", &out->on_clear, &out->n_on_clear);
}

void ppi_policy_read_assertions (struct ppi_diagnostics *d, const struct ppi_yaml *map,
				 struct ppi_policy *policy)
{
	if (!map || !ppi_policy_is (d, map, PPI_YAML_MAP, "'assertions'"))
		return;
	policy->assertions = calloc (map->n + 1, sizeof *policy->assertions);
	for (size_t i = 0; policy->assertions && i < map->n; i++)
		read_assertion (d, map->keys[i], map->items[i],
				&policy->assertions[policy->n_assertions++]);
}
