/* SPDX-License-Identifier: MIT */
/* sites_json.c: what ppctl sites lists, as JSON. */
#include "libmetrics/dims.h"
#include "ppctl/sites.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

/* "a,b" as a list */
static json_t *split (const char *names)
{
	json_t *list = json_array ();

	while (*names) {
		size_t n = strcspn (names, ",");

		json_array_append_new (list, json_stringn (names, n));
		names += n + (names[n] == ',');
	}
	return list;
}

static json_t *dims (const char *text)
{
	json_t *list = json_array ();
	struct ppi_dim dim;

	while (ppi_dim_next (&text, &dim)) {
		json_t *o = json_object ();

		json_object_set_new (o, "key", json_stringn (dim.key, dim.length));
		json_object_set_new (o, "type", json_string (ppi_value_name (dim.type)));
		json_array_append_new (list, o);
	}
	return list;
}

static json_t *known (double value)
{
	return isnan (value) ? json_null () : json_real (value);
}

/* Null where the compiler does not know. */
static json_t *statics (const struct ppi_statics *s)
{
	json_t *o = json_object ();

	for (int i = PPI_STATIC_OPS; i < PPI_STATICS; i++)
		json_object_set_new (o, ppi_static_names ()[i], known (s->value[i]));
	json_object_set_new (o, "approximate", json_boolean (s->approximate));
	json_object_set_new (o, "moved_out", json_integer (s->moved_out));
	json_object_set_new (o, "moved_in", json_integer (s->moved_in));
	return o;
}

static json_t *site (const struct ppctl_site *s)
{
	json_t *o = json_object ();

	json_object_set_new (o, "name", json_string (s->full));
	json_object_set_new (o, "kind", json_string (ppctl_site_kind (s->abi)));
	json_object_set_new (o, "file", json_string (s->file));
	json_object_set_new (o, "line", json_integer (s->abi->line));
	json_object_set_new (o, "column", json_integer (s->abi->column));
	json_object_set_new (o, "function", json_string (s->function));
	json_object_set_new (o, "value", s->abi->value ? json_string (ppctl_site_value (s->abi)) : json_null ());
	json_object_set_new (o, "dimensions", dims (s->dims));
	json_object_set_new (o, "inline", json_boolean (s->abi->flags & PP_ABI_SITE_INLINE));
	json_object_set_new (o, "barrier", json_boolean (s->abi->flags & PP_ABI_SITE_BARRIER));
	json_object_set_new (o, "guard", json_boolean (s->abi->flags & PP_ABI_SITE_GUARD));
	json_object_set_new (o, "begins", json_integer (s->markers[PP_ABI_BEGIN]));
	json_object_set_new (o, "ends", json_integer (s->markers[PP_ABI_END]));
	json_object_set_new (o, "points", json_integer (s->markers[PP_ABI_POINT]));
	json_object_set_new (o, "in_copied_loops", json_integer (s->in_copied_loops));
	json_object_set_new (o, "coverage", known (s->statics.value[PPI_STATIC_COVERAGE]));
	json_object_set_new (o, "static", s->sum.copies ? statics (&s->statics) : json_null ());
	json_object_set_new (o, "groups", split (s->groups));
	json_object_set_new (o, "metrics", split (s->metrics));
	return o;
}

static json_t *number (const struct pp_abi_knob *knob, union pp_abi_number value)
{
	return knob->type == PP_ABI_KNOB_DOUBLE ? json_real (value.d) : json_integer (value.i);
}

static void add_expectation (json_t *o, const struct ppctl_record *r)
{
	const struct pp_abi_expect *expect = (const struct pp_abi_expect *) r->abi;

	json_object_set_new (o, "expression", json_string (ppctl_record_text (r, expect->expression)));
	json_object_set_new (o, "clauses",
			     expect->clauses ? json_string (ppctl_record_text (r, expect->clauses)) : json_null ());
}

static void add_knob (json_t *o, const struct ppctl_record *r)
{
	const struct pp_abi_knob *knob = (const struct pp_abi_knob *) r->abi;

	json_object_set_new (o, "initial", number (knob, knob->initial));
	json_object_set_new (o, "min", number (knob, knob->min));
	json_object_set_new (o, "max", number (knob, knob->max));
	json_object_set_new (o, "step", number (knob, knob->step));
	json_object_set_new (o, "words", *r->words ? json_string (r->words) : json_null ());
	json_object_set_new (o, "setter", json_boolean (r->has_setter));
}

static json_t *record (const struct ppctl_record *r)
{
	const struct pp_abi_record *abi = r->abi;
	json_t *o = json_object ();

	json_object_set_new (o, "type", json_string (ppctl_record_type (abi)));
	json_object_set_new (o, "name", json_string (r->name));
	json_object_set_new (o, "where", *r->where ? json_string (r->where) : json_null ());
	if (abi->type == PP_ABI_RECORD_METRIC)
		json_object_set_new (o, "arguments", json_boolean (abi->flags & PP_ABI_METRIC_ARGUMENTS));
	if (abi->type == PP_ABI_RECORD_METRIC)
		json_object_set_new (
			o, "declaration",
			json_string (ppctl_record_text (r, ((const struct pp_abi_metric *) abi)->declaration)));
	else if (abi->type == PP_ABI_RECORD_EXPECT)
		add_expectation (o, r);
	else if (abi->type == PP_ABI_RECORD_KNOB)
		add_knob (o, r);
	else if (abi->type == PP_ABI_RECORD_CALLABLE)
		json_object_set_new (o, "inline", json_boolean (abi->flags & PP_ABI_CALLABLE_INLINE));
	else if (abi->type == PP_ABI_RECORD_SOURCE)
		json_object_set_new (o, "kind", json_string (r->has_end ? "interval" : "point"));
	return o;
}

bool ppctl_sites_json (FILE *out, const struct ppctl_binary *binary)
{
	json_t *root = json_object (), *list = json_array ();
	bool done;

	for (size_t i = 0; i < binary->n_sites; i++)
		json_array_append_new (list, site (&binary->site[i]));
	json_object_set_new (root, "sites", list);
	list = json_array ();
	for (size_t i = 0; i < binary->n_records; i++)
		json_array_append_new (list, record (&binary->record[i]));
	json_object_set_new (root, "records", list);
	done = root && json_dumpf (root, out, JSON_INDENT (2)) == 0;
	fputc ('\n', out);
	json_decref (root);
	return done;
}
