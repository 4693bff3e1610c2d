/* SPDX-License-Identifier: MIT */
/* tap.c: see tap.h. */
#include "libmetrics/registry/tap.h"

#include "libmetrics/registry/batch.h"
#include "libmetrics/registry/site.h"
#include "libmetrics/tables/binding.h"
#include "libmetrics/tables/site.h"
#include "libmetrics/tables/tap.h"
#include "libmetrics/thread/rich.h"

#include <stdio.h>
#include <stdlib.h>

/* What the site pushes: its value, and its dimensions. */
static unsigned captures_of (const pp_site *site)
{
	return (site->value != PP_ABI_VALUE_NONE ? 1u : 0u) + site->n_dims;
}

static struct ppi_tap *tap_of (const pp_site *site, enum ppi_sink_id sink)
{
	struct ppi_tap *tap = site->taps;

	while (tap && tap->op.sink != sink)
		tap = tap->next;
	return tap;
}

static struct ppi_tap *tap_get (pp_site *site, enum ppi_sink_id sink)
{
	struct ppi_tap *tap = tap_of (site, sink);

	if (tap)
		return tap;
	tap = calloc (1, sizeof (*tap));
	if (!tap)
		return NULL;
	tap->op.sink = (uint8_t) sink;
	tap->op.every = 1;
	tap->next = site->taps;
	site->taps = tap;
	return tap;
}

/* Words of a frame that an op of SINK takes at SITE. */
static unsigned words_of (const pp_site *site, const struct ppi_sink *sink)
{
	return sink->captures ? captures_of (site) + sink->own_words : 0;
}

/* A point's value, or a dimension, may come with a later call. */
static void fill_op (struct ppi_op *op, const pp_site *site)
{
	const struct ppi_sink *sink = ppi_sinks[op->sink];
	unsigned n = captures_of (site);

	op->class = PPI_SOURCE_NONE;
	op->words = 0;
	if (sink->captures) {
		op->class = n ? PPI_SOURCE_VALUE : PPI_SOURCE_NONE;
		op->words = (uint8_t) (n + sink->own_words);
	} else if (sink->marks && ppi_payload_type (site) != PP_ABI_VALUE_NONE) {
		op->class = PPI_SOURCE_VALUE; /* which the mark has a word for */
	}
}

unsigned ppi_tap_words (const pp_site *site)
{
	unsigned words = 0;

	for (const struct ppi_tap *t = site->taps; t; t = t->next)
		if (t->users)
			words += words_of (site, ppi_sinks[t->op.sink]);
	return words;
}

/* 0, or why there can't be an op of SINK. */
static int fits (const pp_site *site, const struct ppi_sink *sink, char *why, size_t room)
{
	unsigned words = ppi_tap_words (site) + words_of (site, sink);

	if (site->flags & PP_ABI_SITE_INLINE) {
		snprintf (why, room, "%s is measured by inline code, which nobody can observe",
			  site->full);
		return PP_EKIND;
	}
	if (site->kind == PP_ABI_SITE_POINT && sink->intervals_only) {
		snprintf (why, room, "%s is a point, which is never open", site->full);
		return PP_EKIND;
	}
	for (const struct ppi_binding *b = site->bindings; b; b = b->next_of_site)
		words += b->users > 0 ? b->op.words : 0;
	if (words <= PPI_WORDS_MAX)
		return PP_OK;
	snprintf (why, room, "the metrics of %s leave no room for what it captures", site->full);
	return PP_ENOMEM;
}

int ppi_tap_acquire (pp_site *site, enum ppi_sink_id sink, char *why, size_t room)
{
	struct ppi_tap *tap = tap_of (site, sink);
	int r;

	if (tap && tap->users) {
		tap->users++;
		return PP_OK;
	}
	r = fits (site, ppi_sinks[sink], why, room);
	if (r < 0)
		return r;
	tap = tap_get (site, sink);
	if (!tap) {
		snprintf (why, room, "no memory to observe %s", site->full);
		return PP_ENOMEM;
	}
	/* so that readers of the region know the site; without a region no thread can be entered */
	if (ppi_site_describe (site) < 0) {
		snprintf (why, room, "the live region has no room to observe %s", site->full);
		return PP_ENOMEM;
	}
	tap->users = 1;
	ppi_site_touch (site);
	return PP_OK;
}

bool ppi_tap_release (pp_site *site, enum ppi_sink_id sink)
{
	struct ppi_tap *tap = tap_of (site, sink);

	if (!tap || !tap->users)
		return false;
	if (!--tap->users)
		ppi_site_touch (site);
	return true;
}

bool ppi_taps_exist (void)
{
	for (const pp_site *site = ppi_site_first (); site; site = site->next)
		for (const struct ppi_tap *t = site->taps; t; t = t->next)
			if (t->users)
				return true;
	return false;
}

void ppi_taps_describe (void)
{
	for (pp_site *site = ppi_site_first (); site; site = site->next)
		for (const struct ppi_tap *t = site->taps; t; t = t->next)
			if (t->users)
				ppi_site_describe (site);
}

unsigned ppi_tap_ops (const pp_site *site, struct ppi_op *ops, uint16_t *words)
{
	unsigned n = 0;

	for (const struct ppi_tap *t = site->taps; t; t = t->next)
		if (t->users) {
			ops[n] = t->op;
			fill_op (&ops[n], site);
			ops[n].value = *words;
			*words = (uint16_t) (*words + ops[n].words);
			n++;
		}
	return n;
}
