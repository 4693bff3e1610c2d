/* SPDX-License-Identifier: MIT */
/*
 * query_json.c: tables of a query as JSON. Times are ns, shares of 1. What is missing or unknown is
 * no member: a row without "value" is that of records that have no such dimension, and no row says
 * "(none)" but one whose value is that text.
 */
#include "profiler/analysis/query.h"

#include "base/types.h"
#include "recording/groups.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>

/* Texts of programs need not be UTF-8. */
static json_t *text_json (const char *text)
{
	json_t *is = json_string (text);
	char clean[4096];
	size_t n = 0;

	if (is)
		return is;
	for (; *text && n + 5 < sizeof clean; text++)
		if (*text >= ' ' && *text <= '~')
			clean[n++] = *text;
		else
			n += (size_t) snprintf (clean + n, sizeof clean - n, "\\x%02x",
						(unsigned char) *text);
	clean[n] = '\0';
	return json_string (clean);
}

/* NULL for none: no member then. */
static json_t *value_json (const struct ppi_query *query, struct ppi_value value)
{
	char text[64];

	switch (value.type) {
	case PP_ABI_VALUE_NONE:
	case PPI_VALUE_REST:
		return NULL;
	case PP_ABI_VALUE_INT:
		return json_integer ((json_int_t) value.bits);
	case PPI_VALUE_TRUTH:
		return json_boolean (value.bits);
	case PP_ABI_VALUE_DOUBLE:
		/* JSON has no number for inf and nan */
		return isfinite (ppi_value_number (value))
			       ? json_real (ppi_value_number (value))
			       : json_string (
					 ppi_value_text (query->terms, value, text, sizeof text));
	default: /* PPI_VALUE_LARGE, too: the library's integers are signed */
		return text_json (ppi_value_text (query->terms, value, text, sizeof text));
	}
}

static void set (json_t *object, const char *key, json_t *value)
{
	if (value)
		json_object_set_new (object, key, value);
}

static void set_number (json_t *object, const char *key, double x)
{
	if (isfinite (x))
		set (object, key, json_real (x));
}

static void set_time (const struct ppi_query *query, json_t *row, const char *ns_key,
		      const char *share_key, double ns)
{
	set_number (row, ns_key, ns);
	set_number (row, share_key, ns / query->sums.profiled_ns);
}

static json_t *row_json (const struct ppi_query *query, unsigned level, uint32_t number)
{
	const struct ppi_query_row *row = ppi_query_row (query, level, number);
	struct ppi_value value = ppi_query_value (query, level, row);
	json_t *out = json_object (), *stats;

	set (out, "value", value_json (query, value));
	if (value.type == PPI_VALUE_REST)
		set (out, "rest", json_true ());
	set_time (query, out, "total_ns", "total_share", row->self_ns + row->desc_ns);
	set_time (query, out, "self_ns", "self_share", row->self_ns);
	set_time (query, out, "desc_ns", "desc_share", row->desc_ns);
	set (out, "count", json_integer ((json_int_t) row->count));
	set_number (out, "count_share", (double) row->count / (double) query->sums.records);
	if (!query->n_stats)
		return out;
	stats = json_object ();
	for (unsigned i = 0; i < query->n_stats; i++)
		set_number (stats, query->stat[i].label,
			    ppi_query_stat_value (query, level, number, i));
	set (out, "statistics", stats);
	return out;
}

static json_t *table_json (const struct ppi_query *query, const struct ppi_query_table *table)
{
	json_t *out = json_object (), *about = json_array (), *rows = json_array (), *one;

	set (out, "by", text_json (query->list.dim[table->level].label));
	for (unsigned i = 0; i < table->level; i++) {
		uint32_t row = ppi_query_ancestor (query, table->level - 1, table->parent, i);

		one = json_object ();
		set (one, "dimension", text_json (query->list.dim[i].label));
		set (one, "value",
		     value_json (query, ppi_query_value (query, i, ppi_query_row (query, i, row))));
		json_array_append_new (about, one);
	}
	set (out, "for", about);
	for (size_t i = 0; i < table->n; i++)
		json_array_append_new (rows, row_json (query, table->level, table->row[i]));
	set (out, "rows", rows);
	if (table->hidden) {
		set (out, "hidden_rows", json_integer ((json_int_t) table->hidden));
		set (out, "hidden_records", json_integer ((json_int_t) table->count));
	}
	return out;
}

/* By the cause's name; those that took nothing are no members. */
static json_t *lost_json (const struct ppi_records_info *info)
{
	json_t *out = json_object ();

	for (int i = 0; i < PP_DROPS; i++)
		if (info->lost[i])
			set (out, ppi_drop_name ((enum pp_drop) i),
			     json_integer ((json_int_t) info->lost[i]));
	return out;
}

static void set_losses (json_t *out, const struct ppi_records_info *info)
{
	set (out, "dropped", json_integer ((json_int_t) info->dropped));
	set (out, "dropped_by_cause", lost_json (info));
	set (out, "other_texts", json_integer ((json_int_t) info->others));
}

static json_t *aggregate_json (const struct ppi_aggregate_chunk *a)
{
	json_t *out = json_object (), *by = json_array ();

	for (unsigned i = 0; by && i < a->dims; i++)
		json_array_append_new (by, json_string (ppi_aggregate_key (a, i)));
	set (out, "by", by);
	set (out, "sites", json_string (ppi_aggregate_sites (a)));
	set (out, "keep", json_string (ppi_accumulator_name (a->accumulator)));
	set (out, "max_groups", json_integer (a->max_groups));
	return out;
}

static void set_aggregates (json_t *out, const struct ppi_query *query)
{
	json_t *others = json_array ();

	set (out, "aggregated", json_true ());
	set (out, "aggregate", aggregate_json (query->aggregate));
	for (unsigned i = 0; others && i < query->n_others; i++)
		json_array_append_new (others, aggregate_json (query->other[i]));
	set (out, "other_aggregates", others);
}

static json_t *head_json (const struct ppi_query *query)
{
	const struct ppi_walk_sums *sums = &query->sums;
	json_t *out = json_object ();

	set_number (out, "total_ns", query->source.total_ns);
	set_number (out, "profiled_ns", sums->profiled_ns);
	set (out, "records", json_integer ((json_int_t) sums->records));
	if (query->aggregate) {
		set_aggregates (out, query);
		set_losses (out, &query->info);
		return out;
	}
	set (out, "chosen", json_integer ((json_int_t) query->chosen));
	set_number (out, "cost_ns", sums->cost_ns);
	set_number (out, "cost_deducted_ns", sums->deducted_ns);
	set_number (out, "cost_kept_ns", sums->kept_ns);
	set (out, "cost_kept_records", json_integer ((json_int_t) sums->clamped));
	set_losses (out, &query->info);
	set (out, "given_up", json_integer ((json_int_t) query->info.given_up));
	set (out, "gaps", json_integer ((json_int_t) query->info.gaps));
	set (out, "damaged", json_integer ((json_int_t) sums->damaged));
	return out;
}

bool ppi_query_print_json (const struct ppi_query *query, FILE *out)
{
	struct ppi_query_tables tables;
	json_t *root = head_json (query), *list = json_array ();
	bool ok = ppi_query_tables (query, &tables) && root && list;

	for (size_t i = 0; ok && i < tables.n; i++)
		ok = json_array_append_new (list, table_json (query, &tables.table[i])) == 0;
	if (root && list)
		set (root, "tables", list);
	/* what could not be written is seen by who looks at OUT */
	if (ok)
		json_dumpf (root, out, JSON_INDENT (1) | JSON_REAL_PRECISION (15));
	if (ok)
		fputc ('\n', out);
	json_decref (root);
	ppi_query_tables_clear (&tables);
	return ok;
}
