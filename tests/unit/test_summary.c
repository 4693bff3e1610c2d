/* SPDX-License-Identifier: MIT */
/*
 * test_summary.c: what owners add to shards is what readers merge out of them, against references
 * computed the long way.
 */
#include "base/types.h"
#include "libmetrics/keep/accumulate_double.h"
#include "libmetrics/keep/accumulate_int.h"
#include "libmetrics/keep/accumulator.h"
#include "libmetrics/keep/shard.h"
#include "libmetrics/keep/summary.h"
#include "tests/unit/ppcheck.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define SHARDS 5
#define SAMPLES 400
#define WINDOW 64

static uint64_t random_state;

static uint64_t random_bits (void)
{
	random_state += UINT64_C (0x9e3779b97f4a7c15);
	uint64_t z = random_state;
	z = (z ^ (z >> 30)) * UINT64_C (0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C (0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static double random_double (void)
{
	return (double) (random_bits () >> 11) * 0x1p-53;
}

static struct ppi_shard *new_shard (void)
{
	struct ppi_series_shard *series =
		calloc (1, sizeof *series + WINDOW * sizeof series->ring[0]);

	ck_assert_ptr_nonnull (series);
	series->size = WINDOW;
	return &series->shard;
}

/* the accumulator is a constant in each branch, as in the hot path */
static void add_int (struct ppi_shard *shard, enum ppi_accumulator accumulator, int64_t x,
		     uint64_t ticks)
{
	switch (accumulator) {
	case PPI_SCALAR:
		ppi_accumulate_int (shard, PPI_SCALAR, x, ticks);
		break;
	case PPI_COUNT:
		ppi_accumulate_int (shard, PPI_COUNT, x, ticks);
		break;
	case PPI_SUMCOUNT:
		ppi_accumulate_int (shard, PPI_SUMCOUNT, x, ticks);
		break;
	case PPI_BOUNDED_SERIES:
		ppi_accumulate_int (shard, PPI_BOUNDED_SERIES, x, ticks);
		break;
	case PPI_STATS:
		ppi_accumulate_int (shard, PPI_STATS, x, ticks);
		break;
	case PPI_HISTOGRAM: /* test_histogram.c, test_unbounded.c */
	case PPI_UNBOUNDED_SERIES:
	case PPI_ACCUMULATOR_COUNT:
		ck_abort ();
	}
}

static struct ppi_summary merge_all (struct ppi_shard *const shard[], const int order[], int n,
				     enum pp_abi_sample_type type, enum ppi_accumulator accumulator)
{
	struct ppi_summary summary;

	ppi_summary_init (&summary, type, accumulator);
	for (int i = 0; i < n; i++) {
		ck_assert (ppi_summary_add_shard (&summary, shard[order[i]], 0, 1));
		if (accumulator == PPI_BOUNDED_SERIES)
			ppi_summary_add_window (&summary,
						(struct ppi_series_shard *) shard[order[i]], 0);
	}
	return summary;
}

/* Relative difference in units of 2^-53, 0 for equal */
static double ulps (double a, long double reference)
{
	long double d = fabsl ((long double) a - reference);

	return d == 0 ? 0 : (double) (d / fabsl (reference) * 0x1p53L);
}

static const int in_order[SHARDS] = {0, 1, 2, 3, 4};

struct reference {
	long double sum, squares_about_mean, mean;
	int64_t min, max;
	size_t n;
};

/* Two passes; for |x| < 2^40 and these counts the sums are exact in a long double. */
static struct reference reference_of (const int64_t *x, size_t n)
{
	struct reference r = {.n = n, .min = INT64_MAX, .max = INT64_MIN};

	for (size_t i = 0; i < n; i++) {
		r.sum += (long double) x[i];
		r.min = x[i] < r.min ? x[i] : r.min;
		r.max = x[i] > r.max ? x[i] : r.max;
	}
	r.mean = r.sum / (long double) n;
	for (size_t i = 0; i < n; i++)
		r.squares_about_mean +=
			((long double) x[i] - r.mean) * ((long double) x[i] - r.mean);
	return r;
}

START_TEST (integer_stats_agree_with_a_two_pass_reference)
{
	for (int round = 0; round < 50; round++) {
		struct ppi_shard *shard[SHARDS];
		int64_t x[SHARDS * SAMPLES];
		int shift = 24 + round % 20;

		for (int s = 0; s < SHARDS; s++)
			shard[s] = new_shard ();
		for (int i = 0; i < SHARDS * SAMPLES; i++) {
			x[i] = (int64_t) random_bits () >> shift;
			add_int (shard[random_bits () % SHARDS], PPI_STATS, x[i], (uint64_t) i + 1);
		}
		struct reference r = reference_of (x, SHARDS * SAMPLES);
		struct ppi_summary summary =
			merge_all (shard, in_order, SHARDS, PP_ABI_SAMPLE_INT, PPI_STATS);

		ck_assert_double_eq (ppi_summary_get (&summary, PP_STAT_COUNT, 3),
				     SHARDS * SAMPLES);
		ck_assert_double_eq (ppi_summary_get (&summary, PP_STAT_SUM, 1), (double) r.sum);
		ck_assert_double_eq (ppi_summary_get (&summary, PP_STAT_MIN, 1), (double) r.min);
		ck_assert_double_eq (ppi_summary_get (&summary, PP_STAT_MAX, 1), (double) r.max);
		ck_assert_double_eq (ppi_summary_get (&summary, PP_STAT_LAST, 1),
				     (double) x[SHARDS * SAMPLES - 1]);
		ck_assert_double_le (ulps (ppi_summary_get (&summary, PP_STAT_AVG, 1), r.mean), 1);
		ck_assert_double_le (ulps (ppi_summary_get (&summary, PP_STAT_VARIANCE, 1),
					   r.squares_about_mean / (long double) r.n),
				     2);
		for (int s = 0; s < SHARDS; s++)
			free (shard[s]);
	}
}
END_TEST

START_TEST (integer_merges_are_equal_in_any_order)
{
	struct ppi_shard *shard[SHARDS];
	static const int orders[][SHARDS] = {
		{0, 1, 2, 3, 4}, {4, 3, 2, 1, 0}, {2, 0, 4, 1, 3}, {3, 1, 4, 0, 2}};

	for (int s = 0; s < SHARDS; s++) {
		shard[s] = new_shard ();
		for (int i = 0; i < 1 + 100 * s; i++)
			add_int (shard[s], PPI_BOUNDED_SERIES, (int64_t) random_bits () >> 20,
				 random_bits ());
	}
	struct ppi_summary first =
		merge_all (shard, orders[0], SHARDS, PP_ABI_SAMPLE_INT, PPI_BOUNDED_SERIES);

	first.seconds = 2;
	for (size_t o = 1; o < sizeof orders / sizeof orders[0]; o++) {
		struct ppi_summary other =
			merge_all (shard, orders[o], SHARDS, PP_ABI_SAMPLE_INT, PPI_BOUNDED_SERIES);

		other.seconds = 2;
		for (int statistic = 0; statistic < PP_STATISTICS; statistic++)
			if (ppi_statistic_exists (PPI_BOUNDED_SERIES,
						  (enum pp_statistic) statistic))
				ck_assert_double_eq (
					ppi_summary_get (&first, (enum pp_statistic) statistic,
							 0.5),
					ppi_summary_get (&other, (enum pp_statistic) statistic,
							 0.5));
	}
	for (int s = 0; s < SHARDS; s++)
		free (shard[s]);
}
END_TEST

START_TEST (extreme_integers_keep_exact_sums)
{
	struct ppi_shard *shard[2] = {new_shard (), new_shard ()};

	/* 2 × (-2^63) and 1 × (2^63 - 1): sum -2^63 - 1; the variance is (2^64 - 1)² × 2 / 9 */
	add_int (shard[0], PPI_STATS, INT64_MIN, 1);
	add_int (shard[0], PPI_STATS, INT64_MAX, 2);
	add_int (shard[1], PPI_STATS, INT64_MIN, 3);
	struct ppi_summary summary = merge_all (shard, in_order, 2, PP_ABI_SAMPLE_INT, PPI_STATS);

	ck_assert (summary.all.sum == (__int128) INT64_MIN - 1);
	ck_assert_double_eq (ppi_summary_get (&summary, PP_STAT_MIN, 1), -0x1p63);
	ck_assert_double_eq (ppi_summary_get (&summary, PP_STAT_MAX, 1), 0x1p63);
	ck_assert_double_le (
		ulps (ppi_summary_get (&summary, PP_STAT_VARIANCE, 1), 0x1p128L * 2 / 9), 2);
	free (shard[0]);
	free (shard[1]);
}
END_TEST

START_TEST (squares_that_no_longer_fit_make_the_variance_unknown)
{
	struct ppi_shard *shard[2] = {new_shard (), new_shard ()};

	for (int i = 0; i < 5; i++) {
		add_int (shard[0], PPI_STATS, INT64_MIN, 1);
		add_int (shard[1], PPI_BOUNDED_SERIES, INT64_MIN, 1);
	}
	struct ppi_summary stats = merge_all (&shard[0], in_order, 1, PP_ABI_SAMPLE_INT, PPI_STATS);
	struct ppi_summary series =
		merge_all (&shard[1], in_order, 1, PP_ABI_SAMPLE_INT, PPI_BOUNDED_SERIES);

	ck_assert (isnan (ppi_summary_get (&stats, PP_STAT_VARIANCE, 1)));
	ck_assert (isnan (ppi_summary_get (&stats, PP_STAT_STDDEV, 1)));
	ck_assert_double_eq (ppi_summary_get (&stats, PP_STAT_AVG, 1), -0x1p63);
	ck_assert (isnan (ppi_summary_get (&series, PP_STAT_VARIANCE, 1)));

	/* when they have left the window it is known again */
	for (int i = 0; i < WINDOW; i++)
		add_int (shard[1], PPI_BOUNDED_SERIES, i % 2 ? 3 : 5, 2);
	series = merge_all (&shard[1], in_order, 1, PP_ABI_SAMPLE_INT, PPI_BOUNDED_SERIES);
	ck_assert_double_eq (ppi_summary_get (&series, PP_STAT_VARIANCE, 1), 1);
	free (shard[0]);
	free (shard[1]);
}
END_TEST

START_TEST (a_variance_beyond_a_double_is_unknown)
{
	struct ppi_shard *shard = new_shard ();
	struct ppi_summary summary;

	ck_assert (ppi_accumulate_double (shard, PPI_STATS, 1e200, 1));
	ck_assert (ppi_accumulate_double (shard, PPI_STATS, -1e200, 2));
	summary = merge_all (&shard, in_order, 1, PP_ABI_SAMPLE_DOUBLE, PPI_STATS);
	ck_assert (isnan (ppi_summary_get (&summary, PP_STAT_VARIANCE, 1)));
	ck_assert (isnan (ppi_summary_get (&summary, PP_STAT_STDDEV, 1)));
	ck_assert_double_eq (ppi_summary_get (&summary, PP_STAT_AVG, 1), 0);
	free (shard);
}
END_TEST

START_TEST (a_series_window_is_its_newest_samples)
{
	struct ppi_shard *shard[1] = {new_shard ()};
	int64_t x[5 * WINDOW], total = 0;

	for (int i = 0; i < 5 * WINDOW; i++) {
		size_t n = i < WINDOW ? (size_t) i + 1 : WINDOW;

		x[i] = (int64_t) random_bits () >> 30;
		total += x[i];
		add_int (shard[0], PPI_BOUNDED_SERIES, x[i], (uint64_t) i);
		struct ppi_summary summary =
			merge_all (shard, in_order, 1, PP_ABI_SAMPLE_INT, PPI_BOUNDED_SERIES);
		struct reference r = reference_of (&x[(size_t) i + 1 - n], n);

		ck_assert_double_eq (ppi_summary_get (&summary, PP_STAT_COUNT, 1), (double) n);
		ck_assert_double_eq (ppi_summary_get (&summary, PP_STAT_SUM, 1), (double) r.sum);
		ck_assert_double_eq (ppi_summary_get (&summary, PP_STAT_MIN, 1), (double) r.min);
		ck_assert_double_eq (ppi_summary_get (&summary, PP_STAT_MAX, 1), (double) r.max);
		ck_assert_double_eq (ppi_summary_get (&summary, PP_STAT_LAST, 1), (double) x[i]);
		ck_assert_double_eq (ppi_summary_get (&summary, PP_STAT_TOTAL, 1), (double) total);
		ck_assert_double_eq (ppi_summary_get (&summary, PP_STAT_N, 1), i + 1);
		ck_assert_double_le (ulps (ppi_summary_get (&summary, PP_STAT_VARIANCE, 1),
					   r.squares_about_mean / (long double) n),
				     2);
	}
	free (shard[0]);
}
END_TEST

START_TEST (double_stats_stay_within_the_stated_error)
{
	for (int round = 0; round < 20; round++) {
		struct ppi_shard *shard[SHARDS];
		long double sum = 0, about = 0, squares = 0;
		double offset = round % 2 ? 1e6 : 0, x[SHARDS * SAMPLES], n = SHARDS * SAMPLES;

		for (int s = 0; s < SHARDS; s++)
			shard[s] = new_shard ();
		for (int i = 0; i < SHARDS * SAMPLES; i++) {
			x[i] = offset + random_double () - 0.25;
			sum += (long double) x[i];
			squares += (long double) x[i] * x[i];
			ck_assert (ppi_accumulate_double (shard[i % SHARDS], PPI_STATS, x[i],
							  (uint64_t) i + 1));
		}
		for (int i = 0; i < SHARDS * SAMPLES; i++)
			about += (x[i] - sum / n) * (x[i] - sum / n);
		struct ppi_summary summary =
			merge_all (shard, in_order, SHARDS, PP_ABI_SAMPLE_DOUBLE, PPI_STATS);
		double kappa = (double) sqrtl (squares / about);

		ck_assert_double_le (ulps (ppi_summary_get (&summary, PP_STAT_AVG, 1), sum / n),
				     n * 4);
		ck_assert_double_le (ulps (ppi_summary_get (&summary, PP_STAT_SUM, 1), sum), n * 4);
		ck_assert_double_le (
			ulps (ppi_summary_get (&summary, PP_STAT_VARIANCE, 1), about / n),
			n * kappa);
		ck_assert_double_eq (ppi_summary_get (&summary, PP_STAT_LAST, 1),
				     x[SHARDS * SAMPLES - 1]);
		for (int s = 0; s < SHARDS; s++)
			free (shard[s]);
	}
}
END_TEST

START_TEST (a_double_window_forgets_large_samples_that_left_it)
{
	struct ppi_shard *shard[1] = {new_shard ()};

	ppi_accumulate_double (shard[0], PPI_BOUNDED_SERIES, 1e300, 1);
	ppi_accumulate_double (shard[0], PPI_BOUNDED_SERIES, INFINITY, 2);
	for (int i = 0; i < 3 * WINDOW; i++)
		ppi_accumulate_double (shard[0], PPI_BOUNDED_SERIES, i % 2 ? 1.5 : 0.5, 3);
	struct ppi_summary summary =
		merge_all (shard, in_order, 1, PP_ABI_SAMPLE_DOUBLE, PPI_BOUNDED_SERIES);

	ck_assert_double_eq_tol (ppi_summary_get (&summary, PP_STAT_AVG, 1), 1, 1e-12);
	ck_assert_double_eq_tol (ppi_summary_get (&summary, PP_STAT_VARIANCE, 1), 0.25, 1e-12);
	ck_assert_double_eq (ppi_summary_get (&summary, PP_STAT_MAX, 1), 1.5);
	free (shard[0]);
}
END_TEST

START_TEST (a_nan_is_no_sample)
{
	struct ppi_shard *shard[1] = {new_shard ()};

	ck_assert (ppi_accumulate_double (shard[0], PPI_STATS, 2, 1));
	ck_assert (!ppi_accumulate_double (shard[0], PPI_STATS, NAN, 2));
	struct ppi_summary summary =
		merge_all (shard, in_order, 1, PP_ABI_SAMPLE_DOUBLE, PPI_STATS);

	ck_assert_double_eq (ppi_summary_get (&summary, PP_STAT_COUNT, 1), 1);
	ck_assert_double_eq (ppi_summary_get (&summary, PP_STAT_LAST, 1), 2);
	free (shard[0]);
}
END_TEST

START_TEST (nothing_measured_is_zero_counted_and_otherwise_unknown)
{
	struct ppi_summary summary;

	ppi_summary_init (&summary, PP_ABI_SAMPLE_INT, PPI_STATS);
	ck_assert_double_eq (ppi_summary_get (&summary, PP_STAT_COUNT, 1), 0);
	ck_assert_double_eq (ppi_summary_get (&summary, PP_STAT_N, 1), 0);
	ck_assert_double_eq (ppi_summary_get (&summary, PP_STAT_SUM, 1), 0);
	ck_assert_double_eq (ppi_summary_get (&summary, PP_STAT_TOTAL, 1), 0);
	ck_assert_double_eq (ppi_summary_get (&summary, PP_STAT_ESTIMATED_COUNT, 1), 0);
	ck_assert (isnan (ppi_summary_get (&summary, PP_STAT_AVG, 1)));
	ck_assert (isnan (ppi_summary_get (&summary, PP_STAT_MIN, 1)));
	ck_assert (isnan (ppi_summary_get (&summary, PP_STAT_MAX, 1)));
	ck_assert (isnan (ppi_summary_get (&summary, PP_STAT_LAST, 1)));
	ck_assert (isnan (ppi_summary_get (&summary, PP_STAT_VARIANCE, 1)));
	ck_assert (isnan (ppi_summary_get (&summary, PP_STAT_STDDEV, 1)));
}
END_TEST

START_TEST (a_statistic_that_the_accumulator_lacks_is_unknown)
{
	struct ppi_shard *shard[1] = {new_shard ()};

	add_int (shard[0], PPI_COUNT, 7, 1);
	struct ppi_summary summary = merge_all (shard, in_order, 1, PP_ABI_SAMPLE_INT, PPI_COUNT);

	ck_assert_double_eq (ppi_summary_get (&summary, PP_STAT_COUNT, 1), 1);
	ck_assert (isnan (ppi_summary_get (&summary, PP_STAT_AVG, 1)));
	ck_assert (isnan (ppi_summary_get (&summary, PP_STAT_MAX, 1)));
	free (shard[0]);
}
END_TEST

START_TEST (a_shard_of_another_epoch_is_empty)
{
	struct ppi_shard *shard = new_shard ();
	struct ppi_summary summary;

	add_int (shard, PPI_BOUNDED_SERIES, 7, 1);
	ppi_summary_init (&summary, PP_ABI_SAMPLE_INT, PPI_BOUNDED_SERIES);
	ppi_summary_add_shard (&summary, shard, 1, 1);
	ppi_summary_add_window (&summary, (struct ppi_series_shard *) shard, 1);
	ck_assert_double_eq (ppi_summary_get (&summary, PP_STAT_N, 1), 0);
	ck_assert (isnan (ppi_summary_get (&summary, PP_STAT_MAX, 1)));

	ppi_shard_restart (shard, PPI_BOUNDED_SERIES, 1);
	add_int (shard, PPI_BOUNDED_SERIES, 9, 2);
	ppi_summary_add_shard (&summary, shard, 1, 1);
	ppi_summary_add_window (&summary, (struct ppi_series_shard *) shard, 1);
	ck_assert_double_eq (ppi_summary_get (&summary, PP_STAT_N, 1), 1);
	ck_assert_double_eq (ppi_summary_get (&summary, PP_STAT_AVG, 1), 9);
	ck_assert_double_eq (ppi_summary_get (&summary, PP_STAT_MAX, 1), 9);
	free (shard);
}
END_TEST

/* ---- writers that were killed ---------------------------------------------------------------- */

enum { TORN_WORDS = 24 };

/* What differs between two states of a shard, but for n, which is stored last, and seq. */
static int changed_words (const struct ppi_shard *before, const struct ppi_shard *after,
			  size_t bytes, int *word)
{
	const uint64_t *a = (const void *) before, *b = (const void *) after;
	const size_t n = offsetof (struct ppi_shard, all.n) / 8,
		     seq = offsetof (struct ppi_shard, seq) / 8;
	int changed = 0;

	for (size_t i = 0; i < bytes / 8; i++)
		if (a[i] != b[i] && i != n && i != seq) {
			ck_assert_int_lt (changed, TORN_WORDS);
			word[changed++] = (int) i;
		}
	return changed;
}

static bool is_one_of (double x, double a, double b)
{
	return (x <= a && x >= a) || (x <= b && x >= b);
}

/*
 * Whatever had been stored of the sample X, in whatever order: all subsets of the words that it
 * changes.
 */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define STRIDE 61
#else
#define STRIDE 1
#endif

static void tear (enum ppi_accumulator accumulator, bool is_double, int samples, double x)
{
	enum pp_abi_sample_type type = is_double ? PP_ABI_SAMPLE_DOUBLE : PP_ABI_SAMPLE_INT;
	const size_t bytes = sizeof (struct ppi_series_shard) + WINDOW * sizeof (uint64_t);
	struct ppi_shard *before = new_shard (), *after = new_shard (), *torn = new_shard ();
	struct ppi_summary was, is, got;
	int word[TORN_WORDS], n;

	for (int i = 0; i < samples; i++)
		if (is_double)
			ppi_accumulate_double (before, accumulator, i - 3.5, (uint64_t) i + 1);
		else
			add_int (before, accumulator, i - 3, (uint64_t) i + 1);
	memcpy (after, before, bytes);
	if (is_double)
		ppi_accumulate_double (after, accumulator, x, 1000);
	else
		add_int (after, accumulator, (int64_t) x, 1000);
	n = changed_words (before, after, bytes, word);
	was = merge_all (&before, in_order, 1, type, accumulator);
	is = merge_all (&after, in_order, 1, type, accumulator);
	/*
	 * all of them, but for a sanitizer's patience; the stride is odd, so every word is in some
	 */
	for (unsigned subset = 0; subset < 1u << n; subset += STRIDE) {
		memcpy (torn, before, bytes);
		for (int i = 0; i < n; i++)
			if (subset >> i & 1)
				((uint64_t *) (void *) torn)[word[i]] =
					((const uint64_t *) (const void *) after)[word[i]];
		torn->seq |= 1;
		ppi_summary_init (&got, type, accumulator);
		ck_assert (!ppi_summary_add_shard (&got, torn, 0, 1));
		ck_assert_uint_eq (got.torn, 1);
		ck_assert_double_eq (ppi_summary_get (&got, PP_STAT_N, 1), samples);
		if (ppi_statistic_exists (accumulator, PP_STAT_TOTAL))
			ck_assert (is_one_of (ppi_summary_get (&got, PP_STAT_TOTAL, 1),
					      ppi_summary_get (&was, PP_STAT_TOTAL, 1),
					      ppi_summary_get (&is, PP_STAT_TOTAL, 1)));
		if (ppi_statistic_exists (accumulator, PP_STAT_LAST))
			ck_assert (is_one_of (ppi_summary_get (&got, PP_STAT_LAST, 1),
					      ppi_summary_get (&was, PP_STAT_LAST, 1),
					      ppi_summary_get (&is, PP_STAT_LAST, 1)));
		if (accumulator == PPI_STATS) {
			ck_assert (is_one_of (ppi_summary_get (&got, PP_STAT_MIN, 1),
					      ppi_summary_get (&was, PP_STAT_MIN, 1),
					      ppi_summary_get (&is, PP_STAT_MIN, 1)));
			ck_assert (is_one_of (ppi_summary_get (&got, PP_STAT_MAX, 1),
					      ppi_summary_get (&was, PP_STAT_MAX, 1),
					      ppi_summary_get (&is, PP_STAT_MAX, 1)));
		}
	}
	free (before);
	free (after);
	free (torn);
}

START_TEST (a_writer_killed_at_any_store_costs_at_most_the_sample_that_is_told)
{
	static const enum ppi_accumulator accumulators[] = {PPI_SCALAR, PPI_COUNT, PPI_SUMCOUNT,
							    PPI_STATS, PPI_BOUNDED_SERIES};
	static const double samples[] = {0, 1, -1, 40, -40, 0x1p40, -0x1p40, 0x1p62, -0x1p62};

	for (size_t a = 0; a < sizeof accumulators / sizeof accumulators[0]; a++)
		for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++)
			for (int n = 1; n < 2 * WINDOW; n = 3 * n + 1) {
				tear (accumulators[a], false, n, samples[i]);
				if (accumulators[a] != PPI_COUNT)
					tear (accumulators[a], true, n, samples[i]);
			}
}
END_TEST

START_TEST (estimated_count_weighs_each_binding_by_its_every)
{
	struct ppi_shard *shard[2] = {new_shard (), new_shard ()};
	struct ppi_summary summary;

	for (int i = 0; i < 10; i++)
		add_int (shard[0], PPI_SUMCOUNT, 1, 1);
	add_int (shard[1], PPI_SUMCOUNT, 1, 1);
	ppi_summary_init (&summary, PP_ABI_SAMPLE_INT, PPI_SUMCOUNT);
	ppi_summary_add_shard (&summary, shard[0], 0, 1);
	ppi_summary_add_shard (&summary, shard[1], 0, 16);
	ck_assert_double_eq (ppi_summary_get (&summary, PP_STAT_COUNT, 1), 11);
	ck_assert_double_eq (ppi_summary_get (&summary, PP_STAT_ESTIMATED_COUNT, 1), 26);
	free (shard[0]);
	free (shard[1]);
}
END_TEST

START_TEST (last_merged_is_the_sample_with_the_newest_end)
{
	struct ppi_shard *shard[3] = {new_shard (), new_shard (), new_shard ()};

	add_int (shard[0], PPI_SCALAR, 1, 50);
	add_int (shard[1], PPI_SCALAR, 2, 70);
	add_int (shard[2], PPI_SCALAR, 3, 60);
	struct ppi_summary summary = merge_all (shard, in_order, 3, PP_ABI_SAMPLE_INT, PPI_SCALAR);

	ck_assert_double_eq (ppi_summary_get (&summary, PP_STAT_LAST, 10), 20);
	for (int s = 0; s < 3; s++)
		free (shard[s]);
}
END_TEST

START_TEST (times_and_variances_are_scaled_to_the_unit)
{
	struct ppi_shard *shard[1] = {new_shard ()};

	add_int (shard[0], PPI_STATS, 10, 1);
	add_int (shard[0], PPI_STATS, 30, 2);
	struct ppi_summary summary = merge_all (shard, in_order, 1, PP_ABI_SAMPLE_INT, PPI_STATS);

	ck_assert_double_eq (ppi_summary_get (&summary, PP_STAT_AVG, 0.5), 10);
	ck_assert_double_eq (ppi_summary_get (&summary, PP_STAT_SUM, 0.5), 20);
	ck_assert_double_eq (ppi_summary_get (&summary, PP_STAT_VARIANCE, 0.5), 25);
	ck_assert_double_eq (ppi_summary_get (&summary, PP_STAT_STDDEV, 0.5), 5);
	ck_assert_double_eq (ppi_summary_get (&summary, PP_STAT_COUNT, 0.5), 2);
	free (shard[0]);
}
END_TEST

START_TEST (a_writer_that_died_amid_a_sample_leaves_the_finished_ones)
{
	struct ppi_shard *shard = new_shard ();
	struct ppi_summary summary;

	add_int (shard, PPI_SUMCOUNT, 5, 1);
	add_int (shard, PPI_SUMCOUNT, 7, 2);
	(void) ppi_shard_open (shard); /* and never closed */
	ppi_summary_init (&summary, PP_ABI_SAMPLE_INT, PPI_SUMCOUNT);
	ck_assert (!ppi_summary_add_shard (&summary, shard, 0, 1));
	ck_assert_uint_eq (summary.torn, 1);
	ck_assert_double_eq (ppi_summary_get (&summary, PP_STAT_COUNT, 1), 2);
	ck_assert_double_eq (ppi_summary_get (&summary, PP_STAT_SUM, 1), 12);
	free (shard);
}
END_TEST

static bool stop_writing;

static void *write_until_told (void *arg)
{
	struct ppi_shard *shard = arg;

	/*
	 * every sample is its number, so that n fixes all other fields; between samples some work
	 * is done, as between markers
	 */
	for (int64_t i = 1; !__atomic_load_n (&stop_writing, __ATOMIC_RELAXED) || i <= 1000; i++) {
		ppi_accumulate_int (shard, PPI_STATS, i, (uint64_t) i);
		for (volatile int work = 0; work < 50;)
			work = work + 1;
	}
	return NULL;
}

START_TEST (a_snapshot_beside_a_writer_is_consistent)
{
	struct ppi_shard *shard = new_shard ();
	pthread_t thread;
	unsigned consistent = 0;

	ck_assert_int_eq (pthread_create (&thread, NULL, write_until_told, shard), 0);
	while (consistent < 300) {
		struct ppi_summary summary;

		ppi_summary_init (&summary, PP_ABI_SAMPLE_INT, PPI_STATS);
		if (!ppi_summary_add_shard (&summary, shard, 0, 1) || summary.all.n == 0)
			continue;
		__int128 n = summary.all.n;

		ck_assert (summary.all.sum == n * (n + 1) / 2);
		ck_assert (summary.all.squares ==
			   (unsigned __int128) (n * (n + 1) * (2 * n + 1) / 6));
		ck_assert_uint_eq (summary.max, (uint64_t) n);
		ck_assert_uint_eq (summary.last, (uint64_t) n);
		consistent++;
	}
	__atomic_store_n (&stop_writing, true, __ATOMIC_RELAXED);
	pthread_join (thread, NULL);
	free (shard);
}
END_TEST

#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
static struct ppi_shard *stepped;
static long steps_left;

/* Between two instructions of the reader. */
static void add_one (int sig)
{
	(void) sig;
	if (--steps_left == 0)
		ppi_accumulate_int (stepped, PPI_STATS, 6, 6);
}

START_TEST (a_sample_between_any_two_instructions_of_a_reader_is_seen_whole_or_not_at_all)
{
#if defined(__SANITIZE_ADDRESS__)
	const long stride = 97; /* of many more instructions */
#else
	const long stride = 1;
#endif
	bool interrupted = true, without = false, with = false;

	signal (SIGTRAP, add_one);
	for (long at = 1; interrupted; at += stride) {
		struct ppi_summary summary;
		bool whole;

		stepped = new_shard ();
		for (int64_t i = 1; i <= 5; i++)
			ppi_accumulate_int (stepped, PPI_STATS, i, (uint64_t) i);
		ppi_summary_init (&summary, PP_ABI_SAMPLE_INT, PPI_STATS);
		steps_left = at;
		__asm__ volatile("lea -128(%%rsp), %%rsp; pushfq; orq $0x100, (%%rsp); popfq; lea "
				 "128(%%rsp), %%rsp" ::
					 : "cc", "memory");
		whole = ppi_summary_add_shard (&summary, stepped, 0, 1);
		__asm__ volatile("lea -128(%%rsp), %%rsp; pushfq; andq $-0x101, (%%rsp); popfq; "
				 "lea 128(%%rsp), %%rsp" ::
					 : "cc", "memory");
		interrupted = steps_left <= 0;
		__int128 n = summary.all.n;

		ck_assert (whole && (n == 5 || n == 6));
		ck_assert (summary.all.sum == n * (n + 1) / 2);
		ck_assert (summary.all.squares ==
			   (unsigned __int128) (n * (n + 1) * (2 * n + 1) / 6));
		ck_assert_uint_eq (summary.max, (uint64_t) n);
		ck_assert_uint_eq (summary.last, (uint64_t) n);
		without |= n == 5;
		with |= n == 6;
		free (stepped);
	}
	ck_assert (without && with);
}
END_TEST
#endif

static Suite *summary (void)
{
	Suite *suite = suite_create ("summary");
	TCase *tests = tcase_create ("summary");

	tcase_add_test (tests, integer_stats_agree_with_a_two_pass_reference);
	tcase_add_test (tests, integer_merges_are_equal_in_any_order);
	tcase_add_test (tests, extreme_integers_keep_exact_sums);
	tcase_add_test (tests, squares_that_no_longer_fit_make_the_variance_unknown);
	tcase_add_test (tests, a_variance_beyond_a_double_is_unknown);
	tcase_add_test (tests, a_series_window_is_its_newest_samples);
	tcase_add_test (tests, double_stats_stay_within_the_stated_error);
	tcase_add_test (tests, a_double_window_forgets_large_samples_that_left_it);
	tcase_add_test (tests, a_nan_is_no_sample);
	tcase_add_test (tests, nothing_measured_is_zero_counted_and_otherwise_unknown);
	tcase_add_test (tests, a_statistic_that_the_accumulator_lacks_is_unknown);
	tcase_add_test (tests, a_shard_of_another_epoch_is_empty);
	tcase_add_test (tests, estimated_count_weighs_each_binding_by_its_every);
	tcase_add_test (tests, a_writer_killed_at_any_store_costs_at_most_the_sample_that_is_told);
	tcase_add_test (tests, last_merged_is_the_sample_with_the_newest_end);
	tcase_add_test (tests, times_and_variances_are_scaled_to_the_unit);
	tcase_add_test (tests, a_writer_that_died_amid_a_sample_leaves_the_finished_ones);
	tcase_add_test (tests, a_snapshot_beside_a_writer_is_consistent);
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
	tcase_add_test (
		tests,
		a_sample_between_any_two_instructions_of_a_reader_is_seen_whole_or_not_at_all);
#endif
	suite_add_tcase (suite, tests);
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {summary};

	return ppcheck_main (suites, 1);
}
