/* SPDX-License-Identifier: MIT */
/* test_growth.c: which growth class explains a cost. */
#include "assertions/language/growth.h"
#include "bench/random.h"
#include "ppcheck.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct ppi_growth g;
static struct ppi_growth_result result;

static void empty (void)
{
	memset (&g, 0, sizeof (g));
	seed = 1;
}

/*
 * PAIRS of value = (a + b f (n)) with relative NOISE, n spread evenly over the octaves up to MOST
 */
static void add_pairs (enum ppi_growth_class class, double a, double b, double noise, double most,
		       int pairs)
{
	for (int i = 0; i < pairs; i++) {
		double n = floor (exp (uniform () * log (most)));

		ppi_growth_add (&g, n,
				(a + b * ppi_growth_function (class, n)) *
					fmax (0.01, 1 + noise * normal ()));
	}
}

static void expect_best (enum ppi_growth_class class)
{
	ppi_growth_fit (&g, &result);
	ck_assert (result.known);
	ck_assert_str_eq (ppi_growth_name (result.best), ppi_growth_name (class));
}

START_TEST (every_class_is_found_in_data_with_a_fifth_of_noise)
{
	for (int class = 0; class < PPI_GROWTH_CLASS_COUNT; class ++) {
		int right = 0;

		empty ();
		for (int trial = 0; trial < 100; trial++) {
			memset (&g, 0, sizeof (g));
			add_pairs ((enum ppi_growth_class) class, 1e-9, 1e-9, 0.2, 1e6, 300);
			ppi_growth_fit (&g, &result);
			right += result.known && (int) result.best == class;
		}
		ck_assert_msg (right >= 95, "%s: %d of 100",
			       ppi_growth_name ((enum ppi_growth_class) class), right);
	}
}
END_TEST

START_TEST (a_constant_part_does_not_hide_the_class)
{
	empty ();
	add_pairs (PPI_GROWTH_LINEAR, 5e-6, 3e-9, 0.2, 1e6, 1000);
	expect_best (PPI_GROWTH_LINEAR);
	ck_assert_double_eq_tol (result.fit[PPI_GROWTH_LINEAR].a, 5e-6, 5e-7);
	ck_assert_double_eq_tol (result.fit[PPI_GROWTH_LINEAR].b, 3e-9, 3e-10);
	ck_assert_double_eq_tol (result.scatter, 0.2, 0.05);
}
END_TEST

START_TEST (samples_that_were_interrupted_do_not_change_the_class)
{
	empty ();
	add_pairs (PPI_GROWTH_LINEAR, 0, 1e-9, 0.2, 1e6, 1000);
	for (int i = 0; i < 20; i++)
		ppi_growth_add (&g, 1 + i * 50, 4e-3);
	expect_best (PPI_GROWTH_LINEAR);
}
END_TEST

START_TEST (a_steeper_class_needs_more_than_a_trifle_even_in_a_million_pairs)
{
	empty ();
	/* 1 % from one end to the other */
	for (int i = 0; i < 1000000; i++) {
		double n = floor (exp (uniform () * log (1e6)));

		ppi_growth_add (&g, n,
				1e-6 * (1 + 0.01 * log (n) / log (1e6)) * (1 + 0.01 * normal ()));
	}
	expect_best (PPI_GROWTH_CONSTANT);
}
END_TEST

START_TEST (data_without_noise_has_its_class)
{
	empty ();
	for (int i = 0; i < 20; i++)
		ppi_growth_add (&g, exp2 (i),
				1e-9 * ppi_growth_function (PPI_GROWTH_QUADRATIC, exp2 (i)));
	for (int i = 0; i < 20; i++)
		ppi_growth_add (&g, exp2 (i),
				1e-9 * ppi_growth_function (PPI_GROWTH_QUADRATIC, exp2 (i)));
	expect_best (PPI_GROWTH_QUADRATIC);
}
END_TEST

START_TEST (too_little_data_is_unknown)
{
	empty ();
	ppi_growth_fit (&g, &result);
	ck_assert (!result.known);
	add_pairs (PPI_GROWTH_LINEAR, 0, 1, 0, 1e6, PPI_GROWTH_PAIRS_MIN - 1);
	ppi_growth_fit (&g, &result);
	ck_assert (!result.known);
	empty ();
	for (int i = 0; i < 1000; i++)
		ppi_growth_add (&g, 100 + i % 100, 1);
	ppi_growth_fit (&g, &result);
	ck_assert_msg (!result.known, "n from 100 to 199 says nothing about growth");
}
END_TEST

START_TEST (what_has_no_logarithm_is_counted_and_left_out)
{
	empty ();
	ppi_growth_add (&g, 0, 1);
	ppi_growth_add (&g, -1, 1);
	ppi_growth_add (&g, NAN, 1);
	ppi_growth_add (&g, INFINITY, 1);
	ppi_growth_add (&g, 1, 0);
	ppi_growth_add (&g, 1, -1);
	ppi_growth_add (&g, 1, NAN);
	ppi_growth_add (&g, 1, INFINITY);
	ck_assert_uint_eq (g.unusable, 8);
	ck_assert_double_eq (g.pairs, 0);
	ppi_growth_add (&g, 1, 1);
	ppi_growth_add (&g, 1e300, 1e300);
	ppi_growth_add (&g, 0x1p63, 5e-324);
	ck_assert_double_eq (g.pairs, 3);
	ppi_growth_fit (&g, &result);
}
END_TEST

START_TEST (what_was_long_ago_fades)
{
	empty ();
	add_pairs (PPI_GROWTH_QUADRATIC, 0, 1e-9, 0.1, 1e4, 10000);
	expect_best (PPI_GROWTH_QUADRATIC);
	add_pairs (PPI_GROWTH_LINEAR, 0, 1e-9, 0.1, 1e4, 40 * PPI_GROWTH_PAIRS_MAX);
	expect_best (PPI_GROWTH_LINEAR);
	ck_assert_double_le (g.pairs, PPI_GROWTH_PAIRS_MAX + 1);
}
END_TEST

START_TEST (classes_are_named_in_several_ways)
{
	static const struct {
		const char *text;
		int class;
	} names[] = {
		{"1", PPI_GROWTH_CONSTANT},
		{"log n", PPI_GROWTH_LOG},
		{"n", PPI_GROWTH_LINEAR},
		{"N", PPI_GROWTH_LINEAR},
		{"n log n", PPI_GROWTH_LINEARITHMIC},
		{"n*log n", PPI_GROWTH_LINEARITHMIC},
		{"n²", PPI_GROWTH_QUADRATIC},
		{"n^2", PPI_GROWTH_QUADRATIC},
		{"O(n^3)", PPI_GROWTH_CUBIC},
		{"n³", PPI_GROWTH_CUBIC},
		{"n^4", -1},
		{"", -1},
		{"O()", -1},
		{"2^n", -1},
		{"n log n log n log n log n log n log n", -1},
	};

	for (size_t i = 0; i < sizeof (names) / sizeof (names[0]); i++)
		ck_assert_msg (ppi_growth_parse (names[i].text) == names[i].class, "'%s'",
			       names[i].text);
}
END_TEST

static Suite *growth (void)
{
	Suite *suite = suite_create ("growth");
	TCase *tests = tcase_create ("growth");

	tcase_add_test (tests, every_class_is_found_in_data_with_a_fifth_of_noise);
	tcase_add_test (tests, a_constant_part_does_not_hide_the_class);
	tcase_add_test (tests, samples_that_were_interrupted_do_not_change_the_class);
	tcase_add_test (tests, a_steeper_class_needs_more_than_a_trifle_even_in_a_million_pairs);
	tcase_add_test (tests, data_without_noise_has_its_class);
	tcase_add_test (tests, too_little_data_is_unknown);
	tcase_add_test (tests, what_has_no_logarithm_is_counted_and_left_out);
	tcase_add_test (tests, what_was_long_ago_fades);
	tcase_add_test (tests, classes_are_named_in_several_ways);
	suite_add_tcase (suite, tests);
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {growth};

	return ppcheck_main (suites, 1);
}
