/* SPDX-License-Identifier: MIT */
/*
 * test_histogram.c: histograms against sorted samples: the error that is promised, the extremes,
 * merges, resets, want of memory.
 */
#include "base/chunk.h"
#include "base/lock.h"
#include "base/start.h"
#include "base/types.h"
#include "libmetrics/keep/accumulate_double.h"
#include "libmetrics/keep/accumulate_int.h"
#include "libmetrics/keep/buckets.h"
#include "libmetrics/keep/histogram.h"
#include "libmetrics/keep/shard.h"
#include "libmetrics/keep/summary.h"
#include "libmetrics/region/region.h"
#include "recording/layout.h"
#include "tests/unit/ppcheck.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define SHARDS 4
#define SAMPLES 3000
#define BOUND (1.0 / 128)

/* no module registers here */
void ppi_runtime_start (void)
{
}

static uint64_t random_state = 1;

static uint64_t random_bits (void)
{
	random_state += UINT64_C (0x9e3779b97f4a7c15);
	uint64_t z = random_state;
	z = (z ^ (z >> 30)) * UINT64_C (0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C (0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static struct ppi_shard *new_shard (void)
{
	struct ppi_shard *shard = ppi_region_alloc (sizeof (struct ppi_histogram_shard));

	ck_assert_ptr_nonnull (shard);
	ppi_region_publish (&shard->chunk, PPI_CHUNK_SHARD, 7);
	return shard;
}

static struct ppi_summary merge (struct ppi_shard *const shard[], const int order[], int n,
				 enum pp_abi_sample_type type)
{
	struct ppi_summary summary;

	ppi_summary_init (&summary, type, PPI_HISTOGRAM);
	for (int i = 0; i < n; i++)
		ck_assert (ppi_summary_add_shard (&summary, shard[order[i]], 0, 1));
	return summary;
}

static const int in_order[SHARDS] = {0, 1, 2, 3};

/* All orders of magnitude and both signs; now and then an extreme. */
static int64_t random_int (void)
{
	static const int64_t extremes[] = {INT64_MIN, INT64_MAX, INT64_MIN + 1, 0,  1, -1,
					   127,       128,       -128,          63, 64};
	uint64_t which = random_bits () % 50;

	if (which < sizeof extremes / sizeof extremes[0])
		return extremes[which];
	return (int64_t) random_bits () >> (random_bits () % 64);
}

static double random_double (void)
{
	static const double extremes[] = {0, -0.0, DBL_MAX, -DBL_MAX, DBL_MIN, -DBL_MIN, 1, -1};
	uint64_t which = random_bits () % 50;

	if (which < sizeof extremes / sizeof extremes[0])
		return extremes[which];
	return ldexp ((double) (int64_t) random_bits () * 0x1p-63,
		      (int) (random_bits () % 1900) - 950);
}

static void must_be_near (double got, double exact)
{
	ck_assert_msg (fabs (got - exact) <= fabs (exact) * BOUND,
		       "%.17g is not within 1/128 of %.17g", got, exact);
}

static int compare_doubles (const void *a, const void *b)
{
	double x = *(const double *) a, y = *(const double *) b;

	return x < y ? -1 : x > y;
}

/* SORTED: the samples; the nearest rank, which the summary promises. */
static void must_have_quantiles (const struct ppi_summary *summary, const double *sorted, size_t n)
{
	for (int i = 0; i <= 1000; i++) {
		double q = i / 1000.0, rank = ceil (q * (double) n);

		must_be_near (ppi_summary_quantile (summary, q, 1),
			      sorted[rank < 1 ? 0 : (size_t) rank - 1]);
	}
	must_be_near (ppi_summary_get (summary, PP_STAT_P50, 1),
		      sorted[(size_t) ceil (0.5 * (double) n) - 1]);
	must_be_near (ppi_summary_get (summary, PP_STAT_P999, 1),
		      sorted[(size_t) ceil (0.999 * (double) n) - 1]);
	ck_assert (ppi_summary_quantile (summary, 0, 1) == sorted[0]);
	ck_assert (ppi_summary_quantile (summary, 1, 1) == sorted[n - 1]);
}

START_TEST (one_integer_is_known_to_one_part_in_128)
{
	for (int i = 0; i < 2000; i++) {
		struct ppi_shard *shard = new_shard ();
		int64_t x = random_int ();
		struct ppi_buckets buckets = {0};

		ppi_accumulate_int (shard, PPI_HISTOGRAM, x, 1);
		ppi_buckets_add_shard (&buckets, (struct ppi_histogram_shard *) shard, 0, false,
				       (struct ppi_bounds){0, 0});
		ck_assert_uint_eq (buckets.n, 1);
		must_be_near (ppi_buckets_ranked (&buckets, 1, false), (double) x);
		if (x > -128 && x < 128)
			ck_assert (ppi_buckets_ranked (&buckets, 1, false) == (double) x);
		ppi_buckets_clear (&buckets);
	}
}
END_TEST

START_TEST (quantiles_of_merged_integers_are_those_of_the_sorted_samples)
{
	for (int round = 0; round < 8; round++) {
		struct ppi_shard *shard[SHARDS];
		static double sorted[SAMPLES];
		__int128 sum = 0;

		for (int s = 0; s < SHARDS; s++)
			shard[s] = new_shard ();
		for (int i = 0; i < SAMPLES; i++) {
			int64_t x = round % 2 ? random_int ()
					      : 1000 + (int64_t) (random_bits () >> (44 + round));

			ppi_accumulate_int_any (shard[random_bits () % SHARDS], PPI_HISTOGRAM, x,
						(uint64_t) i + 1);
			sorted[i] = (double) x;
			sum += x;
		}
		qsort (sorted, SAMPLES, sizeof sorted[0], compare_doubles);
		struct ppi_summary summary = merge (shard, in_order, SHARDS, PP_ABI_SAMPLE_INT);

		must_have_quantiles (&summary, sorted, SAMPLES);
		ck_assert_double_eq (ppi_summary_get (&summary, PP_STAT_COUNT, 1), SAMPLES);
		ck_assert_double_eq (ppi_summary_get (&summary, PP_STAT_SUM, 1), (double) sum);
		ck_assert_double_eq (ppi_summary_get (&summary, PP_STAT_MIN, 1), sorted[0]);
		ck_assert_double_eq (ppi_summary_get (&summary, PP_STAT_MAX, 1),
				     sorted[SAMPLES - 1]);
		ck_assert_double_eq (ppi_summary_get (&summary, PP_STAT_LOST, 1), 0);
		ppi_summary_clear (&summary);
	}
}
END_TEST

START_TEST (merges_are_equal_in_any_order_and_grouping)
{
	static const int orders[][SHARDS] = {{0, 1, 2, 3}, {3, 2, 1, 0}, {2, 0, 3, 1}};
	struct ppi_shard *shard[SHARDS], *folded = new_shard ();

	for (int s = 0; s < SHARDS; s++) {
		shard[s] = new_shard ();
		for (int i = 0; i < 500 * s + 1; i++)
			ppi_accumulate_int (shard[s], PPI_HISTOGRAM, random_int () / 16,
					    UINT64_C (10000) * (uint64_t) s + (uint64_t) i);
		ppi_histogram_fold (folded, shard[s], false, false);
	}
	struct ppi_summary first = merge (shard, orders[0], SHARDS, PP_ABI_SAMPLE_INT);
	struct ppi_buckets together = {0};

	first.seconds = 2;
	ppi_buckets_add_shard (&together, (struct ppi_histogram_shard *) folded, 0, false,
			       (struct ppi_bounds){0, 0});
	ck_assert_uint_eq (together.n, first.buckets.n);
	ck_assert_uint_eq (together.n_groups, first.buckets.n_groups);
	ck_assert_int_eq (memcmp (together.group, first.buckets.group,
				  together.n_groups * sizeof *together.group),
			  0);
	for (int o = 1; o < 3; o++) {
		struct ppi_summary other = merge (shard, orders[o], SHARDS, PP_ABI_SAMPLE_INT);

		other.seconds = 2;
		for (int s = 0; s < PP_STATISTICS; s++)
			ck_assert (ppi_summary_get (&first, (enum pp_statistic) s, 0.25) ==
				   ppi_summary_get (&other, (enum pp_statistic) s, 0.25));
		ppi_summary_clear (&other);
	}
	ppi_buckets_clear (&together);
	ppi_summary_clear (&first);
}
END_TEST

START_TEST (quantiles_of_merged_doubles_are_those_of_the_sorted_samples)
{
	struct ppi_shard *shard[SHARDS], *folded = new_shard ();
	static double sorted[SAMPLES];

	for (int s = 0; s < SHARDS; s++)
		shard[s] = new_shard ();
	for (int i = 0; i < SAMPLES; i++) {
		sorted[i] = random_double ();
		ck_assert (ppi_accumulate_double (shard[random_bits () % SHARDS], PPI_HISTOGRAM,
						  sorted[i], 1));
		ck_assert (!ppi_accumulate_double (shard[0], PPI_HISTOGRAM, NAN, 1));
	}
	qsort (sorted, SAMPLES, sizeof sorted[0], compare_doubles);
	struct ppi_summary summary = merge (shard, in_order, SHARDS, PP_ABI_SAMPLE_DOUBLE);

	must_have_quantiles (&summary, sorted, SAMPLES);
	ck_assert_double_eq (ppi_summary_get (&summary, PP_STAT_COUNT, 1), SAMPLES);
	for (int s = 0; s < SHARDS; s++)
		ppi_histogram_fold (folded, shard[s], true, false);
	struct ppi_buckets together = {0};

	ppi_buckets_add_shard (&together, (struct ppi_histogram_shard *) folded, 0, true,
			       (struct ppi_bounds){0, 0});
	ck_assert_uint_eq (together.n, SAMPLES);
	ck_assert_int_eq (memcmp (together.group, summary.buckets.group,
				  together.n_groups * sizeof *together.group),
			  0);
	ppi_buckets_clear (&together);
	ppi_summary_clear (&summary);
}
END_TEST

START_TEST (infinite_and_subnormal_doubles_have_their_place)
{
	struct ppi_shard *shard = new_shard ();
	static const double samples[] = {-INFINITY, -1, 5e-324, 0x1p-1030, 3, INFINITY, INFINITY};

	for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++)
		ck_assert (ppi_accumulate_double (shard, PPI_HISTOGRAM, samples[i], 1));
	struct ppi_summary summary = merge (&shard, in_order, 1, PP_ABI_SAMPLE_DOUBLE);

	ck_assert (ppi_summary_quantile (&summary, 0, 1) == -INFINITY);
	must_be_near (ppi_summary_quantile (&summary, 2.0 / 7, 1), -1);
	ck_assert_double_le (fabs (ppi_summary_quantile (&summary, 3.0 / 7, 1) - 5e-324),
			     0x1p-1028);
	ck_assert_double_le (fabs (ppi_summary_quantile (&summary, 4.0 / 7, 1) - 0x1p-1030),
			     0x1p-1028);
	must_be_near (ppi_summary_quantile (&summary, 5.0 / 7, 1), 3);
	ck_assert (ppi_summary_quantile (&summary, 6.0 / 7, 1) == INFINITY);
	ppi_summary_clear (&summary);
}
END_TEST

START_TEST (the_spread_is_known_to_one_part_in_128_of_the_root_mean_square)
{
	struct ppi_shard *shard = new_shard ();
	long double about = 0, squares = 0;

	for (int i = 0; i < SAMPLES; i++)
		ppi_accumulate_int (shard, PPI_HISTOGRAM, 10000 + 7 * i, 1);
	for (int i = 0; i < SAMPLES; i++) {
		long double x = 10000 + 7 * i, d = x - (10000 + 7 * (SAMPLES - 1) / 2.0L);

		about += d * d;
		squares += x * x;
	}
	struct ppi_summary summary = merge (&shard, in_order, 1, PP_ABI_SAMPLE_INT);

	ck_assert_double_le (fabs (ppi_summary_get (&summary, PP_STAT_STDDEV, 1) -
				   (double) sqrtl (about / SAMPLES)),
			     BOUND * (double) sqrtl (squares / SAMPLES));
	ck_assert_double_gt (ppi_summary_get (&summary, PP_STAT_STDDEV, 1), 0);
	ppi_summary_clear (&summary);
}
END_TEST

START_TEST (a_reset_empties_every_bucket)
{
	struct ppi_shard *shard = new_shard ();
	struct ppi_summary summary;

	for (int i = 0; i < 100; i++)
		ppi_accumulate_int (shard, PPI_HISTOGRAM, random_int (), 1);
	ppi_shard_restart (shard, PPI_HISTOGRAM, 1);
	summary = merge (&shard, in_order, 1, PP_ABI_SAMPLE_INT);
	ck_assert (isnan (ppi_summary_get (&summary, PP_STAT_P99, 1)));
	ppi_summary_clear (&summary);
	ppi_accumulate_int (shard, PPI_HISTOGRAM, -5, 1);
	ppi_summary_init (&summary, PP_ABI_SAMPLE_INT, PPI_HISTOGRAM);
	ck_assert (ppi_summary_add_shard (&summary, shard, 1, 1));
	ck_assert_uint_eq (summary.buckets.n, 1);
	ck_assert_double_eq (ppi_summary_get (&summary, PP_STAT_P50, 1), -5);
	ppi_summary_clear (&summary);
}
END_TEST

START_TEST (memory_is_taken_by_powers_of_two_that_occur)
{
	struct ppi_shard *shard = new_shard ();
	uint64_t before = ppi_region_header ()->used;

	ck_assert_uint_eq (shard->chunk.bytes, 1152);
	for (int i = 0; i < 10000; i++)
		ppi_accumulate_int (shard, PPI_HISTOGRAM, 1024 + i % 1024, 1);
	ck_assert_uint_eq (ppi_region_header ()->used - before, 640);
	for (int i = 0; i < 10000; i++)
		ppi_accumulate_int (shard, PPI_HISTOGRAM, random_int (), 1);
	ck_assert_uint_le (ppi_region_header ()->used - before, (59 + 59) * 640);
}
END_TEST

START_TEST (samples_without_a_bucket_are_counted_and_make_quantiles_unknown)
{
	struct ppi_shard *shard = new_shard ();
	struct ppi_summary summary;

	for (int i = 0; i < 2; i++) /* the group of the first is made with the second */
		ppi_accumulate_int (shard, PPI_HISTOGRAM, 100, 1);
	while (ppi_region_alloc_fast (4096))
		;
	while (ppi_region_alloc_fast (64))
		;
	for (int i = 0; i < 5000; i++)
		ppi_accumulate_int (shard, PPI_HISTOGRAM, 1 << 20, 1);
	ppi_accumulate_int (shard, PPI_HISTOGRAM, 101, 1);
	summary = merge (&shard, in_order, 1, PP_ABI_SAMPLE_INT);
	ck_assert_double_eq (ppi_summary_get (&summary, PP_STAT_LOST, 1), 5000);
	ck_assert_double_eq (ppi_summary_get (&summary, PP_STAT_COUNT, 1), 5003);
	ck_assert_double_eq (ppi_summary_get (&summary, PP_STAT_MAX, 1), 1 << 20);
	ck_assert (isnan (ppi_summary_get (&summary, PP_STAT_P50, 1)));
	ppi_summary_clear (&summary);
}
END_TEST

static uint64_t samples_in (struct ppi_shard *shard)
{
	struct ppi_buckets buckets = {0};
	uint64_t n;

	ppi_buckets_add_shard (&buckets, (struct ppi_histogram_shard *) shard, 0, false,
			       (struct ppi_bounds){0, 0});
	n = buckets.n;
	ppi_buckets_clear (&buckets);
	return n;
}

START_TEST (the_newest_sample_which_waits_to_be_counted_is_read_and_folded_once)
{
	struct ppi_shard *shard = new_shard (), *folded = new_shard ();

	for (unsigned n = 1; n <= 100; n++) {
		ppi_accumulate_int (shard, PPI_HISTOGRAM, random_int (), n);
		ck_assert_uint_eq (samples_in (shard), n);
		ck_assert_uint_eq (shard->waiting, 1);
		if (n % 7)
			continue;
		/* nothing is folded into it, but what waits is counted first */
		ppi_histogram_fold (shard, new_shard (), false, false);
		ck_assert_uint_eq (shard->waiting, 0);
		ck_assert_uint_eq (samples_in (shard), n);
	}
	ppi_histogram_fold (folded, shard, false, false);
	ck_assert_uint_eq (folded->waiting, 0);
	ck_assert_uint_eq (samples_in (folded), 100);
	ppi_shard_restart (shard, PPI_HISTOGRAM, 0);
	ck_assert_uint_eq (samples_in (shard), 0);
}
END_TEST

static uint32_t stop, epoch;

static void *write_on (void *arg)
{
	struct ppi_shard *shard = arg;

	for (int64_t i = 0; !__atomic_load_n (&stop, __ATOMIC_RELAXED); i++) {
		ppi_accumulate_int (shard, PPI_HISTOGRAM, (i * 37) % 100000, (uint64_t) i);
		if (i % 4096 == 4095)
			ppi_shard_restart (shard, PPI_HISTOGRAM,
					   __atomic_add_fetch (&epoch, 1, __ATOMIC_RELEASE));
	}
	return NULL;
}

START_TEST (a_reader_sees_only_what_was_written)
{
	struct ppi_shard *shard = new_shard ();
	pthread_t writer;
	int seen = 0;

	ck_assert_int_eq (pthread_create (&writer, NULL, write_on, shard), 0);
	while (seen < 500) {
		struct ppi_summary summary;

		ppi_summary_init (&summary, PP_ABI_SAMPLE_INT, PPI_HISTOGRAM);
		if (ppi_summary_add_shard (&summary, shard,
					   __atomic_load_n (&epoch, __ATOMIC_ACQUIRE), 1) &&
		    summary.all.n) {
			double p50 = ppi_summary_get (&summary, PP_STAT_P50, 1);

			ck_assert (summary.all.n <= 4096);
			ck_assert (isnan (p50) || (p50 >= 0 && p50 < 100000));
			/* the buckets may be read behind the rest, but never beyond a reset */
			ck_assert (summary.buckets.n <= 4096);
			seen++;
		}
		ppi_summary_clear (&summary);
	}
	__atomic_store_n (&stop, 1, __ATOMIC_RELAXED);
	pthread_join (writer, NULL);
}
END_TEST

static void start_region (void)
{
	setenv ("PP_REGION_MAX", "16M", 1);
	ppi_lock ();
	ck_assert_int_eq (ppi_region_init (), 0);
	ppi_unlock ();
}

static Suite *histogram (void)
{
	Suite *s = suite_create ("histogram");
	TCase *c = tcase_create ("histogram");

	tcase_add_checked_fixture (c, start_region, NULL);
	tcase_add_test (c, one_integer_is_known_to_one_part_in_128);
	tcase_add_test (c, quantiles_of_merged_integers_are_those_of_the_sorted_samples);
	tcase_add_test (c, merges_are_equal_in_any_order_and_grouping);
	tcase_add_test (c, quantiles_of_merged_doubles_are_those_of_the_sorted_samples);
	tcase_add_test (c, infinite_and_subnormal_doubles_have_their_place);
	tcase_add_test (c, the_spread_is_known_to_one_part_in_128_of_the_root_mean_square);
	tcase_add_test (c, a_reset_empties_every_bucket);
	tcase_add_test (c, memory_is_taken_by_powers_of_two_that_occur);
	tcase_add_test (c, samples_without_a_bucket_are_counted_and_make_quantiles_unknown);
	tcase_add_test (c, the_newest_sample_which_waits_to_be_counted_is_read_and_folded_once);
	tcase_add_test (c, a_reader_sees_only_what_was_written);
	suite_add_tcase (s, c);
	return s;
}

int main (void)
{
	Suite *(*const suites[]) (void) = {histogram};

	return ppcheck_main (suites, 1);
}
