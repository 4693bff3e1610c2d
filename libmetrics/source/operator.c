/* SPDX-License-Identifier: MIT */
/*
 * operator.c: operators of metrics; see operator.h. ppi_combination_begin and _end run at markers,
 * in C.
 */
#include "libmetrics/source/operator.h"

#include "base/named.h"
#include "base/types.h"
#include "libmetrics/keep/accumulator.h"
#include "libmetrics/source/metric_spec.h"
#include "libmetrics/source/source.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ppi_named *ppi_operators;

static const char *const names[] = {
#define X(id, name) name,
	PPI_OPERATORS (X)
#undef X
};

enum ppi_operator ppi_operator_parse (const char *name)
{
	unsigned i = 0;

	while (i < PPI_OPERATOR_USERS && strcmp (names[i], name) != 0)
		i++;
	return (enum ppi_operator) i;
}

/* ---- declaring ------------------------------------------------------------------------------- */

bool ppi_has_jumped (const struct ppi_source *source)
{
	return source->class == PPI_SOURCE_TICKS || source->class == PPI_SOURCE_NONE;
}

bool ppi_has_self (enum ppi_accumulator accumulator, const struct ppi_source *source)
{
	return ppi_keeps (accumulator, PPI_KEEPS_ANY) && source->class != PPI_SOURCE_VALUE &&
	       source->class != PPI_SOURCE_NONE;
}

bool ppi_operator_reads (const struct ppi_source *source)
{
	return source->class == PPI_SOURCE_FUNCTION &&
	       (source->read || (source->point && (source->kinds & 1)));
}

static int unknown (const struct ppi_metric_spec *spec, char *why, size_t room)
{
	const char *known[256], *nearest;
	char list[256] = "";
	size_t n = 0;

	for (; n < PPI_OPERATOR_USERS; n++)
		known[n] = names[n];
	for (const struct ppi_named *one = ppi_operators;
	     one && n + 1 < sizeof known / sizeof *known; one = one->next)
		known[n++] = one->name;
	known[n] = NULL;
	for (size_t i = 0, used = 0; i < n && used < sizeof list; i++)
		used += (size_t) snprintf (list + used, sizeof list - used, "%s%s", i ? ", " : "",
					   known[i]);
	nearest = ppi_nearest (spec->combine, known);
	if (nearest)
		snprintf (why, room,
			  "there is no operator \"%s\" of metric \"%s\"; did you mean \"%s\"?",
			  spec->combine, spec->name, nearest);
	else
		snprintf (why, room, "there is no operator \"%s\" of metric \"%s\"; there are %s",
			  spec->combine, spec->name, list);
	return PP_EINVAL;
}

int ppi_operator_check (const struct ppi_metric_spec *spec, const struct ppi_source *source,
			char *why, size_t room)
{
	if (ppi_operator_parse (spec->combine) == PPI_OPERATOR_USERS &&
	    !ppi_named_find (&ppi_operators, spec->combine))
		return unknown (spec, why, room);
	if (spec->kind != PP_ABI_SITE_INTERVAL)
		snprintf (why, room,
			  "metric \"%s\" is for points, which are read once: an operator is for "
			  "intervals",
			  spec->name);
	else if (spec->end || spec->has_arguments)
		snprintf (why, room,
			  "metric \"%s\" has a function for the end, which combines already: an "
			  "operator needs one function without arguments",
			  spec->name);
	else if (!ppi_operator_reads (source))
		snprintf (why, room,
			  "the source \"%s\" of metric \"%s\" says nothing at a begin or an end "
			  "that an operator could combine: it is for counters and for sources of "
			  "points",
			  spec->source, spec->name);
	else if (spec->scope == PPI_SCOPE_SELF &&
		 ppi_operator_parse (spec->combine) != PPI_OPERATOR_DIFFERENCE)
		snprintf (why, room,
			  "metric \"%s\": of a %s an execution has no part of its own; scope self "
			  "is for differences",
			  spec->name, spec->combine);
	else
		return PP_OK;
	return PP_EINVAL;
}

int ppi_combination_set (struct ppi_source_instance *in, const char *name)
{
	struct ppi_combination *c = calloc (1, sizeof *c);

	if (!c)
		return PP_ENOMEM;
	free (in->combination);
	in->combination = c;
	c->combine = ppi_operator_parse (name);
	c->function =
		c->combine == PPI_OPERATOR_USERS ? ppi_named_find (&ppi_operators, name) : NULL;
	c->reads_doubles = in->sample_type == PP_ABI_SAMPLE_DOUBLE;
	c->scale = in->scale;
	in->begin_bytes = sizeof (union ppi_sample);
	if (c->combine != PPI_OPERATOR_RATIO && c->combine != PPI_OPERATOR_USERS)
		return PP_OK;
	in->sample_type = PP_ABI_SAMPLE_DOUBLE;
	in->scale = 1;
	if (c->combine == PPI_OPERATOR_RATIO)
		in->unit = PPI_UNIT_PLAIN;
	return PP_OK;
}

bool ppi_operator_each (bool (*fn) (const char *name, void *arg), void *arg)
{
	for (unsigned i = 0; i < PPI_OPERATOR_USERS; i++)
		if (fn (names[i], arg))
			return true;
	for (const struct ppi_named *one = ppi_operators; one; one = one->next)
		if (fn (one->name, arg))
			return true;
	return false;
}

enum ppi_unit ppi_operator_unit (const char *name, enum ppi_unit unit)
{
	return ppi_operator_parse (name) == PPI_OPERATOR_RATIO ? PPI_UNIT_PLAIN : unit;
}

/* ---- at markers ------------------------------------------------------------------------------ */

static int read_now (struct ppi_source_instance *in, union ppi_sample *out)
{
	uint64_t now = 0;
	int error;

	if (!in->source->read)
		return in->source->point (in, out);
	error = in->source->read (in, &now);
	out->i = (int64_t) now;
	return error;
}

int ppi_combination_begin (struct ppi_source_instance *in, void *slot)
{
	union ppi_sample now = {.i = 0};
	int error = read_now (in, &now);

	memcpy (slot, &now, sizeof now);
	return error;
}

static double number (const struct ppi_combination *c, union ppi_sample reading)
{
	return c->reads_doubles ? reading.d : (double) reading.i;
}

/* Of a begin of 0 there is no ratio. */
static int ratio (double begin, double end, union ppi_sample *out)
{
	out->d = end / begin;
	return isfinite (out->d) ? PP_OK : PP_ESTATE;
}

static int users_own (const struct ppi_combination *c, double begin, double end,
		      union ppi_sample *out)
{
	pp_operator_fn fn =
		(pp_operator_fn) __atomic_load_n (&c->function->function, __ATOMIC_ACQUIRE);

	if (!fn)
		return PP_ESTATE; /* its module was closed */
	out->d = fn (begin * c->scale, end * c->scale);
	return isnan (out->d) ? PP_ESTATE : PP_OK;
}

int ppi_combination_end (struct ppi_source_instance *in, const void *slot, union ppi_sample *out)
{
	const struct ppi_combination *c = in->combination;
	union ppi_sample begin, end = {.i = 0};
	int error = read_now (in, &end);

	memcpy (&begin, slot, sizeof begin);
	if (error)
		return error;
	*out = end;
	switch (c->combine) {
	case PPI_OPERATOR_DIFFERENCE:
		if (c->reads_doubles)
			out->d = end.d - begin.d;
		else
			out->i = (int64_t) ((uint64_t) end.i - (uint64_t) begin.i);
		break;
	case PPI_OPERATOR_RATIO:
		return ratio (number (c, begin), number (c, end), out);
	case PPI_OPERATOR_MAX:
		if (c->reads_doubles ? begin.d > end.d : begin.i > end.i)
			*out = begin;
		break;
	case PPI_OPERATOR_LAST:
		break;
	case PPI_OPERATOR_USERS:
		return users_own (c, number (c, begin), number (c, end), out);
	}
	return PP_OK;
}
