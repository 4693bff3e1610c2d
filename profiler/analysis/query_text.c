/* SPDX-License-Identifier: MIT */
/*
 * query_text.c: tables of a query as text. Times are whole, and cut off; a value that is long is a
 * footnote below its table.
 *
 *     By cached for value:
 *
 *     Total  Total  Self  Self  Desc  Desc  Count  Count
 *        ms      %    ms     %    ms     %             %
 *         0   73.8     0  73.8     0   0.0      5   71.4  false
 */
#include "profiler/analysis/query.h"

#include "base/quantity.h"
#include "base/types.h"
#include "profiler/analysis/put.h"
#include "recording/groups.h"
#include "recording/layout.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIXED = 8, COLUMNS = FIXED + PPI_QUERY_STATS, CELL = 40, VALUE_COLUMNS = 40 };

static const struct {
	const char *name;
	double ns;
} units[] = {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}};

struct line {
	char cell[COLUMNS][CELL];
};

struct printing {
	const struct ppi_query *query;
	enum ppi_query_unit unit;
	FILE *out;
	unsigned columns;
	unsigned footnotes;
};

/* ---- figures --------------------------------------------------------------------------------- */

/* Cut off, behind a thousandth of a ns: a sum that is a little too small loses no whole one. */
static double whole_units (const struct printing *p, double ns)
{
	return floor (rint (ns * 1e3) / 1e3 / units[p->unit].ns);
}

static void time_cells (const struct printing *p, char (*cell)[CELL], double ns)
{
	double profiled = p->query->sums.profiled_ns;

	if (isnan (ns)) {
		snprintf (cell[0], CELL, "-");
		snprintf (cell[1], CELL, "-");
		return;
	}
	snprintf (cell[0], CELL, "%.0f", whole_units (p, ns));
	if (profiled > 0)
		snprintf (cell[1], CELL, "%.1f", fabs (100 * ns / profiled));
	else
		snprintf (cell[1], CELL, "-");
}

/* The statistic of a time has its unit, others are numbers. */
static void stat_cell (const struct ppi_query_stat *stat, double value, char *cell)
{
	struct ppi_dimension dimension = {0};

	if (isnan (value)) {
		snprintf (cell, CELL, "-");
		return;
	}
	if (stat->of != PPI_STAT_TERM && stat->statistic != PP_STAT_COUNT) {
		dimension.seconds = stat->statistic == PP_STAT_VARIANCE ? 2 : 1;
		value *= dimension.seconds == 2 ? 1e-18 : 1e-9;
	}
	ppi_quantity_format (value, dimension, cell, CELL);
	ppi_text_for_locale (cell);
}

static void row_line (const struct printing *p, unsigned level, uint32_t number, struct line *line)
{
	const struct ppi_query *query = p->query;
	const struct ppi_query_row *row = ppi_query_row (query, level, number);

	time_cells (p, &line->cell[0], row->self_ns + row->desc_ns);
	time_cells (p, &line->cell[2], row->self_ns);
	time_cells (p, &line->cell[4], row->desc_ns);
	snprintf (line->cell[6], CELL, "%" PRIu64, row->count);
	snprintf (line->cell[7], CELL, "%.1f",
		  100 * (double) row->count / (double) query->sums.records);
	for (unsigned i = 0; i < query->n_stats; i++)
		stat_cell (&query->stat[i], ppi_query_stat_value (query, level, number, i),
			   line->cell[FIXED + i]);
}

static void head_lines (const struct printing *p, struct line head[2])
{
	static const char *const words[FIXED] = {"Total", "Total", "Self",  "Self",
						 "Desc",  "Desc",  "Count", "Count"};

	for (unsigned i = 0; i < FIXED; i++) {
		snprintf (head[0].cell[i], CELL, "%s", words[i]);
		snprintf (head[1].cell[i], CELL, "%s",
			  i % 2    ? "%"
			  : i == 6 ? ""
				   : units[p->unit].name);
	}
	for (unsigned i = 0; i < p->query->n_stats; i++) {
		const char *label = p->query->stat[i].label;

		snprintf (head[0].cell[FIXED + i], CELL, "%.*s", CELL - 1, label);
		snprintf (head[1].cell[FIXED + i], CELL, "%s", strchr (label, '(') ? "" : "time");
	}
}

/* ---- values ---------------------------------------------------------------------------------- */

/* In columns of a terminal: characters of UTF-8. */
static size_t columns_of (const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += (*text & 0xc0) != 0x80;
	return n;
}

/* Names come from programs: what is no text must not reach a terminal. */
static void put_clean (FILE *out, const char *text, const char *indent)
{
	while (*text)
		if (*text == '\n' && indent) {
			fprintf (out, "\n%s", indent);
			text++;
		} else {
			text = ppi_put_character (out, text);
		}
}

static bool is_long (const char *text)
{
	return columns_of (text) > VALUE_COLUMNS || strchr (text, '\n');
}

static const char *value_text (const struct printing *p, unsigned level, uint32_t row, char *out,
			       size_t room)
{
	const char *text = ppi_terms_format (
		p->query->terms, p->query->list.dim[level].label,
		ppi_query_value (p->query, level, ppi_query_row (p->query, level, row)), out, room);

	/* a row without a label looks as if something were missing */
	return *text ? text : "\"\"";
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void heading (const struct printing *p, const struct ppi_query_table *table)
{
	char text[PPI_FORMAT_ROOM];

	fprintf (p->out, "By ");
	put_clean (p->out, p->query->list.dim[table->level].label, NULL);
	for (unsigned i = 0; i < table->level; i++) {
		uint32_t row = ppi_query_ancestor (p->query, table->level - 1, table->parent, i);

		fputs (i ? " and " : " for ", p->out);
		put_clean (p->out, value_text (p, i, row, text, sizeof text), NULL);
	}
	fputs (":\n\n", p->out);
}

static void put_line (const struct printing *p, const struct line *line, const unsigned *width)
{
	for (unsigned i = 0; i < p->columns; i++)
		fprintf (p->out, "%*s%s", (int) (width[i] - columns_of (line->cell[i])), "",
			 line->cell[i]);
}

static void widths (const struct printing *p, const struct line *lines, size_t n, unsigned *width)
{
	for (unsigned i = 0; i < p->columns; i++) {
		width[i] = 0;
		for (size_t k = 0; k < n; k++) {
			unsigned w = (unsigned) columns_of (lines[k].cell[i]);

			width[i] = w > width[i] ? w : width[i];
		}
		width[i] += i ? 2 : 0;
	}
}

static void put_rows (struct printing *p, const struct ppi_query_table *table,
		      const struct line *lines, const unsigned *width)
{
	unsigned first = p->footnotes;
	char text[PPI_FORMAT_ROOM];

	for (size_t i = 0; i < table->n; i++) {
		const char *value = value_text (p, table->level, table->row[i], text, sizeof text);

		put_line (p, &lines[i + 2], width);
		fputs ("  ", p->out);
		if (is_long (value))
			fprintf (p->out, "[%u]", ++p->footnotes);
		else
			put_clean (p->out, value, NULL);
		fputc ('\n', p->out);
	}
	if (table->hidden)
		fprintf (p->out, "... and %zu more, of %" PRIu64 " records\n", table->hidden,
			 table->count);
	for (size_t i = 0; i < table->n; i++) {
		const char *value = value_text (p, table->level, table->row[i], text, sizeof text);

		if (!is_long (value))
			continue;
		fprintf (p->out, "[%u] ", ++first);
		put_clean (p->out, value, "    ");
		fputc ('\n', p->out);
	}
}

static bool put_table (struct printing *p, const struct ppi_query_table *table)
{
	struct line *lines = calloc (table->n + 2, sizeof *lines);
	unsigned width[COLUMNS];

	if (!lines)
		return false;
	head_lines (p, lines);
	for (size_t i = 0; i < table->n; i++)
		row_line (p, table->level, table->row[i], &lines[i + 2]);
	widths (p, lines, table->n + 2, width);
	fputc ('\n', p->out);
	heading (p, table);
	for (unsigned i = 0; i < 2; i++) {
		put_line (p, &lines[i], width);
		fputc ('\n', p->out);
	}
	put_rows (p, table, lines, width);
	free (lines);
	return true;
}

/* ---- what is above the tables ---------------------------------------------------------------- */

static const char *time_text (double ns, char *out, size_t room)
{
	ppi_quantity_format (ns * 1e-9, (struct ppi_dimension){.seconds = 1}, out, room);
	ppi_text_for_locale (out);
	return out;
}

static void put_cost (const struct printing *p)
{
	const struct ppi_walk_sums *sums = &p->query->sums;
	char each[PPI_QUANTITY_BYTES], all[PPI_QUANTITY_BYTES], kept[PPI_QUANTITY_BYTES];

	if (isnan (sums->cost_ns)) {
		fprintf (p->out, "the cost of recording is not known: nothing was deducted\n");
		return;
	}
	if (sums->cost_ns <= 0)
		return;
	fprintf (p->out, "cost of recording: %s a record, %s deducted",
		 time_text (sums->cost_ns, each, sizeof each),
		 time_text (sums->deducted_ns, all, sizeof all));
	if (sums->clamped)
		fprintf (p->out, "; %s could not be, of %" PRIu64 " that took less",
			 time_text (sums->kept_ns, kept, sizeof kept), sums->clamped);
	fputc ('\n', p->out);
}

static void put_losses (const struct printing *p)
{
	const struct ppi_query *query = p->query;

	ppi_records_put_losses (&query->info, p->out);
	if (query->sums.damaged)
		fprintf (p->out,
			 "%" PRIu64 " records have a time or a depth that can't be: damaged\n",
			 query->sums.damaged);
	if (query->has_rest)
		fprintf (p->out,
			 "more groups than %" PRIu32 ": the others are (rest); --max-groups N\n",
			 query->groups ? query->groups : PPI_QUERY_GROUPS);
}

/* What the program lost it did not put into groups: nobody knows which ones it would be in. */
static void put_group_losses (const struct printing *p)
{
	const struct ppi_query *query = p->query;

	ppi_records_put_dropped (&query->info, p->out);
	if (query->info.dropped)
		fputs ("these are of the whole program: how many belong into the groups is not "
		       "known\n",
		       p->out);
	if (query->rest_of_strings)
		fputs ("more different strings than 'strings' allows: executions with others are "
		       "(rest)\n",
		       p->out);
	else if (query->has_rest)
		fprintf (p->out,
			 "more groups than max_groups: %" PRIu32 ": the others are (rest)\n",
			 query->aggregate->max_groups);
}

static void put_aggregate (const struct ppi_aggregate_chunk *a, FILE *out)
{
	fprintf (out, "of %s, keep: %s, max_groups: %" PRIu32, ppi_aggregate_sites (a),
		 ppi_accumulator_name (a->accumulator), a->max_groups);
}

/* Of several aggregates that have the dimensions a table is of one. */
static void put_others (const struct ppi_query *query, FILE *out)
{
	if (!query->n_others)
		return;
	fputs ("these are ", out);
	put_aggregate (query->aggregate, out);
	for (unsigned i = 0; i < query->n_others; i++) {
		fputs (i ? "; " : "\nnot shown are groups by the same dimensions ", out);
		put_aggregate (query->other[i], out);
	}
	fputc ('\n', out);
}

static void put_head (const struct printing *p)
{
	const struct ppi_query *query = p->query;
	double total = query->source.total_ns, profiled = query->sums.profiled_ns;
	const char *unit = units[p->unit].name;

	if (isnan (total))
		fprintf (p->out, "total time unknown\n%.0f %s profiled time\n",
			 whole_units (p, profiled), unit);
	else
		fprintf (p->out, "%.0f %s total time\n%.0f %s profiled time (%.1f%%)\n",
			 whole_units (p, total), unit, whole_units (p, profiled), unit,
			 total > 0 ? 100 * profiled / total : 0);
	if (query->aggregate) {
		fprintf (p->out,
			 "%" PRIu64 " executions, counted in groups while the program ran\n",
			 query->sums.records);
		put_others (query, p->out);
		put_group_losses (p);
		return;
	}
	fprintf (p->out, "%" PRIu64 " profile records\n", query->sums.records);
	if (query->list.has_where)
		fprintf (p->out, "%" PRIu64 " of them chosen\n", query->chosen);
	put_cost (p);
	put_losses (p);
}

bool ppi_query_print_text (const struct ppi_query *query, enum ppi_query_unit unit, FILE *out)
{
	struct printing p = {
		.query = query, .unit = unit, .out = out, .columns = FIXED + query->n_stats};
	struct ppi_query_tables tables;
	bool ok = ppi_query_tables (query, &tables);

	if (ok)
		put_head (&p);
	for (size_t i = 0; ok && i < tables.n; i++)
		ok = put_table (&p, &tables.table[i]);
	ppi_query_tables_clear (&tables);
	return ok;
}
