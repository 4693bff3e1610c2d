/* SPDX-License-Identifier: MIT */
/*
 * test_accumulator.c: what the library's descriptors of accumulators say fits together; and one
 * that a program registers (geometric.c) is kept, read, folded, reset and reported as they are.
 */
#include "base/lock.h"
#include "libmetrics/keep/accumulator.h"
#include "libmetrics/registry/metric.h"
#include "libmetrics/registry/site.h"
#include "libmetrics/stats/stat.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/tables/site.h"
#include "libmetrics/thread/thread.h"
#include "libmetrics/thread/thread_life.h"
#include "tests/unit/ppcheck.h"
#include "tests/unit/started.h"

#include <pp.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

extern const struct ppi_keep geometric;

static volatile long sink;

/* clang-format off */
NOIPA void interval (void);
NOIPA void interval (void) { PP_INTERVAL (in) sink++; }
/* Something of the program's is in vector registers around the marker. */
NOIPA double whole (long n);
NOIPA double whole (long n) { double sum = 0; for (long i = 1; i <= n; i++) { PP_POINT_VALUE (whole, i) sum += (double) i * 0.5; } return sum; }
NOIPA double real (long n);
NOIPA double real (long n) { double sum = 0; for (long i = 1; i <= n; i++) { PP_POINT_VALUE (real, (double) i * 0.25) sum += (double) i * 0.5; } return sum; }
/* clang-format on */

static int number;

static void start (void)
{
	ppi_runtime_start ();
	number = ppi_accumulator_register (&geometric);
	ck_assert_int_ge (number, PPI_ACCUMULATOR_COUNT);
}

static pp_metric *metric_of (const char *name, const char *text, const char *site)
{
	pp_metric *m = NULL;

	ck_assert_int_eq (pp_metric_new (&m, name, text), PP_OK);
	if (site)
		ck_assert_int_eq (pp_bind (m, site, 0), 1);
	return m;
}

static const struct ppi_plan *plan_of (const char *site)
{
	for (const pp_site *s = ppi_site_first (); s; s = s->next)
		if (strcmp (s->name, site) == 0)
			return s->plan;
	return NULL;
}

/* That of 1 … N */
static double mean (int n)
{
	double sum = 0;

	for (int i = 1; i <= n; i++)
		sum += log (i);
	return exp (sum / n);
}

static void is_near (double value, double expected)
{
	ck_assert_msg (fabs (value / expected - 1) < 1e-12, "%.17g, not %.17g", value, expected);
}

/* ---- the library's --------------------------------------------------------------------------- */

START_TEST (every_descriptor_has_what_its_other_parts_need)
{
	for (unsigned a = 0; a < PPI_ACCUMULATOR_COUNT; a++) {
		const struct ppi_keep *k = ppi_keep_of (a);

		ck_assert_int_eq (ppi_accumulator_parse (k->name), (int) a);
		ck_assert_uint_ge (k->bytes, sizeof (struct ppi_shard));
		ck_assert_uint_eq (k->has & PPI_HAS_N, PPI_HAS_N);
		ck_assert_uint_eq (k->scans & ~k->has, 0);
		ck_assert_uint_eq (k->alone & ~k->has, 0);
		ck_assert_uint_eq (k->own, 0);
		/* what is read of a field is kept in it */
		ck_assert (!(k->has & PPI_STAT (LAST)) || k->keeps & PPI_KEEPS_LAST);
		ck_assert (!(k->has & PPI_STAT (SUM)) || k->keeps & PPI_KEEPS_SUM);
		ck_assert (!(k->has & PPI_STAT (MIN)) ||
			   k->keeps & (PPI_KEEPS_RANGE | PPI_KEEPS_RING));
		ck_assert (!(k->has & PPI_STAT (VARIANCE)) ||
			   k->keeps & (PPI_KEEPS_SQUARES | PPI_KEEPS_RING | PPI_KEEPS_BUCKETS));
		ck_assert (!(k->has & PPI_STAT (P50)) || k->keeps & PPI_KEEPS_BUCKETS);
		ck_assert (!(k->has & PPI_STAT (LOST)) == !k->lost_at);
		/* places are found and made, samples of both types added, cleared and folded */
		ck_assert (!k->find == !k->make && !k->find == !k->make_double);
		ck_assert (!k->add_int == !k->add_double && !k->add_int == !k->clear &&
			   !k->add_int == !k->fold);
		ck_assert (!k->size.option == !(k->keeps & PPI_KEEPS_SAMPLES));
		ck_assert (!k->size.option ||
			   (k->size.usual >= 1 && k->size.usual <= k->size.most));
	}
	ck_assert_int_eq (ppi_accumulator_parse ("nothing"), -1);
	ck_assert_str_eq (ppi_accumulator_name (PPI_ACCUMULATORS_MAX + 1), "?");
}
END_TEST

/* ---- one more -------------------------------------------------------------------------------- */

START_TEST (an_accumulator_is_registered_once_and_only_if_it_can_be_kept)
{
	struct ppi_keep other = geometric;

	ck_assert_str_eq (ppi_accumulator_name ((unsigned) number), "geometric");
	ck_assert_int_eq (ppi_accumulator_register (&geometric), PP_EEXIST);
	other.name = "other";
	other.keeps |= PPI_KEEPS_RING;
	ck_assert_int_eq (ppi_accumulator_register (&other), PP_EINVAL);
	other = geometric;
	other.name = "other";
	other.own_words = 2; /* beyond its shard */
	ck_assert_int_eq (ppi_accumulator_register (&other), PP_EINVAL);
}
END_TEST

START_TEST (it_goes_the_general_way_at_markers_and_keeps_integers_and_doubles)
{
	pp_metric *integers = metric_of ("integers", "point geometric(value)", "whole");
	pp_metric *doubles = metric_of ("doubles", "point geometric(value)", "real");

	ck_assert (plan_of ("whole")->general && plan_of ("whole")->end_in_c);
	ck_assert_double_eq (whole (20), 105);
	ck_assert_double_eq (real (20), 105);
	ck_assert_double_eq (pp_count (integers), 20);
	ck_assert_double_eq (pp_last (integers), 20);
	is_near (pp_avg (integers), mean (20));
	is_near (pp_avg (doubles), mean (20) / 4);
	ck_assert (isnan (pp_sum (integers)));
	ck_assert (isnan (pp_max (integers)));
}
END_TEST

START_TEST (it_is_kept_beside_others_at_an_interval_one_in_some_too)
{
	pp_metric *m = metric_of ("m", "interval geometric(elapsed)", "in");
	pp_metric *all = metric_of ("all", "interval stats(elapsed)", "in");
	pp_metric *some = metric_of ("some", "interval geometric(elapsed, every=4)", "in");

	for (int i = 0; i < 100; i++)
		interval ();
	ck_assert_double_eq (pp_count (m), 100);
	ck_assert_double_eq (pp_count (some), 25);
	ck_assert_double_eq (pp_stat (some, NULL, PP_STAT_ESTIMATED_COUNT), 100);
	ck_assert (pp_avg (m) >= pp_min (all) && pp_avg (m) <= pp_avg (all) * (1 + 1e-12));
	ck_assert (pp_avg (some) >= pp_min (all) && pp_avg (some) <= pp_max (all));
}
END_TEST

START_TEST (a_window_of_time_and_the_calling_thread_have_it)
{
	pp_metric *m = metric_of ("m", "point geometric(value)", "whole");

	ck_assert (isnan (pp_stat_over (m, NULL, PP_STAT_AVG, 3600)));
	(void) whole (10);
	is_near (pp_stat_over (m, NULL, PP_STAT_AVG, 3600), mean (10));
	is_near (pp_thread_stat (m, NULL, PP_STAT_AVG), mean (10));
	ck_assert_double_eq (pp_stat_over (m, NULL, PP_STAT_COUNT, 3600), 10);
}
END_TEST

static void *ten (void *arg)
{
	(void) arg;
	(void) whole (10);
	return NULL;
}

START_TEST (what_threads_kept_that_have_ended_is_folded)
{
	pp_metric *m = metric_of ("m", "point geometric(value)", "whole");

	(void) pp_stat_over (m, NULL, PP_STAT_AVG, 3600); /* in a window, too */
	for (int i = 0; i < 3; i++) {
		pthread_t thread;

		ck_assert_int_eq (pthread_create (&thread, NULL, ten, NULL), 0);
		pthread_join (thread, NULL);
		ppi_lock ();
		ppi_thread_reap ();
		ppi_unlock ();
	}
	ck_assert_double_eq (pp_count (m), 30);
	is_near (pp_avg (m), mean (10));
	is_near (pp_stat_over (m, NULL, PP_STAT_AVG, 3600), mean (10));
}
END_TEST

START_TEST (a_reset_forgets_it)
{
	pp_metric *m = metric_of ("m", "point geometric(value)", "whole");

	(void) whole (10);
	ck_assert_int_eq (pp_reset (m), PP_OK);
	ck_assert_double_eq (pp_count (m), 0);
	ck_assert (isnan (pp_avg (m)));
	(void) whole (5);
	is_near (pp_avg (m), mean (5));
}
END_TEST

START_TEST (samples_by_hand_are_kept)
{
	pp_metric *m = metric_of ("m", "point geometric(value)", NULL);

	for (int i = 1; i <= 10; i++)
		ck_assert_int_eq (pp_sample (m, i), PP_OK);
	is_near (pp_avg (m), mean (10));
}
END_TEST

START_TEST (the_report_of_the_process_shows_it)
{
	pp_metric *m = metric_of ("m", "point geometric(value)", NULL);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream (&text, &size);

	ck_assert_int_eq (pp_sample (m, 4), PP_OK);
	ck_assert_int_eq (pp_sample (m, 9), PP_OK);
	ck_assert_int_eq (pp_report (out), PP_OK);
	fclose (out);
	ck_assert_msg (strstr (text, "m: geometric of value") != NULL, "%s", text);
	ck_assert_msg (strstr (text, " 6") != NULL, "%s", text);
	free (text);
}
END_TEST

static Suite *accumulator (void)
{
	Suite *s = suite_create ("accumulator");
	TCase *c = tcase_create ("library"), *more = tcase_create ("registered");

	tcase_add_test (c, every_descriptor_has_what_its_other_parts_need);
	suite_add_tcase (s, c);
	tcase_add_checked_fixture (more, start, NULL);
	tcase_add_test (more, an_accumulator_is_registered_once_and_only_if_it_can_be_kept);
	tcase_add_test (more, it_goes_the_general_way_at_markers_and_keeps_integers_and_doubles);
	tcase_add_test (more, it_is_kept_beside_others_at_an_interval_one_in_some_too);
	tcase_add_test (more, a_window_of_time_and_the_calling_thread_have_it);
	tcase_add_test (more, what_threads_kept_that_have_ended_is_folded);
	tcase_add_test (more, a_reset_forgets_it);
	tcase_add_test (more, samples_by_hand_are_kept);
	tcase_add_test (more, the_report_of_the_process_shows_it);
	suite_add_tcase (s, more);
	return s;
}

int main (void)
{
	Suite *(*const suites[]) (void) = {accumulator};

	return ppcheck_main (suites, 1);
}
