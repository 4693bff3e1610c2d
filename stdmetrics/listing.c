/* SPDX-License-Identifier: MIT */
/* listing.c: lists the sources, and measures what a reading costs. */
#include "stdmetrics/listing.h"

#include "base/clock.h"
#include "base/ticks.h"
#include "base/types.h"
#include "libmetrics/source/source.h"
#include "stdmetrics/stdmetrics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 7, READINGS = 500 };

struct listing {
	void (*fn) (const struct ppi_listed_source *source, void *arg);
	void *arg;
};

/* READINGS readings of the source, as markers do them. false: it has no value. */
static bool read_often (struct ppi_source_instance *in)
{
	const struct ppi_source *source = in->source;
	uint64_t slot[PP_ABI_RESULT_BYTES / 8] = {0}, sink = 0;
	union ppi_sample sample;

	for (int i = 0; i < READINGS / 2; i++) {
		if (source->class == PPI_SOURCE_TICKS) {
			sink += ppi_ticks ();
			sink += ppi_ticks ();
			continue;
		}
		ppi_reading_number++;
		if (source->begin (in, slot) < 0)
			return false;
		ppi_reading_number++;
		if (source->end (in, slot, &sample) < 0)
			return false;
	}
	__asm__ volatile("" : : "r"(sink));
	return true;
}

/* The least of some rounds: the others were interrupted. */
static double cost_ns (struct ppi_source_instance *in)
{
	double best = INFINITY;

	if (in->source->class == PPI_SOURCE_NONE || in->source->class == PPI_SOURCE_VALUE)
		return 0;
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t before = ppi_now_ns ();
		double ns;

		if (!read_often (in))
			return NAN;
		ns = (double) (ppi_now_ns () - before) / READINGS;
		if (ns < best)
			best = ns;
	}
	return best;
}

static enum ppi_reading reading_of_ticks (void)
{
	if (ppi_ticks_are_trusted)
		return PPI_READING_INSTRUCTION;
	return ppi_ticks_have_vdso () ? PPI_READING_VDSO : PPI_READING_SYSTEM_CALL;
}

static int list (const struct listing *listing, const struct ppi_source *source, const char *name,
		 const char *argument, bool is_form, char *why, size_t room)
{
	char form[128], tried[128];
	struct ppi_source_instance in = {
		.source = source,
		.argument = (char *) (uintptr_t) (is_form ? source->example : argument),
		.sample_type = source->sample_type,
		.unit = source->unit,
		.begin_bytes = source->begin_bytes,
		.scale = source->scale,
	};
	bool is_elapsed = source->class == PPI_SOURCE_TICKS;
	struct ppi_listed_source out = {
		.name = name,
		.help = source->help,
		.reading = ppi_reading_name (is_elapsed ? reading_of_ticks () : source->reading)};
	int error;

	if (source->prepare)
		source->prepare ();
	error = source->open ? source->open (&in, why, room) : PP_OK;
	if (error < 0 && error != PP_EUNAVAILABLE)
		return error;
	snprintf (form, sizeof form, "%s:%s", source->name, source->form ? source->form : "");
	snprintf (tried, sizeof tried, "%s:%s", source->name,
		  source->example ? source->example : "");
	if (is_form) {
		out.name = form;
		out.tried = source->class == PPI_SOURCE_FUNCTION ? tried : NULL;
	}
	out.points = source->kinds & PPI_FOR_POINTS;
	out.intervals = source->kinds & PPI_FOR_INTERVALS;
	out.unit = ppi_unit_symbol ((enum ppi_unit) in.unit);
	out.type = in.sample_type == PP_ABI_SAMPLE_DOUBLE ? "double" : "integer";
	out.why = error < 0 ? why : NULL;
	out.ns = error < 0 ? NAN : cost_ns (&in);
	if (!error && isnan (out.ns)) {
		snprintf (why, room, "it has no value here, although it could be opened");
		out.why = why;
	}
	listing->fn (&out, listing->arg);
	return PP_OK;
}

static void list_one (const struct ppi_source *source, void *arg)
{
	char why[512] = "";

	(void) list (arg, source, source->name, NULL, source->prefix, why, sizeof why);
}

static const char *const names[] = {
#define X(name) #name,
	PP_ABI_SOURCES (X)
#undef X
		NULL};

/* "papi" alone means papi:EVENT; all else is as a metric says it. */
static int list_named (const struct listing *listing, const char *name, char *why, size_t room)
{
	const char *argument, *nearest;
	const struct ppi_source *source = ppi_source_find (name, &argument);
	char form[128];

	snprintf (form, sizeof form, "%s:?", name);
	if (source)
		return list (listing, source, name, argument, false, why, room);
	source = ppi_source_find (form, &argument);
	if (source)
		return list (listing, source, name, NULL, true, why, room);
	nearest = ppi_nearest (name, names);
	snprintf (why, room, "there is no such source%s%s%s", nearest ? "; did you mean '" : "",
		  nearest ? nearest : "", nearest ? "'?" : "");
	return PP_ENOENT;
}

size_t ppi_list_sources (const char *const *wanted, size_t n,
			 void (*fn) (const struct ppi_listed_source *source, void *arg),
			 void (*wrong) (const char *name, const char *why, void *arg), void *arg)
{
	struct listing listing = {fn, arg};
	size_t bad = 0;

	(void) ppi_stdmetrics_init ();
	ppi_ticks_choose ();
	if (!n)
		ppi_source_each (list_one, &listing);
	for (size_t i = 0; i < n; i++) {
		char why[512] = "";

		if (list_named (&listing, wanted[i], why, sizeof why) < 0) {
			wrong (wanted[i], why, arg);
			bad++;
		}
	}
	return bad;
}
