/* SPDX-License-Identifier: MIT */
/*
 * test_suspend.c: a machine that slept, as assertions see it: the clock leaps, and nothing is
 * caught up.
 */
#include "tests/unit/engine_program.h"
#include "tests/unit/ppcheck.h"

#define HOUR_MS UINT64_C (3600000)

START_TEST (what_is_due_many_times_over_is_checked_once)
{
	load ("assertions: {busy: {every: 1s, expect: rays.avg >= 100, for: 3}}\n");
	fake_tick (1000);
	ck_assert_uint_eq (state ("busy").checks, 0);
	fake_sample (rays, 1, 1);
	fake_tick (1000);
	ck_assert_uint_eq (state ("busy").checks, 1);
	fake_tick (HOUR_MS);
	ck_assert_uint_eq (state ("busy").checks, 2);
	ck_assert_int_eq (state ("busy").state, PP_STATE_PENDING);
	fake_tick (1000);
	ck_assert_uint_eq (state ("busy").checks, 3);
	ck_assert_int_eq (state ("busy").state, PP_STATE_FIRING);
}
END_TEST

START_TEST (what_was_to_last_ten_seconds_is_over)
{
	load ("assertions: {busy: {every: 1s, expect: rays.avg >= 100,"
	      " on_fire: [bind: {metric: frame_time, sites: [frame], for: 10s}]}}\n");
	fake_sample (rays, 1, 1);
	fake_tick (1000);
	ck_assert_int_eq (state ("busy").state, PP_STATE_FIRING);
	ck_assert_uint_eq (fake_rules ("frame_time", NULL), 1);
	fake_tick (HOUR_MS);
	fake_tick (1);
	ck_assert_uint_eq (fake_rules ("frame_time", NULL), 0);
}
END_TEST

static Suite *suspend (void)
{
	Suite *suite = suite_create ("suspend");
	TCase *tests = tcase_create ("suspend");

	tcase_add_checked_fixture (tests, setup, NULL);
	tcase_add_test (tests, what_is_due_many_times_over_is_checked_once);
	tcase_add_test (tests, what_was_to_last_ten_seconds_is_over);
	suite_add_tcase (suite, tests);
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {suspend};

	return ppcheck_main (suites, 1);
}
