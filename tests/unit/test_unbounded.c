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
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* What has left: so many, and the next one's number. */
static struct {
	int64_t next;
	bool refuse;
} left;

static bool take (const struct ppi_unbounded_shard *u, const uint64_t *sample, uint64_t n)
{
	ck_assert_uint_le (n, PPI_UNBOUNDED_CHUNK);
	ck_assert_int_eq ((int64_t) u->gone, left.next);
	for (uint64_t i = 0; i < n; i++, left.next++)
		ck_assert_int_eq ((int64_t) sample[i], left.next * left.next - 1000);
	return true;
}

static bool take_or_not (const struct ppi_unbounded_shard *u, const uint64_t *sample, uint64_t n)
{
	(void) u;
	(void) sample;
	left.next += left.refuse ? 0 : (int64_t) n;
	return !left.refuse;
}

START_TEST (where_somebody_records_the_oldest_leave_and_no_sample_is_lost)
{
	static const int64_t sizes[] = {1, 63, 64, 65, 1000, 30000};

	ppi_unbounded_leave = take;
	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		struct ppi_unbounded_shard *u = new_series ((uint64_t) sizes[i]);
		int64_t end = sizes[i] + 50001;
		uint64_t used;

		left.next = 0;
		add (u, 0, sizes[i]);
		ck_assert_int_eq (left.next, 0);
		used = ppi_region_header ()->used;
		add (u, sizes[i], end);
		ck_assert_int_eq ((int64_t) (u->gone + u->kept), end);
		ck_assert_uint_le (u->kept, (uint64_t) sizes[i]);
		ck_assert_int_eq (left.next, (int64_t) u->gone);
		must_hold (u, left.next, end);
		ck_assert_uint_eq (ppi_region_header ()->used, used);
		ck_assert_double_eq (get (u, 0, PP_STAT_LOST), 0);
		ck_assert_double_eq (get (u, 0, PP_STAT_N), (double) end);
		/* and again from the start */
		ppi_shard_restart (&u->shard, PPI_UNBOUNDED_SERIES, 1);
		left.next = 0;
		add (u, 0, end);
		must_hold (u, left.next, end);
		ck_assert_uint_eq (ppi_region_header ()->used, used);
	}
}
END_TEST

START_TEST (what_can_not_leave_stays_and_the_new_ones_are_counted)
{
	struct ppi_unbounded_shard *u = new_series (1000);

	ppi_unbounded_leave = take_or_not;
	left.next = 0;
	left.refuse = true;
	add (u, 0, 1500);
	must_hold (u, 0, 1000);
	ck_assert_double_eq (get (u, 0, PP_STAT_LOST), 500);
	left.refuse = false;
	/* it is asked again after some, not for each */
	add (u, 1500, 4000);
	ck_assert_double_gt (get (u, 0, PP_STAT_LOST), 500);
	ck_assert_double_le (get (u, 0, PP_STAT_LOST), 1024);
	ck_assert_int_eq (left.next, (int64_t) u->gone);
	ck_assert_int_gt (left.next, 0);
	ck_assert_double_eq ((double) (u->gone + u->kept) + get (u, 0, PP_STAT_LOST), 4000);
}
END_TEST

static bool take_all (const struct ppi_unbounded_shard *u, const uint64_t *sample, uint64_t n)
{
	(void) u;
	(void) sample;
	(void) n;
	return true;
}

static void *add_for_ever (void *arg)
{
	pp_metric *m = arg;

	for (int64_t i = 0; !__atomic_load_n (&left.refuse, __ATOMIC_RELAXED); i++) {
		pp_sample (m, (double) i);
		/* the first one has bound the metric */
		__atomic_store_n (&left.next, i + 1, __ATOMIC_RELEASE);
	}
	return NULL;
}

/* How many samples do not follow the one before them. */
static double breaks (const pp_snapshot *s, void *arg)
{
	const double *x;
	size_t n = pp_snapshot_samples (s, &x), breaks = 0;

	(void) arg;
	for (size_t i = 1; i < n; i++)
		breaks += x[i] != x[i - 1] + 1;
	return n ? (double) breaks : NAN;
}

START_TEST (a_copy_that_is_taken_while_samples_leave_is_of_samples_that_follow_each_other)
{
	pthread_t thread;
	pp_metric *m;
	int seen = 0;

	ppi_unbounded_leave = take_all;
	ck_assert_int_eq (ppi_stdmetrics_init (), 0);
	ck_assert_int_eq (pp_metric_new (&m, "on", "point unbounded_series(value, maxSize=5000)"),
			  PP_OK);
	ck_assert_int_eq (pp_statistic_new ("breaks", breaks, NULL, 0), PP_OK);
	left.refuse = false;
	left.next = 0;
	ck_assert_int_eq (pthread_create (&thread, NULL, add_for_ever, m), 0);
	while (!__atomic_load_n (&left.next, __ATOMIC_ACQUIRE))
		usleep (1000);
	for (int i = 0; i < 3000 && seen < 300; i++) {
		double n = pp_stat_named (m, NULL, "breaks");

		ck_assert_msg (!(n > 0), "%g breaks", n);
		seen += n == 0;
		if (!(n == 0))
			usleep (1000);
	}
	__atomic_store_n (&left.refuse, true, __ATOMIC_RELAXED);
	pthread_join (thread, NULL);
	ck_assert_int_eq (seen, 300);
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
	tcase_add_test (c, where_somebody_records_the_oldest_leave_and_no_sample_is_lost);
	tcase_add_test (c, what_can_not_leave_stays_and_the_new_ones_are_counted);
	tcase_add_test (
		c, a_copy_that_is_taken_while_samples_leave_is_of_samples_that_follow_each_other);
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
