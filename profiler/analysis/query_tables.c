/* SPDX-License-Identifier: MIT */
/* query_tables.c: the groups of a query as tables in order; see query.h. */
#include "profiler/analysis/query_int.h"

#include <math.h>
#include <stdlib.h>

const struct ppi_query_row *ppi_query_row (const struct ppi_query *query, unsigned level,
					   uint32_t row)
{
	return &query->level[level]->row[row];
}

struct ppi_value ppi_query_value (const struct ppi_query *query, unsigned level,
				  const struct ppi_query_row *row)
{
	const struct ppi_pair *pair = &query->level[level]->values.pair[row->value];

	return (struct ppi_value){.type = (uint32_t) pair->b, .bits = pair->a};
}

double ppi_query_stat_value (const struct ppi_query *query, unsigned level, uint32_t row,
			     unsigned stat)
{
	const struct ppi_query_level *l = query->level[level];

	if (l->figure)
		return l->figure[(size_t) row * l->n_stats + stat];
	return ppi_cell_get (&l->cell[(size_t) row * l->n_stats + stat],
			     query->stat[stat].statistic);
}

uint32_t ppi_query_ancestor (const struct ppi_query *query, unsigned level, uint32_t row,
			     unsigned of_level)
{
	for (; level > of_level; level--)
		row = query->level[level]->row[row].parent;
	return row;
}

/* ---- order ----------------------------------------------------------------------------------- */

struct sorting {
	const struct ppi_query *query;
	unsigned level;
};

static double key_of (const struct sorting *s, uint32_t number)
{
	const struct ppi_query_row *row = ppi_query_row (s->query, s->level, number);

	switch (s->query->sort) {
	case PPI_SORT_SELF:
		return row->self_ns;
	case PPI_SORT_DESC:
		return row->desc_ns;
	case PPI_SORT_COUNT:
		return (double) row->count;
	case PPI_SORT_TOTAL:
		/* where what ran inside is not known, by what is */
		return isnan (row->desc_ns) ? row->self_ns : row->self_ns + row->desc_ns;
	case PPI_SORT_VALUE:
		return 0;
	default:
		return ppi_query_stat_value (s->query, s->level, number,
					     s->query->sort - PPI_SORT_STAT);
	}
}

/* By table, the largest first, what is unknown behind; equal ones by value. */
static int compare (const void *a, const void *b, void *arg)
{
	const struct sorting *s = arg;
	const uint32_t *i = a, *k = b;
	const struct ppi_query_row *x = ppi_query_row (s->query, s->level, *i),
				   *y = ppi_query_row (s->query, s->level, *k);
	double p, q;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	p = key_of (s, *i);
	q = key_of (s, *k);
	if (isnan (p) != isnan (q))
		return isnan (p) ? 1 : -1;
	if (p < q || p > q)
		return p > q ? -1 : 1;
	return ppi_value_order (s->query->terms, ppi_query_value (s->query, s->level, x),
				ppi_query_value (s->query, s->level, y));
}

/* ---- tables ---------------------------------------------------------------------------------- */

static bool table_add (const struct ppi_query *query, struct ppi_query_tables *out, unsigned level,
		       const uint32_t *row, size_t n)
{
	struct ppi_query_table table = {.level = level,
					.parent = ppi_query_row (query, level, *row)->parent};
	struct ppi_query_table *wide;

	if (out->n == out->room) {
		size_t more = out->room ? 2 * out->room : 16;

		wide = reallocarray (out->table, more, sizeof *wide);
		if (!wide)
			return false;
		out->table = wide;
		out->room = more;
	}
	table.n = query->limit && query->limit < n ? (size_t) query->limit : n;
	table.row = reallocarray (NULL, table.n, sizeof *table.row);
	if (!table.row)
		return false;
	for (size_t i = 0; i < table.n; i++)
		table.row[i] = row[i];
	table.hidden = n - table.n;
	for (size_t i = table.n; i < n; i++)
		table.count += ppi_query_row (query, level, row[i])->count;
	out->table[out->n++] = table;
	return true;
}

/* ROWS of LEVEL, sorted by parent; FIRST[p] is where those of parent p begin. */
static bool level_tables (const struct ppi_query *query, unsigned level, const uint32_t *rows,
			  const uint32_t *first, struct ppi_query_tables *out)
{
	size_t from, to, tables = out->n;

	if (!level)
		return first[0] == first[1] ||
		       table_add (query, out, level, rows, query->level[level]->rows.n);
	for (size_t t = 0; t < tables; t++) {
		if (out->table[t].level + 1 != level)
			continue;
		for (size_t i = 0; i < out->table[t].n; i++) {
			uint32_t parent = out->table[t].row[i];

			from = first[parent];
			to = first[parent + 1];
			if (from < to && !table_add (query, out, level, rows + from, to - from))
				return false;
		}
	}
	return true;
}

static bool add_level (const struct ppi_query *query, unsigned level, struct ppi_query_tables *out)
{
	uint32_t n = query->level[level]->rows.n,
		 parents = level ? query->level[level - 1]->rows.n : 1, at = 0;
	uint32_t *rows = calloc ((size_t) n + 1, sizeof *rows),
		 *first = calloc ((size_t) parents + 1, sizeof *first);
	struct sorting sorting = {query, level};
	bool ok = rows && first;

	if (ok) {
		for (uint32_t i = 0; i < n; i++)
			rows[i] = i;
		qsort_r (rows, n, sizeof *rows, compare, &sorting);
		for (uint32_t p = 0; p <= parents; p++) {
			while (at < n && ppi_query_row (query, level, rows[at])->parent < p)
				at++;
			first[p] = at;
		}
		ok = level_tables (query, level, rows, first, out);
	}
	free (rows);
	free (first);
	return ok;
}

/* Of what stands for many values nobody knows what ran inside that was one of them. */
static void mark_rest (const struct ppi_query *query, unsigned level)
{
	for (uint32_t i = 0; i < query->level[level]->rows.n; i++) {
		struct ppi_query_row *row = &query->level[level]->row[i];

		if (ppi_query_value (query, level, row).type == PPI_VALUE_REST)
			row->desc_ns = (double) NAN;
	}
}

bool ppi_query_tables (const struct ppi_query *query, struct ppi_query_tables *out)
{
	*out = (struct ppi_query_tables){.n = 0};
	for (unsigned i = 0; i < query->list.n; i++) {
		if (query->has_rest)
			mark_rest (query, i);
		if (!add_level (query, i, out))
			return false;
	}
	return true;
}

void ppi_query_tables_clear (struct ppi_query_tables *tables)
{
	for (size_t i = 0; i < tables->n; i++)
		free (tables->table[i].row);
	free (tables->table);
	*tables = (struct ppi_query_tables){.n = 0};
}
