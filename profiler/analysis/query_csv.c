/* SPDX-License-Identifier: MIT */
/*
 * query_csv.c: the rows of all tables as one table (RFC 4180). A row has fields for the dimensions
 * of its table; those of later ones are empty, as a missing dimension is, which `table` tells apart
 * from an empty text, "".
 */
#include "profiler/analysis/put.h"
#include "profiler/analysis/query.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void put_number (FILE *out, double x)
{
	if (!isnan (x))
		fprintf (out, "%.15g", x);
}

static void put_value (const struct ppi_query *query, struct ppi_value value, FILE *out)
{
	char text[64];
	const char *is = ppi_value_text (query->terms, value, text, sizeof text);

	if (value.type == PP_ABI_VALUE_STRING)
		ppi_put_csv (out, is);
	else if (value.type != PP_ABI_VALUE_NONE)
		fputs (is, out);
}

static void put_head (const struct ppi_query *query, FILE *out)
{
	fputs ("table", out);
	for (unsigned i = 0; i < query->list.n; i++) {
		fputc (',', out);
		ppi_put_csv (out, query->list.dim[i].label);
	}
	fputs (",total_ns,total_percent,self_ns,self_percent,desc_ns,desc_percent,count,count_"
	       "percent",
	       out);
	for (unsigned i = 0; i < query->n_stats; i++) {
		fputc (',', out);
		ppi_put_csv (out, query->stat[i].label);
	}
	fputs ("\r\n", out);
}

static void put_time (const struct ppi_query *query, double ns, FILE *out)
{
	fputc (',', out);
	put_number (out, ns);
	fputc (',', out);
	put_number (out, 100 * ns / query->sums.profiled_ns);
}

static void put_row (const struct ppi_query *query, unsigned level, uint32_t number, FILE *out)
{
	const struct ppi_query_row *row = ppi_query_row (query, level, number);

	fprintf (out, "%u", level + 1);
	for (unsigned i = 0; i < query->list.n; i++) {
		fputc (',', out);
		if (i <= level)
			put_value (query,
				   ppi_query_value (query, i,
						    ppi_query_row (query, i,
								   ppi_query_ancestor (query, level,
										       number, i))),
				   out);
	}
	put_time (query, row->self_ns + row->desc_ns, out);
	put_time (query, row->self_ns, out);
	put_time (query, row->desc_ns, out);
	fprintf (out, ",%" PRIu64 ",", row->count);
	put_number (out, 100 * (double) row->count / (double) query->sums.records);
	for (unsigned i = 0; i < query->n_stats; i++) {
		fputc (',', out);
		put_number (out, ppi_query_stat_value (query, level, number, i));
	}
	fputs ("\r\n", out);
}

bool ppi_query_print_csv (const struct ppi_query *query, FILE *out)
{
	struct ppi_query_tables tables;
	bool ok = ppi_query_tables (query, &tables);

	if (ok)
		put_head (query, out);
	for (size_t t = 0; ok && t < tables.n; t++)
		for (size_t i = 0; i < tables.table[t].n; i++)
			put_row (query, tables.table[t].level, tables.table[t].row[i], out);
	ppi_query_tables_clear (&tables);
	return ok;
}
