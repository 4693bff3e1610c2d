/* SPDX-License-Identifier: MIT */
/*
 * trial_names.c: what a policy's names are in a recording, and what of a policy a recording can't
 * tell. A recording has values of metrics at its interval, and nothing of knobs, functions, open
 * intervals and single executions.
 */
#include "assertions/engine/trial_int.h"

#include "assertions/language/ppctl.h"
#include "base/glob.h"
#include "base/types.h"
#include "libmetrics/keep/accumulator.h"
#include "recording/blocks.h"
#include "recording/span.h"

#include <pp_abi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the policy ------------------------------------------------------------------------------ */

/* What it was declared with, in whose place reports have words for people. */
static const char *source_of (const struct ppi_metric_chunk *m)
{
	return ppi_chunk_text (m, m->asked ? m->asked : m->source);
}

static size_t put_records (const struct ppi_recording *recording, struct ppi_offline_record *out)
{
	size_t n = 0;

	for (const struct ppi_metric_chunk *m = NULL;
	     (m = ppi_recording_next (recording, PPI_CHUNK_METRIC, m));)
		out[n++] = (struct ppi_offline_record){
			.type = PP_ABI_RECORD_METRIC,
			.kind = m->kind,
			.name = m->name,
			.accumulator = ppi_accumulator_name (m->accumulator),
			.source = source_of (m),
			.options = "",
			.unit = ppi_unit_symbol ((enum ppi_unit) m->unit),
			.has_unit = true,
			.words = ""};
	return n;
}

int ppi_trial_read (const struct ppi_recording *recording, const char *path,
		    void (*line) (const char *line, void *arg), void *arg, struct ppi_policy **out)
{
	size_t n = ppi_recording_count (recording, PPI_CHUNK_METRIC);
	struct ppi_offline_record *record = calloc (n + 1, sizeof *record);
	struct ppi_offline offline = {.record = record};
	int error = PP_ENOMEM;

	*out = NULL;
	if (record) {
		offline.n_records = put_records (recording, record);
		error = ppi_policy_read_offline (path, &offline, line, arg, out);
	}
	free (record);
	return error;
}

/* ---- what can't be told ---------------------------------------------------------------------- */

/* The first reason is the one that is told. Returns false, for the caller to return. */
static bool __attribute__ ((format (printf, 2, 3)))
refuse (struct ppi_trial_checked *c, const char *format, ...)
{
	va_list arguments;
	char text[640];

	if (c->told->not_served)
		return false;
	va_start (arguments, format);
	vsnprintf (text, sizeof text, format, arguments);
	va_end (arguments);
	c->told->not_served = strdup (text);
	return false;
}

/* The newest of that name: one that was declared anew is another metric. */
static const struct ppi_metric_chunk *find_metric (const struct ppi_recording *recording,
						   const char *name)
{
	const struct ppi_metric_chunk *found = NULL;

	for (const struct ppi_metric_chunk *m = NULL;
	     (m = ppi_recording_next (recording, PPI_CHUNK_METRIC, m));)
		if (m->kind && strcmp (m->name, name) == 0)
			found = m;
	return found;
}

static bool is_measured_at (const struct ppi_recording *recording, uint32_t metric, uint32_t site)
{
	for (const struct ppi_binding_chunk *b = NULL;
	     (b = ppi_recording_next (recording, PPI_CHUNK_BINDING, b));)
		if (b->metric == metric && b->site == site)
			return true;
	return false;
}

static bool serve_site (const struct ppi_recording *recording, struct ppi_trial_checked *c,
			const struct ppi_ref *ref, struct ppi_trial_ref *out)
{
	const struct ppi_site_chunk *first = NULL;
	size_t n = 0;

	out->site = PPI_ALL_SITES;
	if (!ref->site)
		return true;
	if (!ppi_pattern_names (ref->site))
		return refuse (c, "a recording knows sites by their names only, not by '%s'",
			       ref->site);
	for (const struct ppi_site_chunk *s = NULL;
	     (s = ppi_recording_next (recording, PPI_CHUNK_SITE, s));)
		if (ppi_glob_suffix (ref->site, s->name) && !n++)
			first = s;
	if (!first)
		return refuse (c, "the recording has no site '%s'", ref->site);
	if (n > 1)
		return refuse (c, "'%s' means %zu sites of the recording; say more of the name",
			       ref->site, n);
	if (!is_measured_at (recording, out->metric->chunk.id, first->chunk.id))
		return refuse (c, "the recording has no '%s' at '%s'", ref->name, ref->site);
	out->site = first->chunk.id;
	return true;
}

/* Does the policy mean by the metric's name what the recording does? */
static bool is_same (const struct ppi_trial_open *open, struct ppi_trial_checked *c,
		     const struct ppi_metric_chunk *m)
{
	const struct ppi_policy_metric *own = ppi_policy_metric (open->policy, m->name);

	if (!own || !own->source || strcmp (own->source->scalar, source_of (m)) == 0)
		return true;
	return refuse (c, "'%s' of the recording is measured with '%s', and not with '%s'", m->name,
		       source_of (m), own->source->scalar);
}

/* The head of a shard has more than that only where the recording does not follow it over time. */
static bool is_over_time (const struct ppi_keep *keep, enum pp_statistic statistic)
{
	bool is_own = keep->own >> statistic & 1;
	bool is_of_ring = keep->keeps & PPI_KEEPS_RING &&
			  (statistic == PP_STAT_MIN || statistic == PP_STAT_MAX);
	bool is_scanned = keep->scans >> statistic & 1 && !(keep->keeps & PPI_KEEPS_BUCKETS);

	return !is_of_ring && !is_scanned &&
	       (!is_own || keep->own_at + keep->own_words * sizeof (uint64_t) <= PPI_VALUES_BYTES);
}

static bool serve_statistic (struct ppi_trial_checked *c, const struct ppi_trial_ref *ref)
{
	const struct ppi_keep *keep = ppi_keep_of (ref->metric->accumulator);
	const char *name = ppi_statistic_name (ref->statistic), *metric = ref->metric->name;
	bool is_kept = ref->window_ns
			       ? ppi_statistic_has_window (ref->metric->accumulator, ref->statistic)
			       : ppi_statistic_exists (ref->metric->accumulator, ref->statistic);

	if (!is_kept)
		return refuse (c, "the recording keeps '%s' as %s, which has no %s%s", metric,
			       keep->name, name, ref->window_ns ? " over a window" : "");
	if (ref->window_ns && !ppi_span_has (ref->metric->accumulator, ref->statistic))
		return refuse (c, "%s.%s over a window is not in the values over time of a %s",
			       metric, name, keep->name);
	if (!ref->window_ns && !is_over_time (keep, ref->statistic))
		return refuse (c, "%s.%s of a %s is not in the values over time", metric, name,
			       keep->name);
	return true;
}

/* The window that a statistic is of: its own, or the metric's. */
static uint64_t window_of (const struct ppi_trial_open *open, const struct ppi_ref *ref,
			   const struct ppi_trial_ref *out)
{
	const struct ppi_policy_metric *own = ppi_policy_metric (open->policy, ref->name);
	uint64_t window_ns = own ? own->window_ns : out->metric->window_ns;

	if (ref->window_ns)
		return ref->window_ns;
	return ppi_statistic_has_window (out->metric->accumulator, out->statistic) ? window_ns : 0;
}

static bool serve_window (const struct ppi_trial_open *open, struct ppi_trial_checked *c,
			  const struct ppi_trial_ref *ref)
{
	char window[PPI_QUANTITY_BYTES], interval[PPI_QUANTITY_BYTES];
	const struct ppi_dimension time = {.seconds = 1};

	if (!ref->window_ns || ref->window_ns >= open->times.interval_ns / 4 * 3)
		return true;
	ppi_quantity_format ((double) ref->window_ns * 1e-9, time, window, sizeof window);
	ppi_quantity_format ((double) open->times.interval_ns * 1e-9, time, interval,
			     sizeof interval);
	return refuse (c, "its window of %s is shorter than the recording's interval, %s", window,
		       interval);
}

static bool serve_metric (const struct ppi_trial_open *open, struct ppi_trial_checked *c,
			  const struct ppi_ref *ref, struct ppi_trial_ref *out)
{
	const struct ppi_recording *recording = ppi_replay_recording (open->replay);
	int alone;

	out->metric = find_metric (recording, ref->name);
	if (!out->metric)
		return refuse (c, "the recording has no metric '%s'", ref->name);
	if (!ppi_accumulator_exists (out->metric->accumulator))
		return refuse (c, "'%s' has an accumulator of the program's own", ref->name);
	if (ref->property >= PP_STATISTICS)
		return refuse (c, "a statistic of %s is a function of the program's own",
			       ref->name);
	alone = ppi_statistic_alone (out->metric->accumulator);
	if (ref->property < 0 && alone < 0)
		return refuse (c, "'%s' alone has no value in the recording", ref->name);
	out->statistic = (enum pp_statistic) (ref->property < 0 ? alone : ref->property);
	out->window_ns = window_of (open, ref, out);
	return is_same (open, c, out->metric) && serve_statistic (c, out) &&
	       serve_window (open, c, out) && serve_site (recording, c, ref, out);
}

static bool serve_reference (const struct ppi_trial_open *open, struct ppi_trial_checked *c,
			     const struct ppi_ref *ref, struct ppi_trial_ref *out)
{
	switch ((enum ppi_ref_kind) ref->kind) {
	case PPI_REF_METRIC:
	case PPI_REF_ALL:
	case PPI_REF_METRIC_SITE:
		return serve_metric (open, c, ref, out);
	case PPI_REF_BASELINE:
		return true;
	case PPI_REF_SITE:
		return refuse (c, "what is open at a site is not in the values over time");
	case PPI_REF_ASSERTION:
		return refuse (c,
			       "it reads the counts of the assertion '%s', which are not in the "
			       "values over time",
			       ref->name);
	case PPI_REF_KNOB:
		return refuse (c, "the value of the knob '%s' is not in the values over time",
			       ref->name);
	case PPI_REF_GROUP:
	case PPI_REF_ANY:
		return refuse (c, "what groups of '%s' were is not in the values over time",
			       ref->name);
	case PPI_REF_STATIC:
		return refuse (c, "what the compiler knows of a site is not in the recording");
	}
	return refuse (c, "it reads something that is not in the recording");
}

/* The name that A waits for: the policy knows them all, A's expression says which is its own. */
static void refuse_waiting (const struct ppi_policy *policy, struct ppi_trial_checked *c)
{
	for (size_t i = 0; i < policy->n_waits; i++)
		if (strstr (c->told->expression, policy->waits[i].name))
			refuse (c, "neither the policy nor the recording has the %s '%s'",
				ppi_name_kind_word (policy->waits[i].kind), policy->waits[i].name);
	refuse (c, "it waits for a name that neither the policy nor the recording has");
}

/* When it is checked: as often as there are values, at most. */
static bool serve_time (const struct ppi_trial_open *open, struct ppi_trial_checked *c)
{
	char every[PPI_QUANTITY_BYTES], interval[PPI_QUANTITY_BYTES];
	const struct ppi_dimension time = {.seconds = 1};

	if (c->policy->growth.of)
		return refuse (c, "how a metric grows is seen at single executions");
	if (!c->policy->every_ns)
		return refuse (c, "it is checked at a site, at each execution");
	if (!open->times.steps)
		return refuse (c, "the recording has no values over time");
	if (!open->times.interval_ns)
		return refuse (c, "the recording has values of one moment only");
	if (c->policy->every_ns >= open->times.interval_ns / 4 * 3)
		return true;
	ppi_quantity_format ((double) c->policy->every_ns * 1e-9, time, every, sizeof every);
	ppi_quantity_format ((double) open->times.interval_ns * 1e-9, time, interval,
			     sizeof interval);
	return refuse (c, "'every: %s' is shorter than the recording's interval, %s", every,
		       interval);
}

bool ppi_trial_serve (const struct ppi_trial_open *open, struct ppi_trial_checked *c)
{
	const struct ppi_program *program = c->policy->program;
	bool serves = serve_time (open, c);

	if (serves && !program)
		refuse_waiting (open->policy, c);
	if (!serves || !program)
		return c->told->not_served != NULL;
	c->ref = calloc (program->n_references + 1, sizeof *c->ref);
	if (!c->ref)
		return false;
	for (size_t i = 0; serves && i < program->n_references; i++)
		serves = serve_reference (open, c, &program->references[i], &c->ref[i]);
	return serves || c->told->not_served;
}
