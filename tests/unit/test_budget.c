/* SPDX-License-Identifier: MIT */
/*
 * test_budget.c: `overhead: {budget: ...}`, step by step, with costs and rates that the test says
 * and a clock that it moves.
 */
#include "base/part.h"
#include "tests/unit/engine_program.h"
#include "tests/unit/ppcheck.h"

#include <math.h>
#include <string.h>

#define V "version: 1\n"
#define ONE V "overhead: {budget: 1%}\n"
#define NS 1e-9

static void load_policy (const char *name, const char *text)
{
	ck_assert_int_eq (pp_policy_load (fake_policy (name, text)), PP_OK);
}

static void looks (int n)
{
	while (n--)
		fake_tick (100);
}

static struct pp_overhead overhead (void)
{
	struct pp_overhead o;

	ck_assert_int_eq (pp_overhead (&o), PP_OK);
	return o;
}

static uint32_t factor (const struct fake_load *l)
{
	return l->now.factor ? l->now.factor : 1;
}

START_TEST (within_the_budget_nothing_is_touched)
{
	fake_load (100e3, 90 * NS, 4 * NS); /* 0.9 % */
	load_policy ("a.yaml", ONE);
	looks (600);
	ck_assert_int_eq (fake.throttled, 0);
	ck_assert_uint_eq (fake_history (PPI_HISTORY_BUDGET, "overhead"), 0);
	ck_assert_double_eq_tol (overhead ().share, 0.009, 1e-9);
	ck_assert_double_eq (overhead ().budget, 0.01);
	ck_assert_uint_eq (overhead ().looks, 600);
}
END_TEST

START_TEST (over_it_every_of_the_dearest_is_raised_first)
{
	struct fake_load *dear = fake_load (2e6, 100 * NS, 1 * NS);   /* 20 % */
	struct fake_load *cheap = fake_load (10e3, 100 * NS, 1 * NS); /* 0.1 % */

	load_policy ("a.yaml", ONE);
	looks (1);
	ck_assert_double_le (fake_share (), 0.008);
	ck_assert_uint_gt (factor (dear), 16);
	ck_assert_uint_eq (factor (cheap), 1);
	ck_assert (!dear->now.unbound && !cheap->now.unbound);
	ck_assert_uint_eq (overhead ().raised, 1);
	ck_assert_uint_eq (overhead ().taken, 0);
	ck_assert_uint_eq (overhead ().seldom, 1);
}
END_TEST

START_TEST (what_raising_cannot_help_is_unbound_the_dearest_first)
{
	/* 30 %, and 5 % when it is never sampled */
	struct fake_load *dear = fake_load (10e6, 30 * NS, 5 * NS);
	struct fake_load *less = fake_load (1e6, 30 * NS, 2 * NS); /* 3 %, 0.2 % */

	load_policy ("a.yaml", ONE);
	looks (2);
	ck_assert (dear->now.unbound);
	ck_assert (!less->now.unbound);
	ck_assert_uint_gt (factor (less), 1);
	ck_assert_double_le (fake_share (), 0.01);
	ck_assert_uint_eq (overhead ().unbound, 1);
	ck_assert_uint_eq (overhead ().seldom, 1);
}
END_TEST

static struct fake_load *load_of (int thread, double per_s, double sampled_s, double skipped_s)
{
	struct fake_load *l = fake_load (per_s, sampled_s, skipped_s);

	l->thread = thread;
	return l;
}

START_TEST (what_one_thread_pays_for_is_not_taken_from_another)
{
	/* 4.5 %, within its budget */
	struct fake_load *busy = load_of (0, 450e3, 100 * NS, 10 * NS);
	struct fake_load *rare = load_of (1, 10e6, 50 * NS, 1 * NS); /* 50 % */

	load_policy ("a.yaml", V "overhead: {budget: 20%}\n");
	looks (1);
	ck_assert_double_le (fake_share (), 0.16);
	ck_assert_uint_eq (factor (busy), 1);
	ck_assert (!busy->now.unbound && !rare->now.unbound);
	ck_assert_uint_gt (factor (rare), 1);
	ck_assert_uint_eq (fake_said ("m1 at site1 one in "), 1);
}
END_TEST

START_TEST (all_threads_that_pay_too_much_pay_less_after_one_look)
{
	load_policy ("a.yaml", ONE);
	for (int thread = 0; thread < FAKE_THREADS; thread++)
		load_of (thread, 1e6 + 1e5 * thread, 50 * NS, 0.1 * NS);
	looks (1);
	for (int thread = 0; thread < FAKE_THREADS; thread++) {
		ck_assert_double_le (fake_share_of (thread), 0.008);
		/* each by itself, not all together */
		ck_assert_double_gt (fake_share_of (thread), 0.003);
	}
}
END_TEST

START_TEST (where_one_thread_has_room_again_its_own_come_back)
{
	struct fake_load *steady = load_of (0, 75e3, 100 * NS, 10 * NS); /* 0.75 %, for ever */
	struct fake_load *l = load_of (1, 2e6, 100 * NS, 1 * NS);

	load_policy ("a.yaml", ONE);
	looks (1);
	ck_assert_uint_gt (factor (l), 16);
	l->per_s = 10e3;
	looks (100);
	ck_assert_uint_eq (factor (l), 1);
	ck_assert_uint_eq (factor (steady), 1);
}
END_TEST

START_TEST (one_odd_look_is_not_enough)
{
	struct fake_load *l = fake_load (100e3, 110 * NS, 90 * NS); /* 1.1 % */

	load_policy ("a.yaml", ONE);
	for (int i = 0; i < 10; i++) {
		l->per_s = 100e3;
		looks (1);
		ck_assert_int_eq (fake.throttled, 0);
		l->per_s = 50e3;
		looks (2);
	}
	l->per_s = 10e6; /* clearly, but perhaps only now */
	looks (1);
	ck_assert (!l->now.unbound);
	ck_assert_uint_eq (overhead ().raised, 1);
	looks (1);
	ck_assert (l->now.unbound);
}
END_TEST

START_TEST (a_little_too_much_is_too_much_at_two_looks_of_three)
{
	struct fake_load *l = fake_load (110e3, 100 * NS, 1 * NS); /* 1.1 % */

	load_policy ("a.yaml", ONE);
	looks (1);
	ck_assert_uint_eq (factor (l), 1);
	l->per_s = 50e3;
	looks (1);
	l->per_s = 110e3;
	looks (1);
	ck_assert_uint_eq (factor (l), 2);
}
END_TEST

START_TEST (a_share_of_long_ago_is_none)
{
	fake_load (90e3, 100 * NS, 1 * NS);
	load_policy ("a.yaml", ONE);
	looks (1);
	fake.idle = true;
	looks (2);
	ck_assert_double_eq_tol (overhead ().share, 0.009, 1e-9);
	looks (10);
	ck_assert (isnan (overhead ().share));
}
END_TEST

START_TEST (a_binding_with_an_every_of_its_own_is_raised_from_there)
{
	struct fake_load *l = fake_load (20e6, 90 * NS, 0.01 * NS);

	l->every = 16; /* 11 % */
	load_policy ("a.yaml", ONE);
	looks (1);
	ck_assert_uint_eq (factor (l), 16);
	ck_assert_uint_eq (l->every, 16);
}
END_TEST

START_TEST (it_says_what_it_does)
{
	struct fake_load *l = fake_load (10e6, 30 * NS, 5 * NS);

	load_policy ("a.yaml", ONE);
	looks (2);
	ck_assert_uint_eq (fake_said ("markers took 30 % of a thread's time, the budget is 1 %"),
			   1);
	ck_assert_uint_eq (fake_said ("m0 at site0"), 1);
	/* raised, then unbound */
	ck_assert_uint_eq (fake_history (PPI_HISTORY_BUDGET, "overhead"), 2);
	ck_assert_double_eq_tol (fake.history[fake.n_history - 2].value[0], 0.3, 1e-9);
	ck_assert_double_eq (fake.history[fake.n_history - 2].value[3], 0);
	ck_assert_double_eq (fake.history[fake.n_history - 1].value[3], 1);
	l->per_s = 0;
	looks (200);
	ck_assert_uint_eq (overhead ().unbound + overhead ().seldom, 0);
	ck_assert_uint_eq (fake_said ("everything is sampled as asked for"), 1);
}
END_TEST

START_TEST (it_settles_and_stays_so)
{
	int throttled;

	for (int i = 0; i < 20; i++)
		fake_load (1e5 * (i + 1), 40 * NS, 2 * NS); /* 84 % in all */
	load_policy ("a.yaml", ONE);
	looks (2);
	ck_assert_double_le (fake_share (), 0.008);
	looks (39); /* what fits is taken back */
	ck_assert_double_le (fake_share (), 0.008);
	throttled = fake.throttled;
	looks (50); /* until the first is tried again */
	ck_assert_int_eq (fake.throttled, throttled);
}
END_TEST

START_TEST (what_would_be_too_dear_again_is_tried_ever_more_seldom)
{
	struct fake_load *l = fake_load (10e6, 30 * NS, 5 * NS);
	unsigned looks_over = 0;

	load_policy ("a.yaml", ONE);
	for (int i = 0; i < 36000; i++) { /* an hour */
		looks (1);
		looks_over += fake_share () > 0.01;
	}
	ck_assert_uint_ge (overhead ().restored, 5);
	ck_assert_uint_le (overhead ().restored, 14);
	ck_assert_uint_le (looks_over, 14);
	ck_assert (l->now.unbound);
	l->per_s = 1000;
	looks (6600);
	ck_assert (!l->now.unbound);
	ck_assert_uint_eq (factor (l), 1);
}
END_TEST

START_TEST (when_the_load_goes_every_comes_down_again)
{
	struct fake_load *l = fake_load (2e6, 100 * NS, 1 * NS);

	load_policy ("a.yaml", ONE);
	looks (1);
	ck_assert_uint_gt (factor (l), 16);
	l->per_s = 40e3; /* 0.4 % each time */
	looks (9);
	ck_assert_uint_gt (factor (l), 16); /* not at once */
	looks (100);
	ck_assert_uint_eq (factor (l), 1);
	ck_assert_uint_eq (overhead ().seldom, 0);
	ck_assert_uint_gt (overhead ().eased, 0);
}
END_TEST

START_TEST (a_load_that_comes_and_goes_makes_it_slower_to_give_back)
{
	struct fake_load *l = fake_load (2e6, 100 * NS, 1 * NS);
	uint64_t first = 0, rest;

	load_policy ("a.yaml", ONE);
	for (int i = 0; i < 100; i++) { /* 3 s of load, 3 s without */
		l->per_s = 2e6;
		looks (30);
		l->per_s = 10e3;
		looks (30);
		if (i == 9)
			first = overhead ().eased;
	}
	rest = overhead ().eased - first;
	ck_assert_uint_gt (first, 0);
	ck_assert_uint_lt (rest, 9 * first);
}
END_TEST

START_TEST (of_two_budgets_the_smaller_holds)
{
	const char *small = "b.yaml", *large = "a.yaml";
	struct fake_load *l = fake_load (1e6, 50 * NS, 0.1 * NS); /* 5 % */
	char name[256];

	load_policy (large, V "overhead: {budget: 2%}\n");
	looks (1);
	ck_assert_double_le (fake_share (), 0.02);
	ck_assert_double_gt (fake_share (), 0.005);
	snprintf (name, sizeof name, "%s", fake_policy (small, V "overhead: {budget: 0.5 %}\n"));
	ck_assert_int_eq (pp_policy_load (name), PP_OK);
	ck_assert_double_eq (overhead ().budget, 0.005);
	looks (1);
	ck_assert_double_le (fake_share (), 0.005);
	ck_assert_int_eq (pp_policy_unload (name), PP_OK);
	ck_assert_double_eq (overhead ().budget, 0.02);
	looks (50);
	ck_assert_double_gt (fake_share (), 0.005);
	ck_assert_double_le (fake_share (), 0.02);
	ck_assert (!l->now.unbound);
	load_policy ("c.yaml", V "overhead: {budget: 5%}\n");
	ck_assert_double_eq (overhead ().budget, 0.02);
}
END_TEST

START_TEST (with_the_last_budget_everything_comes_back_at_once)
{
	struct fake_load *unbound = fake_load (10e6, 30 * NS, 5 * NS),
			 *seldom = fake_load (1e6, 30 * NS, 2 * NS);
	char name[256];

	snprintf (name, sizeof name, "%s", fake_policy ("a.yaml", ONE));
	ck_assert_int_eq (pp_policy_load (name), PP_OK);
	looks (2);
	ck_assert (unbound->now.unbound && factor (seldom) > 1);
	seldom->asked = false; /* just then */
	ck_assert_int_eq (pp_policy_unload (name), PP_OK);
	ck_assert (!unbound->now.unbound && factor (unbound) == 1 && factor (seldom) == 1);
	ck_assert (isnan (overhead ().budget) && isnan (overhead ().share));
	ck_assert_uint_eq (overhead ().unbound + overhead ().seldom, 0);
}
END_TEST

START_TEST (a_reload_with_another_budget_goes_on_from_there)
{
	struct fake_load *l = fake_load (1e6, 50 * NS, 0.1 * NS);
	uint32_t before;

	load_policy ("a.yaml", ONE);
	looks (1);
	before = factor (l);
	load_policy ("a.yaml", V "overhead: {budget: 4%}\n");
	ck_assert_uint_eq (factor (l), before);
	looks (100);
	ck_assert_uint_lt (factor (l), before);
	ck_assert_double_le (fake_share (), 0.04);
}
END_TEST

START_TEST (bindings_come_and_go_meanwhile)
{
	struct fake_load *first = fake_load (10e6, 30 * NS, 5 * NS), *second;

	load_policy ("a.yaml", ONE);
	looks (2);
	ck_assert (first->now.unbound);
	first->asked = false; /* for: is over */
	second = fake_load (2e6, 100 * NS, 1 * NS);
	looks (1);
	ck_assert_uint_gt (factor (second), 16);
	second->asked = false; /* until: clear */
	looks (20);
	ck_assert_uint_eq (overhead ().seldom + overhead ().unbound, 0);
	first->asked = true;
	first->now.unbound = false; /* as who asks anew gets it */
	looks (1);
	ck_assert (first->now.unbound);
	ck_assert_double_le (fake_share (), 0.01);
}
END_TEST

START_TEST (nothing_is_done_while_nobody_knows)
{
	fake_load (10e6, 30 * NS, 5 * NS);
	fake.idle = true;
	load_policy ("a.yaml", ONE);
	looks (50);
	ck_assert_int_eq (fake.throttled, 0);
	ck_assert (isnan (overhead ().share));
	fake.idle = false;
	looks (1);
	ck_assert_int_gt (fake.throttled, 0);
}
END_TEST

START_TEST (a_budget_needs_the_librarys_thread)
{
	ck_assert (!ppi_parts_need_thread ());
	load_policy ("a.yaml", ONE);
	ck_assert (ppi_parts_need_thread ());
	ck_assert_int_eq (pp_overhead (NULL), PP_EINVAL);
}
END_TEST

static Suite *budget (void)
{
	Suite *suite = suite_create ("budget");
	TCase *tests = tcase_create ("budget");

	tcase_add_checked_fixture (tests, fake_start, NULL);
	tcase_add_test (tests, within_the_budget_nothing_is_touched);
	tcase_add_test (tests, over_it_every_of_the_dearest_is_raised_first);
	tcase_add_test (tests, what_raising_cannot_help_is_unbound_the_dearest_first);
	tcase_add_test (tests, what_one_thread_pays_for_is_not_taken_from_another);
	tcase_add_test (tests, all_threads_that_pay_too_much_pay_less_after_one_look);
	tcase_add_test (tests, where_one_thread_has_room_again_its_own_come_back);
	tcase_add_test (tests, one_odd_look_is_not_enough);
	tcase_add_test (tests, a_little_too_much_is_too_much_at_two_looks_of_three);
	tcase_add_test (tests, a_share_of_long_ago_is_none);
	tcase_add_test (tests, a_binding_with_an_every_of_its_own_is_raised_from_there);
	tcase_add_test (tests, it_says_what_it_does);
	tcase_add_test (tests, it_settles_and_stays_so);
	tcase_add_test (tests, what_would_be_too_dear_again_is_tried_ever_more_seldom);
	tcase_add_test (tests, when_the_load_goes_every_comes_down_again);
	tcase_add_test (tests, a_load_that_comes_and_goes_makes_it_slower_to_give_back);
	tcase_add_test (tests, of_two_budgets_the_smaller_holds);
	tcase_add_test (tests, with_the_last_budget_everything_comes_back_at_once);
	tcase_add_test (tests, a_reload_with_another_budget_goes_on_from_there);
	tcase_add_test (tests, bindings_come_and_go_meanwhile);
	tcase_add_test (tests, nothing_is_done_while_nobody_knows);
	tcase_add_test (tests, a_budget_needs_the_librarys_thread);
	suite_add_tcase (suite, tests);
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {budget};

	return ppcheck_main (suites, 1);
}
