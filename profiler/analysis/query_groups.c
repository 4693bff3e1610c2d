/* SPDX-License-Identifier: MIT */
/* query_groups.c: the values and rows of a dimension; see query_int.h. */
#include "profiler/analysis/query_int.h"

#include "libmetrics/keep/buckets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 64 };

static uint64_t mix (uint64_t a, uint64_t b)
{
	uint64_t sum = (a ^ b << 32 ^ b >> 32) * UINT64_C (0x9e3779b97f4a7c15);

	return sum ^ sum >> 32;
}

static bool widen (struct ppi_pairs *pairs)
{
	uint32_t more = pairs->slots ? 2 * pairs->slots : FIRST_SLOTS;
	struct ppi_pair *wide = reallocarray (pairs->pair, more / 2, sizeof *wide);
	uint32_t *slot;

	if (!wide)
		return false;
	pairs->pair = wide;
	slot = calloc (more, sizeof *slot);
	if (!slot)
		return false;
	free (pairs->slot);
	pairs->slot = slot;
	pairs->slots = more;
	pairs->room = more / 2;
	for (uint32_t i = 0; i < pairs->n; i++) {
		uint32_t at = (uint32_t) mix (wide[i].a, wide[i].b) & (more - 1);

		while (slot[at])
			at = (at + 1) & (more - 1);
		slot[at] = i + 1;
	}
	return true;
}

uint32_t ppi_pairs_number (struct ppi_pairs *pairs, uint64_t a, uint64_t b)
{
	uint64_t hash = mix (a, b);
	uint32_t at, number;

	if (pairs->n == pairs->room && !widen (pairs))
		return UINT32_MAX;
	for (at = (uint32_t) hash & (pairs->slots - 1); (number = pairs->slot[at]);
	     at = (at + 1) & (pairs->slots - 1))
		if (pairs->pair[number - 1].a == a && pairs->pair[number - 1].b == b)
			return number - 1;
	pairs->pair[pairs->n] = (struct ppi_pair){a, b};
	pairs->slot[at] = ++pairs->n;
	return pairs->n - 1;
}

void ppi_pairs_clear (struct ppi_pairs *pairs)
{
	free (pairs->pair);
	free (pairs->slot);
	*pairs = (struct ppi_pairs){.n = 0};
}

/* ---- values ---------------------------------------------------------------------------------- */

/* Is there room for another one? Else the REST stands for it, which always has its place. */
static bool is_full (const struct ppi_pairs *pairs, uint32_t most)
{
	return pairs->n >= most;
}

static bool own_room (struct ppi_query_level *level)
{
	uint32_t more = level->values.room;
	double *wide;

	if (level->values.n <= level->own_room)
		return true;
	wide = reallocarray (level->own, more, sizeof *wide);
	if (!wide)
		return false;
	memset (wide + level->own_room, 0, (more - level->own_room) * sizeof *wide);
	level->own = wide;
	level->own_room = more;
	return true;
}

static bool has_pair (const struct ppi_pairs *pairs, uint64_t a, uint64_t b)
{
	uint32_t at;

	for (at = (uint32_t) mix (a, b) & (pairs->slots - 1); pairs->slot[at];
	     at = (at + 1) & (pairs->slots - 1))
		if (pairs->pair[pairs->slot[at] - 1].a == a &&
		    pairs->pair[pairs->slot[at] - 1].b == b)
			return true;
	return false;
}

uint32_t ppi_level_find_value (struct ppi_query_level *level, struct ppi_value value)
{
	struct ppi_value is = value;
	uint32_t number;

	if (is_full (&level->values, level->most) &&
	    !has_pair (&level->values, value.bits, value.type)) {
		level->has_rest = true;
		is = (struct ppi_value){.type = PPI_VALUE_REST};
	}
	number = ppi_pairs_number (&level->values, is.bits, is.type);
	if (number == UINT32_MAX || !own_room (level))
		return UINT32_MAX;
	if (value.type == PP_ABI_VALUE_STRING && value.bits < PPI_NEAR_TEXTS)
		level->of_text[value.bits] = number + 1;
	return number;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static bool row_room (struct ppi_query_level *level)
{
	uint32_t more = level->rows.room;
	struct ppi_query_row *wide;
	struct ppi_query_cell *cells;

	if (level->rows.n <= level->row_room)
		return true;
	wide = reallocarray (level->row, more, sizeof *wide);
	if (!wide)
		return false;
	level->row = wide;
	memset (wide + level->row_room, 0, (more - level->row_room) * sizeof *wide);
	if (level->n_stats) {
		cells = reallocarray (level->cell, (size_t) more * level->n_stats, sizeof *cells);
		if (!cells)
			return false;
		level->cell = cells;
		memset (cells + (size_t) level->row_room * level->n_stats, 0,
			(size_t) (more - level->row_room) * level->n_stats * sizeof *cells);
	}
	level->row_room = more;
	return true;
}

uint32_t ppi_level_find_row (struct ppi_query_level *level, uint32_t parent, uint32_t value)
{
	uint64_t pair = (uint64_t) parent << 32 | value;
	uint32_t number;

	if (is_full (&level->rows, level->most) && !has_pair (&level->rows, pair, 0)) {
		level->has_rest = true;
		number = ppi_pairs_number (&level->values, 0, PPI_VALUE_REST);
		if (number == UINT32_MAX || !own_room (level))
			return UINT32_MAX;
		pair = (uint64_t) parent << 32 | number;
	}
	number = ppi_pairs_number (&level->rows, pair, 0);
	if (number == UINT32_MAX || !row_room (level))
		return UINT32_MAX;
	level->row[number].parent = parent;
	level->row[number].value = (uint32_t) pair;
	if (parent < PPI_NEAR && value < PPI_NEAR)
		level->of_pair[parent * PPI_NEAR + value] = number + 1;
	return number;
}

struct ppi_query_level *ppi_level_create (unsigned n_stats, uint32_t most)
{
	struct ppi_query_level *level = calloc (1, sizeof *level);

	if (!level)
		return NULL;
	level->n_stats = n_stats;
	level->most = most;
	level->of_text = calloc (PPI_NEAR_TEXTS, sizeof *level->of_text);
	level->of_pair = calloc (PPI_NEAR * PPI_NEAR, sizeof *level->of_pair);
	if (level->of_text && level->of_pair)
		return level;
	ppi_level_destroy (level);
	return NULL;
}

void ppi_level_destroy (struct ppi_query_level *level)
{
	if (!level)
		return;
	for (size_t i = 0; i < (size_t) level->rows.n * level->n_stats; i++)
		if (level->cell[i].buckets) {
			ppi_buckets_clear (level->cell[i].buckets);
			free (level->cell[i].buckets);
		}
	ppi_pairs_clear (&level->values);
	ppi_pairs_clear (&level->rows);
	free (level->of_text);
	free (level->of_pair);
	free (level->own);
	free (level->row);
	free (level->cell);
	free (level->figure);
	free (level);
}

/* ---- statistics ------------------------------------------------------------------------------ */

/* The share of samples below a quantile; 0: STATISTIC is none. */
static double share_of (enum pp_statistic statistic)
{
	switch (statistic) {
	case PP_STAT_P50:
		return 0.5;
	case PP_STAT_P90:
		return 0.9;
	case PP_STAT_P95:
		return 0.95;
	case PP_STAT_P99:
		return 0.99;
	case PP_STAT_P999:
		return 0.999;
	default:
		return 0;
	}
}

void ppi_cell_add (struct ppi_query_cell *cell, enum pp_statistic statistic, double x)
{
	double d;

	if (isnan (x))
		return;
	if (!cell->n++) {
		cell->min = cell->max = x;
		cell->is_whole = true;
	}
	d = x - cell->mean;
	cell->mean += d / (double) cell->n;
	cell->squares += d * (x - cell->mean);
	cell->sum += x;
	cell->min = x < cell->min ? x : cell->min;
	cell->max = x > cell->max ? x : cell->max;
	cell->is_whole &= x == rint (x);
	if (share_of (statistic) == 0)
		return;
	if (!cell->buckets)
		cell->buckets = calloc (1, sizeof *cell->buckets);
	if (cell->buckets)
		ppi_buckets_add_double (cell->buckets, x);
}

static double quantile (const struct ppi_query_cell *cell, double share)
{
	double x;

	/* a quantile of some of the samples would be wrong */
	if (!cell->buckets || cell->buckets->n != cell->n)
		return (double) NAN;
	x = ppi_buckets_ranked (cell->buckets, (uint64_t) ceil (share * (double) cell->n), true);
	if (cell->is_whole)
		x = rint (x);
	return x < cell->min ? cell->min : x > cell->max ? cell->max : x;
}

double ppi_cell_get (const struct ppi_query_cell *cell, enum pp_statistic statistic)
{
	if (statistic == PP_STAT_COUNT)
		return (double) cell->n;
	if (!cell->n)
		return (double) NAN;
	switch (statistic) {
	case PP_STAT_SUM:
		return cell->sum;
	case PP_STAT_AVG:
		return cell->mean;
	case PP_STAT_MIN:
		return cell->min;
	case PP_STAT_MAX:
		return cell->max;
	case PP_STAT_VARIANCE:
		/* beyond a double: not known */
		return isinf (cell->squares) ? (double) NAN : cell->squares / (double) cell->n;
	case PP_STAT_STDDEV:
		return sqrt (ppi_cell_get (cell, PP_STAT_VARIANCE));
	default:
		return quantile (cell, share_of (statistic));
	}
}
