/* SPDX-License-Identifier: MIT */
/*
 * test_unbounded.c: series that grow: every sample in its order, up to maxSize; what comes then is
 * counted.
 */
#include "base/chunk.h"
#include "base/lock.h"
#include "base/message.h"
#include "base/start.h"
#include "base/types.h"
#include "libmetrics/keep/accumulate_double.h"
#include "libmetrics/keep/accumulate_int.h"
#include "libmetrics/keep/shard.h"
#include "libmetrics/keep/summary.h"
#include "libmetrics/keep/unbounded.h"
#include "libmetrics/life/lifecycle.h"
#include "libmetrics/region/region.h"
#include "recording/layout.h"
#include "stdmetrics/listing.h"
#include "tests/unit/ppcheck.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* no module registers here */
void ppi_runtime_start (void)
{
}

static struct ppi_unbounded_shard *new_series (uint64_t max_size)
{
	struct ppi_unbounded_shard *u = ppi_region_alloc (sizeof *u);

	ck_assert_ptr_nonnull (u);
	ppi_shard_size_set (&u->shard, PPI_UNBOUNDED_SERIES, max_size);
	ppi_region_publish (&u->shard.chunk, PPI_CHUNK_SHARD, 7);
	return u;
}

static void add (struct ppi_unbounded_shard *u, int64_t from, int64_t to)
{
	for (int64_t x = from; x < to; x++)
		ppi_accumulate_int (&u->shard, PPI_UNBOUNDED_SERIES, x * x - 1000,
				    (uint64_t) x + 1);
}

/* It holds the samples FROM … TO - 1 of add, in their order. */
static void must_hold (const struct ppi_unbounded_shard *u, int64_t from, int64_t to)
{
	int64_t x = from;
	uint64_t n;

	for (const uint64_t *at = NULL; (at = ppi_unbounded_next (u, at, &n));)
		for (uint64_t i = 0; i < n; i++, x++)
			ck_assert_int_eq ((int64_t) at[i], x * x - 1000);
	ck_assert_int_eq (x, to);
}

static double get (const struct ppi_unbounded_shard *u, uint32_t epoch, enum pp_statistic statistic)
{
	struct ppi_summary summary;

	ppi_summary_init (&summary, PP_ABI_SAMPLE_INT, PPI_UNBOUNDED_SERIES);
	ck_assert (ppi_summary_add_shard (&summary, &u->shard, epoch, 1));
	return ppi_summary_get (&summary, statistic, 1);
}

START_TEST (every_sample_is_kept_in_its_order)
{
	static const int64_t lengths[] = {0, 1, 63, 64, 65, 191, 192, 193, 20000, 100000};

	for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
		struct ppi_unbounded_shard *u = new_series (1 << 20);

		add (u, 0, lengths[i]);
		must_hold (u, 0, lengths[i]);
		ck_assert_double_eq (get (u, 0, PP_STAT_LOST), 0);
		ck_assert_double_eq (get (u, 0, PP_STAT_COUNT), (double) lengths[i]);
	}
}
END_TEST

START_TEST (beyond_its_size_samples_are_counted_and_statistics_go_on)
{
	static const int64_t sizes[] = {1, 63, 64, 65, 1000, 30000};

	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		struct ppi_unbounded_shard *u = new_series ((uint64_t) sizes[i]);

		add (u, 0, sizes[i]);
		ck_assert_double_eq (get (u, 0, PP_STAT_LOST), 0);
		ck_assert_uint_eq (__atomic_exchange_n (&ppi_unbounded_full, 0, __ATOMIC_RELAXED),
				   0);
		add (u, sizes[i], sizes[i] + 5000);
		must_hold (u, 0, sizes[i]);
		ck_assert_uint_eq (__atomic_exchange_n (&ppi_unbounded_full, 0, __ATOMIC_RELAXED),
				   1);
		ck_assert_double_eq (get (u, 0, PP_STAT_LOST), 5000);
		ck_assert_double_eq (get (u, 0, PP_STAT_COUNT), (double) sizes[i] + 5000);
		ck_assert_double_eq (get (u, 0, PP_STAT_MIN), -1000);
		ck_assert_double_eq (get (u, 0, PP_STAT_MAX),
				     (double) ((sizes[i] + 4999) * (sizes[i] + 4999) - 1000));
	}
}
END_TEST

START_TEST (a_reset_begins_anew_in_the_memory_that_is_there)
{
	struct ppi_unbounded_shard *u = new_series (30000);
	uint64_t used;

	add (u, 0, 40000);
	used = ppi_region_header ()->used;
	ppi_shard_restart (&u->shard, PPI_UNBOUNDED_SERIES, 1);
	must_hold (u, 0, 0);
	ck_assert_double_eq (get (u, 1, PP_STAT_LOST), 0);
	ck_assert_double_eq (get (u, 1, PP_STAT_COUNT), 0);
	add (u, 5, 105);
	must_hold (u, 5, 105);
	add (u, 105, 40005);
	must_hold (u, 5, 30005);
	ck_assert_double_eq (get (u, 1, PP_STAT_LOST), 10000);
	ck_assert_uint_eq (ppi_region_header ()->used, used);
}
END_TEST

START_TEST (memory_that_is_not_used_is_at_most_as_much_as_is)
{
	uint64_t before = ppi_region_header ()->used;
	struct ppi_unbounded_shard *u = new_series (1 << 20);

	for (int64_t n = 1; n < 100000; n = n * 3 / 2 + 1) {
		add (u, (int64_t) u->kept, n);
		ck_assert_uint_le (ppi_region_header ()->used - before,
				   2 * 8 * u->kept + 8 * 64 + 4096 + 64 * (u->kept / 4096));
	}
}
END_TEST

START_TEST (without_memory_samples_are_counted_and_it_is_not_asked_for_each)
{
	struct ppi_unbounded_shard *u = new_series (1 << 20);

	add (u, 0, 64);
	while (ppi_region_alloc_fast (4096))
		;
	while (ppi_region_alloc_fast (64))
		;
	add (u, 64, 10000);
	must_hold (u, 0, 64);
	ck_assert_double_eq (get (u, 0, PP_STAT_LOST), 10000 - 64);
	ck_assert_double_eq (get (u, 0, PP_STAT_N), 10000);
}
END_TEST

START_TEST (doubles_are_kept_bit_by_bit)
{
	struct ppi_unbounded_shard *u = new_series (1000);
	uint64_t n, i = 0;

	for (int k = 0; k < 300; k++)
		ck_assert (ppi_accumulate_double (&u->shard, PPI_UNBOUNDED_SERIES,
						  k ? 1.0 / k : -INFINITY, 1));
	ck_assert (!ppi_accumulate_double (&u->shard, PPI_UNBOUNDED_SERIES, NAN, 1));
	for (const uint64_t *at = NULL; (at = ppi_unbounded_next (u, at, &n));)
		for (uint64_t k = 0; k < n; k++, i++)
			ck_assert (ppi_double_of (at[k]) == (i ? 1.0 / (double) i : -INFINITY));
	ck_assert_uint_eq (i, 300);
}
END_TEST

static char told[512];
static int n_told;

static void hear (const char *line, void *arg)
{
	(void) arg;
	n_told++;
	snprintf (told, sizeof told, "%s", line);
}

START_TEST (that_a_series_is_full_is_said_once)
{
	pp_metric *m;

	ck_assert_int_eq (ppi_stdmetrics_init (), 0);
	ck_assert_int_eq (pp_metric_new (&m, "grown", "point unbounded_series(value, maxSize=10)"),
			  PP_OK);
	ppi_message_set (hear, NULL);
	for (int i = 0; i < 10; i++)
		ck_assert_int_eq (pp_sample (m, i), PP_OK);
	ppi_housekeeping ();
	ck_assert_int_eq (n_told, 0);
	for (int i = 0; i < 100; i++) {
		ck_assert_int_eq (pp_sample (m, i), PP_OK);
		ppi_housekeeping ();
	}
	ck_assert_int_eq (n_told, 1);
	ck_assert_ptr_nonnull (strstr (told, "\"grown\" takes no more samples (maxSize=10"));
	ck_assert_double_eq (pp_stat (m, NULL, PP_STAT_LOST), 100);
	ppi_message_set (NULL, NULL);
}
END_TEST

static void start_region (void)
{
	setenv ("PP_REGION_MAX", "16M", 1);
	ppi_lock ();
	ck_assert_int_eq (ppi_region_init (), 0);
	ppi_unlock ();
}

static Suite *unbounded (void)
{
	Suite *s = suite_create ("unbounded");
	TCase *c = tcase_create ("unbounded");

	tcase_add_checked_fixture (c, start_region, NULL);
	tcase_add_test (c, every_sample_is_kept_in_its_order);
	tcase_add_test (c, beyond_its_size_samples_are_counted_and_statistics_go_on);
	tcase_add_test (c, a_reset_begins_anew_in_the_memory_that_is_there);
	tcase_add_test (c, memory_that_is_not_used_is_at_most_as_much_as_is);
	tcase_add_test (c, without_memory_samples_are_counted_and_it_is_not_asked_for_each);
	tcase_add_test (c, that_a_series_is_full_is_said_once);
	tcase_add_test (c, doubles_are_kept_bit_by_bit);
	suite_add_tcase (s, c);
	return s;
}

int main (void)
{
	Suite *(*const suites[]) (void) = {unbounded};

	return ppcheck_main (suites, 1);
}
