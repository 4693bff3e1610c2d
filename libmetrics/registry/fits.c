/* SPDX-License-Identifier: MIT */
/*
 * fits.c: may a metric be bound to a site, and if not, why. Depends on nothing that runs: ppctl
 * asks the same of sites that it has read from a file.
 */
#include "base/dims.h"
#include "base/types.h"
#include "libmetrics/keep/accumulator.h"
#include "libmetrics/registry/binding.h"
#include "libmetrics/source/source.h"
#include "libmetrics/tables/metric.h"
#include "libmetrics/tables/site.h"

#include <stdio.h>

enum pp_abi_value ppi_value_of (const pp_metric *m, const pp_site *s, uint16_t *index)
{
	enum pp_abi_value type = PP_ABI_VALUE_NONE;
	int n;

	*index = 0;
	if (!m->instance.argument)
		return s->value;
	n = ppi_dim_find (s->dims, m->instance.argument, &type);
	if (n >= 0)
		*index = (uint16_t) (n + (s->value != PP_ABI_VALUE_NONE));
	return type;
}

/* "; it has n, name" or, where one is near, "; did you mean ...?" */
static void suggest_key (const pp_site *s, const char *key, char *out, size_t room)
{
	char keys[PP_ABI_DIMS][64];
	const char *names[PP_ABI_DIMS + 1] = {NULL}, *text = s->dims, *nearest;
	struct ppi_dim dim;

	for (unsigned i = 0; i < PP_ABI_DIMS && ppi_dim_next (&text, &dim); i++) {
		snprintf (keys[i], sizeof (keys[i]), "%.*s", (int) dim.length, dim.key);
		names[i] = keys[i];
	}
	nearest = ppi_nearest (key, names);
	if (nearest)
		snprintf (out, room, "; did you mean \"dim:%s\"?", nearest);
	else if (*names)
		snprintf (out, room, "; it has %s", s->dims);
	else
		snprintf (out, room, "; it has none");
}

static void why_no_value (const pp_metric *m, const pp_site *s, char *why, size_t room)
{
	char suggestion[128];

	if (!m->instance.argument) {
		snprintf (why, room, "metric \"%s\" keeps captured values, but %s has no %s",
			  m->spec.name, s->full,
			  s->kind == PP_ABI_SITE_FEATURE ? "payload(...)" : "value(...)");
		return;
	}
	suggest_key (s, m->instance.argument, suggestion, sizeof (suggestion));
	snprintf (why, room,
		  "metric \"%s\" keeps the dimension \"%s\", but %s has none of that name%s",
		  m->spec.name, m->instance.argument, s->full, suggestion);
}

/* Numbers are kept in any way, addresses only as they are, and texts are counted. */
static int check_value (const pp_metric *m, const pp_site *s, char *why, size_t room)
{
	uint16_t index;
	enum pp_abi_value type = ppi_value_of (m, s, &index);
	bool is_double = type == PP_ABI_VALUE_DOUBLE;

	if (!ppi_keeps (m->spec.accumulator, PPI_KEEPS_ANY) && (type || !m->instance.argument))
		return PP_OK;
	if (!type)
		why_no_value (m, s, why, room);
	else if (type == PP_ABI_VALUE_STRING)
		snprintf (why, room,
			  "metric \"%s\" keeps %s, but what %s captures is a string, which only "
			  "count can keep",
			  m->spec.name, ppi_accumulator_name (m->spec.accumulator), s->full);
	else if (type == PP_ABI_VALUE_POINTER &&
		 ppi_keeps (m->spec.accumulator, PPI_KEEPS_ANY & ~PPI_KEEPS_LAST))
		snprintf (why, room,
			  "metric \"%s\" keeps %s, but what %s captures is an address, which only "
			  "scalar and count can keep",
			  m->spec.name, ppi_accumulator_name (m->spec.accumulator), s->full);
	else if (is_double != (m->instance.sample_type == PP_ABI_SAMPLE_DOUBLE) && m->bindings)
		snprintf (why, room, "metric \"%s\" keeps %s, but the value of %s is %s",
			  m->spec.name,
			  m->instance.sample_type == PP_ABI_SAMPLE_DOUBLE ? "doubles" : "integers",
			  s->full, is_double ? "a double" : "an integer");
	else
		return PP_OK;
	return PP_EKIND;
}

bool ppi_binding_clashes (const pp_metric *m, const pp_site *s)
{
	uint16_t index;
	enum pp_abi_value type;

	if (m->instance.source->class != PPI_SOURCE_VALUE || !ppi_kind_fits (m->spec.kind, s->kind))
		return false;
	type = ppi_value_of (m, s, &index);
	return ppi_is_integer (type) || type == PP_ABI_VALUE_DOUBLE;
}

int ppi_binding_fits (const pp_metric *m, const pp_site *s, char *why, size_t room)
{
	if (m->spec.computed)
		snprintf (why, room,
			  "metric \"%s\" is computed from others: there is nothing to bind",
			  m->spec.name);
	else if (m->spec.has_arguments)
		snprintf (why, room,
			  "the functions of metric \"%s\" take arguments: it is measured by "
			  "sample_begin and sample_end and cannot be bound",
			  m->spec.name);
	else if (!ppi_kind_fits (m->spec.kind, s->kind))
		snprintf (why, room, "metric \"%s\" is for %s, but %s is %s", m->spec.name,
			  m->spec.kind == PP_ABI_SITE_POINT ? "points" : "intervals", s->full,
			  ppi_kind_with_article (s->kind));
	else
		return m->instance.source->class == PPI_SOURCE_VALUE ? check_value (m, s, why, room)
								     : PP_OK;
	return PP_EKIND;
}

int ppi_binding_check (const pp_metric *m, const pp_site *s, char *why, size_t room)
{
	if (!(s->flags & PP_ABI_SITE_INLINE))
		return ppi_binding_fits (m, s, why, room);
	snprintf (why, room,
		  "%s is inline: the code itself measures what its pragma names, and nothing can "
		  "be bound or unbound",
		  s->full);
	return PP_EKIND;
}
