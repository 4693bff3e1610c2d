/* SPDX-License-Identifier: MIT */
/* query_int.h: what query.c, query_groups.c and query_tables.c share. */
#ifndef PPI_ANALYSIS_QUERY_INT_H
#define PPI_ANALYSIS_QUERY_INT_H

#include "profiler/analysis/query.h"

/* Numbers from 0 for pairs of words: an open-addressed table. */
struct ppi_pairs {
	struct ppi_pair {
		uint64_t a, b;
	} * pair;
	uint32_t *slot; /* number + 1 */
	uint32_t n, room, slots;
};

/* The number of (A, B), a new one where it was not there; UINT32_MAX: no memory. */
uint32_t ppi_pairs_number (struct ppi_pairs *pairs, uint64_t a, uint64_t b);
void ppi_pairs_clear (struct ppi_pairs *pairs);

/* No group: of a record that the condition does not hold for, UINT32_MAX of a failure. */
#define PPI_NO_ROW (UINT32_MAX - 1)

struct ppi_query_level {
	struct ppi_pairs values, rows; /* (type, bits), (parent, value) */
	double *own;                   /* of all records so far, by value */
	struct ppi_query_row *row;
	struct ppi_query_cell *cell; /* n_stats a row */
	double *figure;              /* of executions in groups, instead of cells */
	uint32_t own_room, row_room;
	unsigned n_stats;
	uint32_t most;
	bool has_rest;
	/*
	 * Most values are texts with small ids, and most rows are of small numbers: those are found
	 * without a search, numbers + 1 by what they are of.
	 */
	uint32_t *of_text, *of_pair;
};

enum { PPI_NEAR_TEXTS = 65536, PPI_NEAR = 256 };

struct ppi_query_level *ppi_level_create (unsigned n_stats, uint32_t most);
/* The number of VALUE; UINT32_MAX: no memory. */
uint32_t ppi_level_find_value (struct ppi_query_level *level, struct ppi_value value);
static inline uint32_t ppi_level_value (struct ppi_query_level *level, struct ppi_value value)
{
	if (__builtin_expect (value.type == PP_ABI_VALUE_STRING && value.bits < PPI_NEAR_TEXTS &&
				      level->of_text[value.bits],
			      1))
		return level->of_text[value.bits] - 1;
	return ppi_level_find_value (level, value);
}
/* The row of the value with number VALUE that is about PARENT. */
uint32_t ppi_level_find_row (struct ppi_query_level *level, uint32_t parent, uint32_t value);
static inline uint32_t ppi_level_row (struct ppi_query_level *level, uint32_t parent,
				      uint32_t value)
{
	if (__builtin_expect (parent < PPI_NEAR && value < PPI_NEAR &&
				      level->of_pair[parent * PPI_NEAR + value],
			      1))
		return level->of_pair[parent * PPI_NEAR + value] - 1;
	return ppi_level_find_row (level, parent, value);
}
void ppi_level_destroy (struct ppi_query_level *level);

void ppi_cell_add (struct ppi_query_cell *cell, enum pp_statistic statistic, double x);
double ppi_cell_get (const struct ppi_query_cell *cell, enum pp_statistic statistic);

#endif
