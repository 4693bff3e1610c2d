/* SPDX-License-Identifier: MIT */
/*
 * flight.c: the sink `flight`: each begin, end and value becomes an entry in the thread's ring
 * (thread/flight.h). Intervals that capture nothing do it in their blocks
 * (code/arch/x86_64/block_flight.c); this is for all others.
 */
#include "libmetrics/marker/flight.h"

#include "base/dims.h"
#include "base/ticks.h"
#include "libmetrics/marker/record.h"
#include "libmetrics/marker/sink.h"
#include "libmetrics/region/texts.h"
#include "libmetrics/tables/site.h"
#include "libmetrics/thread/flight.h"
#include "libmetrics/thread/frame.h"
#include "libmetrics/thread/text.h"

#include <pp.h>
#include <string.h>

/* False: it is no value. */
static bool put_value (struct ppi_thread *t, enum ppi_flight_kind kind, uint32_t key, uint32_t type,
		       uint64_t word)
{
	if (!ppi_is_value (type))
		return false;
	if (type == PP_ABI_VALUE_STRING) {
		/* NULL is none, as everywhere */
		if (!word)
			return true;
		word = ppi_thread_text_number (t, (const char *) (uintptr_t) word);
	}
	ppi_flight_put (t, PPI_FLIGHT_WHAT (kind, type, key % PPI_FLIGHT_NUMBERS), word);
	return true;
}

/* What the site captured: its value, then its dimensions. */
static void put_captured (struct ppi_thread *t, const pp_site *site, const uint64_t *words,
			  unsigned n)
{
	const char *dims = site->dims;
	struct ppi_dim dim;
	unsigned i = 0;

	if (n > site->n_dims) {
		if ((int64_t) words[i] != PP_ABI_NOT_CAPTURED)
			put_value (t, PPI_FLIGHT_VALUE, ppi_text_number ("value", 5), site->value,
				   words[i]);
		i++;
	}
	for (; i < n && ppi_dim_next (&dims, &dim); i++)
		if ((int64_t) words[i] != PP_ABI_NOT_CAPTURED)
			put_value (t, PPI_FLIGHT_VALUE, ppi_text_number (dim.key, dim.length),
				   dim.type, words[i]);
}

static void begin (struct ppi_thread *t, const struct ppi_op *op, const struct ppi_plan *plan,
		   uint64_t *words)
{
	const pp_site *site = plan->site;
	enum ppi_flight_kind kind =
		site->kind == PP_ABI_SITE_POINT ? PPI_FLIGHT_POINT : PPI_FLIGHT_BEGIN;

	/* where a span begins is not where it is open */
	if (t->in_span)
		return;
	ppi_flight_put (t, PPI_FLIGHT_WHAT (kind, 0, site->id), ppi_ticks ());
	put_captured (t, site, words, op->words);
}

static void take (struct ppi_thread *t, const struct ppi_op *op, const struct ppi_taken *taken)
{
	uint32_t site = taken->plan->site->id;

	(void) op;
	if (!taken->frame)
		return;
	if (taken->home != PPI_HOME_SPAN) {
		ppi_flight_put (t, PPI_FLIGHT_WHAT (PPI_FLIGHT_END, 0, site), taken->now);
		return;
	}
	ppi_flight_put (t, PPI_FLIGHT_WHAT (PPI_FLIGHT_SPAN, 0, site),
			ppi_load (&taken->frame->begin_ticks));
	ppi_flight_put (t, PPI_FLIGHT_WHAT (PPI_FLIGHT_SPAN_END, 0, site), taken->now);
	for (uint32_t i = 0; i < t->n_said; i++)
		ppi_flight_put (t,
				PPI_FLIGHT_WHAT (PPI_FLIGHT_VALUE, t->said[i].type,
						 t->said[i].key % PPI_FLIGHT_NUMBERS),
				t->said[i].value);
}

const struct ppi_sink ppi_sink_flight = {
	.name = "flight", .captures = true, .late = true, .begin = begin, .take = take};

void ppi_flight_dim_of (struct ppi_thread *t, const pp_site *site, const struct pp_event_dim *dim)
{
	/* a text that there is not is no value */
	if (dim->type == PP_ABI_VALUE_STRING && !dim->value)
		return;
	ppi_flight_put (t, PPI_FLIGHT_WHAT (PPI_FLIGHT_LATE, 0, site->id), 0);
	(void) ppi_flight_dim (t, dim, true);
}

bool ppi_flight_dim (struct ppi_thread *t, const struct pp_event_dim *dim, bool late)
{
	if (!dim->key || !*dim->key)
		return false;
	return put_value (t, late ? PPI_FLIGHT_LATE : PPI_FLIGHT_VALUE,
			  ppi_thread_text_number (t, dim->key), dim->type, dim->value);
}
