/* SPDX-License-Identifier: MIT */
/*
 * test_choose.c: the best of several variants is found, kept, and found again, whatever the noise;
 * no clock and no knob is in it.
 */
#include "assertions/language/choose.h"
#include "tests/unit/ppcheck.h"

#include <math.h>

static uint64_t seed;

/* 0 … 1, the same in every run */
static double uniform (void)
{
	seed = seed * UINT64_C (6364136223846793005) + UINT64_C (1442695040888963407);
	return (double) (seed >> 11) * 0x1p-53;
}

/* Normal, by the sum of twelve */
static double normal (void)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += uniform ();
	return sum;
}

static struct ppi_chooser c;
static unsigned settled, degraded, better, waiting, woken;

static void start (uint32_t variants, bool maximise, double explore)
{
	ppi_choose_start (&c, variants, 0, maximise, explore);
	settled = degraded = better = waiting = woken = 0;
}

static enum ppi_choice feed (double value)
{
	enum ppi_choice choice = ppi_choose_feed (&c, value);

	settled += choice == PPI_CHOICE_SETTLED;
	degraded += choice == PPI_CHOICE_DEGRADED;
	better += choice == PPI_CHOICE_BETTER;
	waiting += choice == PPI_CHOICE_WAITING;
	woken += choice == PPI_CHOICE_WOKEN;
	ck_assert_uint_lt (c.current, c.variants);
	ck_assert_uint_lt (c.best, c.variants);
	return choice;
}

/* So many windows of a program whose variants cost MEAN, with relative NOISE */
static void run (const double *mean, double noise, unsigned windows)
{
	for (unsigned i = 0; i < windows; i++)
		feed (mean[c.current] * (1 + noise * normal ()));
}

START_TEST (the_least_is_chosen)
{
	static const double mean[] = {3, 1, 2};

	start (3, false, 0.05);
	run (mean, 0, 9);
	ck_assert_int_eq (c.state, PPI_CHOOSE_SETTLED);
	ck_assert_uint_eq (c.best, 1);
	ck_assert_uint_eq (c.current, 1);
	run (mean, 0, 1000);
	ck_assert_uint_eq (settled, 1);
}
END_TEST

START_TEST (the_most_is_chosen_where_that_is_wanted)
{
	static const double mean[] = {3, 1, 2, -4};

	start (4, true, 0.05);
	run (mean, 0, 100);
	ck_assert_uint_eq (c.best, 0);
	ck_assert_uint_eq (settled, 1);
}
END_TEST

START_TEST (each_variant_has_its_turn_in_each_round)
{
	static const double mean[] = {1, 1, 1, 1};
	unsigned turns[4] = {0};

	start (4, false, 0);
	for (int i = 0; i < 8; i++) {
		turns[c.current]++;
		feed (mean[c.current]);
	}
	for (int i = 0; i < 4; i++)
		ck_assert_uint_eq (turns[i], 2);
}
END_TEST

START_TEST (what_is_plainly_worse_is_not_tried_to_the_end)
{
	static const double mean[] = {1, 1.02, 5, 9};

	start (4, false, 0);
	seed = 3;
	for (int i = 0; i < 200 && c.state == PPI_CHOOSE_EXPLORING; i++)
		feed (mean[c.current] * (1 + 0.05 * normal ()));
	ck_assert_uint_le (c.variant[3].windows, 4);
	ck_assert_uint_le (c.variant[2].windows, 4);
	ck_assert_uint_gt (c.variant[1].windows, 6);
}
END_TEST

START_TEST (noise_rarely_hides_the_best)
{
	static const double mean[] = {1.2, 1.4, 1, 1.3, 2};
	unsigned right = 0;

	for (unsigned trial = 0; trial < 1000; trial++) {
		seed = trial * 7919 + 1;
		start (5, false, 0.05);
		while (c.state == PPI_CHOOSE_EXPLORING)
			run (mean, 0.1, 1);
		right += c.best == 2;
	}
	ck_assert_uint_ge (right, 980);
}
END_TEST

START_TEST (exploring_has_an_end_where_all_are_equal)
{
	static const double mean[] = {1, 1, 1, 1, 1, 1};
	unsigned windows = 0;

	for (unsigned trial = 0; trial < 100; trial++) {
		seed = trial;
		start (6, false, 0.05);
		for (windows = 0; c.state == PPI_CHOOSE_EXPLORING; windows++)
			run (mean, 0.3, 1);
		ck_assert_uint_le (windows, 6 * PPI_CHOOSE_ROUNDS_MAX);
	}
}
END_TEST

START_TEST (drift_that_hits_all_chooses_none)
{
	unsigned right = 0;

	/*
	 * everything gets 1 % slower with each window; the first that is tried is not the best
	 * because of it
	 */
	for (unsigned trial = 0; trial < 100; trial++) {
		double drift = 1;

		seed = trial;
		start (3, false, 0);
		while (c.state == PPI_CHOOSE_EXPLORING) {
			feed ((c.current == 2 ? 1 : 1.2) * drift * (1 + 0.02 * normal ()));
			drift *= 1.01;
		}
		right += c.best == 2;
	}
	ck_assert_uint_ge (right, 98);
}
END_TEST

START_TEST (a_settled_variant_is_left_alone_under_noise)
{
	static const double mean[] = {1, 2};
	unsigned again = 0;

	for (unsigned trial = 0; trial < 100; trial++) {
		seed = trial * 31 + 5;
		start (2, false, 0);
		run (mean, 0.1, 300);
		ck_assert_uint_eq (c.best, 0);
		again += degraded;
	}
	/*
	 * the CUSUM's average run between false alarms is some 900 windows; 30,000 of them were run
	 */
	ck_assert_uint_le (again, 100);
}
END_TEST

START_TEST (one_bad_window_is_no_degradation)
{
	static const double mean[] = {1, 2};

	start (2, false, 0);
	seed = 9;
	run (mean, 0.05, 40);
	for (int i = 0; i < 20; i++) {
		feed (100);
		run (mean, 0.05, 12);
	}
	ck_assert_uint_eq (degraded, 0);
	ck_assert_int_eq (c.state, PPI_CHOOSE_SETTLED);
}
END_TEST

START_TEST (a_degraded_variant_has_to_prove_itself_again)
{
	static const double before[] = {1, 1.5, 3}, after[] = {4, 1.5, 3};
	unsigned windows = 0;

	start (3, false, 0);
	seed = 4;
	run (before, 0.05, 60);
	ck_assert_uint_eq (c.best, 0);
	for (; !degraded; windows++) {
		run (after, 0.05, 1);
		ck_assert_uint_lt (windows, 10);
	}
	ck_assert_int_eq (c.state, PPI_CHOOSE_EXPLORING);
	run (after, 0.05, 40);
	ck_assert_int_eq (c.state, PPI_CHOOSE_SETTLED);
	ck_assert_uint_eq (c.best, 1);
	ck_assert_uint_eq (settled, 2);
}
END_TEST

START_TEST (a_degradation_soon_after_it_settled_is_seen)
{
	static const double before[] = {1, 2}, after[] = {3, 2};

	start (2, false, 0);
	run (before, 0, 6);
	ck_assert_int_eq (c.state, PPI_CHOOSE_SETTLED);
	run (after, 0, 40);
	ck_assert_uint_eq (c.best, 1);
}
END_TEST

START_TEST (a_slow_decline_is_seen)
{
	double mean[] = {1, 1.5};

	start (2, false, 0);
	seed = 77;
	for (int i = 0; i < 400 && !degraded; i++) {
		run (mean, 0.02, 1);
		if (i > 40)
			mean[0] *= 1.002;
	}
	ck_assert_uint_eq (degraded, 1);
	ck_assert_double_lt (mean[0], 1.3);
}
END_TEST

START_TEST (a_share_of_the_windows_looks_at_the_others_in_turn)
{
	static const double mean[] = {1, 2, 3};
	unsigned turns[3] = {0};

	start (3, false, 0.1);
	run (mean, 0, 9);
	ck_assert_int_eq (c.state, PPI_CHOOSE_SETTLED);
	for (int i = 0; i < 1000; i++) {
		turns[c.current]++;
		feed (mean[c.current]);
	}
	ck_assert_uint_ge (turns[1], 49);
	ck_assert_uint_le (turns[1], 51);
	ck_assert_uint_ge (turns[2], 49);
	ck_assert_uint_le (turns[2], 51);
}
END_TEST

START_TEST (without_a_share_nothing_else_is_tried)
{
	static const double mean[] = {1, 2};

	start (2, false, 0);
	run (mean, 0, 6);
	for (int i = 0; i < 1000; i++) {
		ck_assert_uint_eq (c.current, 0);
		feed (1);
	}
}
END_TEST

START_TEST (one_that_became_better_is_found)
{
	static const double before[] = {1, 2, 3}, after[] = {1, 2, 0.5}, slightly[] = {1, 0.9, 3};

	start (3, false, 0.1);
	seed = 11;
	run (before, 0.03, 60);
	ck_assert_uint_eq (c.best, 0);
	run (after, 0.03, 60);
	ck_assert_uint_eq (c.best, 2);
	ck_assert_uint_eq (better, 1);
	start (3, false, 0.1);
	run (before, 0.02, 60);
	run (slightly, 0.02, 600);
	ck_assert_uint_eq (c.best, 1);
}
END_TEST

START_TEST (a_variant_without_samples_is_left_out)
{
	start (3, false, 0);
	for (int i = 0; i < 40; i++)
		feed (c.current == 1 ? NAN : 3.0 - c.current);
	ck_assert_int_eq (c.state, PPI_CHOOSE_SETTLED);
	ck_assert_uint_eq (c.best, 2);
	ck_assert (c.variant[1].out);
	ck_assert_uint_eq (c.variant[1].windows, PPI_CHOOSE_PATIENCE);
	ck_assert_uint_eq (c.variant[1].n, 0);
}
END_TEST

START_TEST (an_infinite_figure_is_none)
{
	start (2, false, 0);
	for (int i = 0; i < 40; i++)
		feed (c.current ? 1 : -INFINITY);
	ck_assert_uint_eq (c.best, 1);
}
END_TEST

START_TEST (the_first_may_be_the_one_without_samples)
{
	start (3, false, 0);
	for (int i = 0; i < 40; i++)
		feed (c.current == 0 ? NAN : (double) c.current);
	ck_assert_int_eq (c.state, PPI_CHOOSE_SETTLED);
	ck_assert_uint_eq (c.best, 1);
}
END_TEST

START_TEST (a_program_that_does_nothing_is_waited_for)
{
	static const double mean[] = {2, 1};
	uint32_t was;
	unsigned changes = 0;

	start (2, false, 0.1);
	for (int i = 0; i < 6; i++)
		feed (NAN);
	ck_assert_int_eq (c.state, PPI_CHOOSE_WAITING);
	ck_assert_uint_eq (waiting, 1);
	for (int i = 0; i < 1000; i++) {
		was = c.current;
		feed (NAN);
		changes += c.current != was;
	}
	ck_assert_uint_gt (changes, 5); /* one of them may have been what stopped it */
	ck_assert_uint_lt (changes, 25);
	run (mean, 0, 20);
	ck_assert_uint_eq (woken, 1);
	ck_assert_int_eq (c.state, PPI_CHOOSE_SETTLED);
	ck_assert_uint_eq (c.best, 1);
}
END_TEST

START_TEST (a_settled_one_survives_a_pause)
{
	static const double mean[] = {2, 1};

	start (2, false, 0);
	run (mean, 0, 20);
	for (int i = 0; i < 20; i++)
		feed (NAN);
	ck_assert_int_eq (c.state, PPI_CHOOSE_SETTLED);
	run (mean, 0, 20);
	ck_assert_uint_eq (settled, 1);
	for (int i = 0; i < 30; i++)
		feed (NAN);
	ck_assert_int_eq (c.state, PPI_CHOOSE_WAITING);
	ck_assert_uint_eq (c.best, 1);
}
END_TEST

START_TEST (margins_are_those_of_students_t)
{
	struct ppi_variant v = {.n = 1, .mean = 5};

	ck_assert (isinf (ppi_choose_margin (&v)));
	/* 1, 2, 3: mean 2, deviation 1; t of two degrees 9.925 */
	v = (struct ppi_variant){.n = 3, .mean = 2, .m2 = 2};
	ck_assert_double_eq_tol (ppi_choose_margin (&v), 9.925 / sqrt (3), 1e-3);
}
END_TEST

static Suite *choosing (void)
{
	Suite *suite = suite_create ("choosing");
	TCase *tests = tcase_create ("choosing");

	tcase_add_test (tests, the_least_is_chosen);
	tcase_add_test (tests, the_most_is_chosen_where_that_is_wanted);
	tcase_add_test (tests, each_variant_has_its_turn_in_each_round);
	tcase_add_test (tests, what_is_plainly_worse_is_not_tried_to_the_end);
	tcase_add_test (tests, noise_rarely_hides_the_best);
	tcase_add_test (tests, exploring_has_an_end_where_all_are_equal);
	tcase_add_test (tests, drift_that_hits_all_chooses_none);
	tcase_add_test (tests, a_settled_variant_is_left_alone_under_noise);
	tcase_add_test (tests, one_bad_window_is_no_degradation);
	tcase_add_test (tests, a_degraded_variant_has_to_prove_itself_again);
	tcase_add_test (tests, a_degradation_soon_after_it_settled_is_seen);
	tcase_add_test (tests, a_slow_decline_is_seen);
	tcase_add_test (tests, a_share_of_the_windows_looks_at_the_others_in_turn);
	tcase_add_test (tests, without_a_share_nothing_else_is_tried);
	tcase_add_test (tests, one_that_became_better_is_found);
	tcase_add_test (tests, a_variant_without_samples_is_left_out);
	tcase_add_test (tests, an_infinite_figure_is_none);
	tcase_add_test (tests, the_first_may_be_the_one_without_samples);
	tcase_add_test (tests, a_program_that_does_nothing_is_waited_for);
	tcase_add_test (tests, a_settled_one_survives_a_pause);
	tcase_add_test (tests, margins_are_those_of_students_t);
	suite_add_tcase (suite, tests);
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {choosing};

	return ppcheck_main (suites, 1);
}
