/* SPDX-License-Identifier: MIT */
/* ppctl.c: policies against names from binaries; see ppctl.h. */
#include "assertions/language/ppctl.h"

#include "assertions/language/diagnostics.h"
#include "assertions/language/offline_events.h"
#include "assertions/language/policy_names.h"
#include "base/types.h"
#include "libmetrics/keep/accumulator.h"
#include "libmetrics/registry/binding.h"
#include "libmetrics/registry/pattern.h"
#include "libmetrics/source/operator.h"
#include "libmetrics/source/source.h"
#include "libmetrics/tables/metric.h"
#include "libmetrics/tables/site.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct offline_names {
	struct ppi_names names; /* first: what the checker gets */
	const struct ppi_offline *offline;
	const struct ppi_policy *policy;
};

typedef bool (*name_fn) (const char *name, void *arg);

static const struct offline_names *self_of (const struct ppi_names *names)
{
	return (const struct offline_names *) names;
}

/* ---- names that there are -------------------------------------------------------------------- */

static bool each_record (const struct offline_names *self, unsigned type, name_fn fn, void *arg)
{
	for (size_t i = 0; i < self->offline->n_records; i++)
		if (self->offline->record[i].type == type &&
		    fn (self->offline->record[i].name, arg))
			return true;
	return false;
}

static bool each_in_actions (const struct ppi_policy_action *action, size_t n, unsigned kind,
			     name_fn fn, void *arg)
{
	for (size_t i = 0; i < n; i++)
		if (action[i].kind == kind && action[i].name && fn (action[i].name->scalar, arg))
			return true;
	return false;
}

/* knob(NAME) in an expression */
static bool each_in_expression (const char *text, name_fn fn, void *arg)
{
	for (const char *p = text; *p; p++) {
		const char *name, *end = ppi_lex_word (p, "knob");
		char copy[PP_ABI_NAME_BYTES];

		if (!end || (p > text && ppi_lex_is_path (p[-1])))
			continue;
		end = ppi_lex_blanks (end);
		if (*end != '(')
			continue;
		name = ppi_lex_blanks (end + 1);
		end = ppi_lex_name (name);
		if (!end || (size_t) (end - name) >= sizeof copy)
			continue;
		snprintf (copy, sizeof copy, "%.*s", (int) (end - name), name);
		if (fn (copy, arg))
			return true;
	}
	return false;
}

/* What the policy itself names, as long as no binary can say better. */
static bool each_named (const struct offline_names *self, unsigned kind, name_fn fn, void *arg)
{
	for (size_t i = 0; !self->offline->known && i < self->policy->n_assertions; i++) {
		const struct ppi_policy_assertion *a = &self->policy->assertions[i];

		if (each_in_actions (a->on_fire, a->n_on_fire, kind, fn, arg) ||
		    each_in_actions (a->on_clear, a->n_on_clear, kind, fn, arg) ||
		    (kind == PPI_ACTION_KNOB && a->expect &&
		     each_in_expression (a->expect->scalar, fn, arg)))
			return true;
	}
	for (size_t i = 0;
	     !self->offline->known && kind == PPI_ACTION_KNOB && i < self->policy->n_adapts; i++)
		if (fn (self->policy->adapts[i].knob->scalar, arg))
			return true;
	return false;
}

/* Those that metrics name, likewise. */
static bool each_operator (const struct offline_names *self, name_fn fn, void *arg)
{
	for (size_t i = 0; !self->offline->known && i < self->policy->n_metrics; i++)
		if (self->policy->metrics[i].combine &&
		    fn (self->policy->metrics[i].combine->scalar, arg))
			return true;
	return false;
}

static bool each (const struct ppi_names *names, enum ppi_name_kind kind, name_fn fn, void *arg)
{
	const struct offline_names *self = self_of (names);

	switch (kind) {
	case PPI_NAME_METRIC:
		return each_record (self, PP_ABI_RECORD_METRIC, fn, arg);
	case PPI_NAME_ASSERTION:
		return each_record (self, PP_ABI_RECORD_EXPECT, fn, arg);
	case PPI_NAME_KNOB:
		return each_record (self, PP_ABI_RECORD_KNOB, fn, arg) ||
		       each_named (self, PPI_ACTION_KNOB, fn, arg);
	case PPI_NAME_CALLABLE:
		return each_record (self, PP_ABI_RECORD_CALLABLE, fn, arg) ||
		       each_named (self, PPI_ACTION_CALL, fn, arg);
	case PPI_NAME_OPERATOR:
		return ppi_operator_each (fn, arg) ||
		       each_record (self, PP_ABI_RECORD_OPERATOR, fn, arg) ||
		       each_operator (self, fn, arg);
	case PPI_NAME_SOURCE:
		return ppi_names_each_source (fn, arg) ||
		       each_record (self, PP_ABI_RECORD_SOURCE, fn, arg);
	case PPI_NAME_STATISTIC:
	case PPI_NAME_SITE:
		break; /* asked for otherwise */
	}
	return false;
}

static const struct ppi_offline_record *find_record (const struct offline_names *self,
						     unsigned type, const char *name)
{
	for (size_t i = 0; i < self->offline->n_records; i++)
		if (self->offline->record[i].type == type &&
		    strcmp (self->offline->record[i].name, name) == 0)
			return &self->offline->record[i];
	return NULL;
}

/* ---- sources and metrics --------------------------------------------------------------------- */

static uint8_t unit_of (const char *symbol)
{
	for (int unit = 0; unit < PPI_UNIT_COUNT; unit++)
		if (strcmp (ppi_unit_symbol ((enum ppi_unit) unit), symbol) == 0)
			return (uint8_t) unit;
	return PPI_UNIT_PLAIN;
}

/* A source of the library's or of a binary: its unit and kinds. */
static bool find_source (const struct offline_names *self, const char *text, uint8_t *unit,
			 unsigned *kinds)
{
	const char *argument;
	const struct ppi_source *found = ppi_source_find (text, &argument);
	const struct ppi_offline_record *record =
		found ? NULL : find_record (self, PP_ABI_RECORD_SOURCE, text);

	if (found) {
		*unit = found->unit;
		*kinds = found->kinds;
	} else if (record) {
		*unit = unit_of (record->unit);
		*kinds = record->kind == PP_ABI_SITE_INTERVAL ? 2 : 1;
	}
	return found || record;
}

static int source (const struct ppi_names *names, const char *text, unsigned kind, uint8_t *unit,
		   char *why, size_t room)
{
	bool interval = kind == PP_ABI_SITE_INTERVAL;
	const struct ppi_source *found;
	const char *argument;
	unsigned kinds = 0;
	char missing[256];

	if (!find_source (self_of (names), text, unit, &kinds)) {
		snprintf (why, room, "%s%s",
			  ppi_name_missing (names, PPI_NAME_SOURCE, text, missing, sizeof missing),
			  self_of (names)->offline->known
				  ? ""
				  : " (the program's own are known with --binary)");
		return PP_ENOENT;
	}
	found = ppi_source_find (text, &argument);
	if (found && ppi_source_check (found, argument, why, room) < 0)
		return PP_EINVAL;
	if (kinds >> interval & 1)
		return PP_OK;
	snprintf (why, room, "source '%s' is for %ss, not for %ss", text,
		  interval ? "point" : "interval", interval ? "interval" : "point");
	return PP_EKIND;
}

static bool metric (const struct ppi_names *names, const char *name, struct ppi_name_metric *out)
{
	const struct ppi_offline_record *record =
		find_record (self_of (names), PP_ABI_RECORD_METRIC, name);
	int accumulator = record && record->kind ? ppi_accumulator_parse (record->accumulator) : -1;
	uint8_t unit = PPI_UNIT_PLAIN; /* also of functions of the program's own */
	char combine[PP_ABI_NAME_BYTES];
	const char *operator_at;
	unsigned kinds;

	if (accumulator < 0)
		return false;
	if (record->has_unit)
		unit = unit_of (record->unit);
	else
		(void) find_source (self_of (names), record->source, &unit, &kinds);
	operator_at = strstr (record->options, "operator=");
	if (operator_at)
		snprintf (combine, sizeof combine, "%.*s", (int) strcspn (operator_at + 9, ","),
			  operator_at + 9);
	if (operator_at)
		unit = (uint8_t) ppi_operator_unit (combine, (enum ppi_unit) unit);
	*out = (struct ppi_name_metric){
		(uint8_t) accumulator,
		ppi_keeps ((unsigned) accumulator, PPI_KEEPS_ANY) ? unit : PPI_UNIT_PLAIN,
		record->kind,
		record->has_arguments,
		record->source,
		0,
		record->kind == PP_ABI_SITE_INTERVAL && strcmp (record->source, "elapsed") == 0 &&
			!strstr (record->options, "operator=") &&
			!strstr (record->options, "scope=") &&
			!strstr (record->options, "corrected")};
	return true;
}

/* ---- sites ----------------------------------------------------------------------------------- */

struct pp_site ppi_offline_site_view (const struct ppi_offline_site *site)
{
	return (struct pp_site){
		.kind = site->kind,
		.full = (char *) (uintptr_t) site->full,
		.base = site->base,
		.parameters = site->parameters,
		.function_line = site->function_line,
		.line = site->line,
		.nth = site->nth,
		.module = site->module,
		.file = site->file,
		.function = site->function,
		.name = site->name,
		.groups = (char *) (uintptr_t) site->groups,
		.dims = site->dims,
		.value = site->value,
		.flags = site->flags,
	};
}

struct matches {
	int all, fitting;
	const char *first, *second;
	unsigned first_kind;
};

/* Are there sites that are called PATTERN just so, with its wildcards? */
static bool is_literal (const struct offline_names *self, const char *pattern)
{
	for (size_t i = 0; ppi_pattern_may_be_literal (pattern) && i < self->offline->n_sites;
	     i++) {
		struct pp_site view = ppi_offline_site_view (&self->offline->site[i]);

		if (ppi_site_is_called (&view, pattern, true))
			return true;
	}
	return false;
}

static struct matches match (const struct offline_names *self, const char *pattern, unsigned kind)
{
	struct matches m = {.all = 0};
	bool literally = is_literal (self, pattern);

	for (size_t i = 0; i < self->offline->n_sites; i++) {
		struct pp_site view = ppi_offline_site_view (&self->offline->site[i]);

		if (!(literally ? ppi_site_is_called (&view, pattern, true)
				: ppi_site_matches (&view, pattern)))
			continue;
		m.all++;
		m.fitting += !kind || ppi_kind_fits (kind, view.kind);
		if (!m.first) {
			m.first = view.full;
			m.first_kind = view.kind;
		} else if (!m.second)
			m.second = view.full;
	}
	return m;
}

static int no_site (const struct offline_names *self, const char *pattern, char *why, size_t room)
{
	const char *last = strrchr (pattern, '/') ? strrchr (pattern, '/') + 1 : pattern;
	const char *candidates[512], *nearest;
	size_t n = 0;

	for (size_t i = 0;
	     i < self->offline->n_sites && n + 1 < sizeof candidates / sizeof candidates[0]; i++)
		candidates[n++] = self->offline->site[i].name;
	candidates[n] = NULL;
	nearest = ppi_pattern_is_plain (pattern) ? ppi_nearest (last, candidates) : NULL;
	if (nearest && strcmp (nearest, last) != 0)
		snprintf (why, room, "no site is called '%s'; did you mean '%.*s%s'?", pattern,
			  (int) (last - pattern), pattern, nearest);
	else
		snprintf (why, room, "no site of the binary matches '%s'; ppctl sites lists them",
			  pattern);
	return PP_ENOENT;
}

static int site (const struct ppi_names *names, const char *pattern, unsigned kind, char *why,
		 size_t room)
{
	const struct offline_names *self = self_of (names);
	struct matches m;

	if (!ppi_pattern_valid (pattern, why, room))
		return PP_EINVAL;
	if (!self->offline->known)
		return 0;
	m = match (self, pattern, kind);
	/* spans, and calls that are no markers, have sites that the table does not */
	if (m.all == 0 && ppi_pattern_is_plain (pattern) && !strpbrk (pattern, "/!:") &&
	    self->offline->spells && self->offline->spells (pattern, self->offline->arg))
		return 1;
	if (m.all == 0)
		return no_site (self, pattern, why, room);
	if (m.all > 1 && ppi_pattern_is_plain (pattern)) {
		snprintf (why, room,
			  "'%s' means %d sites, like %s and %s; say more of the name, or use a "
			  "pattern with *",
			  pattern, m.all, m.first, m.second);
		return PP_EAMBIGUOUS;
	}
	if (m.fitting == 0) {
		snprintf (why, room, "'%s' means %s, but the metric is for %ss", pattern,
			  ppi_kind_with_article (m.first_kind), ppi_kind_name (kind));
		return PP_EKIND;
	}
	return m.all;
}

/* The metric as the runtime would have it, without anything open. */
static pp_metric metric_view (const char *name, const struct ppi_name_metric *m)
{
	const char *argument;
	pp_metric view = {.spec = {.name = name,
				   .kind = m->kind,
				   .accumulator = m->accumulator,
				   .source = m->source}};

	view.instance.source = ppi_source_find (m->source, &argument);
	view.instance.argument = (char *) (uintptr_t) argument;
	view.instance.sample_type = PP_ABI_SAMPLE_INT;
	return view;
}

/*
 * As when it is bound: a pattern passes over sites that don't fit, as long as there is one that
 * does.
 */
static int fits (const struct ppi_names *names, const char *pattern, const char *name,
		 const struct ppi_name_metric *m, char *why, size_t room)
{
	const struct offline_names *self = self_of (names);
	pp_metric view = metric_view (name, m);
	int result = PP_OK;

	if (!view.instance.source)
		return PP_OK; /* a function of the program's */
	for (size_t i = 0; i < self->offline->n_sites; i++) {
		struct pp_site site_view = ppi_offline_site_view (&self->offline->site[i]);

		if (!ppi_site_matches (&site_view, pattern))
			continue;
		result = ppi_binding_check (&view, &site_view, why, room);
		if (result == PP_OK)
			return PP_OK;
	}
	return result;
}

static const char *owner (const struct ppi_names *names, enum ppi_name_kind kind, const char *name)
{
	if (kind == PPI_NAME_ASSERTION && find_record (self_of (names), PP_ABI_RECORD_EXPECT, name))
		return "the program's own expectations";
	return NULL;
}

static bool knob (const struct ppi_names *names, const char *name, struct ppi_name_knob *out)
{
	const struct ppi_offline_record *record =
		find_record (self_of (names), PP_ABI_RECORD_KNOB, name);

	if (!record || !record->knob)
		return false;
	*out = (struct ppi_name_knob){record->knob->type, record->knob->min, record->knob->max,
				      record->knob->step, *record->words ? record->words : NULL};
	return true;
}

static const char *composite (const struct ppi_names *names, const char *name)
{
	const struct ppi_offline_record *record =
		find_record (self_of (names), PP_ABI_RECORD_METRIC, name);

	return record && !record->kind ? record->source : NULL;
}

static int statistic (const struct ppi_names *names, const char *name, int *power)
{
	const struct ppi_offline_record *record =
		find_record (self_of (names), PP_ABI_RECORD_STATISTIC, name);

	if (record)
		*power = record->power;
	return record ? 0 : -1;
}

/* ---- functions of the program's at markers --------------------------------------------------- */

/*
 * Does metric NAME run functions of the program's at markers, which may read and write any
 * variable?
 */
static bool runs_program (const struct offline_names *self, const char *name)
{
	const struct ppi_offline_record *record = find_record (self, PP_ABI_RECORD_METRIC, name);
	const struct ppi_policy_metric *m = ppi_policy_metric (self->policy, name);
	const char *source = m && m->source ? m->source->scalar
			     : record       ? record->source
					    : NULL,
		   *argument;

	if (!source)
		return false;
	if (!m && record->has_functions)
		return !record->is_const;
	if (m && m->combine && find_record (self, PP_ABI_RECORD_OPERATOR, m->combine->scalar))
		return true;
	return !ppi_source_find (source, &argument) || strncmp (source, "papi:sde", 8) == 0;
}

/* A site that PATTERN means whose markers are no barriers; NULL: none. */
static const char *free_site (const struct offline_names *self, const char *pattern)
{
	for (size_t i = 0; i < self->offline->n_sites; i++) {
		const struct ppi_offline_site *s = &self->offline->site[i];
		struct pp_site view = ppi_offline_site_view (s);

		if (!(s->flags & (PP_ABI_SITE_BARRIER | PP_ABI_SITE_INLINE)) &&
		    ppi_site_matches (&view, pattern))
			return s->full;
	}
	return NULL;
}

/* As the library says it when it binds, but here of each entry. */
static void tell_unseen (const struct offline_names *self, struct ppi_diagnostics *d)
{
	for (size_t i = 0; i < self->policy->n_binds; i++) {
		const struct ppi_policy_bind *bind = &self->policy->binds[i];
		bool runs = bind->metric && runs_program (self, bind->metric->scalar);

		for (size_t k = 0; runs && k < bind->n_sites; k++) {
			const char *site = free_site (self, bind->sites[k]->scalar);

			if (site)
				ppi_diagnose_warning (d, bind->sites[k]->place,
						      "metric '%s' calls functions of the program "
						      "at %s, whose markers are no "
						      "barriers for memory: they may see variables "
						      "as they were before, and what "
						      "they write may not be seen there; name the "
						      "metric at the site in the source, "
						      "or say 'fence' there",
						      bind->metric->scalar, site);
		}
	}
}

/* ---- the check ------------------------------------------------------------------------------- */

static struct offline_names names_of (const struct ppi_offline *offline)
{
	return (struct offline_names){{each, metric, site, fits, source, owner, NULL, NULL,
				       composite, knob, statistic, NULL, !offline->strict,
				       !offline->known},
				      offline,
				      NULL};
}

/* What is to be told is in D, which quotes *COPY: both are cleared behind it. */
static int read_policy (const char *path, struct offline_names *names, struct ppi_diagnostics *d,
			char **copy, struct ppi_policy **out)
{
	char *text = NULL;
	size_t bytes = 0;
	int error;

	*out = NULL;
	*copy = NULL;
	ppi_diagnostics_init (d, path, NULL, 1);
	error = ppi_offline_slurp (path, &text, &bytes, d);
	if (!error) {
		d->text = *copy = strdup (text); /* TEXT becomes the policy's */
		error = ppi_policy_read (path, text, bytes, d, out);
	}
	names->policy = *out;
	if (*out && (*out)->tree)
		ppi_policy_check (*out, &names->names, d);
	if (d->errors && error != PP_EIO && error != PP_ENOMEM)
		error = PP_EPOLICY;
	return error;
}

int ppi_policy_read_offline (const char *path, const struct ppi_offline *offline,
			     void (*line) (const char *line, void *arg), void *arg,
			     struct ppi_policy **out)
{
	struct offline_names names = names_of (offline);
	struct ppi_diagnostics d;
	char *copy;
	int error = read_policy (path, &names, &d, &copy, out);

	if (error) {
		ppi_diagnostics_tell (&d, line, arg);
		if (*out)
			ppi_policy_destroy (*out);
		*out = NULL;
	}
	ppi_diagnostics_clear (&d);
	free (copy);
	return error;
}

int ppi_policy_check_offline (const char *path, const struct ppi_offline *offline,
			      void (*line) (const char *line, void *arg), void *arg,
			      struct ppi_offline_result *result)
{
	struct offline_names names = names_of (offline);
	struct ppi_policy *policy = NULL;
	struct ppi_diagnostics d;
	char *copy;
	int error = read_policy (path, &names, &d, &copy, &policy);
	size_t waits = d.n - d.errors;

	if (policy && policy->tree && !d.errors)
		tell_unseen (&names, &d);
	if (policy && policy->tree && !d.errors && offline->known) {
		ppi_offline_check_events (offline, &policy->events, &d);
		ppi_offline_check_features (offline, &policy->features, &d);
	}
	ppi_diagnostics_tell (&d, line, arg);
	*result = (struct ppi_offline_result){.errors = d.errors};
	if (policy) {
		*result = (struct ppi_offline_result){
			.metrics = policy->n_metrics + policy->late.metrics,
			.binds = policy->n_binds + policy->late.binds,
			.assertions = policy->n_assertions + policy->late.assertions,
			.errors = d.errors,
			.waits = waits,
			.profiles = policy->profile.key != NULL,
			.records = policy->events.records.n_sites,
			.aggregates = policy->events.aggregates,
			.flight = policy->events.flight.key ? policy->events.flight.events : 0};
		if (policy->record)
			snprintf (result->record, sizeof result->record, "%s",
				  policy->record->scalar);
		ppi_policy_destroy (policy);
	}
	ppi_diagnostics_clear (&d);
	free (copy);
	return error;
}
