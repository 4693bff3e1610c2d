/* SPDX-License-Identifier: MIT */
/* test_contrast.c: what is said of a metric at violations, with data whose answer is known. */
#include "base/contrast.h"
#include "tests/unit/ppcheck.h"

#include <math.h>
#include <string.h>

static struct ppi_contrast c;
static struct ppi_contrast_result r;
static uint64_t state;

static void setup (void)
{
	memset (&c, 0, sizeof c);
	state = 1;
}

/* 0 … 1, always the same ones */
static double uniform (void)
{
	state = state * UINT64_C (6364136223846793005) + UINT64_C (1442695040888963407);
	return (double) (state >> 11) * 0x1p-53;
}

/* About normal: 0 ± 1 */
static double noise (void)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += uniform ();
	return sum;
}

static void tell (void)
{
	ppi_contrast_tell (&c, NAN, &r);
}

static void is (enum ppi_contrast_verdict verdict)
{
	tell ();
	ck_assert_msg (r.verdict == verdict, "%s, not %s: %g (%g to %g), %llu runs",
		       ppi_contrast_name (r.verdict), ppi_contrast_name (verdict), r.ratio, r.low,
		       r.high, (unsigned long long) r.runs);
}

START_TEST (the_ratio_is_that_of_the_two_averages)
{
	/* 20 at every tenth, else 10: 11 at all */
	for (int i = 0; i < 400; i++)
		ppi_contrast_add (&c, i % 10 == 9, i % 10 == 9 ? 20 : 10, 1);
	is (PPI_CONTRAST_HIGHER);
	ck_assert_double_eq (r.at_violations, 20);
	ck_assert_double_eq_tol (r.at_checks, 11, 1e-12);
	ck_assert_double_eq_tol (r.ratio, 20 / 11.0, 1e-12);
	ck_assert_uint_eq (r.violations, 40);
	ck_assert_double_eq (r.checks, 400);
	ck_assert_uint_eq (r.looked_at, 400);
}
END_TEST

START_TEST (a_value_near_zero_dominates_nothing)
{
	/* the first are nearly nothing, a running average would be too: 1 / 1e-9 */
	for (int i = 0; i < 5; i++)
		ppi_contrast_add (&c, false, 1e-9, 1);
	for (int i = 0; i < 400; i++)
		ppi_contrast_add (&c, i % 10 == 0, 10 + noise (), 1);
	is (PPI_CONTRAST_NONE);
	ck_assert_double_eq_tol (r.ratio, 1, 0.1);
}
END_TEST

START_TEST (a_cold_start_is_no_reason)
{
	/* empty for the first half, then always 10; what is slow is slow in the second half */
	for (int i = 0; i < 400; i++)
		ppi_contrast_add (&c, i > 200 && i % 20 == 19, i < 200 ? 0 : 10, 1);
	is (PPI_CONTRAST_BY_TIME);
	ck_assert_double_eq (r.at_violations, 10);
	ck_assert_double_eq_tol (r.at_checks, 5, 1e-12);
	/* a reason is one after a cold start, too */
	setup ();
	for (int i = 0; i < 400; i++)
		ppi_contrast_add (&c, i > 20 && i % 20 == 19,
				  i < 20         ? 1
				  : i % 20 == 19 ? 13
						 : 10,
				  1);
	is (PPI_CONTRAST_HIGHER);
	ck_assert_double_eq_tol (r.ratio, 13 / r.at_checks, 1e-12);
	ck_assert_double_eq_tol (r.ratio, 1.34, 0.02);
}
END_TEST

START_TEST (what_only_grows_with_time_is_not_higher)
{
	/* violations come late, all else being equal; and everywhere */
	for (int i = 0; i < 5000; i++)
		ppi_contrast_add (&c, i > 2500 && uniform () < 0.2, 100 + i + 5 * noise (), 1);
	is (PPI_CONTRAST_BY_TIME);
	ck_assert_double_gt (r.low, 1.2);
	setup ();
	for (int i = 0; i < 5000; i++)
		ppi_contrast_add (&c, uniform () < 0.2, 100 + i + 5 * noise (), 1);
	is (PPI_CONTRAST_NONE);
	/* with a reason on top of it */
	setup ();
	for (int i = 0; i < 5000; i++) {
		bool violates = i > 2500 && uniform () < 0.2;

		ppi_contrast_add (&c, violates, (100 + i + 5 * noise ()) * (violates ? 3 : 1), 1);
	}
	is (PPI_CONTRAST_HIGHER);
}
END_TEST

START_TEST (one_stretch_of_time_is_said_to_be_one)
{
	for (int i = 0; i < 200; i++)
		ppi_contrast_add (&c, i >= 150, i >= 150 ? 20 + noise () : 10 + noise (), 1);
	is (PPI_CONTRAST_HIGHER);
	ck_assert_uint_eq (r.runs, 1);
}
END_TEST

START_TEST (what_is_lower_is_lower)
{
	for (int i = 0; i < 400; i++)
		ppi_contrast_add (&c, i % 10 == 9, (i % 10 == 9 ? 5 : 10) + 0.1 * noise (), 1);
	is (PPI_CONTRAST_LOWER);
	ck_assert_double_lt (r.high, 1);
}
END_TEST

START_TEST (few_say_nothing)
{
	for (int i = 0; i < 400; i++)
		ppi_contrast_add (&c, i % 100 == 99, i % 100 == 99 ? 1000 : 1, 1);
	is (PPI_CONTRAST_TOO_FEW); /* four */
	ck_assert (isnan (r.low) && isnan (r.high));
	setup ();
	for (int i = 0; i < 400; i++)
		ppi_contrast_add (&c, i >= 4, i, 1);
	is (PPI_CONTRAST_TOO_FEW); /* four that hold */
}
END_TEST

START_TEST (nothing_by_nothing_is_unknown)
{
	tell ();
	ck_assert (isnan (r.at_violations) && isnan (r.at_checks) && isnan (r.ratio));
	for (int i = 0; i < 40; i++)
		ppi_contrast_add (&c, i % 4 == 0, 0, 1);
	is (PPI_CONTRAST_NONE);
	ck_assert (isnan (r.ratio));
	ck_assert_double_eq (r.at_checks, 0);
}
END_TEST

START_TEST (what_is_not_known_is_counted_and_left_out)
{
	for (int i = 0; i < 400; i++)
		ppi_contrast_add (&c, i % 10 == 9,
				  i % 3 == 0    ? (i % 6 == 0 ? NAN : INFINITY)
				  : i % 10 == 9 ? 20
						: 10,
				  1);
	is (PPI_CONTRAST_HIGHER);
	ck_assert_double_eq (c.unknown_violating, 14);
	ck_assert_double_eq (c.unknown_other, 120);
	ck_assert_uint_eq (r.violations, 26);
	ck_assert_double_eq (r.checks, 266);
}
END_TEST

START_TEST (values_below_zero_have_no_ratio)
{
	for (int i = 0; i < 400; i++)
		ppi_contrast_add (&c, i % 10 == 9, i % 10 == 9 ? -20 : 10, 1);
	is (PPI_CONTRAST_NEGATIVE);
	setup ();
	/* nothing usually: 12 against 1.2 */
	for (int i = 0; i < 400; i++)
		ppi_contrast_add (&c, i % 10 == 9, i % 10 == 9 ? 12 + noise () : 0, 1);
	is (PPI_CONTRAST_HIGHER);
	ck_assert_double_eq_tol (r.ratio, 10, 1e-9);
}
END_TEST

START_TEST (checks_that_stand_for_many_count_as_many)
{
	struct ppi_contrast all = {0};
	struct ppi_contrast_result whole;

	for (int i = 0; i < 200000; i++) {
		bool violates = i % 50 == 49;
		double value = (violates ? 30 : 10) + (i > 100000 ? 5 : 0) + noise ();

		ppi_contrast_add (&all, violates, value, 1);
		if (violates)
			ppi_contrast_add (&c, true, value, 1);
		else if (i < 2000)
			ppi_contrast_add (&c, false, value, 1);
		else if (uniform () < 1 / 40.0)
			ppi_contrast_add (&c, false, value, 40);
	}
	ppi_contrast_tell (&all, NAN, &whole);
	ppi_contrast_tell (&c, 196000, &r);
	ck_assert_double_eq (r.checks, 200000);
	ck_assert_double_eq_tol (r.at_checks, whole.at_checks, 0.01 * whole.at_checks);
	ck_assert_double_eq_tol (r.ratio, whole.ratio, 0.01 * whole.ratio);
	ck_assert_int_eq (r.verdict, PPI_CONTRAST_HIGHER);
	ck_assert_double_gt (r.high - r.low, whole.high - whole.low);
}
END_TEST

START_TEST (parts_of_threads_add_up)
{
	struct ppi_contrast part[3] = {{.near_n = 0}}, together = {0};
	struct ppi_contrast_result whole;

	for (int i = 0; i < 3000; i++) {
		bool violates = i % 17 == 0;
		double value = (violates ? 14 : 10) + noise ();

		ppi_contrast_add (&c, violates, value, 1);
		ppi_contrast_add (&part[i / 1000], violates, value, 1);
	}
	ppi_contrast_tell (&c, NAN, &whole);
	for (int i = 0; i < 3; i++)
		ppi_contrast_merge (&together, &part[i]);
	c = together;
	is (PPI_CONTRAST_HIGHER);
	ck_assert_double_eq_tol (r.ratio, whole.ratio, 1e-12);
	ck_assert_double_eq_tol (r.low, whole.low, 1e-9);
	ck_assert_double_eq_tol (r.high, whole.high, 1e-9);
	ck_assert_uint_eq (r.violations, whole.violations);
}
END_TEST

/* How often the interval of what is no difference, or of a known one, misses it */
static double missed (double factor, int violations, int others)
{
	enum { TRIALS = 2000 };
	double share = (double) violations / (violations + others);
	double truth = factor / (share * factor + 1 - share);
	int n = 0;

	for (int trial = 0; trial < TRIALS; trial++) {
		memset (&c, 0, sizeof c);
		for (int i = 0; i < others; i++)
			ppi_contrast_add (&c, false, 10 + 3 * noise (), 1);
		for (int i = 0; i < violations; i++)
			ppi_contrast_add (&c, true, factor * (10 + 3 * noise ()), 1);
		tell ();
		n += !(r.low <= truth && truth <= r.high);
	}
	return (double) n / TRIALS;
}

START_TEST (intervals_hold_the_truth_as_often_as_they_say)
{
	ck_assert_double_eq_tol (missed (1, 5, 50), 0.05, 0.02);
	ck_assert_double_eq_tol (missed (1, 200, 1000), 0.05, 0.02);
	ck_assert_double_eq_tol (missed (2.5, 12, 30), 0.05, 0.02);
	ck_assert_double_eq_tol (missed (2.5, 50, 20), 0.05, 0.02);
}
END_TEST

static Suite *contrasts (void)
{
	Suite *suite = suite_create ("contrast");
	TCase *tests = tcase_create ("contrast");

	tcase_add_checked_fixture (tests, setup, NULL);
	tcase_add_test (tests, the_ratio_is_that_of_the_two_averages);
	tcase_add_test (tests, a_value_near_zero_dominates_nothing);
	tcase_add_test (tests, a_cold_start_is_no_reason);
	tcase_add_test (tests, what_only_grows_with_time_is_not_higher);
	tcase_add_test (tests, one_stretch_of_time_is_said_to_be_one);
	tcase_add_test (tests, what_is_lower_is_lower);
	tcase_add_test (tests, few_say_nothing);
	tcase_add_test (tests, nothing_by_nothing_is_unknown);
	tcase_add_test (tests, what_is_not_known_is_counted_and_left_out);
	tcase_add_test (tests, values_below_zero_have_no_ratio);
	tcase_add_test (tests, checks_that_stand_for_many_count_as_many);
	tcase_add_test (tests, parts_of_threads_add_up);
	tcase_add_test (tests, intervals_hold_the_truth_as_often_as_they_say);
	suite_add_tcase (suite, tests);
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {contrasts};

	return ppcheck_main (suites, 1);
}
