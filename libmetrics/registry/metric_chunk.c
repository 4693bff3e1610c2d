/* SPDX-License-Identifier: MIT */
/* metric_chunk.c: what the region says of a metric, for those who read it. */
#include "base/types.h"
#include "libmetrics/keep/accumulator.h"
#include "libmetrics/region/region.h"
#include "libmetrics/registry/metric.h"
#include "libmetrics/source/metric_spec.h"
#include "libmetrics/tables/metric.h"
#include "recording/layout.h"

#include <stdio.h>
#include <string.h>

#define PPI_SOURCE_WORDS 512

/* "elapsed (self)", "resident (max)": what readers are told that it measures. */
static void source_words (const pp_metric *m, char out[PPI_SOURCE_WORDS])
{
	const char *scope = m->spec.scope ? ppi_scope_name ((enum ppi_scope) m->spec.scope) : "";
	const char *combine = m->spec.combine ? m->spec.combine : "";
	bool any = *scope || *combine;

	snprintf (out, PPI_SOURCE_WORDS, "%.400s%s%s%s%s%s", m->in_use ? m->in_use : m->spec.source,
		  any ? " (" : "", combine, *combine && *scope ? ", " : "", scope, any ? ")" : "");
}

/* Behind what is there already, at AT of chunk C; its offset, 0: there is none. */
static uint32_t put_text (struct ppi_metric_chunk *c, size_t *at, const char *text)
{
	size_t place = *at, bytes = text && *text ? strlen (text) + 1 : 0;

	if (!bytes)
		return 0;
	memcpy ((char *) c + place, text, bytes);
	*at += bytes;
	return (uint32_t) place;
}

/* As it was declared, for who declares it again (ppctl suggest). */
static void describe_spec (struct ppi_metric_chunk *c, size_t *at,
			   const struct ppi_metric_spec *spec)
{
	if (!spec->begin && !spec->has_arguments)
		c->asked = put_text (c, at, spec->source);
	c->combine = put_text (c, at, spec->combine);
	c->fallback = put_text (c, at, spec->fallback);
	c->scope = spec->scope;
	c->corrected = spec->corrected;
	c->jumped = spec->jumped;
	c->optional = spec->optional;
	c->every = spec->every;
	c->window_ns = spec->window_ns;
}

static size_t bytes_of (const char *text)
{
	return text ? strlen (text) + 1 : 0;
}

int ppi_metric_describe (pp_metric *m)
{
	const struct ppi_metric_spec *spec = &m->spec;
	char used[PPI_SOURCE_WORDS], instead[2 * PPI_SOURCE_WORDS] = "";
	size_t at = sizeof (struct ppi_metric_chunk);
	struct ppi_metric_chunk *c;

	if (m->chunk)
		return PP_OK;
	source_words (m, used);
	if (m->in_use)
		snprintf (instead, sizeof instead, "%.500s: %.500s", spec->source, m->instead);
	c = ppi_region_alloc (at + bytes_of (spec->name) + bytes_of (used) +
			      bytes_of (m->unavailable) + bytes_of (instead) +
			      bytes_of (spec->source) + bytes_of (spec->combine) +
			      bytes_of (spec->fallback));
	if (!c)
		return PP_ENOMEM;
	c->epoch = __atomic_load_n (&m->epoch, __ATOMIC_RELAXED);
	c->kind = spec->kind; /* none of a composite one */
	c->accumulator = spec->accumulator;
	c->sample_type = ppi_keeps (spec->accumulator, PPI_KEEPS_ANY) ? m->instance.sample_type
								      : PP_ABI_SAMPLE_INT;
	c->unit = (uint8_t) ppi_metric_unit (m);
	c->scale = m->instance.scale; /* 0: the header's seconds_per_tick */
	c->size = spec->size;
	(void) put_text (c, &at, spec->name); /* where `name` is */
	c->source = put_text (c, &at, used);
	c->unavailable = put_text (c, &at, m->unavailable);
	c->instead = put_text (c, &at, instead);
	describe_spec (c, &at, spec);
	m->chunk = c;
	ppi_region_publish (&c->chunk, PPI_CHUNK_METRIC, m->id);
	return PP_OK;
}
