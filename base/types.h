/* SPDX-License-Identifier: MIT */
/*
 * types.h: the small enumerations that every room behind libmetrics shares, each from one list that
 * also makes its names.
 */
#ifndef PPI_BASE_TYPES_H
#define PPI_BASE_TYPES_H

#include <pp.h>
#include <stdbool.h>

/* The accumulators; what each is says its descriptor (libmetrics/keep/accumulator.h). */
#define PPI_ACCUMULATORS PP_ABI_ACCUMULATORS

enum ppi_accumulator {
#define X(id, name) PPI_##id,
	PPI_ACCUMULATORS (X)
#undef X
		PPI_ACCUMULATOR_COUNT
};

/*
 * What the sample of an execution of an interval is, its name in the language. SELF: its own part,
 * less what the metric's own readings say of the executions nested directly in it. OUTERMOST:
 * whole, but only of an execution that is in no other of the same site. nested.h says it exactly.
 */
#define PPI_SCOPES(X)                                                                              \
	X (TOTAL, "total")                                                                         \
	X (SELF, "self")                                                                           \
	X (OUTERMOST, "outermost")

enum ppi_scope {
#define X(id, name) PPI_SCOPE_##id,
	PPI_SCOPES (X)
#undef X
		PPI_SCOPE_COUNT
};

#define PPI_WINDOW_LEAST_NS UINT64_C (1000000) /* the shortest window of time */

/*
 * Sets of accumulators by their statistics: each has what those before it have, but quantiles,
 * which stand for themselves. NONE: accumulators that say so have it.
 */
enum ppi_statistic_set {
	PPI_OF_N,
	PPI_OF_COUNT,
	PPI_OF_SUM,
	PPI_OF_SPREAD,
	PPI_OF_QUANTILES,
	PPI_OF_NONE,
};

/*
 * statistic (PP_ABI_STATISTICS has their names), which set of accumulators has it, the power of the
 * metric's unit that it has, what it means, its error (u = 2^-53, and one rounding of the result to
 * double, are everybody's). docs/statistics.md is compared with this.
 */
#define PPI_ROUNDED "none of integers; of doubles n u of Σ \\|x\\|"
#define PPI_SPREAD_ERROR                                                                           \
	"none of integers; of doubles n κ u; of a histogram 0.8 % of the root of Σ x² / count"
#define PPI_QUANTILE_ERROR "0.8 % of its value"
#define PPI_STATISTICS(X)                                                                          \
	X (COUNT, COUNT, 0, "samples", "none")                                                     \
	X (SUM, SUM, 1, "their sum", PPI_ROUNDED)                                                  \
	X (AVG, SUM, 1, "sum / count", PPI_ROUNDED)                                                \
	X (MIN, SPREAD, 1, "the smallest", "none")                                                 \
	X (MAX, SPREAD, 1, "the largest", "none")                                                  \
	X (VARIANCE, SPREAD, 2, "Σ (x - avg)² / count", "that of stddev, squared")                 \
	X (STDDEV, SPREAD, 1, "root of the variance", PPI_SPREAD_ERROR)                            \
	X (LAST, SUM, 1, "the sample with the newest end", "none")                                 \
	X (TOTAL, SUM, 1, "the sum since start or reset", PPI_ROUNDED)                             \
	X (N, N, 0, "samples since start or reset", "none")                                        \
	X (ESTIMATED_COUNT, N, 0, "executions: n × every", "every - 1 per thread")                 \
	X (P50, QUANTILES, 1, "at least half of all samples don't exceed it", PPI_QUANTILE_ERROR)  \
	X (P90, QUANTILES, 1, "... 90 %", PPI_QUANTILE_ERROR)                                      \
	X (P95, QUANTILES, 1, "... 95 %", PPI_QUANTILE_ERROR)                                      \
	X (P99, QUANTILES, 1, "... 99 %", PPI_QUANTILE_ERROR)                                      \
	X (P999, QUANTILES, 1, "... 99.9 %", PPI_QUANTILE_ERROR)                                   \
	X (LOST, NONE, 0, "samples that it had no room for", "none")                               \
	X (RATE, N, -1, "executions per second, since start or reset",                             \
	   "as estimated_count, and that of the clock")

/* unit at the boundary, its symbol in reports */
#define PPI_UNITS(X)                                                                               \
	X (PLAIN, "")                                                                              \
	X (SECONDS, "s")                                                                           \
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
/*
 * May a metric for points, or for intervals, be bound to a site of KIND? All but points are
 * intervals.
 */
static inline bool ppi_kind_fits (unsigned metric, unsigned kind)
{
	return (metric == PP_ABI_SITE_POINT) == (kind == PP_ABI_SITE_POINT);
}

/* "longjmp", and "intervals whose end was jumped over (longjmp)" */
const char *ppi_drop_name (enum pp_drop cause);
const char *ppi_drop_sentence (enum pp_drop cause);

/* "total", "self" … ; -1 where there is none */
int ppi_scope_parse (const char *name);
const char *ppi_scope_name (enum ppi_scope scope);
const char *ppi_unit_symbol (enum ppi_unit unit);
/* "seconds", "bytes", "plain counts" */
const char *ppi_unit_words (enum ppi_unit unit);
/* "avg" … as written in expressions: m.avg; -1 where there is none */
int ppi_statistic_parse (const char *name);
const char *ppi_statistic_name (enum pp_statistic statistic);
/* what it means and how exact it is, in a few words */
const char *ppi_statistic_meaning (enum pp_statistic statistic);
const char *ppi_statistic_error (enum pp_statistic statistic);
/*
 * the power of the metric's unit that the statistic has: 1 for avg, 2 for variance, 0 for count;
 * -1: it is per second
 */
int ppi_statistic_power (enum pp_statistic statistic);
/*
 * The words of a knob, "box, linear, cubic", from its record's "(box, linear, cubic), setter". The
 * caller frees it; NULL: no memory.
 */
char *ppi_words_copy (const char *record);
/*
 * Words of a knob, "box, linear, cubic". The one at PLACE, copied to OUT, false: there is none; the
 * place of WORD, -1: it is none of them. Pure.
 */
bool ppi_word_at (const char *words, int64_t place, char *out, size_t room);
int ppi_word_place (const char *words, const char *word);
/*
 * of WORD's neighbours in NAMES (NULL-terminated) the nearest within a third of its length, or
 * NULL: "did you mean"
 */
const char *ppi_nearest (const char *word, const char *const *names);
/*
 * Is WORD so near to NAME, in one of three letters at most or by two that are swapped, that it was
 * certainly meant to be it? ppi_nearest looks further, for who asks.
 */
bool ppi_is_mistyped (const char *word, const char *name);

#endif
