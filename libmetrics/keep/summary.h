/* SPDX-License-Identifier: MIT */
/*
 * summary.h: the merged view of any number of shards of one metric: what statistics are read from,
 * in the process that measures (ppi_stat) and in readers of recordings (ppctl). Depends on nothing
 * of the runtime but the format and the names.
 *
 *     struct ppi_summary summary;
 *
 *     ppi_summary_init (&summary, PP_ABI_SAMPLE_INT, PPI_STATS);
 *     for each shard of the metric
 *             ppi_summary_add_shard (&summary, shard, metric->epoch, binding->every);
 *     printf ("%g s", ppi_summary_get (&summary, PP_STAT_AVG, metric->scale));
 *     ppi_summary_clear (&summary);
 *
 * Integer samples merge exactly and in any order to the same result. Doubles merge by Chan et al.;
 * each merge adds a relative error of about κ 2^-53 (accumulate_double.h) to the variance, so the
 * order shows in the last digits only.
 */
#ifndef PPI_KEEP_SUMMARY_H
#define PPI_KEEP_SUMMARY_H

#include "base/types.h"
#include "libmetrics/keep/accumulator.h"
#include "libmetrics/keep/buckets.h"

/* n, Σx, Σx² of some samples: the integer fields or the double fields, as the sample type says. */
struct ppi_merged {
	uint64_t n;
	__int128 sum;              /* exact: 2^64 samples of 2^63 fit */
	unsigned __int128 squares; /* exact, or ... */
	bool squares_lost;         /* ... it passed 2^128: the variance is unknown */
	double double_sum, mean, m2;
};

struct ppi_summary {
	enum pp_abi_sample_type type;
	uint8_t accumulator;
	struct ppi_merged all;    /* since start or reset */
	struct ppi_merged window; /* bounded_series: what the threads' windows hold */
	double executions;        /* Σ n × every, by the `every` of each time */
	/*
	 * there are executions that nobody knows of; IS_RECENT: and all this is of a window of time
	 */
	bool has_gaps;
	bool is_recent;
	double seconds; /* that they are of, for rates; 0: not known. Set by whoever merges */
	bool has_range, has_last;
	uint64_t min, max, last; /* integers or bits of doubles */
	uint64_t last_ticks;
	unsigned torn;               /* shards that no consistent copy could be had of */
	uint64_t lost;               /* samples that the shards had no room for */
	uint64_t own[PPI_OWN_WORDS]; /* what the accumulator keeps besides */
	bool wants_buckets;
	struct ppi_buckets buckets; /* of histograms */
	struct ppi_bounds bounds;   /* where shards may lead to */
};

/*
 * A summary without samples. Of accumulators other than histograms it holds no memory; a
 * histogram's buckets are merged unless WANTS_BUCKETS is set to false afterwards: then what is read
 * from them is unknown, and nothing is allocated.
 */
void ppi_summary_init (struct ppi_summary *summary, enum pp_abi_sample_type type,
		       unsigned accumulator);
/* Frees what it holds. */
void ppi_summary_clear (struct ppi_summary *summary);

/*
 * Merges SHARD, which its owner may be writing: a consistent copy is taken, without making the
 * owner wait. A shard whose epoch is not the metric's EPOCH counts as empty. EVERY is its
 * binding's. Any thread; not from a signal handler that interrupted the shard's writer. Returns
 * false where the writer was killed amid a sample, or never paused in 1,000 tries: then the fields
 * are merged as they are, n is the number of finished samples, what else there is may have one
 * more, and summary->torn is raised: it is by how many samples figures may be off.
 */
bool ppi_summary_add_shard (struct ppi_summary *summary, const struct ppi_shard *shard,
			    uint32_t epoch, uint32_t every);

/*
 * Adds the range of a series' window, which min and max of a bounded_series need: the ring is read,
 * O(size). While its owner goes on sampling, each value seen was in the window at some moment of
 * the scan.
 */
void ppi_summary_add_window (struct ppi_summary *summary, const struct ppi_series_shard *series,
			     uint32_t epoch);

/* Does STATISTIC of this accumulator need the buckets? */
bool ppi_summary_needs_buckets (unsigned accumulator, enum pp_statistic statistic);

/* Does STATISTIC of this accumulator need ppi_summary_add_window too? */
bool ppi_summary_needs_window (unsigned accumulator, enum pp_statistic statistic);

/*
 * The statistic in the metric's unit (raw × SCALE). Without samples count, n, estimated_count, sum
 * and total are 0 and all others NaN (unknown); NaN also where the accumulator has no such
 * statistic. Integer results are exact before the one rounding to double, up to the last bit of it;
 * variance included.
 */
double ppi_summary_get (const struct ppi_summary *summary, enum pp_statistic statistic,
			double scale);

/*
 * The least sample that at least the share Q (0 … 1) of all samples do not exceed, of a histogram,
 * as exact as histogram.h says; Q 0 and 1 are min and max, exactly. NaN: no samples, or some had no
 * bucket.
 */
double ppi_summary_quantile (const struct ppi_summary *summary, double q, double scale);

#endif
