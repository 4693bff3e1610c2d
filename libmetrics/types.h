/* SPDX-License-Identifier: MIT */
/*
 * types.h: the small enumerations that every room behind libmetrics shares, each from one list that also makes its
 * names.
 */
#ifndef PPI_TYPES_H
#define PPI_TYPES_H

#include <pp.h>
#include <stdbool.h>

/* accumulator, its name in the language */
#define PPI_ACCUMULATORS(X)                                                                                            \
	X (SCALAR, "scalar")                                                                                           \
	X (COUNT, "count")                                                                                             \
	X (SUMCOUNT, "sumcount")                                                                                       \
	X (BOUNDED_SERIES, "bounded_series")                                                                           \
	X (STATS, "stats")

enum ppi_accumulator {
#define X(id, name) PPI_##id,
	PPI_ACCUMULATORS (X)
#undef X
		PPI_ACCUMULATOR_COUNT
};

/* unit at the boundary, its symbol in reports */
#define PPI_UNITS(X)                                                                                                   \
	X (PLAIN, "")                                                                                                  \
	X (SECONDS, "s")                                                                                               \
	X (BYTES, "B")

enum ppi_unit {
#define X(id, symbol) PPI_UNIT_##id,
	PPI_UNITS (X)
#undef X
		PPI_UNIT_COUNT
};

/* enum pp_abi_site_kind as words: "point", "a point"; "?" for what a later version may have. */
const char *ppi_kind_name (unsigned kind);
const char *ppi_kind_with_article (unsigned kind);
/* May a metric for points, or for intervals, be bound to a site of KIND? All but points are intervals. */
static inline bool ppi_kind_fits (unsigned metric, unsigned kind)
{
	return (metric == PP_ABI_SITE_POINT) == (kind == PP_ABI_SITE_POINT);
}

/* "stats" … ; -1 where there is none. Pure. */
int ppi_accumulator_parse (const char *name);
const char *ppi_accumulator_name (enum ppi_accumulator accumulator);
const char *ppi_unit_symbol (enum ppi_unit unit);
/* "avg" … as written in expressions: m.avg; -1 where there is none */
int ppi_statistic_parse (const char *name);
const char *ppi_statistic_name (enum pp_statistic statistic);
/* the table: does this accumulator have that statistic; and is it read in O(1), as assertions at sites need it */
bool ppi_statistic_exists (enum ppi_accumulator accumulator, enum pp_statistic statistic);
bool ppi_statistic_is_cheap (enum ppi_accumulator accumulator, enum pp_statistic statistic);
/* the power of the metric's unit that the statistic has: 1 for avg, 2 for variance, 0 for count */
int ppi_statistic_power (enum pp_statistic statistic);
/*
 * of WORD's neighbours in NAMES (NULL-terminated) the nearest within a third of its length, or NULL: "did you
 * mean"
 */
const char *ppi_nearest (const char *word, const char *const *names);

#endif
