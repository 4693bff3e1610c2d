/* SPDX-License-Identifier: MIT */
/*
 * composite.c: metrics that are computed from others, as objects: what pp_metric_find finds, pp_get
 * and pp_stat read, assertions capture and reports show. In expressions their text stands in the
 * place of their name (expr_names.c), so there is one truth about what it means.
 */
#include "assertions/engine/assertion.h"
#include "assertions/engine/link.h"
#include "assertions/engine/names.h"
#include "assertions/engine/policies.h"
#include "assertions/engine/seen.h"
#include "assertions/language/policy.h"
#include "base/part.h"
#include "base/types.h"
#include "libmetrics/keep/accumulator.h"
#include "libmetrics/registry/metric.h"
#include "libmetrics/source/metric_spec.h"
#include "libmetrics/stats/stat.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Never freed: whoever holds the metric may evaluate it at any time, without the lock. */
struct composite {
	struct ppi_computed computed; /* first */
	struct composite *next;
	pp_metric *metric;
	struct ppi_dimension dimension;
	/* and with averages in the place of newest samples */
	struct ppi_program *merged, *merged_usual;
	struct ppi_program *here, *here_usual; /* at markers; NULL: too dear for one */
	bool asks_users;
};

static struct composite *composites;

/* ---- values ---------------------------------------------------------------------------------- */

static double value_of (const struct ppi_computed *self, const pp_site *site)
{
	const struct composite *c = (const struct composite *) (const void *) self;

	if (c->asks_users)
		ppi_refresh_users (c->merged);
	return ppi_program_run (c->merged, ppi_load_merged, (void *) (uintptr_t) site).value;
}

struct ppi_captured ppi_composite_now (const pp_metric *metric, const struct ppi_at *at,
				       const pp_site *site)
{
	const struct composite *c =
		(const struct composite *) (const void *) ppi_metric_spec_of (metric)->computed;
	double (*load) (const struct ppi_ref *, void *) = at ? ppi_load_at : ppi_load_merged;
	const struct ppi_program *now = at ? c->here : c->merged,
				 *usual = at ? c->here_usual : c->merged_usual;
	void *arg = (void *) (at ? (uintptr_t) at : (uintptr_t) site);

	return (struct ppi_captured){.value = now ? ppi_program_run (now, load, arg).value : NAN,
				     .avg = usual ? ppi_program_run (usual, load, arg).value : NAN,
				     .samples = NAN};
}

/* ---- declaring ------------------------------------------------------------------------------- */

/*
 * What its expression sees: the composites of its policy, also those that are declared after it,
 * then everything.
 */
struct names {
	struct ppi_runtime_names names; /* first; its COMPOSITE is composite_text */
	const char *(*outer) (const struct ppi_names *self, const char *name);
	const struct ppi_policy *policy;
};

static const char *composite_text (const struct ppi_names *self, const char *name)
{
	const struct names *n = (const struct names *) self;
	const char *own = n->policy ? ppi_policy_composite (n->policy, name) : NULL;

	return own ? own : n->outer (self, name);
}

struct telling {
	char *why;
	size_t room;
	bool told;
};

static void tell (void *arg, size_t offset, const char *message)
{
	struct telling *t = arg;

	if (!t->told)
		snprintf (t->why, t->room, "%s (at character %zu)", message, offset + 1);
	t->told = true;
}

/* The newest becomes the average, where there is one. */
static void make_usual (struct ppi_program *program, const struct ppi_names *names)
{
	for (size_t i = 0; program && i < program->n_references; i++) {
		struct ppi_ref *ref = &program->references[i];
		struct ppi_name_metric m;

		if ((ref->kind == PPI_REF_METRIC || ref->kind == PPI_REF_ALL ||
		     ref->kind == PPI_REF_METRIC_SITE) &&
		    ref->property == PP_STAT_LAST && names->metric (names, ref->name, &m) &&
		    ppi_statistic_exists ((enum ppi_accumulator) m.accumulator, PP_STAT_AVG))
			ref->property = PP_STAT_AVG;
	}
}

/*
 * What the compiler knows of a site belongs to an assertion's check, which nobody has who captures.
 */
static bool asks_statics (const struct ppi_program *program)
{
	for (size_t i = 0; program && i < program->n_references; i++)
		if (program->references[i].kind == PPI_REF_STATIC && !program->references[i].site)
			return true;
	return false;
}

static void destroy (struct composite *c)
{
	ppi_program_destroy (c->merged);
	ppi_program_destroy (c->merged_usual);
	ppi_program_destroy (c->here);
	ppi_program_destroy (c->here_usual);
	free (c);
}

static int compile (struct composite *c, const char *text, const struct ppi_names *names, char *why,
		    size_t room)
{
	struct telling telling = {why, room, false}, quiet = {(char[8]){0}, 8, false};
	const struct ppi_expr_errors errors = {tell, &telling, NULL}, none = {tell, &quiet, NULL};
	struct ppi_dimension dimension;
	int error = ppi_program_create_number (text, PPI_EXPR_MERGED, names, &errors, &c->dimension,
					       &c->merged);

	if (!error)
		error = ppi_program_create_number (text, PPI_EXPR_MERGED, names, &errors,
						   &dimension, &c->merged_usual);
	if (error)
		return error;
	if (ppi_program_create_number (text, PPI_EXPR_AT_SITE, names, &none, &dimension,
				       &c->here) == PP_OK)
		(void) ppi_program_create_number (text, PPI_EXPR_AT_SITE, names, &none, &dimension,
						  &c->here_usual);
	if (asks_statics (c->here) || !c->here_usual) {
		ppi_program_destroy (c->here);
		ppi_program_destroy (c->here_usual);
		c->here = c->here_usual = NULL;
	}
	make_usual (c->merged_usual, names);
	make_usual (c->here_usual, names);
	c->asks_users = ppi_asks_users (c->merged);
	return PP_OK;
}

static void link_program (struct ppi_program *program)
{
	(void) ppi_link (program);
}

static void link_one (struct composite *c, void (*fn) (struct ppi_program *program))
{
	fn (c->merged);
	fn (c->merged_usual);
	if (c->here) {
		fn (c->here);
		fn (c->here_usual);
	}
}

static uint8_t unit_of (struct ppi_dimension dimension)
{
	for (int unit = 0; unit < PPI_UNIT_COUNT; unit++)
		if (ppi_dimension_equal (dimension, ppi_dimension_of ((enum ppi_unit) unit, 1)))
			return (uint8_t) unit;
	return PPI_UNIT_PLAIN;
}

int ppi_composite_declare (const char *name, const char *text, const char *where,
			   const struct ppi_policy *policy, pp_metric **out, char *why, size_t room)
{
	struct composite *c = calloc (1, sizeof *c);
	struct names names = {.policy = policy};
	struct ppi_metric_spec spec = {
		.name = name, .source = text, .where = where, .accumulator = PPI_SCALAR};
	int error;

	if (!c)
		return PP_ENOMEM;
	ppi_runtime_names_init (&names.names, NULL);
	names.outer = names.names.names.composite;
	names.names.names.composite = composite_text;
	error = compile (c, text, &names.names.names, why, room);
	c->computed.value = value_of;
	c->computed.unit = unit_of (c->dimension);
	spec.computed = &c->computed;
	if (!error)
		error = ppi_metric_declare (&spec, out, why, room);
	if (error ||
	    ppi_metric_spec_of (*out)->computed != &c->computed) { /* it is there already */
		destroy (c);
		return error;
	}
	c->metric = *out;
	c->next = composites;
	composites = c;
	link_one (c, link_program);
	return PP_OK;
}

static int make (const char *name, const char *text, pp_metric **out, char *why, size_t room)
{
	const char *end = ppi_lex_name (name);

	if (end && !*end)
		return ppi_composite_declare (name, text, "pp_metric_new", NULL, out, why, room);
	snprintf (why, room, "the name of a metric is letters, digits and _");
	return PP_EINVAL;
}

static void init (void)
{
	ppi_computed_maker_set (make);
}

const struct ppi_part ppi_composites_part = {.init = init};

void ppi_composites_link (void)
{
	for (struct composite *c = composites; c; c = c->next)
		link_one (c, ppi_metric_users (c->metric) ? link_program : ppi_unlink);
}

/* ---- who uses one ---------------------------------------------------------------------------- */

/*
 * Does the expression TEXT speak of NAME? What is quoted is a site's name, what follows a dot a
 * statistic's.
 */
static bool speaks_of (const char *text, const char *name)
{
	size_t n = strlen (name);
	char before = ' ';

	while (*text) {
		const char *end = ppi_lex_name (text);

		if (end && before != '.' && (size_t) (end - text) == n &&
		    memcmp (text, name, n) == 0)
			return true;
		if (!end && strchr ("\"'`", *text) && strchr (text + 1, *text))
			end = strchr (text + 1, *text) + 1;
		if (!end)
			end = text + 1;
		before = end[-1];
		text = end;
	}
	return false;
}

/* A policy of another file than that of LOADED */
static bool is_other (const struct ppi_loaded *other, const struct ppi_loaded *loaded)
{
	return !other || strcmp (other->policy->path, loaded->policy->path) != 0;
}

static bool assertion_speaks_of (const struct ppi_assertion *a, const char *name)
{
	if (speaks_of (a->program->text, name))
		return true;
	for (size_t i = 0; i < a->n_on_fire; i++)
		if (a->on_fire[i].program && speaks_of (a->on_fire[i].program->text, name))
			return true;
	return false;
}

struct use {
	const char *name;
	const struct ppi_loaded *beside;
	char *who;
	size_t room;
};

static bool is_use (struct ppi_program *program, const char *policy, void *arg)
{
	const struct use *use = arg;

	if (strcmp (policy, use->beside->policy->path) == 0 ||
	    !speaks_of (program->text, use->name))
		return false;
	snprintf (use->who, use->room, "%s", policy);
	return true;
}

bool ppi_composite_is_used (const char *name, const struct ppi_loaded *beside, char *who,
			    size_t room)
{
	struct use use = {name, beside, who, room};

	for (const struct ppi_assertion *a = ppi_assertions; a; a = a->next)
		if (is_other (a->policy, beside) && assertion_speaks_of (a, name)) {
			snprintf (who, room, "'%s' of %s", a->name,
				  a->policy ? a->policy->policy->path : "the program");
			return true;
		}
	for (const struct ppi_loaded *l = ppi_policies; l; l = l->next) {
		bool used = false;

		for (size_t i = 0; is_other (l, beside) && !used && i < l->policy->n_composites;
		     i++)
			used = speaks_of (l->policy->composites[i].expr->scalar, name);
		if (used) {
			snprintf (who, room, "%s", l->policy->path);
			return true;
		}
	}
	return ppi_parts_expressions (is_use, &use);
}

struct ppi_dimension ppi_composite_dimension (const pp_metric *metric)
{
	return ((const struct composite *) (const void *) ppi_metric_spec_of (metric)->computed)
		->dimension;
}
