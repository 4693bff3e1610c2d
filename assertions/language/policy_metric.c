/* SPDX-License-Identifier: MIT */
/* policy_metric.c: a policy's metrics against the sources and operators that exist. */
#include "assertions/language/checker.h"
#include "base/types.h"
#include "libmetrics/keep/accumulator.h"
#include "libmetrics/source/operator.h"
#include "libmetrics/source/source.h"

#include <stdio.h>

#define WHY_ROOM 384

/*
 * The unit of what M measures by SOURCE; with an operator that may be a source of points, which is
 * read at both ends.
 */
static int find_unit (const struct ppi_checker *c, const struct ppi_policy_metric *m,
		      const struct ppi_yaml *source, uint8_t *unit, char *why, size_t room)
{
	const struct ppi_names *outer = c->names.outer;
	const char *argument;
	const struct ppi_source *found = m->combine || m->scope || m->corrected || m->jumped
						 ? ppi_source_find (source->scalar, &argument)
						 : NULL;
	int error = outer->source (outer, source->scalar, m->kind, unit, why, room);

	if (error == PP_EKIND && m->combine)
		error = outer->source (outer, source->scalar, PP_ABI_SITE_POINT, unit, why, room);
	if (error < 0)
		return error;
	if (m->scope == PPI_SCOPE_SELF && found &&
	    !ppi_has_self ((enum ppi_accumulator) m->accumulator, found)) {
		snprintf (why, room,
			  "'%s' is no sum of what is read at begin and end: it has no part of its "
			  "own",
			  source->scalar);
		return PP_EINVAL;
	}
	if (m->corrected &&
	    (!found || found->class != PPI_SOURCE_TICKS || m->scope || m->combine)) {
		snprintf (why, room,
			  "only elapsed, as a whole, can be corrected by what its markers take, "
			  "not '%s'",
			  source->scalar);
		return PP_EINVAL;
	}
	if (m->jumped && (!found || !ppi_has_jumped (found) || m->kind != PP_ABI_SITE_INTERVAL ||
			  m->scope == PPI_SCOPE_SELF || m->combine)) {
		snprintf (why, room,
			  "of an interval whose end is jumped over there are elapsed and count, "
			  "without scope self or an operator, not '%s'",
			  source->scalar);
		return PP_EINVAL;
	}
	if (!m->combine)
		return error;
	if (found && !ppi_operator_reads (found)) {
		snprintf (why, room,
			  "'%s' says nothing at a begin or an end that an operator could combine: "
			  "it is for counters and for sources of points",
			  source->scalar);
		return PP_EINVAL;
	}
	*unit = (uint8_t) ppi_operator_unit (m->combine->scalar, (enum ppi_unit) * unit);
	return error;
}

/* It can't be measured as it says: an error, or its name may come later */
static void no_source (struct ppi_checker *c, const struct ppi_yaml *source, int error,
		       const char *why)
{
	const char *end = ppi_lex_name (source->scalar);

	/* those of the library's own, like papi:NAME, are all there */
	if (error == PP_ENOENT && end && !*end)
		ppi_checker_missing (c, source->place, PPI_NAME_SOURCE, source->scalar, why);
	else
		ppi_diagnose (c->d, source->place, "%s", why);
}

/* Each must be there to be read where the source is, and count the same. */
static bool check_fallbacks (struct ppi_checker *c, const struct ppi_policy_metric *m)
{
	size_t missing = c->missing;

	for (size_t i = 0; i < m->n_fallbacks; i++) {
		const struct ppi_yaml *name = m->fallback[i];
		char why[WHY_ROOM] = "";
		uint8_t unit = m->unit;
		int error = find_unit (c, m, name, &unit, why, sizeof why);

		if (error < 0)
			no_source (c, name, error, why);
		else if (unit != m->unit && ppi_keeps (m->accumulator, PPI_KEEPS_ANY))
			ppi_diagnose (
				c->d, name->place,
				"'%s' is in %s, but '%s' in %s: they can't stand for each other",
				name->scalar, ppi_unit_words ((enum ppi_unit) unit),
				m->source->scalar, ppi_unit_words ((enum ppi_unit) m->unit));
	}
	return c->missing == missing;
}

/* Is all there that it is made of? */
static bool check_metric (struct ppi_checker *c, struct ppi_policy_metric *m,
			  const struct ppi_yaml *source)
{
	char why[WHY_ROOM] = "";
	int error;

	if (m->source && m->combine && !ppi_checker_need (c, m->combine, PPI_NAME_OPERATOR))
		return false;
	error = find_unit (c, m, source, &m->unit, why, sizeof why);
	if (error >= 0)
		return !m->source || check_fallbacks (c, m);
	no_source (c, source, error, why);
	return false;
}

void ppi_check_metrics (struct ppi_checker *c)
{
	for (size_t i = c->from.metrics; i < c->policy->n_metrics; i++) {
		struct ppi_policy_metric *m = &c->policy->metrics[i];
		struct ppi_checked checked = ppi_checker_begin (c);
		const struct ppi_yaml *source;

		if (m->waits && !m->refused)
			m->source = m->asked;
		source = m->source ? m->source : m->unsound;
		if (!source || m->refused)
			continue;
		m->asked = m->source;
		if (!check_metric (c, m, source))
			m->source = NULL;
		m->waits = ppi_checker_end (c, &checked, &m->refused);
	}
}
