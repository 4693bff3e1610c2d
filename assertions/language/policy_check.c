/* SPDX-License-Identifier: MIT */
/*
 * policy_check.c: a policy's names and expressions against what exists: the outside and its own
 * metrics and assertions.
 */
#include "assertions/language/checker.h"
#include "assertions/language/growth.h"
#include "base/types.h"
#include "libmetrics/keep/accumulator.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WHY_ROOM 384

bool ppi_checker_is_broken (struct ppi_checker *c, const char *name)
{
	const struct ppi_policy_metric *own = ppi_policy_own_metric (&c->names, name);
	bool broken = own && !own->source;

	for (size_t i = 0; i < c->policy->n_composites && !broken; i++)
		broken = c->policy->composites[i].broken &&
			 strcmp (c->policy->composites[i].name->scalar, name) == 0;
	c->missing += broken;
	return broken;
}

bool ppi_checker_need (struct ppi_checker *c, const struct ppi_yaml *name, enum ppi_name_kind kind)
{
	char message[WHY_ROOM];

	if (kind == PPI_NAME_METRIC && c->names.names.composite (&c->names.names, name->scalar)) {
		ppi_diagnose (c->d, name->place,
			      "'%s' is computed from other metrics: it can stand in expressions "
			      "and be captured",
			      name->scalar);
		return false;
	}
	if ((kind == PPI_NAME_METRIC && ppi_policy_own_metric (&c->names, name->scalar)) ||
	    ppi_name_exists (&c->names.names, kind, name->scalar))
		return true;
	ppi_checker_missing (
		c, name->place, kind, name->scalar,
		ppi_name_missing (&c->names.names, kind, name->scalar, message, sizeof message));
	return false;
}

static void expression_error (void *arg, size_t offset, const char *message)
{
	struct ppi_checker *c = arg;

	ppi_diagnose (c->d, ppi_yaml_place (c->expression, c->policy->text, offset), "%s", message);
}

static void expression_missing (void *arg, size_t offset, enum ppi_name_kind kind, const char *name,
				const char *message)
{
	struct ppi_checker *c = arg;

	ppi_checker_missing (c, ppi_yaml_place (c->expression, c->policy->text, offset), kind, name,
			     message);
}

struct ppi_expr_errors ppi_checker_errors (struct ppi_checker *c)
{
	return (struct ppi_expr_errors){expression_error, c, expression_missing};
}

static void open_baseline (struct ppi_checker *c)
{
	const struct ppi_yaml *file = c->policy->baseline;
	char why[WHY_ROOM] = "no memory";

	if (!file)
		return;
	if (ppi_policy_names_baseline (&c->names, file->scalar, why, sizeof why) < 0)
		ppi_diagnose (c->d, file->place, "%s", why);
}

/* Are there sites? Else it is told. */
static bool check_pattern (struct ppi_checker *c, const struct ppi_yaml *pattern, unsigned kind)
{
	char why[WHY_ROOM] = "";
	int sites = c->names.names.site (&c->names.names, pattern->scalar, kind, why, sizeof why);

	if (sites == PP_ENOENT)
		ppi_checker_missing (c, pattern->place, PPI_NAME_SITE, pattern->scalar, why);
	else if (sites < 0)
		ppi_diagnose (c->d, pattern->place, "%s", why);
	return sites > 0;
}

static void check_values (struct ppi_checker *c, const struct ppi_yaml *pattern, const char *name,
			  const struct ppi_name_metric *m)
{
	const struct ppi_names *outer = c->names.outer;
	char why[WHY_ROOM] = "";

	if (outer->fits && m->source &&
	    outer->fits (outer, pattern->scalar, name, m, why, sizeof why) < 0)
		ppi_diagnose (c->d, pattern->place, "%s", why);
}

static void check_bind (struct ppi_checker *c, const struct ppi_policy_bind *bind)
{
	struct ppi_name_metric m = {.kind = 0};

	if (ppi_checker_need (c, bind->metric, PPI_NAME_METRIC) &&
	    !ppi_checker_is_broken (c, bind->metric->scalar))
		c->names.names.metric (&c->names.names, bind->metric->scalar, &m);
	if (m.has_arguments)
		ppi_diagnose (c->d, bind->metric->place,
			      "the functions of metric '%s' take arguments: it is measured by "
			      "sample_begin and sample_end and cannot be bound",
			      bind->metric->scalar);
	for (size_t i = 0; i < bind->n_sites; i++)
		if (check_pattern (c, bind->sites[i], m.kind) && m.kind && !m.has_arguments)
			check_values (c, bind->sites[i], bind->metric->scalar, &m);
}

static void no_such_word (struct ppi_checker *c, const struct ppi_yaml *knob,
			  const struct ppi_yaml *word, const char *words)
{
	char text[PPI_KNOB_WORDS][PP_ABI_NAME_BYTES];
	const char *names[PPI_KNOB_WORDS + 1] = {NULL}, *nearest;

	for (int i = 0; i < PPI_KNOB_WORDS && ppi_word_at (words, i, text[i], sizeof text[i]); i++)
		names[i] = text[i];
	nearest = ppi_nearest (word->scalar, names);
	ppi_diagnose (c->d, word->place, "knob '%s' has no word '%s'%s%s%s; it has %s",
		      knob->scalar, word->scalar, nearest ? "; did you mean '" : "",
		      nearest ? nearest : "", nearest ? "'?" : "", words);
}

/* What a knob is set to: one of its words, or a number */
static void check_set (struct ppi_checker *c, struct ppi_policy_action *action)
{
	const struct ppi_names *outer = c->names.outer;
	struct ppi_name_knob knob;
	int place;

	if (!action->word || !outer->knob || !outer->knob (outer, action->name->scalar, &knob))
		return;
	if (knob.type == PP_ABI_KNOB_ENUM) {
		place = ppi_word_place (knob.words, action->word->scalar);
		action->value = place;
		if (place < 0)
			no_such_word (c, action->name, action->word, knob.words);
	} else if (isnan (action->value)) {
		ppi_diagnose (c->d, action->word->place,
			      "'set' must be a plain number, not '%s': knob '%s' has no words",
			      action->word->scalar, action->name->scalar);
	}
}

bool ppi_checker_is_knob_free (struct ppi_checker *c, const struct ppi_yaml *name)
{
	const char *owner;

	if (!ppi_checker_need (c, name, PPI_NAME_KNOB))
		return false;
	owner = c->names.outer->owner (c->names.outer, PPI_NAME_KNOB, name->scalar);
	if (owner)
		ppi_diagnose (c->d, name->place, "knob '%s' is turned by the policy %s already",
			      name->scalar, owner);
	return !owner;
}

static void check_knob (struct ppi_checker *c, struct ppi_policy_action *action)
{
	if (ppi_checker_is_knob_free (c, action->name))
		check_set (c, action);
}

/* What is sampled: evaluated where the violation was seen */
static void check_sample (struct ppi_checker *c, struct ppi_policy_action *action, bool at_site)
{
	const struct ppi_expr_errors errors = ppi_checker_errors (c);
	struct ppi_dimension dimension = {0, 0}, wanted;
	struct ppi_name_metric m = {.kind = 0};
	char is[PPI_DIMENSION_BYTES], needs[PPI_DIMENSION_BYTES];

	if (!ppi_checker_need (c, action->name, PPI_NAME_METRIC) ||
	    ppi_checker_is_broken (c, action->name->scalar) ||
	    !c->names.names.metric (&c->names.names, action->name->scalar, &m) ||
	    ppi_checker_uses_broken (c, action->expression->scalar))
		return;
	c->expression = action->expression;
	if (ppi_program_create_number (action->expression->scalar,
				       at_site ? PPI_EXPR_AT_SITE : PPI_EXPR_MERGED,
				       &c->names.names, &errors, &dimension, &action->program) < 0)
		return;
	wanted = ppi_dimension_of ((enum ppi_unit) m.unit, 1);
	if (!ppi_keeps (m.accumulator, PPI_KEEPS_ANY) || ppi_dimension_equal (dimension, wanted))
		return;
	ppi_diagnose (c->d, action->expression->place, "'%s' is %s, but the samples of '%s' are %s",
		      action->expression->scalar, ppi_dimension_name (dimension, is, sizeof is),
		      action->name->scalar, ppi_dimension_name (wanted, needs, sizeof needs));
}

/* It compares executions of an interval that violate with others */
static void check_investigate (struct ppi_checker *c, const struct ppi_policy_action *action,
			       const struct ppi_policy_assertion *a)
{
	char why[WHY_ROOM] = "";

	if (!a->at || a->growth.of)
		ppi_diagnose (c->d, action->key->place,
			      "only what is expected 'at' an interval can be investigated, by "
			      "'expect' or 'model'");
	else if (c->names.names.site (&c->names.names, a->at->scalar, PP_ABI_SITE_INTERVAL, why,
				      sizeof why) == PP_EKIND)
		ppi_diagnose (c->d, action->key->place,
			      "'%s' means no interval: nothing runs inside of it", a->at->scalar);
	for (size_t i = 0; i < action->bind.n_sites; i++)
		check_pattern (c, action->bind.sites[i], PP_ABI_SITE_INTERVAL);
}

/* AGAIN: those only that have waited */
static void check_actions (struct ppi_checker *c, struct ppi_policy_action *actions, size_t n,
			   const struct ppi_policy_assertion *a, bool again)
{
	bool at_site = a->at != NULL;

	for (size_t i = 0; i < n; i++) {
		struct ppi_checked checked = ppi_checker_begin (c);

		if (actions[i].refused || (again && !actions[i].waits))
			continue;
		switch (actions[i].kind) {
		case PPI_ACTION_CALL:
			ppi_checker_need (c, actions[i].name, PPI_NAME_CALLABLE);
			break;
		case PPI_ACTION_KNOB:
			check_knob (c, &actions[i]);
			break;
		case PPI_ACTION_BIND:
		case PPI_ACTION_UNBIND:
			check_bind (c, &actions[i].bind);
			break;
		case PPI_ACTION_PROFILE:
			for (size_t k = 0; k < actions[i].profile.sites.n_sites; k++)
				check_pattern (c, actions[i].profile.sites.sites[k],
					       PP_ABI_SITE_INTERVAL);
			break;
		case PPI_ACTION_SAMPLE:
			check_sample (c, &actions[i], at_site);
			break;
		case PPI_ACTION_INVESTIGATE:
			check_investigate (c, &actions[i], a);
			break;
		default: /* names nothing that there might not be */
			break;
		}
		actions[i].waits = ppi_checker_end (c, &checked, &actions[i].refused);
	}
}

bool ppi_checker_uses_broken (struct ppi_checker *c, const char *text)
{
	for (const char *p = text; *p;) {
		const char *end = ppi_lex_name (p);
		char name[128];

		if (!end) {
			p++;
			continue;
		}
		snprintf (name, sizeof name, "%.*s", (int) (end - p), p);
		if (ppi_checker_is_broken (c, name))
			return true;
		p = end;
	}
	return false;
}

/*
 * Each by itself, as a number of everything merged: its names, its dimensions, and whether it is
 * made of itself.
 */
static void check_composites (struct ppi_checker *c)
{
	const struct ppi_expr_errors errors = ppi_checker_errors (c);

	for (size_t i = c->from.composites; i < c->policy->n_composites; i++) {
		struct ppi_policy_composite *one = &c->policy->composites[i];
		struct ppi_checked checked = ppi_checker_begin (c);
		struct ppi_program *program = NULL;
		struct ppi_dimension dimension;

		if (one->refused)
			continue;
		one->broken = false;
		c->expression = one->expr;
		if (ppi_checker_uses_broken (c, one->expr->scalar) ||
		    ppi_program_create_number (one->expr->scalar, PPI_EXPR_MERGED, &c->names.names,
					       &errors, &dimension, &program) < 0)
			one->broken = true;
		ppi_program_destroy (program);
		one->waits = ppi_checker_end (c, &checked, &one->refused);
	}
}

static void check_expression (struct ppi_checker *c, struct ppi_policy_assertion *a)
{
	const struct ppi_expr_errors errors = ppi_checker_errors (c);

	if (!a->expect || ppi_checker_uses_broken (c, a->expect->scalar))
		return;
	c->expression = a->expect;
	c->names.at = a->at ? a->at->scalar : NULL;
	if (ppi_program_create (a->expect->scalar, a->at ? PPI_EXPR_AT_SITE : PPI_EXPR_MERGED,
				&c->names.names, &errors, &a->program) == PP_ENOMEM)
		ppi_diagnose (c->d, a->expect->place, "no memory");
}

bool ppi_checker_has_last (struct ppi_checker *c, const struct ppi_yaml *name, const char *doing)
{
	struct ppi_name_metric m;

	if (!ppi_checker_need (c, name, PPI_NAME_METRIC) ||
	    ppi_checker_is_broken (c, name->scalar) ||
	    !c->names.names.metric (&c->names.names, name->scalar, &m))
		return false;
	if (ppi_statistic_exists ((enum ppi_accumulator) m.accumulator, PP_STAT_LAST))
		return true;
	ppi_diagnose (c->d, name->place, "'%s' can't %s: a %s has no last sample", name->scalar,
		      doing, ppi_accumulator_name ((enum ppi_accumulator) m.accumulator));
	return false;
}

/*
 * Its program is true for every execution; what it is for is its two references, which are linked
 * and loaded like those of any other condition. What people read is put in the place of its text.
 */
static void check_growth (struct ppi_checker *c, struct ppi_policy_assertion *a)
{
	const struct ppi_expr_errors errors = ppi_checker_errors (c);
	const struct ppi_policy_growth *g = &a->growth;
	char text[512], *shown;
	bool has_of = ppi_checker_has_last (c, g->of, "grow"),
	     has_with = ppi_checker_has_last (c, g->with, "be grown with");

	if (strcmp (g->of->scalar, g->with->scalar) == 0)
		ppi_diagnose (c->d, g->with->place, "'%s' grows with itself as n", g->with->scalar);
	else if (has_of && has_with && a->at) {
		c->expression = g->of;
		snprintf (text, sizeof text, "%s.last > 0 and %s.last > 0", g->of->scalar,
			  g->with->scalar);
		if (ppi_program_create (text, PPI_EXPR_AT_SITE, &c->names.names, &errors,
					&a->program) < 0)
			return;
		snprintf (text, sizeof text, "%s grows with %s at most as %s", g->of->scalar,
			  g->with->scalar, ppi_growth_name ((enum ppi_growth_class) g->at_most));
		shown = strdup (text);
		if (!shown)
			return;
		free (a->program->text);
		a->program->text = shown;
	}
}

static void check_assertion (struct ppi_checker *c, struct ppi_policy_assertion *a)
{
	const char *owner =
		c->names.outer->owner (c->names.outer, PPI_NAME_ASSERTION, a->name->scalar);
	struct ppi_checked checked = ppi_checker_begin (c);

	ppi_program_destroy (a->program); /* of another time */
	a->program = NULL;
	ppi_policy_figures_destroy (a);
	if (owner)
		ppi_diagnose (c->d, a->name->place, "assertion '%s' exists already, in %s",
			      a->name->scalar, owner);
	if (a->at)
		check_pattern (c, a->at, 0);
	check_expression (c, a);
	if (a->growth.of)
		check_growth (c, a);
	if (a->sweep && a->program && !a->program->comparison)
		ppi_diagnose (c->d, a->sweep->place,
			      "only one comparison by <, <=, > or >= can be swept, like "
			      "time.last <= 1.25 * time.avg");
	ppi_check_captures (c, a);
	a->waits = ppi_checker_end (c, &checked, &a->refused);
	check_actions (c, a->on_fire, a->n_on_fire, a, false);
	check_actions (c, a->on_clear, a->n_on_clear, a, false);
}

static void check_binds (struct ppi_checker *c)
{
	for (size_t i = c->from.binds; i < c->policy->n_binds; i++) {
		struct ppi_policy_bind *bind = &c->policy->binds[i];
		struct ppi_checked checked = ppi_checker_begin (c);

		if (bind->refused)
			continue;
		check_bind (c, bind);
		bind->waits = ppi_checker_end (c, &checked, &bind->refused);
	}
}

static void check_assertions (struct ppi_checker *c)
{
	for (size_t i = 0; i < c->policy->n_assertions; i++) {
		struct ppi_policy_assertion *a = &c->policy->assertions[i];

		if (i < c->from.assertions) {
			check_actions (c, a->on_fire, a->n_on_fire, a, true);
			check_actions (c, a->on_clear, a->n_on_clear, a, true);
		} else if (!a->refused) {
			check_assertion (c, a);
		}
	}
}

void ppi_checker_run (struct ppi_checker *c)
{
	open_baseline (c);
	ppi_check_metrics (c);
	check_composites (c);
	check_binds (c);
	check_assertions (c);
	ppi_check_adapts (c);
	for (size_t i = 0; !c->again && i < c->policy->profile.sites.n_sites; i++)
		check_pattern (c, c->policy->profile.sites.sites[i], PP_ABI_SITE_INTERVAL);
	for (size_t i = 0; !c->again && i < c->policy->events.records.n_sites; i++)
		check_pattern (c, c->policy->events.records.sites[i], 0);
	for (size_t k = 0; !c->again && k < c->policy->events.aggregates; k++)
		for (size_t i = 0; i < c->policy->events.aggregate[k].sites.n_sites; i++)
			check_pattern (c, c->policy->events.aggregate[k].sites.sites[i], 0);
	for (size_t i = 0; !c->again && i < c->policy->events.flight.sites.n_sites; i++)
		check_pattern (c, c->policy->events.flight.sites.sites[i], 0);
}
