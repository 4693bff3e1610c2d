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
	X (STATS, "stats")                                                                                             \
	X (HISTOGRAM, "histogram")                                                                                     \
	X (UNBOUNDED_SERIES, "unbounded_series")

enum ppi_accumulator {
#define X(id, name) PPI_##id,
	PPI_ACCUMULATORS (X)
#undef X
		PPI_ACCUMULATOR_COUNT
};

/*
 * What the sample of an execution of an interval is, its name in the language. SELF: its own part, less what the metric's
 * own readings say of the executions nested directly in it. OUTERMOST: whole, but only of an execution that is in no other of
 * the same site. nested.h says it exactly.
 */
#define PPI_SCOPES(X)                                                                                                  \
	X (TOTAL, "total")                                                                                             \
	X (SELF, "self")                                                                                               \
	X (OUTERMOST, "outermost")

enum ppi_scope {
#define X(id, name) PPI_SCOPE_##id,
	PPI_SCOPES (X)
#undef X
		PPI_SCOPE_COUNT
};

#define PPI_UNBOUNDED_SIZE (UINT64_C (1) << 20) /* of an unbounded_series whose maxSize is not said: 8 MiB */
#define PPI_UNBOUNDED_SIZE_MAX (UINT64_C (1) << 30)

#define PPI_WINDOW_LEAST_NS UINT64_C (1000000) /* the shortest window of time */

/* sets of accumulators */
#define PPI_IS(id) (1u << PPI_##id)
#define PPI_SERIES PPI_IS (BOUNDED_SERIES)
#define PPI_WHOLE (PPI_IS (STATS) | PPI_IS (HISTOGRAM) | PPI_IS (UNBOUNDED_SERIES))
#define PPI_SUMS (PPI_IS (SUMCOUNT) | PPI_SERIES | PPI_WHOLE)
#define PPI_COUNTS (PPI_IS (COUNT) | PPI_SUMS)
#define PPI_ALL (PPI_IS (SCALAR) | PPI_COUNTS)
#define PPI_SPREADS (PPI_SERIES | PPI_WHOLE)

#define PPI_QUANTILES PPI_IS (HISTOGRAM)
#define PPI_BY_BUCKETS PPI_IS (HISTOGRAM)

/*
 * statistic (PP_ABI_STATISTICS has their names), the power of the metric's unit that it has, the accumulators that have it,
 * those of them that scan for it instead of reading it in O(1), what it means, its error (u = 2^-53, and one rounding
 * of the result to double, are everybody's). docs/statistics.md is compared with this.
 */
#define PPI_ROUNDED "none of integers; of doubles n u of Σ \\|x\\|"
#define PPI_SPREAD_ERROR "none of integers; of doubles n κ u; of a histogram 0.8 % of the root of Σ x² / count"
#define PPI_QUANTILE_ERROR "0.8 % of its value"
#define PPI_STATISTICS(X)                                                                                              \
	X (COUNT, 0, PPI_COUNTS, 0, "samples", "none")                                                                 \
	X (SUM, 1, PPI_SUMS, 0, "their sum", PPI_ROUNDED)                                                              \
	X (AVG, 1, PPI_SUMS, 0, "sum / count", PPI_ROUNDED)                                                            \
	X (MIN, 1, PPI_SPREADS, PPI_SERIES, "the smallest", "none")                                                    \
	X (MAX, 1, PPI_SPREADS, PPI_SERIES, "the largest", "none")                                                     \
	X (VARIANCE, 2, PPI_SPREADS, PPI_BY_BUCKETS, "Σ (x - avg)² / count", "that of stddev, squared")                \
	X (STDDEV, 1, PPI_SPREADS, PPI_BY_BUCKETS, "root of the variance", PPI_SPREAD_ERROR)                           \
	X (LAST, 1, PPI_IS (SCALAR) | PPI_SUMS, 0, "the sample with the newest end", "none")                           \
	X (TOTAL, 1, PPI_SUMS, 0, "the sum since start or reset", PPI_ROUNDED)                                         \
	X (N, 0, PPI_ALL, 0, "samples since start or reset", "none")                                                   \
	X (ESTIMATED_COUNT, 0, PPI_ALL, 0, "executions: n × every", "every - 1 per thread")                            \
	X (P50, 1, PPI_QUANTILES, PPI_BY_BUCKETS, "at least half of all samples don't exceed it", PPI_QUANTILE_ERROR)  \
	X (P90, 1, PPI_QUANTILES, PPI_BY_BUCKETS, "... 90 %", PPI_QUANTILE_ERROR)                                      \
	X (P95, 1, PPI_QUANTILES, PPI_BY_BUCKETS, "... 95 %", PPI_QUANTILE_ERROR)                                      \
	X (P99, 1, PPI_QUANTILES, PPI_BY_BUCKETS, "... 99 %", PPI_QUANTILE_ERROR)                                      \
	X (P999, 1, PPI_QUANTILES, PPI_BY_BUCKETS, "... 99.9 %", PPI_QUANTILE_ERROR)                                   \
	X (LOST, 0, PPI_IS (HISTOGRAM) | PPI_IS (UNBOUNDED_SERIES), 0, "samples that it had no room for", "none")      \
	X (RATE, -1, PPI_ALL, 0, "executions per second, since start or reset",                                        \
	   "as estimated_count, and that of the clock")

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

/* "longjmp", and "intervals whose end was jumped over (longjmp)" */
const char *ppi_drop_name (enum pp_drop cause);
const char *ppi_drop_sentence (enum pp_drop cause);

/* "stats" … ; -1 where there is none. Pure. */
int ppi_accumulator_parse (const char *name);
const char *ppi_accumulator_name (enum ppi_accumulator accumulator);
/* "total", "self" … ; -1 where there is none */
int ppi_scope_parse (const char *name);
const char *ppi_scope_name (enum ppi_scope scope);
const char *ppi_unit_symbol (enum ppi_unit unit);
/* "seconds", "bytes", "plain counts" */
const char *ppi_unit_words (enum ppi_unit unit);
/* "avg" … as written in expressions: m.avg; -1 where there is none */
int ppi_statistic_parse (const char *name);
const char *ppi_statistic_name (enum pp_statistic statistic);
/* May it be asked for over a window of time, m.avg[10s]? By what a window's periods are kept with. */
bool ppi_statistic_has_window (enum ppi_accumulator accumulator, enum pp_statistic statistic);
enum ppi_accumulator ppi_statistic_window_accumulator (enum ppi_accumulator accumulator);
/* what it means and how exact it is, in a few words */
const char *ppi_statistic_meaning (enum pp_statistic statistic);
const char *ppi_statistic_error (enum pp_statistic statistic);
/* the table: does this accumulator have that statistic; and is it read in O(1), as assertions at sites need it */
bool ppi_statistic_exists (enum ppi_accumulator accumulator, enum pp_statistic statistic);
bool ppi_statistic_is_cheap (enum ppi_accumulator accumulator, enum pp_statistic statistic);
/* the power of the metric's unit that the statistic has: 1 for avg, 2 for variance, 0 for count; -1: it is per second */
int ppi_statistic_power (enum pp_statistic statistic);
/* The words of a knob, "box, linear, cubic", from its record's "(box, linear, cubic), setter". The caller frees it; NULL: no memory. */
char *ppi_words_copy (const char *record);
/*
 * Words of a knob, "box, linear, cubic". The one at PLACE, copied to OUT, false: there is none; the
 * place of WORD, -1: it is none of them. Pure.
 */
bool ppi_word_at (const char *words, int64_t place, char *out, size_t room);
int ppi_word_place (const char *words, const char *word);
/*
 * of WORD's neighbours in NAMES (NULL-terminated) the nearest within a third of its length, or NULL: "did you
 * mean"
 */
const char *ppi_nearest (const char *word, const char *const *names);
/* Is WORD so near to NAME, in one of three letters at most or by two that are swapped, that it was certainly meant to be it? ppi_nearest looks further, for who asks. */
bool ppi_is_mistyped (const char *word, const char *name);

#endif
