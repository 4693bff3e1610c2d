/* SPDX-License-Identifier: MIT */
/*
 * geometric.c: an accumulator of a test's own: the geometric mean, from the sum of logarithms.
 * Nothing else knows what it does.
 */
#include "libmetrics/keep/accumulate_double.h"
#include "libmetrics/keep/accumulator.h"
#include "libmetrics/keep/field.h"
#include "libmetrics/keep/summary.h"

#include <math.h>
#include <stddef.h>

struct geometric_shard {
	struct ppi_shard shard;
	uint64_t logarithms; /* the bits of their sum */
};

static void add (struct ppi_shard *shard, double x)
{
	struct geometric_shard *g = (struct geometric_shard *) shard;

	ppi_field_set (&g->logarithms,
		       ppi_bits_of (ppi_double_of (ppi_field_get (&g->logarithms)) + log (x)));
}

static void add_int (struct ppi_shard *shard, int64_t x, uint64_t *place)
{
	(void) place;
	add (shard, (double) x);
}

static void add_double (struct ppi_shard *shard, uint64_t bits, uint64_t *place)
{
	(void) place;
	add (shard, ppi_double_of (bits));
}

static void merge (uint64_t *into, const uint64_t *from, bool is_first)
{
	*into = is_first ? *from : ppi_bits_of (ppi_double_of (*into) + ppi_double_of (*from));
}

static void fold (struct ppi_shard *into, const struct ppi_shard *from, bool is_double, bool older)
{
	struct geometric_shard *g = (struct geometric_shard *) into;
	uint64_t sum = g->logarithms;

	(void) is_double;
	(void) older;
	merge (&sum, &((const struct geometric_shard *) from)->logarithms, false);
	ppi_field_set (&g->logarithms, sum);
}

static double average (const struct ppi_summary *summary, enum pp_statistic statistic, double scale)
{
	(void) statistic;
	return exp (ppi_double_of (summary->own[0]) / (double) summary->all.n) * scale;
}

const struct ppi_keep geometric = {
	.name = "geometric",
	.keeps = PPI_KEEPS_LAST | PPI_KEEPS_OWN,
	.bytes = sizeof (struct geometric_shard),
	.has = PPI_HAS_COUNT | PPI_STAT (AVG) | PPI_STAT (LAST),
	.own = PPI_STAT (AVG),
	.add_int = add_int,
	.add_double = add_double,
	.fold = fold,
	.own_at = offsetof (struct geometric_shard, logarithms),
	.own_words = 1,
	.merge = merge,
	.statistic = average,
};
