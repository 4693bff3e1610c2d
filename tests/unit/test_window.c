/* SPDX-License-Identifier: MIT */
/*
 * test_window.c: statistics over recent time against all samples with their times, the clock
 * advanced by hand.
 */
#include "base/clock.h"
#include "base/lock.h"
#include "base/start.h"
#include "libmetrics/life/lifecycle.h"
#include "libmetrics/registry/window.h"
#include "libmetrics/stats/stat.h"
#include "libmetrics/tables/window.h"
#include "stdmetrics/listing.h"
#include "tests/unit/assertion_parts.h"
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

#define NS_PER_S UINT64_C (1000000000)
#define SAMPLES 20000

static uint64_t now_ns;

static uint64_t clock_by_hand (void)
{
	return now_ns;
}

static void at (double seconds)
{
	now_ns = NS_PER_S * 100 + (uint64_t) (seconds * 1e9);
	__atomic_store_n (&ppi_window_ticks,
			  (uint64_t) ((double) now_ns * 1e-9 / ppi_seconds_per_tick ()),
			  __ATOMIC_RELAXED);
}

static pp_metric *new_metric (const char *declaration)
{
	static int n;
	char name[32];
	pp_metric *m;

	snprintf (name, sizeof name, "m%d", n++);
	ck_assert_int_eq (pp_metric_new (&m, name, declaration), PP_OK);
	return m;
}

static struct ppi_window *new_window (pp_metric *m, double seconds)
{
	struct ppi_window *w = NULL;
	char why[256] = "";

	ppi_lock ();
	ck_assert_msg (ppi_window_acquire (m, (uint64_t) (seconds * 1e9), &w, why, sizeof why) ==
			       PP_OK,
		       "%s", why);
	ppi_unlock ();
	return w;
}

static double get (const struct ppi_window *w, enum pp_statistic statistic)
{
	return ppi_window_stat (w, NULL, statistic);
}

static double when[SAMPLES], sample[SAMPLES];

/* The samples in (FROM, TO]: their number, sum and largest. */
static void reference (double from, double to, int n, double out[3])
{
	out[0] = out[1] = 0;
	out[2] = -INFINITY;
	for (int i = 0; i < n; i++)
		if (when[i] > from && when[i] <= to) {
			out[0] += 1;
			out[1] += sample[i];
			out[2] = sample[i] > out[2] ? sample[i] : out[2];
		}
}

START_TEST (a_window_has_the_samples_of_its_last_nine_tenths_to_all_of_it)
{
	pp_metric *m = new_metric ("point stats(value)");
	struct ppi_window *second = new_window (m, 1), *minute = new_window (m, 60);
	unsigned state = 7;
	double t = 0;

	for (int i = 0; i < SAMPLES; i++) {
		state = state * 1664525 + 1013904223;
		t += (state >> 16) % 1000 < 3 ? (state >> 8) % 3 : ((state >> 16) % 100) * 1e-3;
		when[i] = t;
		sample[i] = (double) (state % 1000);
		at (t);
		ck_assert_int_eq (pp_sample (m, sample[i]), PP_OK);
		if (i % 37)
			continue;
		for (int k = 0; k < 2; k++) {
			struct ppi_window *w = k ? minute : second;
			double least[3], most[3], length = k ? 60 : 1, n = get (w, PP_STAT_COUNT);

			reference (t - length * 0.9 + 1e-6, t, i + 1, least);
			reference (t - length - 1e-6, t, i + 1, most);
			ck_assert_msg (n >= least[0] && n <= most[0], "%g samples, not %g to %g", n,
				       least[0], most[0]);
			ck_assert (get (w, PP_STAT_SUM) >= least[1] &&
				   get (w, PP_STAT_SUM) <= most[1]);
			ck_assert (get (w, PP_STAT_MAX) >= least[2] &&
				   get (w, PP_STAT_MAX) <= most[2]);
			ck_assert_double_eq (get (w, PP_STAT_LAST), sample[i]);
			if (t > length)
				ck_assert (get (w, PP_STAT_RATE) * length <= most[0] / 0.9 + 1e-6 &&
					   get (w, PP_STAT_RATE) * length >= least[0] - 1e-6);
		}
	}
	ck_assert_double_eq (pp_count (m), SAMPLES);
}
END_TEST

START_TEST (what_an_idle_thread_left_expires_by_itself)
{
	static const char *const declarations[] = {
		"point stats(value)", "point histogram(value)", "point sumcount(value)",
		"point bounded_series(value)", "point unbounded_series(value)"};

	for (size_t i = 0; i < sizeof declarations / sizeof declarations[0]; i++) {
		pp_metric *m = new_metric (declarations[i]);
		struct ppi_window *w = new_window (m, 10);

		at (0);
		for (int k = 0; k < 100; k++)
			ck_assert_int_eq (pp_sample (m, k), PP_OK);
		ck_assert_double_eq (get (w, PP_STAT_COUNT), 100);
		ck_assert_double_eq_tol (get (w, PP_STAT_AVG), 49.5, 1e-9);
		at (8.9);
		ck_assert_double_eq (get (w, PP_STAT_COUNT), 100);
		at (10.1);
		ck_assert_double_eq (get (w, PP_STAT_COUNT), 0);
		ck_assert_double_eq (get (w, PP_STAT_RATE), 0);
		ck_assert (isnan (get (w, PP_STAT_AVG)) && isnan (get (w, PP_STAT_LAST)));
		ck_assert_double_eq (pp_stat (m, NULL, PP_STAT_N), 100);
	}
}
END_TEST

START_TEST (quantiles_over_a_window_forget_an_incident)
{
	pp_metric *m = new_metric ("point histogram(value)");
	struct ppi_window *w = new_window (m, 10);

	for (int i = 0; i < 3000; i++) {
		at (i * 0.01);
		ck_assert_int_eq (pp_sample (m, i >= 1000 && i < 1500 ? 1000 : 10), PP_OK);
		if (i == 999 || i == 2999)
			ck_assert_double_eq (get (w, PP_STAT_P99), 10);
		if (i == 1499)
			ck_assert_double_eq_tol (get (w, PP_STAT_P99), 1000, 10);
	}
	ck_assert_double_eq_tol (pp_quantile (m, 0.99), 1000, 10);
}
END_TEST

static pp_metric *of_threads;

static void *sample_some (void *arg)
{
	for (int i = 0; i < *(int *) arg; i++)
		ck_assert_int_eq (pp_sample (of_threads, 1), PP_OK);
	return NULL;
}

START_TEST (threads_are_merged_also_when_they_have_ended)
{
	static const char *const declarations[] = {"point stats(value)", "point histogram(value)"};

	for (size_t d = 0; d < 2; d++) {
		struct ppi_window *w;
		int n = 250;

		of_threads = new_metric (declarations[d]);
		w = new_window (of_threads, 10);
		for (int i = 0; i < 8; i++) {
			pthread_t thread;

			at (i + 0.5);
			ck_assert_int_eq (pthread_create (&thread, NULL, sample_some, &n), 0);
			pthread_join (thread, NULL);
			ppi_housekeeping ();
		}
		ck_assert_double_eq (get (w, PP_STAT_COUNT), 2000);
		at (13.7);
		/* of the seconds from 4 on */
		ck_assert_double_eq (get (w, PP_STAT_COUNT), 1000);
		ck_assert_double_eq (get (w, PP_STAT_MAX), 1);
		at (30);
		ck_assert_double_eq (get (w, PP_STAT_COUNT), 0);
	}
}
END_TEST

START_TEST (a_reset_empties_windows_too)
{
	pp_metric *m = new_metric ("point stats(value)");
	struct ppi_window *w = new_window (m, 10);

	at (0);
	ck_assert_int_eq (pp_sample (m, 5), PP_OK);
	at (1);
	pp_reset (m);
	ck_assert_double_eq (get (w, PP_STAT_COUNT), 0);
	ck_assert_int_eq (pp_sample (m, 7), PP_OK);
	ck_assert_double_eq (get (w, PP_STAT_COUNT), 1);
	ck_assert_double_eq (get (w, PP_STAT_MIN), 7);
	at (3);
	/* one sample in two seconds: it is not divided by time before the reset */
	ck_assert_double_eq_tol (get (w, PP_STAT_RATE), 0.5, 1e-3);
}
END_TEST

/* The clock is the machine's: it may have begun to run later than a window begins. */
static double rate_at (double uptime, double window, double age, int samples)
{
	pp_metric *m = new_metric ("point stats(value)");
	struct ppi_window *w;

	at (uptime - age - 100);
	w = new_window (m, window);
	for (int i = 0; i < samples; i++)
		ck_assert_int_eq (pp_sample (m, 1), PP_OK);
	at (uptime - 100);
	ck_assert_double_eq (get (w, PP_STAT_COUNT), samples);
	return get (w, PP_STAT_RATE);
}

START_TEST (a_rate_over_more_than_the_uptime_is_by_the_time_that_the_window_is_there)
{
	/*
	 * one sample each 10 ms for a second, in windows of up to ten days, a moment to some
	 * minutes after the machine's start
	 */
	static const double uptimes[] = {1.5, 2.5, 4, 7, 12, 21, 36, 61, 104, 177, 302, 514, 873};

	for (size_t i = 0; i < sizeof uptimes / sizeof *uptimes; i++)
		for (int window = 2; window < 864000; window *= 3)
			ck_assert_double_eq_tol (rate_at (uptimes[i], window, 1, 100), 100, 0.1);
}
END_TEST

START_TEST (that_there_are_no_more_windows_is_said_once)
{
	pp_metric *m = new_metric ("point stats(value)");
	FILE *out = tmpfile ();
	int before = dup (2), lines = 0;

	fflush (stderr);
	dup2 (fileno (out), 2);
	for (int i = 0; i < 100; i++)
		pp_stat_over (m, NULL, PP_STAT_AVG, 1 + i);
	dup2 (before, 2);
	close (before);
	rewind (out);
	for (int c; (c = getc (out)) != EOF;)
		lines += c == '\n';
	fclose (out);
	ck_assert_int_eq (lines, 1);
}
END_TEST

START_TEST (a_window_that_nobody_wants_keeps_nothing)
{
	pp_metric *m = new_metric ("point stats(value)");
	struct ppi_window *w = new_window (m, 10), *again = new_window (m, 10);

	ck_assert_ptr_eq (w, again);
	at (0);
	ppi_lock ();
	ppi_window_release (w);
	ppi_unlock ();
	ck_assert_int_eq (pp_sample (m, 1), PP_OK);
	ck_assert_double_eq (get (w, PP_STAT_COUNT), 1);
	ppi_lock ();
	ppi_window_release (w);
	ppi_unlock ();
	ck_assert_int_eq (pp_sample (m, 1), PP_OK);
	ck_assert_double_eq (get (w, PP_STAT_COUNT), 1);
	ck_assert_double_eq (pp_count (m), 2);
}
END_TEST

START_TEST (there_are_bounds)
{
	pp_metric *m = new_metric ("point stats(value)");
	struct ppi_window *w;
	char why[256];

	for (int i = 0; i < 16; i++)
		new_window (m, i + 1);
	ppi_lock ();
	ck_assert_int_eq (ppi_window_acquire (m, 77 * NS_PER_S, &w, why, sizeof why), PP_EINVAL);
	ck_assert_ptr_nonnull (strstr (why, "has 16 windows already"));
	ck_assert_int_eq (ppi_window_acquire (m, 999999, &w, why, sizeof why), PP_EINVAL);
	ck_assert_ptr_nonnull (strstr (why, "1 ms"));
	ppi_unlock ();
}
END_TEST

/* ---- expectations ---------------------------------------------------------------------------- */

static void load (const char *text)
{
	char path[] = "/tmp/pp-test-XXXXXX";
	int fd = mkstemp (path);

	ck_assert_int_ge (fd, 0);
	ck_assert_int_eq (write (fd, text, strlen (text)), (ssize_t) strlen (text));
	close (fd);
	ck_assert_int_eq (pp_policy_load (path), PP_OK);
	unlink (path);
}

static enum pp_state state_of (const char *name)
{
	struct pp_assertion_info info;

	ck_assert_int_eq (pp_assertion_state (name, &info), PP_OK);
	return info.state;
}

START_TEST (a_latency_expectation_recovers_when_the_incident_is_over)
{
	pp_metric *latency, *recent;

	at (0);
	load ("version: 1\n"
	      "metrics:\n"
	      "  latency: {point: value, keep: histogram}\n"
	      "  recent:  {point: value, keep: stats, window: 10s}\n"
	      "  spread:  {expr: 'latency.max[10s] - latency.avg[10s]'}\n"
	      "  twice:   {expr: 2 * spread}\n"
	      "assertions:\n"
	      "  wide:  {every: 1s, expect: twice - spread <= 100}\n"
	      "  slow:  {every: 1s, expect: 'latency.p99[10s] <= 100'}\n"
	      "  mean:  {every: 1s, expect: recent.avg <= 100}\n"
	      "  ever:  {every: 1s, expect: latency.p99 <= 100}\n"
	      "  busy:  {every: 1s, expect: 'all(latency.rate[1s]) >= 50 / 1s'}\n");
	latency = pp_metric_find ("latency");
	recent = pp_metric_find ("recent");
	for (int i = 0; i < 6000; i++) {
		double x = i >= 2000 && i < 2500 ? 1000 : 10;

		at (i * 0.01);
		ck_assert_int_eq (pp_sample (latency, x), PP_OK);
		ck_assert_int_eq (pp_sample (recent, x), PP_OK);
		pp_poll ();
		if (i == 1990) {
			ck_assert_int_eq (state_of ("slow"), PP_STATE_OK);
			ck_assert_int_eq (state_of ("mean"), PP_STATE_OK);
		}
		if (i == 2450) {
			ck_assert_int_eq (state_of ("slow"), PP_STATE_FIRING);
			ck_assert_int_eq (state_of ("mean"), PP_STATE_FIRING);
			ck_assert_int_eq (state_of ("wide"), PP_STATE_FIRING);
		}
	}
	ck_assert_int_eq (state_of ("slow"), PP_STATE_OK);
	ck_assert_int_eq (state_of ("mean"), PP_STATE_OK);
	ck_assert_int_eq (state_of ("wide"), PP_STATE_OK);
	ck_assert_int_eq (state_of ("ever"), PP_STATE_FIRING);
	ck_assert_int_eq (state_of ("busy"), PP_STATE_OK);
	ck_assert_double_eq (pp_max (recent), 10);
	ck_assert_double_eq (pp_stat (recent, NULL, PP_STAT_N), 6000);
	at (70);
	pp_poll ();
	ck_assert_int_eq (state_of ("busy"), PP_STATE_FIRING);
}
END_TEST

static void start_all (void)
{
	setenv ("PP_THREADS", "0", 1);
	ppi_stdmetrics_init ();
	start_assertions ();
	ppi_clock_set (clock_by_hand);
	/* until the length of a tick is known for good */
	usleep (110000);
	ppi_seconds_per_tick ();
}

static Suite *window (void)
{
	Suite *s = suite_create ("window");
	TCase *c = tcase_create ("window");

	tcase_add_checked_fixture (c, start_all, NULL);
	tcase_add_test (c, a_window_has_the_samples_of_its_last_nine_tenths_to_all_of_it);
	tcase_add_test (c, what_an_idle_thread_left_expires_by_itself);
	tcase_add_test (c, quantiles_over_a_window_forget_an_incident);
	tcase_add_test (c, threads_are_merged_also_when_they_have_ended);
	tcase_add_test (c, a_reset_empties_windows_too);
	tcase_add_test (c, that_there_are_no_more_windows_is_said_once);
	tcase_add_test (c,
			a_rate_over_more_than_the_uptime_is_by_the_time_that_the_window_is_there);
	tcase_add_test (c, a_window_that_nobody_wants_keeps_nothing);
	tcase_add_test (c, there_are_bounds);
	tcase_add_test (c, a_latency_expectation_recovers_when_the_incident_is_over);
	suite_add_tcase (s, c);
	return s;
}

int main (void)
{
	Suite *(*const suites[]) (void) = {window};

	return ppcheck_main (suites, 1);
}
