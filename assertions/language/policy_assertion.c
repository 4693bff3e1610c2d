/* SPDX-License-Identifier: MIT */
/* policy_assertion.c: `assertions:` of a policy's tree. As in policy_read.c every key is looked at, and errors don't follow from errors. */
#include "assertions/language/growth.h"
#include "assertions/language/policy.h"

#include "libmetrics/report.h"

#include <stdlib.h>
#include <string.h>

static bool read_capture (struct ppi_diagnostics *d, const struct ppi_yaml *list, struct ppi_policy_assertion *out)
{
	bool ok = true;

	if (!list)
		return true;
	if (!ppi_policy_is (d, list, PPI_YAML_LIST, "'capture'"))
		return false;
	if (list->n > PPI_CAPTURES) {
		ppi_diagnose (d, list->items[PPI_CAPTURES]->place, "at most %d metrics can be captured", PPI_CAPTURES);
		return false;
	}
	for (size_t i = 0; i < list->n; i++) {
		ok = ppi_policy_name (d, list->items[i], "a metric's name") && ok;
		out->capture[out->n_captures++] = list->items[i];
	}
	if (!ok)
		out->n_captures = 0;
	return ok;
}

/* sweep: [1.05, 1.25, 2], for assertions at sites */
static void read_sweep (struct ppi_diagnostics *d, const struct ppi_yaml *list, struct ppi_policy_assertion *out)
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
static void read_when (struct ppi_diagnostics *d, const struct ppi_yaml *body, struct ppi_policy_assertion *out)
{
	const struct ppi_yaml *every = ppi_yaml_get (body, "every");

	out->at = ppi_yaml_get (body, "at");
	if (!out->at == !every) {
		ppi_diagnose (d, body->place, "an assertion needs either 'at' (a site) or 'every' (a time)");
		out->at = NULL;
	} else if (every) {
		ppi_policy_duration (d, every, "'every'", &out->every_ns);
	} else if (!ppi_policy_word (d, out->at, "'at'")) {
		out->at = NULL;
	}
}

static void read_scope (struct ppi_diagnostics *d, const struct ppi_yaml *scope, struct ppi_policy_assertion *out)
{
	if (!scope || !ppi_policy_word (d, scope, "'scope'") || strcmp (scope->scalar, "process") == 0)
		return;
	out->per_thread = true;
	if (strcmp (scope->scalar, "thread") != 0)
		ppi_diagnose (d, scope->place, "there is no scope '%s'; there are process and thread", scope->scalar);
	else if (out->every_ns || out->growth.of)
		ppi_diagnose (d, scope->place,
			      "only what is expected 'at' a site is checked by threads; 'every' and 'growth' are "
			      "checked for all of them together");
}

static void read_severity (struct ppi_diagnostics *d, const struct ppi_yaml *node, struct ppi_policy_assertion *out)
{
	out->severity = PP_SEVERITY_WARNING;
	if (!node || !ppi_policy_word (d, node, "'severity'"))
		return;
	for (unsigned i = PP_SEVERITY_INFO; i <= PP_SEVERITY_CRITICAL; i++)
		if (strcmp (ppi_severity_name ((enum pp_severity) i), node->scalar) == 0) {
			out->severity = (uint8_t) i;
			return;
		}
	ppi_diagnose (d, node->place, "'severity' is info, warning, error or critical, not '%s'", node->scalar);
}

/* As ppi_policy_integer; a time is a slip with a hint. */
static void read_count (struct ppi_diagnostics *d, const struct ppi_yaml *node, const char *what, uint64_t min,
			uint64_t max, const char *counted, uint64_t *out)
{
	struct ppi_dimension dimension;
	const char *unit, *end;
	double value;

	if (node->kind == PPI_YAML_SCALAR &&
	    ppi_quantity_scan (node->scalar, &value, &dimension, &unit, &end) == PPI_QUANTITY_OK && !*end &&
	    dimension.seconds == 1 && !dimension.bytes)
		ppi_diagnose (
			d, node->place,
			"%s is a number of %s, not a time: did you mean '%.*s'? What is expected over a time says "
			"so itself: share[%s], p99[%s]",
			what, counted, (int) (unit - node->scalar), node->scalar, node->scalar, node->scalar);
	else
		ppi_policy_integer (d, node, what, min, max, out);
}

static void read_counts (struct ppi_diagnostics *d, const struct ppi_yaml *body, struct ppi_policy_assertion *out)
{
	const struct ppi_yaml *value;
	uint64_t fire_after = 1, clear_after = 1;

	value = ppi_yaml_get (body, "after");
	if (value)
		read_count (d, value, "'after'", 0, UINT64_C (1) << 53, "samples", &out->after);
	value = ppi_yaml_get (body, "for");
	if (value)
		read_count (d, value, "'for'", 1, 1000000, "consecutive failures", &fire_after);
	value = ppi_yaml_get (body, "clear");
	if (value)
		read_count (d, value, "'clear'", 1, 1000000, "consecutive passes", &clear_after);
	value = ppi_yaml_get (body, "cooldown");
	if (value)
		ppi_policy_duration (d, value, "'cooldown'", &out->cooldown_ns);
	value = ppi_yaml_get (body, "repeat");
	if (value)
		ppi_policy_bool (d, value, "'repeat'", &out->repeat);
	value = ppi_yaml_get (body, "quiet");
	if (value)
		ppi_policy_bool (d, value, "'quiet'", &out->quiet);
	out->fire_after = (uint32_t) fire_after;
	out->clear_after = (uint32_t) clear_after;
}

static bool read_growth_class (struct ppi_diagnostics *d, const struct ppi_yaml *text, uint8_t *out)
{
	int class;

	if (!ppi_policy_word (d, text, "'at_most'"))
		return false;
	class = ppi_growth_parse (text->scalar);
	if (class < 0)
		ppi_diagnose (d, text->place, "there is no growth class '%s'; there are 1, log n, n, n log n, n^2, n^3",
			      text->scalar);
	*out = (uint8_t) class;
	return class >= 0;
}

static void read_growth (struct ppi_diagnostics *d, const struct ppi_yaml *body, struct ppi_policy_growth *out)
{
	static const struct ppi_policy_key keys[] = {
		{"of", false}, {"with", false}, {"at_most", false}, {"every", false}, {NULL, false}};
	const struct ppi_yaml *of, *with, *at_most, *every;
	struct ppi_policy_growth growth = {.every_ns = PPI_GROWTH_EVERY_NS};
	bool ok;

	if (!ppi_policy_is (d, body, PPI_YAML_MAP, "'growth'"))
		return;
	ok = ppi_policy_keys (d, body, "'growth'", keys);
	of = ppi_yaml_get (body, "of");
	with = ppi_yaml_get (body, "with");
	at_most = ppi_yaml_get (body, "at_most");
	every = ppi_yaml_get (body, "every");
	if (!of || !with || !at_most) {
		if (ok)
			ppi_diagnose (
				d, body->place,
				"'growth' needs 'of' (a metric), 'with' (the metric that it grows with) and 'at_most' "
				"(1, log n, n, n log n, n^2 or n^3)");
		ok = false;
	}
	ok = (!of || ppi_policy_name (d, of, "a metric's name")) && ok;
	ok = (!with || ppi_policy_name (d, with, "a metric's name")) && ok;
	ok = (!at_most || read_growth_class (d, at_most, &growth.at_most)) && ok;
	ok = (!every || ppi_policy_duration (d, every, "'every'", &growth.every_ns)) && ok;
	growth.of = of;
	growth.with = with;
	if (ok)
		*out = growth;
}

/* The keys of which exactly one says what is expected */
static const char *const conditions[] = {"expect", "model", "growth"};

enum { CONDITIONS = sizeof conditions / sizeof conditions[0] };

/*
 * UNDERSTOOD: there was no key that may be meant to be one. A model is an expression that may speak of sources and
 * dimensions; it and growth are about a site.
 */
static void read_condition (struct ppi_diagnostics *d, const struct ppi_yaml *body, bool understood,
			    struct ppi_policy_assertion *out)
{
	const struct ppi_yaml *first = NULL, *value;
	size_t which = 0;

	for (size_t i = 0; i < CONDITIONS; i++) {
		value = ppi_yaml_get (body, conditions[i]);
		if (value && first) {
			ppi_diagnose (d, value->place, "an assertion has either '%s' or '%s'", conditions[which],
				      conditions[i]);
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
		ppi_diagnose (d, first->place, "'%s' is of a site: it needs 'at', not 'every'", conditions[which]);
	out->is_model = which == 1;
	if (which == 2)
		read_growth (d, first, &out->growth);
	else if (ppi_policy_word (d, first, which ? "'model'" : "'expect'"))
		out->expect = first;
}

static void read_how (struct ppi_diagnostics *d, const struct ppi_yaml *body, struct ppi_policy_assertion *out)
{
	read_counts (d, body, out);
	read_scope (d, ppi_yaml_get (body, "scope"), out);
	read_severity (d, ppi_yaml_get (body, "severity"), out);
	read_capture (d, ppi_yaml_get (body, "capture"), out);
}

void ppi_policy_read_clauses (struct ppi_diagnostics *d, const struct ppi_yaml *map, struct ppi_policy_assertion *out)
{
	static const struct ppi_policy_key keys[] = {
		{"after", false},    {"for", false},   {"clear", false},   {"cooldown", false}, {"repeat", false},
		{"severity", false}, {"scope", false}, {"capture", false}, {"quiet", false},    {NULL, false}};

	*out = (struct ppi_policy_assertion){0};
	if (!ppi_policy_is (d, map, PPI_YAML_MAP, "what is said of an expectation"))
		return;
	ppi_policy_keys (d, map, "an expectation in the program", keys);
	read_how (d, map, out);
}

static void read_assertion (struct ppi_diagnostics *d, const struct ppi_yaml *name, const struct ppi_yaml *body,
			    struct ppi_policy_assertion *out)
{
	static const struct ppi_policy_key keys[] = {
		{"at", false},       {"every", false},    {"expect", false},   {"after", false},  {"for", false},
		{"clear", false},    {"cooldown", false}, {"capture", false},  {"repeat", false}, {"scope", false},
		{"severity", false}, {"on_fire", false},  {"on_clear", false}, {"model", false},  {"growth", false},
		{"window", true},    {"sweep", false},    {"quiet", false},    {NULL, false}};
	const struct ppi_yaml *value;
	bool understood;

	out->name = name;
	ppi_policy_name (d, name, "an assertion's name");
	if (!ppi_policy_is (d, body, PPI_YAML_MAP, "an assertion"))
		return;
	out->body = body;
	/* a key that is not understood may be the one that seems to be missing */
	understood = ppi_policy_keys (d, body, "an assertion", keys);
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

void ppi_policy_read_assertions (struct ppi_diagnostics *d, const struct ppi_yaml *map, struct ppi_policy *policy)
{
	if (!map || !ppi_policy_is (d, map, PPI_YAML_MAP, "'assertions'"))
		return;
	policy->assertions = calloc (map->n + 1, sizeof *policy->assertions);
	for (size_t i = 0; policy->assertions && i < map->n; i++)
		read_assertion (d, map->keys[i], map->items[i], &policy->assertions[policy->n_assertions++]);
}
