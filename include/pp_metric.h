/* SPDX-License-Identifier: MIT */
/*
 * pp_metric.h: metrics, their statistics, and what the program adds to both. Part of <pp.h>, whose
 * conventions hold: include that.
 */
#ifndef PP_METRIC_H
#define PP_METRIC_H

#include <pp_types.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/*
 * The statistics an accumulator may have: PP_STAT_COUNT ..., listed in pp_abi.h. One table
 * (docs/statistics.md) says which accumulator has which.
 */
enum pp_statistic {
#define PP_STAT_(id, name) PP_STAT_##id,
	PP_ABI_STATISTICS (PP_STAT_)
#undef PP_STAT_
		PP_STATISTICS
};

/* The metric called NAME, or NULL. */
pp_metric *pp_metric_find (const char *name);

/*
 * Declares a metric as the pragma does: pp_metric_new (&m, "handling", "interval stats(elapsed)");
 * or a composite one, "expr(EXPRESSION)", whose value is computed from others' whenever it is asked
 * for: "expr(misses.sum / work.total)". Declaring it again with the same text finds the same
 * metric. PP_EINVAL where the declaration can't be read, PP_EEXIST where NAME exists with another
 * declaration, PP_EUNAVAILABLE where this machine lacks the source. OUT may be NULL.
 */
int pp_metric_new (pp_metric **out, const char *name, const char *declaration);

/* The metric's name. */
const char *pp_metric_name (const pp_metric *metric);

/*
 * Can this machine measure NAME, a metric of the program or a policy, or a source as a metric names
 * it ("cycles", "papi:PAPI_L1_DCM")? 1: yes, 0: no, PP_ENOENT: there is no such thing, PP_EINVAL: a
 * source's argument makes no sense. TEXT (of ROOM bytes, or NULL and 0) gets a sentence: for a
 * metric the source that is in use, and where that is a fallback why; for a source what it counts;
 * else the reason. Takes the library's lock, may open counters to try them; from any thread, but
 * not from a signal handler.
 */
int pp_available (const char *name, char *text, size_t room);

/* NULL when the metric can be measured on this machine, else the reason as a sentence. */
const char *pp_unavailable (const pp_metric *metric);

/*
 * One statistic over all threads, of all sites (SITE is NULL) or of one. NaN: no sample, no such
 * statistic, or METRIC is NULL.
 *
 * This and all statistics below, unless they say otherwise: from any thread, any number at once,
 * also in callbacks and in functions that are called at markers. Without a lock; only quantiles and
 * variance of a histogram allocate. A sample that another thread takes meanwhile is in it as a
 * whole or not at all. A thread that lost its processor in the middle of a sample is waited for, 2
 * ms at most, but not at markers; where it still stands there, part of that sample may be in the
 * result, which PP_DROP_TORN counts. Not from signal handlers: a sample that the handler
 * interrupted can't become whole, and memory may be asked for. A child of fork sees its own
 * samples. No cancellation point.
 */
double pp_stat (const pp_metric *metric, const pp_site *site, enum pp_statistic statistic);

/*
 * The same of the calling thread alone, its signal handlers included: what assertions at sites look
 * at. Never waits. NaN also of composite metrics.
 */
double pp_thread_stat (const pp_metric *metric, const pp_site *site, enum pp_statistic statistic);

/* pp_stat over all sites and threads, by name. */
double pp_avg (const pp_metric *metric);
double pp_sum (const pp_metric *metric);
double pp_count (const pp_metric *metric);
double pp_min (const pp_metric *metric);
double pp_max (const pp_metric *metric);
double pp_stddev (const pp_metric *metric);
double pp_variance (const pp_metric *metric);
double pp_last (const pp_metric *metric);
double pp_total (const pp_metric *metric);
/* Executions per second since the metric was declared or reset. */
double pp_rate (const pp_metric *metric);
/*
 * The quantile Q (0 … 1) of a histogram: the least sample that at least the share Q of all samples
 * do not exceed, with a relative error below 1 %; 0 and 1 are the minimum and the maximum, exactly.
 * NaN: no sample, no histogram, Q out of range, or samples were lost for want of memory
 * (PP_STAT_LOST).
 */
double pp_quantile (const pp_metric *metric, double q);
/* The newest sample of a series, all threads: pp_last under the name that series are used with. */
double pp_series_last (const pp_metric *metric);

/*
 * Copies at most ROOM samples of a series, the calling thread's, site by site and oldest first, in
 * the metric's unit. Returns how many there are (may exceed ROOM), or a negative pp_error: PP_EKIND
 * where the metric keeps no series.
 */
long pp_series_copy (const pp_metric *metric, double *out, size_t room);

/*
 * Samples that lie behind each other in memory, oldest first. Sample × SCALE is in the metric's
 * unit.
 */
struct pp_series_piece {
	const pp_site *site; /* NULL: of pp_sample */
	const void *samples; /* long, or double where IS_DOUBLE */
	size_t n;
	int is_double;
	double scale;
};

/*
 * Shows the calling thread's series where it lies, without a copy: calls FN for each piece, site by
 * site and oldest first, until it returns non-zero. The samples stay as they are until this thread
 * takes another sample of METRIC. Returns how many samples were shown, or PP_EKIND, PP_EINVAL.
 */
long pp_series_view (const pp_metric *metric,
		     int (*fn) (const struct pp_series_piece *piece, void *arg), void *arg);

/*
 * Of the calling thread's series: the average of the newest K samples at each site; the
 * exponentially weighted moving average e ← e + ALPHA (x - e), 0 < ALPHA ≤ 1, from the oldest
 * sample that is kept, and of several sites their mean. NaN: no samples, no series. Both read the
 * whole series.
 */
double pp_moving_avg (const pp_metric *metric, size_t k);
double pp_ewma (const pp_metric *metric, double alpha);

/*
 * The one number that METRIC's name stands for in expressions: of a composite metric its value now,
 * of a scalar the last sample, of a count how many; NaN for all others, and where it is unknown. A
 * composite's pp_stat (.., PP_STAT_LAST) and pp_last are the same, and with a site what was
 * measured there. As pp_stat, of each metric that the expression speaks of, one after the other;
 * where it speaks of statistics of the program's own, as pp_stat_named.
 */
double pp_get (const pp_metric *metric);

/*
 * A statistic of the last SECONDS, 0.001 to 86,400,000, that has a window of time
 * (docs/statistics.md), as m.p99[10s] in expressions. The first call for a length makes METRIC keep
 * that window too, for good; it begins then. At most 16 lengths for a metric. NaN: unknown, or no
 * such window. As pp_stat; the first call for a length takes the library's lock: not at markers.
 */
double pp_stat_over (const pp_metric *metric, const pp_site *site, enum pp_statistic statistic,
		     double seconds);

/*
 * Statistics of the program's own: a function of a snapshot, which is everything that is kept of a
 * metric, merged over threads at one moment.
 *
 *     static double gini (const pp_snapshot *s, void *arg) { const double *x; size_t n =
 *     pp_snapshot_samples (s, &x); ... }
 *     PP_STATISTIC (gini, 0)                                       or   pp_statistic_new ("gini", gini, NULL, 0);
 *
 * Then m.gini may stand in expressions that are checked by time, all(m.gini) in those at sites,
 * pp_stat_named (m, NULL, "gini") says it, and reports have it for every metric for which it is not
 * NaN. POWER is that of the metric's unit: 0 a plain number, 1 as avg, 2 as variance. The function
 * is called on any thread, also several at once, never at a marker and never with the library's
 * lock; not for a metric without samples. It must not keep the snapshot.
 */
typedef struct pp_snapshot pp_snapshot;
typedef double (*pp_statistic_fn) (const pp_snapshot *snapshot, void *arg);
/*
 * NAME is an identifier. PP_EEXIST: another has it, or the library. For good: FN must not be in a
 * module that is closed.
 */
int pp_statistic_new (const char *name, pp_statistic_fn fn, void *arg, int power);
/*
 * A statistic by its name, the library's ("avg") or the program's; NaN: there is none of that name.
 * One of the program's takes the library's lock and allocates, and then calls the function without
 * the lock, on this thread: not at markers.
 */
double pp_stat_named (const pp_metric *metric, const pp_site *site, const char *name);
/*
 * What a snapshot has: its metric, the library's statistics, any quantile of a histogram, the
 * samples of a series in the metric's unit, in no order.
 */
const pp_metric *pp_snapshot_metric (const pp_snapshot *snapshot);
double pp_snapshot_stat (const pp_snapshot *snapshot, enum pp_statistic statistic);
double pp_snapshot_quantile (const pp_snapshot *snapshot, double q);
size_t pp_snapshot_samples (const pp_snapshot *snapshot, const double **samples);

/*
 * Adds a sample in the metric's unit, from anywhere; it counts as one of the calling thread at no
 * site.
 */
int pp_sample (pp_metric *metric, double sample);

/*
 * How the readings at an interval's begin and end combine: option `operator` of metrics. The
 * library's own are difference, which is what is taken where nothing is said, ratio (end / begin),
 * max and last (the reading at the end). Yours gets both in the metric's unit and returns the
 * sample, NaN for none. It runs at the interval's end, on its thread: no locks, no allocation, no
 * exceptions.
 */
typedef double (*pp_operator_fn) (double begin, double end);
/*
 * Registers FN as operator NAME, an identifier, for metrics that are declared from now on;
 * PP_OPERATOR (FN) does it before main, and lets ppctl know it. PP_EEXIST: there is another of that
 * name. For good: FN must not be in a module that is closed.
 */
int pp_operator_new (const char *name, pp_operator_fn fn);

/* Forgets all samples of METRIC (NULL: of all metrics), in every thread. */
int pp_reset (pp_metric *metric);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
