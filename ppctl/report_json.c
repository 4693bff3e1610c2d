/* SPDX-License-Identifier: MIT */
/* report_json.c: the report as JSON; see report.h. The keys are what scripts rely on: they may be added to, not changed. */
#include "ppctl/report.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static json_t *number (double value)
{
	return isfinite (value) ? json_real (value) : json_null ();
}

/* Counts are integers in JSON too. */
static json_t *count (uint64_t value)
{
	return json_integer (value <= INT64_MAX ? (json_int_t) value : INT64_MAX);
}

/* What is not UTF-8 (file names may be anything) is shown with '?'. */
static json_t *text (const char *string)
{
	json_t *value = json_string (string);
	char *copy;

	if (value)
		return value;
	copy = strdup (string);
	for (char *c = copy; c && *c; c++)
		if ((unsigned char) *c >= 0x80)
			*c = '?';
	value = copy ? json_string (copy) : NULL;
	free (copy);
	return value;
}

static json_t *head (const struct ppi_recording *recording)
{
	const struct ppi_region_header *header = ppi_recording_header (recording);
	json_t *o = json_object ();

	json_object_set_new (o, "path", text (header->program));
	json_object_set_new (o, "pid", count (header->pid));
	json_object_set_new (o, "started_unix_s", number ((double) header->start_realtime_ns * 1e-9));
	json_object_set_new (o, "measured_s",
			     number (ppi_report_seconds (ppi_recording_header (recording), header->now_ns)));
	json_object_set_new (o, "complete", json_boolean (header->state == PPI_RECORDING_FINISHED));
	json_object_set_new (o, "recording", text (ppi_report_state (header)));
	return o;
}

/* A count is an integer, also where it was read as a double. */
static json_t *statistic (const struct ppi_summary *summary, enum pp_statistic which, double scale)
{
	double value = ppi_summary_get (summary, which, scale);

	if (ppi_statistic_power (which) == 0 && fabs (value) < 0x1p53)
		return json_integer ((json_int_t) value);
	return number (value);
}

/* The statistics that the accumulator has; unknown is null. */
static json_t *statistics (const struct ppi_recording *recording, const struct ppi_metric_chunk *metric, uint32_t site)
{
	double scale = ppi_recording_scale (recording, metric);
	struct ppi_summary summary;
	json_t *o = json_object ();

	ppi_recording_summary (recording, metric, site, &summary);
	for (int s = 0; s < PP_STATISTICS; s++)
		if (ppi_statistic_exists (metric->accumulator, (enum pp_statistic) s))
			json_object_set_new (o, ppi_statistic_name ((enum pp_statistic) s),
					     statistic (&summary, (enum pp_statistic) s, scale));
	if (summary.torn)
		json_object_set_new (o, "interrupted_shards", count (summary.torn));
	ppi_summary_clear (&summary);
	return o;
}

static json_t *sites_of (const struct ppi_recording *recording, const struct ppi_metric_chunk *metric)
{
	json_t *list = json_array ();

	for (const struct ppi_binding_chunk *b = NULL; (b = ppi_recording_next (recording, PPI_CHUNK_BINDING, b));) {
		json_t *o;

		if (b->metric != metric->chunk.id)
			continue;
		o = statistics (recording, metric, b->site);
		json_object_set_new (o, "site",
				     b->site ? text (ppi_report_site_name (recording, b->site)) : json_null ());
		json_object_set_new (o, "every", count (b->every));
		json_object_set_new (o, "bound", json_boolean (b->bound != 0));
		json_array_append_new (list, o);
	}
	return list;
}

static json_t *metrics (const struct ppi_recording *recording)
{
	json_t *list = json_array ();

	for (const struct ppi_metric_chunk *m = NULL; (m = ppi_recording_next (recording, PPI_CHUNK_METRIC, m));) {
		json_t *o;

		if (!m->kind)
			continue; /* computed: a figure */
		o = json_object ();
		json_object_set_new (o, "name", text (m->name));
		json_object_set_new (o, "kind", text (ppi_kind_name (m->kind)));
		json_object_set_new (o, "accumulator", text (ppi_accumulator_name (m->accumulator)));
		json_object_set_new (o, "source", text (ppi_chunk_text (m, m->source)));
		json_object_set_new (o, "instead_of",
				     m->instead ? text (ppi_chunk_text (m, m->instead)) : json_null ());
		json_object_set_new (o, "counted_share",
				     json_real (m->share_permille ? m->share_permille / 1000.0 : 1));
		json_object_set_new (o, "unit", text (ppi_unit_symbol (m->unit)));
		json_object_set_new (o, "resolution_s",
				     ppi_report_resolution (recording, m) > 0
					     ? number (ppi_report_resolution (recording, m))
					     : json_null ());
		json_object_set_new (o, "unavailable",
				     m->unavailable ? text (ppi_chunk_text (m, m->unavailable)) : json_null ());
		if (m->accumulator == PPI_BOUNDED_SERIES)
			json_object_set_new (o, "size", count (m->size));
		if (m->accumulator == PPI_UNBOUNDED_SERIES)
			json_object_set_new (o, "max_size", count (m->size));
		json_object_set_new (o, "all", statistics (recording, m, PPI_ALL_SITES));
		json_object_set_new (o, "sites", sites_of (recording, m));
		json_array_append_new (list, o);
	}
	return list;
}

/* What the program computed: see struct ppi_figure_chunk. */
static json_t *figures (const struct ppi_recording *recording)
{
	json_t *list = json_array ();

	for (const struct ppi_figure_chunk *f = NULL; (f = ppi_recording_next (recording, PPI_CHUNK_FIGURE, f));) {
		const struct ppi_metric_chunk *m = ppi_recording_find (recording, PPI_CHUNK_METRIC, f->chunk.id);
		json_t *o = json_object ();

		json_object_set_new (o, "metric", text (ppi_report_metric_name (recording, f->chunk.id)));
		json_object_set_new (o, "statistic", *f->name ? text (f->name) : json_null ());
		json_object_set_new (o, "expression",
				     m && !m->kind ? text (ppi_chunk_text (m, m->source)) : json_null ());
		json_object_set_new (o, "window_s",
				     f->window_ns ? json_real ((double) f->window_ns * 1e-9) : json_null ());
		json_object_set_new (o, "site",
				     f->site ? text (ppi_report_site_name (recording, f->site)) : json_null ());
		json_object_set_new (o, "value", number (f->value));
		json_object_set_new (o, "seconds", json_integer (f->seconds));
		json_object_set_new (o, "bytes", json_integer (f->bytes));
		json_array_append_new (list, o);
	}
	return list;
}

static json_t *site_list (const struct ppi_recording *recording)
{
	json_t *list = json_array ();

	for (const struct ppi_site_chunk *s = NULL; (s = ppi_recording_next (recording, PPI_CHUNK_SITE, s));) {
		json_t *o = json_object ();

		json_object_set_new (o, "name", text (s->name));
		json_object_set_new (o, "kind", text (ppi_kind_name (s->kind)));
		json_object_set_new (o, "line", count (s->line));
		json_object_set_new (o, "markers", count (s->markers));
		json_object_set_new (o, "markers_in_blocks", count (s->in_blocks));
		json_object_set_new (o, "way", text (ppi_way_name (s->way)));
		json_object_set_new (o, "cost_s", s->sampled_s > 0 ? number (s->sampled_s) : json_null ());
		json_object_set_new (o, "cost_inside_s", s->sampled_s > 0 ? number (s->inside_s) : json_null ());
		json_object_set_new (o, "cost_skipped_s", s->sampled_s > 0 ? number (s->skipped_s) : json_null ());
		json_array_append_new (list, o);
	}
	return list;
}

/* A count that is a double, and that a damaged recording may have anything for */
static json_t *whole (double value)
{
	return value >= 0 && value < 0x1p62 ? json_integer ((json_int_t) (value + 0.5)) : json_null ();
}

/* What a metric was at violations and at all checks; VERDICT says whether that is a difference. */
static void contrast (json_t *o, const struct ppi_contrast_result *r)
{
	json_object_set_new (o, "violations", count (r->violations));
	json_object_set_new (o, "avg_at_violations", number (r->at_violations));
	json_object_set_new (o, "checks", whole (r->checks));
	json_object_set_new (o, "checks_looked_at", count (r->looked_at));
	json_object_set_new (o, "avg_at_checks", number (r->at_checks));
	json_object_set_new (o, "ratio_low", number (r->low));
	json_object_set_new (o, "ratio_high", number (r->high));
	json_object_set_new (o, "confidence", json_real (0.95));
	json_object_set_new (o, "stretches", count (r->runs));
	json_object_set_new (o, "verdict", text (ppi_contrast_name (r->verdict)));
}

static json_t *captures (const struct ppi_recording *recording, const struct ppi_assertion_chunk *assertion)
{
	const struct ppi_capture_entry *entry = ppi_capture_entries (assertion);
	json_t *list = json_array ();

	for (uint32_t i = 0; i < assertion->captures; i++) {
		json_t *o = json_object ();
		struct ppi_contrast_result r;

		ppi_capture_tell (recording, assertion, &entry[i], &r);
		json_object_set_new (o, "metric", text (ppi_report_metric_name (recording, entry[i].metric)));
		json_object_set_new (o, "ratio_to_avg", number (r.ratio));
		contrast (o, &r);
		json_object_set_new (o, "unknown_at_violations", whole (entry[i].contrast.unknown_violating));
		json_object_set_new (o, "unknown_at_others", whole (entry[i].contrast.unknown_other));
		json_array_append_new (list, o);
	}
	return list;
}

static json_t *sweep_captures (const struct ppi_recording *recording, const struct ppi_assertion_chunk *assertion,
			       const struct ppi_sweep *sweep, uint32_t threshold)
{
	const struct ppi_capture_entry *entry = ppi_capture_entries (assertion);
	json_t *list = json_array ();

	for (uint32_t i = 0; i < sweep->captures; i++) {
		json_t *o = json_object ();

		struct ppi_contrast_result r;

		ppi_sweep_tell (sweep, threshold, i, &r);
		json_object_set_new (o, "metric", text (ppi_report_metric_name (recording, entry[i].metric)));
		json_object_set_new (o, "ratio_to_all", number (r.ratio));
		contrast (o, &r);
		json_array_append_new (list, o);
	}
	return list;
}

static json_t *sweeps (const struct ppi_recording *recording, const struct ppi_assertion_chunk *assertion)
{
	json_t *list = json_array ();
	struct ppi_sweep sweep;

	if (!ppi_report_sweep (recording, assertion, &sweep))
		return list;
	for (uint32_t i = 0; i < sweep.thresholds; i++) {
		json_t *o = json_object ();

		json_object_set_new (o, "threshold", number (sweep.threshold[i]));
		json_object_set_new (o, "checks", count (sweep.checks));
		json_object_set_new (o, "violations", count (sweep.violations[i]));
		json_object_set_new (o, "captures", sweep_captures (recording, assertion, &sweep, i));
		json_array_append_new (list, o);
	}
	free (sweep.contrast);
	return list;
}

static json_t *since (const struct ppi_recording *recording, uint64_t ns)
{
	return ns ? number (ppi_report_seconds (ppi_recording_header (recording), ns)) : json_null ();
}

static json_t *assertions (const struct ppi_recording *recording)
{
	json_t *list = json_array ();

	for (const struct ppi_assertion_chunk *a = NULL;
	     (a = ppi_recording_next (recording, PPI_CHUNK_ASSERTION, a));) {
		bool violated = a->violations > 0;
		uint64_t quick = ppi_recording_quick_passes (recording, a);
		json_t *o = json_object ();

		json_object_set_new (o, "name", text (a->name));
		json_object_set_new (o, "expression", text (ppi_chunk_text (a, a->expression)));
		json_object_set_new (o, "site",
				     a->site ? text (ppi_report_site_name (recording, a->site)) : json_null ());
		json_object_set_new (o, "severity", text (ppi_severity_name (a->severity)));
		json_object_set_new (o, "state", text (ppi_state_name (a->state)));
		json_object_set_new (o, "since_s", since (recording, a->since_ns));
		json_object_set_new (o, "last_cleared_s", since (recording, a->cleared_ns));
		json_object_set_new (o, "lines_not_logged", count (a->suppressed));
		json_object_set_new (o, "last_fired_s", since (recording, a->fired_ns));
		json_object_set_new (o, "scope", text (a->per_thread ? "thread" : "process"));
		json_object_set_new (o, "threads_firing", count (a->firing));
		json_object_set_new (o, "checks", count (a->checks + quick));
		json_object_set_new (o, "passes", count (a->passes + quick));
		json_object_set_new (o, "violations", count (a->violations));
		json_object_set_new (o, "unknowns", count (a->unknowns));
		json_object_set_new (o, "share", number (ppi_violation_share (recording, a)));
		json_object_set_new (o, "fired", count (a->fired));
		json_object_set_new (o, "cleared", count (a->cleared));
		json_object_set_new (o, "left", number (a->left));
		json_object_set_new (o, "right", number (a->right));
		json_object_set_new (o, "seconds", json_integer (a->seconds)); /* dimension of both sides */
		json_object_set_new (o, "bytes", json_integer (a->bytes));
		json_object_set_new (
			o, "first_s",
			violated ? number (ppi_report_seconds (ppi_recording_header (recording), a->first_ns))
				 : json_null ());
		json_object_set_new (
			o, "last_s",
			violated ? number (ppi_report_seconds (ppi_recording_header (recording), a->last_ns))
				 : json_null ());
		json_object_set_new (o, "captures", captures (recording, a));
		json_object_set_new (o, "sweep", sweeps (recording, a));
		json_array_append_new (list, o);
	}
	return list;
}

static json_t *knobs (const struct ppi_recording *recording)
{
	json_t *list = json_array ();

	for (const struct ppi_knob_chunk *k = NULL; (k = ppi_recording_next (recording, PPI_CHUNK_KNOB, k));) {
		json_t *o = json_object ();
		char word[64];

		json_object_set_new (o, "name", text (k->name));
		json_object_set_new (o, "initial", number (k->initial));
		json_object_set_new (o, "value", number (k->value));
		json_object_set_new (o, "min", number (k->min));
		json_object_set_new (o, "max", number (k->max));
		json_object_set_new (o, "word",
				     k->words ? text (ppi_report_knob_value (k, k->value, word, sizeof word))
					      : json_null ());
		json_object_set_new (o, "words", k->words ? text ((const char *) k + k->words) : json_null ());
		json_object_set_new (o, "turned", count (k->turned));
		json_array_append_new (list, o);
	}
	return list;
}

static json_t *variants (const struct ppi_recording *recording, const struct ppi_adapt_chunk *a)
{
	json_t *list = json_array ();
	char value[64];

	for (uint32_t i = 0; i < a->variants; i++) {
		json_t *o = json_object ();

		json_object_set_new (o, "value", number (a->variant[i].value));
		json_object_set_new (o, "shown", text (ppi_adapt_value (recording, a, i, value, sizeof value)));
		json_object_set_new (o, "mean", number (a->variant[i].mean));
		json_object_set_new (o, "margin", number (a->variant[i].margin));
		json_object_set_new (o, "windows", count (a->variant[i].windows));
		json_object_set_new (o, "out", json_boolean (a->variant[i].out));
		json_array_append_new (list, o);
	}
	return list;
}

static json_t *adaptations (const struct ppi_recording *recording)
{
	json_t *list = json_array ();

	for (const struct ppi_adapt_chunk *a = NULL; (a = ppi_recording_next (recording, PPI_CHUNK_ADAPT, a));) {
		bool settled = a->state == PP_ADAPT_SETTLED;
		json_t *o = json_object ();

		json_object_set_new (o, "knob", text (ppi_chunk_text (a, a->knob)));
		json_object_set_new (o, a->maximise ? "maximise" : "minimise", text (ppi_chunk_text (a, a->objective)));
		json_object_set_new (o, "state", text (ppi_adapt_state_name (a->state)));
		json_object_set_new (o, "best", settled ? number (a->variant[a->best].value) : json_null ());
		json_object_set_new (o, "newest", number (a->newest));
		json_object_set_new (o, "windows", count (a->windows));
		json_object_set_new (o, "settled", count (a->settled));
		json_object_set_new (o, "degraded", count (a->degraded));
		json_object_set_new (o, "better", count (a->better));
		json_object_set_new (o, "empty", count (a->empty));
		json_object_set_new (o, "disturbed", count (a->disturbed));
		json_object_set_new (o, "variants", variants (recording, a));
		json_array_append_new (list, o);
	}
	return list;
}

/* Bindings that a budget has sampled more seldom than was asked for, or not at all */
static json_t *throttled (const struct ppi_recording *recording)
{
	json_t *list = json_array ();

	for (const struct ppi_binding_chunk *b = NULL; (b = ppi_recording_next (recording, PPI_CHUNK_BINDING, b));) {
		json_t *o;

		if (!b->kept_off && !(b->bound && b->asked && b->every > b->asked))
			continue;
		o = json_object ();
		json_object_set_new (o, "metric", text (ppi_report_metric_name (recording, b->metric)));
		json_object_set_new (o, "site", text (ppi_report_site_name (recording, b->site)));
		json_object_set_new (o, "asked", count (b->asked));
		json_object_set_new (o, "every", b->kept_off ? json_null () : count (b->every));
		json_array_append_new (list, o);
	}
	return list;
}

static json_t *payers (const struct ppi_overhead_chunk *chunk)
{
	json_t *list = json_array ();

	for (uint32_t i = 0; i < chunk->threads && i < PPI_OVERHEAD_THREADS; i++) {
		json_t *o = json_object ();

		json_object_set_new (o, "thread", count (chunk->thread[i].thread));
		json_object_set_new (o, "share", number (chunk->thread[i].share));
		json_array_append_new (list, o);
	}
	return list;
}

static json_t *overhead (const struct ppi_recording *recording)
{
	const struct ppi_overhead_chunk *c = ppi_recording_next (recording, PPI_CHUNK_OVERHEAD, NULL);
	json_t *o;

	if (!c || !c->looks)
		return json_null ();
	o = json_object ();
	json_object_set_new (o, "budget", number (c->budget));
	json_object_set_new (o, "share", number (c->share));
	json_object_set_new (o, "most", number (c->most));
	json_object_set_new (o, "looks", count (c->looks));
	json_object_set_new (o, "raised", count (c->raised));
	json_object_set_new (o, "taken", count (c->taken));
	json_object_set_new (o, "eased", count (c->eased));
	json_object_set_new (o, "restored", count (c->restored));
	json_object_set_new (o, "threads", payers (c));
	json_object_set_new (o, "bindings", throttled (recording));
	return o;
}

static json_t *events (const struct ppi_recording *recording)
{
	json_t *list = json_array ();

	for (const struct ppi_event_chunk *e = NULL; (e = ppi_recording_next (recording, PPI_CHUNK_EVENT, e));) {
		json_t *o = json_object ();

		json_object_set_new (o, "at_s", number (ppi_report_seconds (ppi_recording_header (recording), e->ns)));
		json_object_set_new (o, "kind", text (ppi_event_name (e->kind)));
		json_object_set_new (o, "name", text (e->text));
		json_object_set_new (o, "text", text (e->text + strlen (e->text) + 1));
		json_object_set_new (o, "thread", count (e->thread));
		if (e->kind == PPI_EVENT_KNOB) {
			json_object_set_new (o, "from", number (e->value[0]));
			json_object_set_new (o, "to", number (e->value[1]));
		}
		json_array_append_new (list, o);
	}
	return list;
}

static json_t *drops (const struct ppi_recording *recording)
{
	json_t *o = json_object ();

	for (int i = 0; i < PP_DROPS; i++) {
		uint64_t n = ppi_recording_drops (recording, (enum pp_drop) i);

		if (n)
			json_object_set_new (o, ppi_report_drop_name ((enum pp_drop) i), count (n));
	}
	return o;
}

bool ppctl_report_json (FILE *out, const struct ppi_recording *recording)
{
	json_t *root = json_object ();
	bool done;

	json_object_set_new (root, "program", head (recording));
	json_object_set_new (root, "sites", site_list (recording));
	json_object_set_new (root, "metrics", metrics (recording));
	json_object_set_new (root, "figures", figures (recording));
	json_object_set_new (root, "assertions", assertions (recording));
	json_object_set_new (root, "knobs", knobs (recording));
	json_object_set_new (root, "adaptations", adaptations (recording));
	json_object_set_new (root, "overhead", overhead (recording));
	json_object_set_new (root, "events", events (recording));
	json_object_set_new (root, "drops", drops (recording));
	done = root && json_dumpf (root, out, JSON_INDENT (2) | JSON_REAL_PRECISION (15)) == 0;
	fputc ('\n', out);
	json_decref (root);
	return done;
}
