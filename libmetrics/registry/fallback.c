/* SPDX-License-Identifier: MIT */
/*
 * fallback.c: what a metric is measured with where this machine lacks its source, and what
 * pp_available says. The fallbacks of a metric are tried in their order when it is declared; one
 * that counts another dimension than the source is an error, on every machine.
 */
#include "base/lock.h"
#include "base/start.h"
#include "base/ticks.h"
#include "base/types.h"
#include "libmetrics/keep/accumulator.h"
#include "libmetrics/registry/metric.h"
#include "libmetrics/source/metric_spec.h"
#include "libmetrics/source/operator.h"
#include "libmetrics/source/source.h"
#include "libmetrics/tables/metric.h"
#include "recording/layout.h"
#include "base/quantity.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_ROOM 256

/* The next of a list with commas between into NAME. false: there is none. */
static bool next_name (const char **list, char name[NAME_ROOM])
{
	size_t n = *list ? strcspn (*list, ",") : 0;

	if (!n || n >= NAME_ROOM)
		return false;
	snprintf (name, NAME_ROOM, "%.*s", (int) n, *list);
	*list += n + ((*list)[n] == ',');
	return true;
}

static int check_one (const struct ppi_metric_spec *spec, const struct ppi_source *source,
		      const char *name, char *why, size_t room)
{
	const char *argument;
	const struct ppi_source *other = ppi_source_find (name, &argument);

	if (!other)
		return ppi_metric_unknown_source (spec, name, why, room);
	if (spec->combine && !ppi_operator_reads (other))
		snprintf (why, room,
			  "the fallback \"%s\" of metric \"%s\" says nothing at a begin or an end "
			  "that an operator could combine",
			  name, spec->name);
	else if (!spec->combine && !(other->kinds >> (spec->kind - 1) & 1))
		snprintf (why, room,
			  "the fallback \"%s\" of metric \"%s\" cannot be measured at %ss", name,
			  spec->name, ppi_kind_name (spec->kind));
	else if (other->unit != source->unit && ppi_keeps (spec->accumulator, PPI_KEEPS_ANY))
		snprintf (why, room,
			  "the fallback \"%s\" of metric \"%s\" is in %s, but its source \"%s\" in "
			  "%s: they can't stand for each other",
			  name, spec->name, ppi_unit_words ((enum ppi_unit) other->unit),
			  spec->source, ppi_unit_words ((enum ppi_unit) source->unit));
	else if (other->class == PPI_SOURCE_NONE && ppi_keeps (spec->accumulator, PPI_KEEPS_ANY))
		snprintf (why, room, "the fallback \"%s\" of metric \"%s\" reads nothing", name,
			  spec->name);
	else
		return PP_OK;
	return PP_EINVAL;
}

int ppi_fallback_check (const struct ppi_metric_spec *spec, const struct ppi_source *source,
			char *why, size_t room)
{
	const char *list = spec->fallback;
	char name[NAME_ROOM];
	int r = PP_OK;

	if (list && (spec->begin || spec->has_arguments)) {
		snprintf (why, room,
			  "metric \"%s\" has functions of the program: it needs no fallback",
			  spec->name);
		return PP_EINVAL;
	}
	while (r == PP_OK && next_name (&list, name))
		r = check_one (spec, source, name, why, room);
	if (r == PP_OK && list && *list) {
		snprintf (why, room,
			  "metric \"%s\": a fallback is the name of a source, of at most %d bytes",
			  spec->name, NAME_ROOM - 1);
		r = PP_EINVAL;
	}
	return r;
}

int ppi_fallback_open (pp_metric *m, char *why, size_t room)
{
	const char *list = m->spec.fallback, *argument;
	char *reason = m->unavailable;
	char name[NAME_ROOM];

	while (next_name (&list, name)) {
		const struct ppi_source *source = ppi_source_find (name, &argument);
		int r;

		m->unavailable = NULL;
		r = ppi_metric_open (m, source, argument, why, room);
		if (r < 0) {
			m->unavailable = reason;
			return r;
		}
		if (!m->unavailable) {
			m->in_use = strdup (name);
			m->instead = reason;
			return m->in_use ? PP_OK : PP_ENOMEM;
		}
		/* the reason that matters is that of the source itself */
		free (m->unavailable);
	}
	m->unavailable = reason;
	return PP_OK;
}

void ppi_fallback_prepare (const char *list)
{
	char name[NAME_ROOM];

	while (next_name (&list, name))
		ppi_source_prepare (name);
}

/* NaN: of a source that never waits */
static double share_of (const pp_metric *m)
{
	const struct ppi_source *source = m->instance.source;

	return !m->unavailable && source->share ? source->share (&m->instance) : NAN;
}

bool ppi_shares_exist;

void ppi_metrics_note_shares (void)
{
	/* it is done a hundred times a second, and hardly any source has one */
	for (pp_metric *m = ppi_shares_exist ? ppi_metric_first () : NULL; m; m = m->next) {
		double share = m->chunk ? share_of (m) : NAN;

		/* NaN is none */
		if (share >= 0)
			__atomic_store_n (&m->chunk->share_permille,
					  (uint32_t) (share * 1000 + 0.5) + !share,
					  __ATOMIC_RELAXED);
	}
}

/* ---- pp_available ---------------------------------------------------------------------------- */

static int say_metric (const pp_metric *m, char *text, size_t room)
{
	double share = share_of (m);
	char counted[PPI_QUANTITY_BYTES];
	int n;

	if (m->unavailable) {
		snprintf (text, room, "%s", m->unavailable);
		return 0;
	}
	n = snprintf (text, room, "%s%s%s%s%s", m->in_use ? m->in_use : m->spec.source,
		      m->in_use ? ", instead of " : "", m->in_use ? m->spec.source : "",
		      m->in_use ? ": " : "", m->in_use ? m->instead : "");
	if (share < 1 && n >= 0 && (size_t) n < room)
		snprintf (text + n, room - (size_t) n, "; counted %s of the time and scaled",
			  ppi_share_format (share, counted, sizeof counted));
	return 1;
}

static int say_source (const char *name, char *text, size_t room)
{
	const char *argument;
	const struct ppi_source *source = ppi_source_find (name, &argument);
	struct ppi_source_instance in = {.source = source};
	int r;

	if (!source)
		return PP_ENOENT;
	in.argument = argument ? strdup (argument) : NULL;
	r = source->open ? source->open (&in, text, room) : PP_OK;
	if (r == PP_OK) {
		bool slow = source->class == PPI_SOURCE_TICKS && ppi_ticks_doubt ();

		snprintf (text, room, "%s%s%s", source->help,
			  slow ? "; here by CLOCK_MONOTONIC: " : "",
			  slow ? ppi_ticks_doubt () : "");
	}
	free (in.argument);
	return r == PP_OK ? 1 : r == PP_EUNAVAILABLE ? 0 : r;
}

static int say_nothing (const char *name, char *text, size_t room)
{
	char with_argument[NAME_ROOM];
	const char *argument;

	if ((size_t) snprintf (with_argument, sizeof with_argument, "%s:?", name) <
		    sizeof with_argument &&
	    ppi_source_find (with_argument, &argument)) {
		snprintf (text, room, "the source \"%s\" needs an argument, %s:%s", name, name,
			  ppi_source_find (with_argument, &argument)->form);
		return PP_EINVAL;
	}
	snprintf (text, room, "there is no metric \"%s\", and no such source", name);
	return PP_ENOENT;
}

int pp_available (const char *name, char *text, size_t room)
{
	char unwanted[1];
	int r, saved = errno;
	pp_metric *m;

	if (!text || !room) {
		text = unwanted;
		room = sizeof unwanted;
	}
	*text = '\0';
	if (!name || !*name)
		return PP_EINVAL;
	ppi_runtime_start ();
	ppi_source_prepare (name);
	ppi_lock ();
	m = pp_metric_find (name);
	r = m ? say_metric (m, text, room) : say_source (name, text, room);
	if (r == PP_ENOENT)
		r = say_nothing (name, text, room);
	ppi_unlock ();
	errno = saved;
	return r;
}
