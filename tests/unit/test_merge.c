/* SPDX-License-Identifier: MIT */
/*
 * test_merge.c: what is read of a metric is one and the same, whoever reads it, also where its
 * samples stand for several executions or a writer stands still.
 */
#include "base/clock.h"
#include "base/lock.h"
#include "base/start.h"
#include "base/types.h"
#include "libmetrics/cost/overhead.h"
#include "libmetrics/keep/accumulate_int.h"
#include "libmetrics/keep/shard.h"
#include "libmetrics/registry/binding.h"
#include "libmetrics/stats/merge.h"
#include "libmetrics/stats/snapshot.h"
#include "libmetrics/stats/stat.h"
#include "libmetrics/tables/binding.h"
#include "libmetrics/tables/metric.h"
#include "libmetrics/tables/window.h"
#include "libmetrics/thread/thread.h"
#include "libmetrics/thread/thread_life.h"
#include "stdmetrics/listing.h"
#include "tests/unit/assertion_parts.h"
#include "tests/unit/ppcheck.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* no module registers here */
void ppi_runtime_start (void)
{
}

static const char *const declarations[] = {
	"point scalar(value)",           "point count(value)",
	"point sumcount(value)",         "point bounded_series(value)",
	"point unbounded_series(value)", "point stats(value)",
	"point histogram(value)",
};

#define DECLARATIONS (sizeof declarations / sizeof declarations[0])

static pp_metric *sampled (const char *declaration, int n)
{
	static int number;
	char name[32];
	pp_metric *m;

	snprintf (name, sizeof name, "m%d", number++);
	ck_assert_int_eq (pp_metric_new (&m, name, declaration), PP_OK);
	for (int i = 1; i <= n; i++)
		ck_assert_int_eq (pp_sample (m, i), PP_OK);
	return m;
}

static uint64_t ten_seconds (void)
{
	return UINT64_C (1000000000) * 1000;
}

/* As the overhead budget does. */
static void throttle (pp_metric *m, uint32_t factor)
{
	ppi_lock ();
	ppi_overhead_throttle (ppi_binding_get (m, NULL), &(struct ppi_throttle){.factor = factor});
	ppi_unlock ();
}

static void sample (pp_metric *m, int n)
{
	for (int i = 1; i <= n; i++)
		ck_assert_int_eq (pp_sample (m, i), PP_OK);
}

START_TEST (a_snapshot_says_what_statistics_say_also_while_the_budget_throttles)
{
	ppi_clock_set (ten_seconds);
	for (size_t i = 0; i < DECLARATIONS; i++) {
		pp_metric *m = sampled (declarations[i], 10);
		struct pp_snapshot s;

		throttle (m, 4);
		m->since_ns = ten_seconds () - UINT64_C (10000000000);
		for (int k = 11; k <= 15; k++)
			ck_assert_int_eq (pp_sample (m, k), PP_OK);
		ck_assert_double_eq (pp_stat (m, NULL, PP_STAT_ESTIMATED_COUNT), 10 + 5 * 4);
		ppi_snapshot_take (&s, m, NULL);
		for (int k = 0; k < PP_STATISTICS; k++) {
			double one = pp_stat (m, NULL, (enum pp_statistic) k),
			       other = pp_snapshot_stat (&s, (enum pp_statistic) k);

			ck_assert_msg (one == other || (isnan (one) && isnan (other)),
				       "%s of %s: %g, %g",
				       ppi_statistic_name ((enum pp_statistic) k), declarations[i],
				       one, other);
		}
		ppi_snapshot_clear (&s);
	}
	ppi_clock_set (NULL);
}
END_TEST

static void *five_more (void *m)
{
	sample (m, 5);
	return NULL;
}

/*
 * As everybody reads it: in all, over a window, and where MINE is not -1 the calling thread for
 * itself.
 */
static void executions_are (pp_metric *m, double all, double mine)
{
	struct ppi_thread *self = ppi_thread_self ();

	ck_assert_double_eq (pp_stat (m, NULL, PP_STAT_ESTIMATED_COUNT), all);
	ck_assert_double_eq (pp_stat_over (m, NULL, PP_STAT_ESTIMATED_COUNT, 36000), all);
	if (mine < 0)
		return;
	ck_assert_double_eq (ppi_thread_stat (self, m, NULL, PP_STAT_ESTIMATED_COUNT), mine);
	ck_assert_double_eq (pp_thread_stat (m, NULL, PP_STAT_ESTIMATED_COUNT), mine);
	ck_assert_double_eq (
		ppi_window_thread_stat (self, m->windows, NULL, PP_STAT_ESTIMATED_COUNT), mine);
}

/* What threads that have ended had of M stays where it is while somebody copies shards. */
static void reap_beside_a_copy (const pp_metric *m)
{
	ppi_lock ();
	ppi_reap_hold ();
	ppi_thread_reap ();
	ck_assert_ptr_null (m->own->retired);
	ppi_reap_release ();
	ppi_thread_reap ();
	ck_assert_ptr_nonnull (m->own->retired);
	ppi_unlock ();
}

START_TEST (samples_stand_for_what_they_stood_for_when_they_were_taken)
{
	(void) sampled ("point count(value)", 1); /* there is a region */
	for (size_t i = 2; i < DECLARATIONS; i++) {
		pp_metric *m = sampled (declarations[i], 0);
		pthread_t other;

		executions_are (m, 0, -1); /* the window begins */
		sample (m, 10);
		throttle (m, 16);
		executions_are (m, 10, 10);
		sample (m, 2);
		executions_are (m, 42, 42);
		pthread_create (&other, NULL, five_more, m);
		pthread_join (other, NULL);
		executions_are (m, 42 + 80, 42);
		throttle (m, 2);
		executions_are (m, 42 + 80, 42);
		reap_beside_a_copy (m);
		executions_are (m, 42 + 80, 42);
		sample (m, 1);
		executions_are (m, 44 + 80, 44);
		throttle (m, 0);
		executions_are (m, 44 + 80, 44);
		pp_reset (m);
		executions_are (m, 0, 0);
		sample (m, 3);
		executions_are (m, 3, 3);
	}
}
END_TEST

static void *reads_its_own (void *arg)
{
	pp_metric *m = arg;

	ck_assert_double_eq (pp_thread_stat (m, NULL, PP_STAT_COUNT), 0);
	ck_assert (isnan (pp_thread_stat (m, NULL, PP_STAT_LAST)));
	sample (m, 5);
	ck_assert_double_eq (pp_thread_stat (m, NULL, PP_STAT_COUNT), 5);
	ck_assert_double_eq (pp_thread_stat (m, NULL, PP_STAT_LAST), 5);
	ck_assert_double_eq (pp_stat (m, NULL, PP_STAT_COUNT), 14);
	return NULL;
}

static pp_metric *in_handler;
static volatile sig_atomic_t taken;

static void handler (int signal)
{
	/* it may be called in handlers. NOLINTNEXTLINE(bugprone-signal-handler) */
	taken = pp_sample (in_handler, signal);
}

START_TEST (a_thread_may_ask_for_what_it_has_measured_itself)
{
	struct ppi_thread *t;
	pthread_t other;

	ck_assert (isnan (pp_thread_stat (NULL, NULL, PP_STAT_COUNT)));
	for (size_t i = 3; i < DECLARATIONS; i++) {
		pp_metric *m = sampled (declarations[i], 9);

		pthread_create (&other, NULL, reads_its_own, m);
		pthread_join (other, NULL);
		for (int k = 0; k < PP_STATISTICS; k++) {
			double mine = pp_thread_stat (m, NULL, (enum pp_statistic) k),
			       all = (pp_reset (NULL), sample (m, 9),
				      pp_stat (m, NULL, (enum pp_statistic) k));

			ck_assert_msg (
				mine == all || (isnan (mine) && isnan (all)) || k == PP_STAT_RATE,
				"%s of %s: %g, %g", ppi_statistic_name ((enum pp_statistic) k),
				declarations[i], mine, all);
		}
		/* the second state, which belongs to handlers inside markers */
		in_handler = m;
		t = ppi_thread_enter ((uintptr_t) __builtin_frame_address (0));
		signal (SIGUSR1, handler);
		taken = -1;
		raise (SIGUSR1);
		ck_assert_int_eq (taken, PP_OK);
		ppi_thread_leave (t);
		ck_assert_double_eq (pp_thread_stat (m, NULL, PP_STAT_COUNT), 10);
	}
}
END_TEST

/*
 * One that is disturbed again and again, which takes more than two thousand changes, says so: that
 * it has no figure is counted.
 */
static void *reads (void *arg)
{
	pp_metric *m = arg;

	for (;;) {
		uint64_t torn = pp_dropped (PP_DROP_TORN);
		double n = pp_stat (m, NULL, PP_STAT_ESTIMATED_COUNT);

		if (n == 0)
			return NULL;
		if (n != 1000 && pp_dropped (PP_DROP_TORN) == torn)
			return m;
	}
}

START_TEST (who_reads_while_that_changes_sees_no_figure_in_between)
{
	pp_metric *m = sampled ("point stats(value)", 1000);
	pthread_t reader;
	void *wrong;

	pthread_create (&reader, NULL, reads, m);
	for (uint32_t i = 0; i < 200000; i++)
		throttle (m, i % 7);
	pp_reset (m);
	pthread_join (reader, &wrong);
	ck_assert_ptr_null (wrong);
}
END_TEST

/* ---- a writer that stands still in the middle of a sample ------------------------------------ */

static struct ppi_shard *standing;
static int pauses, goes_on_after;

/* The writer gets its processor back and ends its sample. */
static void count_pause (void)
{
	if (++pauses == goes_on_after)
		ppi_shard_close (standing, standing->seq + 1);
}

/*
 * The calling thread's newest shard of M looks as while a sample is added to it; its writer goes on
 * after so many pauses.
 */
static void stand_still (pp_metric *m, int after)
{
	const struct ppi_binding *b = m->own->windows ? m->own->windows : m->own;
	const struct ppi_shard *shard = ppi_thread_shard (ppi_thread_self (), b->op.slot);

	if (b->window)
		shard = ppi_ring_cell ((const struct ppi_ring_shard *) shard, b->window,
				       ppi_window_now () / b->window->period_ticks);
	standing = (struct ppi_shard *) (uintptr_t) shard;
	ck_assert_uint_eq (standing->seq & 1, 0);
	ppi_shard_open (standing);
	pauses = 0;
	goes_on_after = after;
	ppi_pause_set (count_pause);
}

static double mean (const pp_snapshot *s, void *arg)
{
	(void) arg;
	return pp_snapshot_stat (s, PP_STAT_AVG);
}

static double by_stat (pp_metric *m)
{
	return pp_stat (m, NULL, PP_STAT_SUM);
}

static double by_quantile (pp_metric *m)
{
	return pp_quantile (m, 1);
}

static double by_statistic_of_the_programs_own (pp_metric *m)
{
	return pp_stat_named (m, NULL, "mean");
}

static double by_window (pp_metric *m)
{
	return pp_stat_over (m, NULL, PP_STAT_COUNT, 36000);
}

static const struct way {
	const char *declaration;
	double (*read) (pp_metric *m);
	double value; /* of samples 1 to 9 */
} ways[] = {
	{"point stats(value)", by_stat, 45},
	{"point stats(value)", by_statistic_of_the_programs_own, 5},
	{"point histogram(value)", by_quantile, 9},
	{"point unbounded_series(value)", by_statistic_of_the_programs_own, 5},
	{"point stats(value)", by_window, 9},
};

#define WAYS (sizeof ways / sizeof ways[0])

static pp_metric *metric_for (const struct way *way)
{
	pp_metric *m = sampled (way->declaration, 0);

	(void) pp_statistic_new ("mean", mean, NULL, 1);
	if (way->read == by_window)
		ck_assert_double_eq (by_window (m), 0); /* it begins */
	for (int i = 1; i <= 9; i++)
		ck_assert_int_eq (pp_sample (m, i), PP_OK);
	return m;
}

START_TEST (a_writer_that_goes_on_is_waited_for_whoever_reads)
{
	for (size_t i = 0; i < WAYS; i++) {
		pp_metric *m = metric_for (&ways[i]);

		stand_still (m, 3);
		ck_assert_double_eq (ways[i].read (m), ways[i].value);
		ck_assert_msg (pauses == 3, "way %zu: %d", i, pauses);
	}
	ck_assert_uint_eq (pp_dropped (PP_DROP_TORN), 0);
}
END_TEST

START_TEST (one_that_does_not_is_waited_for_twenty_times_and_counted)
{
	for (size_t i = 0; i < WAYS; i++) {
		pp_metric *m = metric_for (&ways[i]);

		stand_still (m, -1);
		/* here it stands before it has changed anything */
		ck_assert_double_eq (ways[i].read (m), ways[i].value);
		ck_assert_msg (pauses == 20, "way %zu: %d", i, pauses);
		ck_assert_uint_eq (pp_dropped (PP_DROP_TORN), i + 1);
	}
	ck_assert_str_eq (pp_drop_name (PP_DROP_TORN), "torn");
}
END_TEST

START_TEST (who_holds_the_lock_does_not_wait_and_what_was_read_is_counted)
{
	pp_metric *m = metric_for (&ways[0]);

	stand_still (m, 3);
	ppi_lock ();
	ck_assert_double_eq (pp_sum (m), 45);
	ppi_unlock ();
	ck_assert_int_eq (pauses, 0);
	ck_assert_uint_eq (pp_dropped (PP_DROP_TORN), 1);
}
END_TEST

START_TEST (nobody_waits_inside_a_marker_or_its_checks)
{
	pp_metric *m = metric_for (&ways[0]);
	struct ppi_thread *t = ppi_thread_self ();

	stand_still (m, 3);
	ck_assert_ptr_eq (ppi_thread_enter ((uintptr_t) __builtin_frame_address (0)), t);
	ck_assert_double_eq (pp_sum (m), 45);
	ppi_thread_leave (t);
	t->in_check = 1;
	ck_assert_double_eq (pp_sum (m), 45);
	t->in_check = 0;
	ppi_scratch.guard = 1;
	ck_assert_double_eq (pp_sum (m), 45);
	ppi_scratch.guard = 0;
	ck_assert_int_eq (pauses, 0);
	ck_assert_uint_eq (pp_dropped (PP_DROP_TORN), 3);
	ck_assert_double_eq (pp_sum (m), 45);
	ck_assert_int_eq (pauses, 3);
}
END_TEST

static int seen_errno;

static void spoil_errno (void)
{
	seen_errno++;
	errno = EINTR;
	if (seen_errno == 2)
		ppi_shard_close (standing, standing->seq + 1);
}

START_TEST (waiting_leaves_errno_as_it_was)
{
	pp_metric *m = metric_for (&ways[0]);

	stand_still (m, -1);
	ppi_pause_set (spoil_errno);
	errno = ENOTTY;
	ck_assert_double_eq (pp_sum (m), 45);
	ck_assert_int_eq (errno, ENOTTY);
	ck_assert_int_eq (seen_errno, 2);
}
END_TEST

START_TEST (the_report_says_what_was_read_so)
{
	pp_metric *m = metric_for (&ways[0]);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream (&text, &size);

	stand_still (m, -1);
	ck_assert_double_eq (pp_sum (m), 45);
	ck_assert_int_eq (pp_report (out), PP_OK);
	fclose (out);
	ck_assert_msg (strstr (text, "\nnot exact\n  2 figures that were read while"), "%s", text);
	free (text);
}
END_TEST

static void start_all (void)
{
	setenv ("PP_THREADS", "0", 1);
	ppi_stdmetrics_init ();
	start_assertions ();
}

static Suite *merge (void)
{
	Suite *s = suite_create ("merge");
	TCase *c = tcase_create ("merge");

	tcase_add_checked_fixture (c, start_all, NULL);
	tcase_add_test (c, a_snapshot_says_what_statistics_say_also_while_the_budget_throttles);
	tcase_add_test (c, samples_stand_for_what_they_stood_for_when_they_were_taken);
	tcase_add_test (c, a_thread_may_ask_for_what_it_has_measured_itself);
	tcase_add_test (c, who_reads_while_that_changes_sees_no_figure_in_between);
	tcase_add_test (c, a_writer_that_goes_on_is_waited_for_whoever_reads);
	tcase_add_test (c, one_that_does_not_is_waited_for_twenty_times_and_counted);
	tcase_add_test (c, who_holds_the_lock_does_not_wait_and_what_was_read_is_counted);
	tcase_add_test (c, nobody_waits_inside_a_marker_or_its_checks);
	tcase_add_test (c, waiting_leaves_errno_as_it_was);
	tcase_add_test (c, the_report_says_what_was_read_so);
	suite_add_tcase (s, c);
	return s;
}

int main (void)
{
	Suite *(*const suites[]) (void) = {merge};

	return ppcheck_main (suites, 1);
}
