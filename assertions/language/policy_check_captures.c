/* SPDX-License-Identifier: MIT */
/*
 * policy_check_captures.c: what an assertion captures: metrics by their names, and figures of
 * groups, which are expressions.
 */
#include "assertions/language/checker.h"

#include <stdio.h>
#include <string.h>

#define WHY_ROOM 384

/* ---- metrics --------------------------------------------------------------------------------- */

struct first_error {
	char text[WHY_ROOM];
};

static void remember_error (void *arg, size_t offset, const char *message)
{
	struct first_error *first = arg;

	(void) offset;
	if (!*first->text)
		snprintf (first->text, sizeof first->text, "%s", message);
}

static bool asks_for (const struct ppi_program *program, enum ppi_ref_kind kind)
{
	for (size_t i = 0; program && i < program->n_references; i++)
		if (program->references[i].kind == kind && !program->references[i].site)
			return true;
	return false;
}

/* A composite metric: what it is made of must be to be had where the violation is seen. */
static void check_composite (struct ppi_checker *c, const struct ppi_yaml *name, bool at_site)
{
	struct first_error first = {""};
	const struct ppi_expr_errors errors = {remember_error, &first, NULL};
	struct ppi_dimension dimension;
	struct ppi_program *program = NULL;

	if (ppi_checker_is_broken (c, name->scalar))
		return;
	ppi_program_create_number (c->names.names.composite (&c->names.names, name->scalar),
				   at_site ? PPI_EXPR_AT_SITE : PPI_EXPR_MERGED, &c->names.names,
				   &errors, &dimension, &program);
	if (*first.text)
		ppi_diagnose (c->d, name->place, "'%s' can't be captured here: %s", name->scalar,
			      first.text);
	else if (asks_for (program, PPI_REF_BASELINE) || asks_for (program, PPI_REF_STATIC))
		ppi_diagnose (c->d, name->place,
			      "'%s' can't be captured: what it takes from a baseline or the "
			      "compiler is for conditions only",
			      name->scalar);
	ppi_program_destroy (program);
}

/* ---- figures of groups ----------------------------------------------------------------------- */

bool ppi_policy_is_figure (const struct ppi_yaml *capture)
{
	return strpbrk (capture->scalar, "{(.") != NULL;
}

/* The figure is that of the group that violates: of one of those that the condition is of. */
static void check_any (struct ppi_checker *c, const struct ppi_policy_assertion *a, size_t i)
{
	const struct ppi_ref *captured = ppi_program_any (a->figure[i]),
			     *expected = a->program ? ppi_program_any (a->program) : NULL;
	struct ppi_place place =
		ppi_yaml_place (a->capture[i], c->policy->text, captured ? captured->offset : 0);

	/* what is expected has errors, or waits */
	if (!captured || (a->expect && !a->program))
		return;
	if (!expected)
		ppi_diagnose (c->d, place,
			      "'%s' is of the group that violates, but what is expected has no any "
			      "()",
			      a->capture[i]->scalar);
	else if (!ppi_ref_groups_equal (captured->groups, expected->groups))
		ppi_diagnose (c->d, place,
			      "'%s' is of the group that violates: it needs the same dimensions in "
			      "the same order as the any () in what is expected",
			      a->capture[i]->scalar);
}

static void check_figure (struct ppi_checker *c, struct ppi_policy_assertion *a, size_t i)
{
	const struct ppi_expr_errors errors = ppi_checker_errors (c);

	if (ppi_checker_uses_broken (c, a->capture[i]->scalar))
		return;
	c->expression = a->capture[i];
	if (ppi_program_create_figure (a->capture[i]->scalar,
				       a->at ? PPI_EXPR_AT_SITE : PPI_EXPR_MERGED, &c->names.names,
				       &errors, &a->figure_dimension[i], &a->figure[i]) == PP_OK)
		check_any (c, a, i);
}

void ppi_policy_figures_destroy (struct ppi_policy_assertion *a)
{
	for (size_t i = 0; i < a->n_captures; i++) {
		ppi_program_destroy (a->figure[i]);
		a->figure[i] = NULL;
	}
}

/* ---- all ------------------------------------------------------------------------------------- */

void ppi_check_captures (struct ppi_checker *c, struct ppi_policy_assertion *a)
{
	for (size_t i = 0; i < a->n_captures; i++)
		if (ppi_policy_is_figure (a->capture[i]))
			check_figure (c, a, i);
		else if (c->names.names.composite (&c->names.names, a->capture[i]->scalar))
			check_composite (c, a->capture[i], a->at != NULL);
		else
			ppi_checker_has_last (c, a->capture[i], "be captured");
}

void ppi_policy_check_captures (struct ppi_policy_assertion *a, const struct ppi_names *outer,
				struct ppi_diagnostics *d)
{
	struct ppi_policy none = {.text = (char *) (uintptr_t) d->text};
	struct ppi_checker c = {.policy = &none, .d = d};

	ppi_policy_names_open (&c.names, &none, outer);
	ppi_check_captures (&c, a);
	ppi_policy_names_close (&c.names);
}
