/* SPDX-License-Identifier: MIT */
/* summary.c: merges shards; see summary.h. The order of loads mirrors accumulate_int.h. */
#include "libmetrics/keep/summary.h"

#include "base/types.h"
#include "libmetrics/keep/accumulate_double.h"
#include "libmetrics/keep/accumulator.h"
#include "libmetrics/keep/bounded_series.h"
#include "libmetrics/keep/buckets.h"
#include "libmetrics/keep/field.h"
#include "libmetrics/keep/shard.h"

#include <math.h>
#include <string.h>

#define SNAPSHOT_TRIES 1000
#define SCAN_TRIES 16

/* the part of a shard that statistics need */
struct snapshot {
	uint32_t epoch;
	uint64_t last, last_ticks, min, max, lost;
	double more;
	struct ppi_moments all, window;
	uint64_t own[PPI_OWN_WORDS];
	uint64_t huge;               /* integer samples in the window whose squares may not fit */
	struct ppi_buckets *buckets; /* NULL: they aren't asked for */
};

/* acquire: the second look at seq must not come before it */
static uint64_t load (const uint64_t *field)
{
	return __atomic_load_n (field, __ATOMIC_ACQUIRE);
}

static void load_moments (struct ppi_moments *out, const struct ppi_moments *moments)
{
	out->n = load (&moments->n);
	for (int i = 0; i < 2; i++) {
		out->sum[i] = load (&moments->sum[i]);
		out->squares[i] = load (&moments->squares[i]);
	}
}

static void load_buckets (struct snapshot *out, const struct ppi_shard *shard,
			  const struct ppi_summary *summary)
{
	ppi_buckets_empty (out->buckets);
	ppi_buckets_add_shard (out->buckets, (const struct ppi_histogram_shard *) shard, out->epoch,
			       summary->type == PP_ABI_SAMPLE_DOUBLE, summary->bounds);
}

/* The word at OFFSET of SHARD */
static const uint64_t *word_of (const struct ppi_shard *shard, uint32_t offset)
{
	return (const uint64_t *) (const void *) ((const char *) shard + offset);
}

static void load_fields (struct snapshot *out, const struct ppi_shard *shard,
			 const struct ppi_summary *summary)
{
	const struct ppi_keep *keep = ppi_keep_of (summary->accumulator);

	out->epoch = __atomic_load_n (&shard->epoch, __ATOMIC_ACQUIRE);
	out->last = load (&shard->last);
	out->last_ticks = load (&shard->last_ticks);
	out->min = load (&shard->min);
	out->max = load (&shard->max);
	load_moments (&out->all, &shard->all);
	out->more = 0;
	if (__atomic_load_n (&shard->more_epoch, __ATOMIC_RELAXED) == out->epoch)
		__atomic_load (&shard->more, &out->more, __ATOMIC_RELAXED);
	if (keep->lost_at)
		out->lost = load (word_of (shard, keep->lost_at));
	for (uint32_t i = 0; i < keep->own_words; i++)
		out->own[i] = load (word_of (shard, keep->own_at) + i);
	if (out->buckets)
		load_buckets (out, shard, summary);
	if (keep->keeps & PPI_KEEPS_RING) {
		load_moments (&out->window, &((const struct ppi_series_shard *) shard)->window);
		out->huge = load (&((const struct ppi_series_shard *) shard)->fresh.n);
	}
}

static bool try_snapshot (struct snapshot *out, const struct ppi_shard *shard,
			  const struct ppi_summary *summary, int tries)
{
	while (tries--) {
		uint32_t seq = __atomic_load_n (&shard->seq, __ATOMIC_ACQUIRE);

		if (seq & 1)
			continue;
		load_fields (out, shard, summary);
		if (__atomic_load_n (&shard->seq, __ATOMIC_RELAXED) == seq)
			return true;
	}
	return false;
}

/*
 * Of a writer that was killed between the two words of a sum of integers, which passed 0 with just
 * that sample: it is 2^64 away from what it was and from what it was to be. Sums that large are of
 * no other kind: a thread doesn't live that long.
 */
static void mend_sum (struct ppi_moments *moments)
{
	const unsigned __int128 wrap = (unsigned __int128) 1 << 64,
				reach = (unsigned __int128) 1 << 63;
	unsigned __int128 sum = ppi_field_get_wide (moments->sum);

	if (sum - wrap + reach < 2 * reach)
		sum -= wrap;
	else if (sum + wrap + reach < 2 * reach)
		sum += wrap;
	ppi_field_set_wide (moments->sum, sum);
}

/*
 * Buckets take long to read, and a busy owner never pauses as long: then the fields are of one
 * moment and the buckets are read behind them. Counts only grow, so that what they count were
 * samples, and those of the fields are there; only of a histogram of integers the one that waited
 * may be missing, with a newer one in its place (histogram.h).
 */
static bool take_snapshot (struct snapshot *out, const struct ppi_shard *shard,
			   const struct ppi_summary *summary)
{
	struct ppi_buckets *buckets = out->buckets;
	bool whole = try_snapshot (out, shard, summary, buckets ? SCAN_TRIES : SNAPSHOT_TRIES);

	if (!whole && buckets) {
		out->buckets = NULL;
		whole = try_snapshot (out, shard, summary, SNAPSHOT_TRIES);
		out->buckets = buckets;
		if (whole)
			load_buckets (out, shard, summary);
	}
	if (whole)
		return true;
	load_fields (out, shard, summary);
	if (summary->type == PP_ABI_SAMPLE_INT) {
		mend_sum (&out->all);
		mend_sum (&out->window);
	}
	return false;
}

static void merge_int (struct ppi_merged *into, const struct ppi_moments *from)
{
	unsigned __int128 squares = ppi_field_get_wide (from->squares);

	into->n += from->n;
	into->sum = (__int128) ((unsigned __int128) into->sum + ppi_field_get_wide (from->sum));
	if (squares == ~(unsigned __int128) 0 ||
	    __builtin_add_overflow (into->squares, squares, &into->squares))
		into->squares_lost = true;
}

/* Chan, Golub, LeVeque: the moments of two sets from the moments of each */
static void merge_double (struct ppi_merged *into, const struct ppi_moments *from)
{
	double a = (double) into->n, b = (double) from->n;
	double mean = ppi_double_of (from->sum[0]), delta = mean - into->mean;

	if (from->n == 0)
		return;
	if (into->n == 0)
		into->mean = mean;
	else
		into->mean += delta * (b / (a + b));
	into->m2 += ppi_double_of (from->squares[0]);
	if (into->n != 0)
		into->m2 += delta * delta * (a * (b / (a + b)));
	into->double_sum += ppi_double_of (from->sum[1]);
	into->n += from->n;
}

static void merge (struct ppi_summary *summary, struct ppi_merged *into,
		   const struct ppi_moments *from)
{
	if (summary->type == PP_ABI_SAMPLE_DOUBLE)
		merge_double (into, from);
	else
		merge_int (into, from);
}

static bool is_less (enum pp_abi_sample_type type, uint64_t a, uint64_t b)
{
	if (type == PP_ABI_SAMPLE_DOUBLE)
		return ppi_double_of (a) < ppi_double_of (b);
	return (int64_t) a < (int64_t) b;
}

static void widen (struct ppi_summary *summary, uint64_t min, uint64_t max)
{
	if (!summary->has_range || is_less (summary->type, min, summary->min))
		summary->min = min;
	if (!summary->has_range || is_less (summary->type, summary->max, max))
		summary->max = max;
	summary->has_range = true;
}

void ppi_summary_init (struct ppi_summary *summary, enum pp_abi_sample_type type,
		       unsigned accumulator)
{
	memset (summary, 0, sizeof *summary);
	summary->type = type;
	summary->accumulator = (uint8_t) accumulator;
	summary->wants_buckets = ppi_keeps (accumulator, PPI_KEEPS_BUCKETS);
}

void ppi_summary_clear (struct ppi_summary *summary)
{
	ppi_buckets_clear (&summary->buckets);
}

bool ppi_summary_add_shard (struct ppi_summary *summary, const struct ppi_shard *shard,
			    uint32_t epoch, uint32_t every)
{
	const struct ppi_keep *keep = ppi_keep_of (summary->accumulator);
	bool series = keep->keeps & PPI_KEEPS_RING;
	struct ppi_buckets buckets = {0};
	struct snapshot now = {.buckets = keep->keeps & PPI_KEEPS_BUCKETS && summary->wants_buckets
						  ? &buckets
						  : NULL};
	bool whole = take_snapshot (&now, shard, summary);

	if (!whole)
		summary->torn++;
	if (now.buckets) {
		if (now.epoch == epoch)
			ppi_buckets_add (&summary->buckets, &buckets);
		ppi_buckets_clear (&buckets);
	}
	if (now.epoch != epoch || now.all.n == 0)
		return whole;
	if (keep->merge)
		keep->merge (summary->own, now.own, summary->all.n == 0);
	merge (summary, &summary->all, &now.all);
	if (series)
		merge (summary, &summary->window, &now.window);
	if (series && summary->type == PP_ABI_SAMPLE_INT && now.huge != 0)
		summary->window.squares_lost = true;
	summary->lost += now.lost;
	if (keep->keeps & PPI_KEEPS_RANGE)
		widen (summary, now.min, now.max);
	summary->executions += (double) now.all.n * (every ? every : 1) + now.more;
	if (!summary->has_last || now.last_ticks > summary->last_ticks) {
		summary->has_last = true;
		summary->last = now.last;
		summary->last_ticks = now.last_ticks;
	}
	return whole;
}

/* How long the ring is: of a file as it says itself, looked at once and kept inside of it. */
static uint64_t ring_size (const struct ppi_summary *summary, const struct ppi_series_shard *series)
{
	uint64_t size = load (&series->size), room;

	if (!summary->bounds.hi)
		return ppi_series_size (series);
	room = (summary->bounds.hi - (uintptr_t) series->ring) / sizeof (series->ring[0]);
	return size < room ? size : room;
}

/* false: the window was empty */
static bool scan_ring (const struct ppi_summary *summary, const struct ppi_series_shard *series,
		       uint64_t *min, uint64_t *max)
{
	uint64_t n = load (&series->window.n), size = ring_size (summary, series);

	/* until it wraps the window is ring[0 … n), then all of it */
	if (n > size)
		n = size;
	for (uint64_t i = 0; i < n; i++) {
		uint64_t x = load (&series->ring[i]);

		if (i == 0 || is_less (summary->type, x, *min))
			*min = x;
		if (i == 0 || is_less (summary->type, *max, x))
			*max = x;
	}
	return n > 0;
}

void ppi_summary_add_window (struct ppi_summary *summary, const struct ppi_series_shard *series,
			     uint32_t epoch)
{
	uint64_t min = 0, max = 0;
	bool any = false;

	for (int tries = 0; tries < SCAN_TRIES; tries++) {
		uint32_t seq = __atomic_load_n (&series->shard.seq, __ATOMIC_ACQUIRE);

		if (__atomic_load_n (&series->shard.epoch, __ATOMIC_ACQUIRE) != epoch)
			return;
		any = scan_ring (summary, series, &min, &max);
		if (!(seq & 1) && __atomic_load_n (&series->shard.seq, __ATOMIC_RELAXED) == seq)
			break;
	}
	if (any)
		widen (summary, min, max);
}

bool ppi_summary_needs_buckets (unsigned accumulator, enum pp_statistic statistic)
{
	return ppi_keeps (accumulator, PPI_KEEPS_BUCKETS) &&
	       !ppi_statistic_is_cheap (accumulator, statistic);
}

bool ppi_summary_needs_window (unsigned accumulator, enum pp_statistic statistic)
{
	return ppi_keeps (accumulator, PPI_KEEPS_RING) &&
	       (statistic == PP_STAT_MIN || statistic == PP_STAT_MAX);
}

/* A × B in 256 bits, least significant word first */
static void multiply (uint64_t out[4], unsigned __int128 a, unsigned __int128 b)
{
	uint64_t x[2] = {(uint64_t) a, (uint64_t) (a >> 64)},
		 y[2] = {(uint64_t) b, (uint64_t) (b >> 64)};

	memset (out, 0, 4 * sizeof *out);
	for (int i = 0; i < 2; i++) {
		uint64_t carry = 0;

		for (int j = 0; j < 2; j++) {
			/* (2^64-1)² + 2 (2^64-1) = 2^128 - 1: fits */
			unsigned __int128 t = (unsigned __int128) x[i] * y[j] + out[i + j] + carry;

			out[i + j] = (uint64_t) t;
			carry = (uint64_t) (t >> 64);
		}
		out[i + 2] = carry;
	}
}

/* (n Σx² - (Σx)²) / n², exact up to the conversion of the difference */
static double variance_of_integers (const struct ppi_merged *merged)
{
	unsigned __int128 sum = merged->sum < 0 ? -(unsigned __int128) merged->sum
						: (unsigned __int128) merged->sum;
	uint64_t left[4], right[4], borrow = 0;
	long double difference = 0, n = (long double) merged->n;

	if (merged->squares_lost)
		return NAN;
	multiply (left, merged->squares, merged->n);
	multiply (right, sum, sum);
	for (int i = 0; i < 4; i++) {
		unsigned __int128 t = (unsigned __int128) left[i] - right[i] - borrow;

		left[i] = (uint64_t) t;
		borrow = (uint64_t) (t >> 64) & 1;
	}
	if (borrow) /* only of a torn shard, whose sum may be ahead of its n */
		return NAN;
	for (int i = 3; i >= 0; i--)
		difference = difference * 0x1p64L + (long double) left[i];
	return (double) (difference / n / n);
}

static double mean_of_raw (const struct ppi_summary *summary)
{
	return summary->type == PP_ABI_SAMPLE_INT
		       ? (double) ((long double) summary->all.sum / (long double) summary->all.n)
		       : summary->all.mean;
}

static bool buckets_are_known (const struct ppi_summary *summary)
{
	return summary->wants_buckets && summary->buckets.n && !summary->buckets.lost &&
	       !summary->lost;
}

static double variance_of_buckets (const struct ppi_summary *summary)
{
	const struct ppi_buckets *b = &summary->buckets;

	if (!buckets_are_known (summary))
		return NAN;
	return ppi_buckets_squares_about (b, mean_of_raw (summary),
					  summary->type == PP_ABI_SAMPLE_DOUBLE) /
	       (double) b->n;
}

static double variance_of_doubles (const struct ppi_merged *merged)
{
	return merged->m2 < 0 ? 0 : merged->m2 / (double) merged->n;
}

/* Squares of samples beyond 10^154 are beyond a double: then it is not known. */
static double variance_of (const struct ppi_summary *summary, const struct ppi_merged *merged)
{
	double variance = ppi_keeps (summary->accumulator, PPI_KEEPS_BUCKETS)
				  ? variance_of_buckets (summary)
			  : summary->type == PP_ABI_SAMPLE_INT ? variance_of_integers (merged)
							       : variance_of_doubles (merged);

	return isinf (variance) ? NAN : variance;
}

static double sum_of (const struct ppi_summary *summary, const struct ppi_merged *merged,
		      double scale)
{
	if (summary->type == PP_ABI_SAMPLE_INT)
		return (double) ((long double) merged->sum * scale);
	return merged->double_sum * scale;
}

static double average_of (const struct ppi_summary *summary, const struct ppi_merged *merged,
			  double scale)
{
	if (summary->type == PP_ABI_SAMPLE_INT)
		return (double) ((long double) merged->sum / (long double) merged->n * scale);
	return merged->mean * scale;
}

static double sample_of (const struct ppi_summary *summary, uint64_t raw, double scale)
{
	if (summary->type == PP_ABI_SAMPLE_INT)
		return (double) ((long double) (int64_t) raw * scale);
	return ppi_double_of (raw) * scale;
}

static double raw_of (const struct ppi_summary *summary, uint64_t raw)
{
	return summary->type == PP_ABI_SAMPLE_INT ? (double) (int64_t) raw : ppi_double_of (raw);
}

double ppi_summary_quantile (const struct ppi_summary *summary, double q, double scale)
{
	const struct ppi_buckets *b = &summary->buckets;
	double rank, value, least, most;

	if (!(q >= 0 && q <= 1) || !buckets_are_known (summary) || !summary->has_range)
		return NAN;
	if (scale < 0)
		q = 1 - q;
	least = raw_of (summary, summary->min);
	most = raw_of (summary, summary->max);
	rank = ceil (q * (double) b->n);
	if (rank <= 1)
		return least * scale;
	if (rank >= (double) b->n)
		return most * scale;
	value = ppi_buckets_ranked (b, (uint64_t) rank, summary->type == PP_ABI_SAMPLE_DOUBLE);
	/* the extremes are known exactly: nothing can lie outside */
	return (value < least ? least : value > most ? most : value) * scale;
}

/*
 * Is it wrong where executions were not seen? Since the start, numbers and sums are those of the
 * samples, whatever there was besides.
 */
static bool is_told_by_all (const struct ppi_summary *summary, enum pp_statistic statistic)
{
	switch (statistic) {
	case PP_STAT_ESTIMATED_COUNT:
	case PP_STAT_RATE:
		return true;
	case PP_STAT_COUNT:
	case PP_STAT_N:
	case PP_STAT_SUM:
	case PP_STAT_TOTAL:
		return summary->is_recent;
	default:
		return false;
	}
}

double ppi_summary_get (const struct ppi_summary *summary, enum pp_statistic statistic,
			double scale)
{
	const struct ppi_keep *keep = ppi_keep_of (summary->accumulator);
	const struct ppi_merged *recent =
		keep->keeps & PPI_KEEPS_RING ? &summary->window : &summary->all;

	if (!ppi_statistic_exists (summary->accumulator, statistic))
		return NAN;
	if (summary->has_gaps && is_told_by_all (summary, statistic))
		return NAN;
	if (keep->own >> statistic & 1)
		return summary->all.n ? keep->statistic (summary, statistic, scale) : NAN;
	switch (statistic) {
	case PP_STAT_COUNT:
		return (double) recent->n;
	case PP_STAT_N:
		return (double) summary->all.n;
	case PP_STAT_ESTIMATED_COUNT:
		return summary->executions;
	case PP_STAT_SUM:
		return sum_of (summary, recent, scale);
	case PP_STAT_TOTAL:
		return sum_of (summary, &summary->all, scale);
	case PP_STAT_AVG:
		return recent->n ? average_of (summary, recent, scale) : NAN;
	case PP_STAT_MIN:
		return summary->has_range
			       ? sample_of (summary, scale < 0 ? summary->max : summary->min, scale)
			       : NAN;
	case PP_STAT_MAX:
		return summary->has_range
			       ? sample_of (summary, scale < 0 ? summary->min : summary->max, scale)
			       : NAN;
	case PP_STAT_LAST:
		return summary->has_last ? sample_of (summary, summary->last, scale) : NAN;
	case PP_STAT_VARIANCE:
		return recent->n ? variance_of (summary, recent) * scale * scale : NAN;
	case PP_STAT_STDDEV:
		return recent->n ? sqrt (variance_of (summary, recent)) * fabs (scale) : NAN;
	case PP_STAT_P50:
		return ppi_summary_quantile (summary, 0.5, scale);
	case PP_STAT_P90:
		return ppi_summary_quantile (summary, 0.9, scale);
	case PP_STAT_P95:
		return ppi_summary_quantile (summary, 0.95, scale);
	case PP_STAT_P99:
		return ppi_summary_quantile (summary, 0.99, scale);
	case PP_STAT_P999:
		return ppi_summary_quantile (summary, 0.999, scale);
	case PP_STAT_LOST:
		return (double) summary->lost;
	case PP_STAT_RATE:
		return summary->seconds > 0 ? summary->executions / summary->seconds : NAN;
	case PP_STATISTICS:
		break;
	}
	return NAN;
}
