/* SPDX-License-Identifier: MIT */
/* groups.c: executions in groups, by the values of their dimensions. */
#include "libmetrics/keep/accumulator.h"
#include "libmetrics/keep/summary.h"
#include "recording/groups.h"
#include "recording/names.h"
#include "recording/read.h"
#include "report/read.h"
#include "report/sections.h"

#include <math.h>
#include <stdlib.h>

#define SHOWN 20u /* groups of an aggregate; programs get all */
/* Behind the values. What a narrow terminal leaves out first is what ran inside, last the p99. */
#define FORM                                                                                       \
	"{n:*}  {total:*}<5  {self:*}  {desc:*}><2  {avg:*}><4  {max:*}><3  {p50:*}><1  {p99:*}>"
#define VALUE "value%u" /* the key of a dimension's column */

static int compare (const void *a, const void *b)
{
	const struct ppi_group_row *x = a, *y = b;

	if (x->is_rest != y->is_rest)
		return x->is_rest ? 1 : -1;
	if (x->times.all.sum != y->times.all.sum)
		return x->times.all.sum > y->times.all.sum ? -1 : 1;
	return x->times.all.n > y->times.all.n ? -1 : x->times.all.n < y->times.all.n;
}

/* Missing values are missing for programs, too. */
static void put_values (struct ppi_row *row, const struct ppi_aggregate_chunk *aggregate,
			const struct ppi_group_row *group)
{
	struct ppi_table *values = ppi_put_table (row, "values", NULL);

	for (unsigned i = 0; i < aggregate->dims && !group->is_rest && values; i++) {
		struct ppi_row *one = ppi_row (values);
		char text[64];

		ppi_put_text (one, "dimension", ppi_aggregate_key (aggregate, i));
		if (group->value[i].type != PP_ABI_VALUE_NONE)
			ppi_put_text (one, "value",
				      ppi_report_copy (values->report, "%s",
						       ppi_group_value_text (&group->value[i], text,
									     sizeof text)));
	}
}

/* For people each dimension is a column. */
static void put_columns (struct ppi_report *report, struct ppi_row *row,
			 const struct ppi_aggregate_chunk *aggregate,
			 const struct ppi_group_row *group)
{
	for (unsigned i = 0; i < aggregate->dims; i++) {
		const char *key = ppi_report_copy (report, VALUE, i), *value;
		char text[64];

		if (group->is_rest)
			value = i ? "" : "(rest)";
		else
			value = ppi_group_value_text (&group->value[i], text, sizeof text);
		ppi_put_text (row, key, ppi_report_copy (report, "%s", value));
		ppi_hide (row, key);
	}
}

static void put_time (struct ppi_row *row, const char *key, double value, double resolution)
{
	ppi_put_quantity (row, key, value, 1, 0, resolution);
}

static void put_group (struct ppi_report *report, struct ppi_table *table,
		       const struct ppi_aggregate_chunk *aggregate,
		       const struct ppi_group_row *group, double scale, double resolution,
		       bool is_shown)
{
	static const enum pp_statistic shown[] = {PP_STAT_AVG,  PP_STAT_MIN,   PP_STAT_MAX,
						  PP_STAT_P50,  PP_STAT_P90,   PP_STAT_P99,
						  PP_STAT_P999, PP_STAT_STDDEV};
	struct ppi_row *row = ppi_row (table);
	double self = (double) group->self_ticks * scale,
	       desc = group->is_clear ? (double) group->desc_ticks * scale : (double) NAN;

	put_columns (report, row, aggregate, group);
	ppi_put_flag (row, "rest", group->is_rest);
	put_values (row, aggregate, group);
	ppi_put_count (row, "n", group->times.all.n);
	put_time (row, "total", self + desc, resolution);
	put_time (row, "self", self, resolution);
	/* of those that nothing ran in it is none, and not just less than the clock can tell */
	put_time (row, "desc", desc, desc == 0 ? 0 : resolution);
	if (!group->is_clear) {
		ppi_show (row, "total", "-");
		ppi_show (row, "desc", "-");
	}
	for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
		if (ppi_statistic_exists (aggregate->accumulator, shown[i]))
			put_time (row, ppi_statistic_name (shown[i]),
				  ppi_summary_get (&group->times, shown[i], scale), resolution);
	if (row)
		row->is_unread = !is_shown;
	ppi_say (row, "\n");
}

static void head (struct ppi_report *report, struct ppi_table *columns,
		  const struct ppi_aggregate_chunk *aggregate)
{
	static const char *const keys[] = {"n",   "total", "self", "desc",
					   "avg", "max",   "p50",  "p99"};

	const char *form = "  ";

	for (unsigned i = 0; i < aggregate->dims; i++) {
		form = ppi_report_copy (report, "%s{" VALUE ":-+}  ", form, i);
		ppi_head (columns, ppi_report_copy (report, VALUE, i),
			  ppi_aggregate_key (aggregate, i));
	}
	ppi_form (columns, ppi_report_copy (report, "%s" FORM, form));
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		ppi_head (columns, keys[i], keys[i]);
}

static void put_aggregate (struct ppi_report *report, struct ppi_table *table,
			   const struct ppi_recording *recording,
			   const struct ppi_aggregate_chunk *aggregate)
{
	static const unsigned all[PPI_GROUP_DIMS] = {0, 1, 2, 3};
	double scale = ppi_recording_header (recording)->seconds_per_tick,
	       resolution = (double) ppi_recording_header (recording)->resolution_ticks * scale;
	struct ppi_row *row = ppi_row (table);
	struct ppi_table *groups = ppi_put_table (row, "groups", NULL);
	struct ppi_group_rows rows;
	const char *by = NULL;

	for (unsigned i = 0; i < aggregate->dims; i++)
		by = ppi_report_copy (report, "%s%s%s", by ? by : "", by ? "," : "",
				      ppi_aggregate_key (aggregate, i));
	ppi_put_list (row, "by", by);
	ppi_put_text (row, "sites", ppi_aggregate_sites (aggregate));
	ppi_put_text (row, "keep", ppi_accumulator_name (aggregate->accumulator));
	ppi_put_count (row, "max_groups", aggregate->max_groups);
	head (report, groups, aggregate);
	if (!ppi_group_rows_read (recording, aggregate, all, aggregate->dims, &rows))
		report->has_failed = true;
	if (rows.n)
		qsort (rows.row, rows.n, sizeof *rows.row, compare);
	for (size_t i = 0; i < rows.n; i++)
		put_group (report, groups, aggregate, &rows.row[i], scale, resolution, i < SHOWN);
	if (rows.n > SHOWN)
		ppi_report_say_more (groups, "    ", rows.n - SHOWN);
	ppi_say (row, rows.n ? "  by {by}, of {sites}\n{#groups}\n{groups}"
			     : "  by {by}, of {sites}: no execution has ended\n");
	ppi_group_rows_clear (&rows);
}

void ppi_section_groups (struct ppi_report *report, const struct ppi_recording *recording)
{
	struct ppi_table *table = ppi_table (report, "aggregates", "executions in groups");
	const struct ppi_aggregate_chunk *aggregate = NULL;

	while ((aggregate = ppi_recording_next (recording, PPI_CHUNK_AGGREGATE, aggregate)))
		put_aggregate (report, table, recording, aggregate);
}
