/* SPDX-License-Identifier: MIT */
/*
 * query.h: tables of event records by an ordered list of dimensions, one for each prefix of it.
 *
 *     name cached:    By name:                 By cached for value:
 *                       iszero                   false
 *                       value                    true
 *
 * own(r) is a record's time less the times of its direct descendants and less what measuring it
 * cost; P is Σ own over all records, N their number. Of a row whose value is v, in a table whose
 * last dimension is D:
 *
 *     Self    Σ own over the row's records
 *     Desc    Σ own over the distinct descendants d of those records with D (d) ≠ v
 *     Total   Self + Desc
 *
 * Percentages are of P and N. A condition chooses the rows' records; Desc, P and N stay those of
 * all records.
 *
 * How, in one pass: own times run up in one sum for all records, and in one for each value of D.
 * What both have grown by between the begin and the end of a row's outermost record is what ran
 * inside it, and what of that has the value; the difference is its part of Desc. So memory grows
 * with groups and depth, not with records.
 */
#ifndef PPI_ANALYSIS_QUERY_H
#define PPI_ANALYSIS_QUERY_H

#include "profiler/analysis/terms.h"
#include "profiler/analysis/walk.h"

#include <pp.h>
#include <stdio.h>

enum { PPI_QUERY_STATS = 16, PPI_QUERY_GROUPS = 100000 };

/* A column more: a statistic of the records' times, own times, or of a term's values. */
struct ppi_query_stat {
	char *label; /* "p99(bytes)" */
	enum pp_statistic statistic;
	enum { PPI_STAT_TIME, PPI_STAT_SELF, PPI_STAT_TERM } of;
	unsigned term;
};

/* Of a row; NaN: no record had a value. Times are ns. */
struct ppi_query_cell {
	uint64_t n;
	double sum, mean, squares, min, max;
	bool is_whole;               /* all were whole numbers */
	struct ppi_buckets *buckets; /* for quantiles; NULL: none */
};

struct ppi_query_row {
	uint32_t
		parent; /* number of the row that it is about in the table before; 0 in the first */
	uint32_t value; /* ppi_query_value */
	uint32_t active; /* records that are open */
	uint64_t count;
	double self_ns, desc_ns;
};

/* Rows and values of the dimensions up to one, numbered from 0. */
struct ppi_query_level;

enum ppi_query_sort {
	PPI_SORT_TOTAL,
	PPI_SORT_SELF,
	PPI_SORT_DESC,
	PPI_SORT_COUNT,
	PPI_SORT_VALUE,
	PPI_SORT_STAT, /* + number of the column */
};

enum { PPI_QUERY_OTHERS = 64 }; /* as many as a process has */

struct ppi_query {
	struct ppi_terms *terms;
	struct ppi_query_list list;
	struct ppi_query_stat stat[PPI_QUERY_STATS];
	unsigned n_stats;
	uint32_t
		groups; /* most values, and twice as many rows, of a dimension; 0: PPI_QUERY_GROUPS */
	unsigned sort;  /* enum ppi_query_sort */
	uint64_t limit; /* rows that a table shows; 0: all */
	/* what came out */
	struct ppi_query_source source;
	struct ppi_walk_sums sums;
	struct ppi_records_info info;
	uint64_t chosen;      /* records that the condition holds for */
	bool has_rest;        /* there were more groups than that */
	bool rest_of_strings; /* of groups: fewer than max_groups, so 'strings' was too small */
	/* of executions in groups (query_aggregate.c), else NULL */
	const struct ppi_aggregate_chunk *aggregate;
	/* aggregates that have the same dimensions, too, in the order of the file */
	const struct ppi_aggregate_chunk *other[PPI_QUERY_OTHERS];
	unsigned n_others;
	struct ppi_query_level *level[PPI_QUERY_DIMS];
};

/*
 * Adds the column that TEXT asks for: "p99" (of times), "avg(self)", "sum(bytes)". False: with one
 * sentence in WHY.
 */
bool ppi_query_stat (struct ppi_query *query, const char *text, char *why, size_t room);

/*
 * TEXT is none of NAMES, which end with NULL: "there is no 'selv'; did you mean 'self'? There are
 * total, self, ..."
 */
void ppi_query_none_of (const char *text, const char *const *names, char *why, size_t room);

/*
 * Goes through SOURCE's records. QUERY: terms, list and what is asked for are set, the rest is 0.
 * False: with one sentence in WHY. Either way ppi_query_clear frees what QUERY has, its terms, too.
 */
bool ppi_query_run (struct ppi_query *query, const struct ppi_query_source *source, char *why,
		    size_t room);
void ppi_query_clear (struct ppi_query *query);

struct ppi_aggregate_chunk;
struct ppi_recording;

/*
 * Instead of records: the executions of RECORDING that were put into groups while the program ran.
 * TEXT: dimensions of one of its aggregates, and "" all of the first. Of several that have these
 * one with the statistics that are asked for, then the newest; the rest are QUERY's others. SOURCE
 * has no records. The list comes from here, and the terms where there are none. False: with one
 * sentence in WHY.
 */
bool ppi_query_run_aggregate (struct ppi_query *query, const struct ppi_query_source *source,
			      const struct ppi_recording *recording, const char *text, char *why,
			      size_t room);

/* ---- what came out --------------------------------------------------------------------------- */

/* A table: the rows of LEVEL whose parent is PARENT, in order. */
struct ppi_query_table {
	unsigned level;
	uint32_t parent;
	uint32_t *row;
	size_t n;       /* that are shown */
	uint64_t count; /* of those that are not: rows, records */
	size_t hidden;
};

struct ppi_query_tables {
	struct ppi_query_table *table;
	size_t n, room;
};

/* All tables, level by level; those of rows that are not shown are left out. False: no memory. */
bool ppi_query_tables (const struct ppi_query *query, struct ppi_query_tables *out);
void ppi_query_tables_clear (struct ppi_query_tables *tables);

const struct ppi_query_row *ppi_query_row (const struct ppi_query *query, unsigned level,
					   uint32_t row);
struct ppi_value ppi_query_value (const struct ppi_query *query, unsigned level,
				  const struct ppi_query_row *row);
/* Column STAT of the row with this number; NaN: unknown. */
double ppi_query_stat_value (const struct ppi_query *query, unsigned level, uint32_t row,
			     unsigned stat);
/* The number of the row that the one of LEVEL is about in the first table, the second ... */
uint32_t ppi_query_ancestor (const struct ppi_query *query, unsigned level, uint32_t row,
			     unsigned of_level);

/* ---- renderers ------------------------------------------------------------------------------- */

enum ppi_query_unit { PPI_UNIT_S, PPI_UNIT_MS, PPI_UNIT_US, PPI_UNIT_NS };

/* As the paper has them. UNIT: of whole times, which are cut off. False: no memory. */
bool ppi_query_print_text (const struct ppi_query *query, enum ppi_query_unit unit, FILE *out);
/* All rows of all tables as lines, times in ns; a missing dimension's field is empty. */
bool ppi_query_print_csv (const struct ppi_query *query, FILE *out);
/*
 * A graph for Graphviz: a node for each value of the query's dimensions, and an edge with a count
 * for those that ran directly inside those of another. With a condition it is of the chosen records
 * and all that ran inside them. Instead of ppi_query_run. False: with one sentence in WHY.
 */
bool ppi_query_dot (struct ppi_query *query, const struct ppi_query_source *source, FILE *out,
		    char *why, size_t room);
/* With libjansson only. A missing dimension's member is missing. */
bool ppi_query_print_json (const struct ppi_query *query, FILE *out);

#endif
