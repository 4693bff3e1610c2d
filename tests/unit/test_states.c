/* SPDX-License-Identifier: MIT */
/*
 * test_states.c: assertions as the program sees them: states, times, severity; and a state for each
 * thread.
 */
#include "assertions/engine/assertion.h"
#include "assertions/engine/assertions.h"
#include "assertions/engine/threads.h"
#include "libmetrics/region/region.h"
#include "tests/unit/engine_program.h"
#include "tests/unit/ppcheck.h"

#include <math.h>
#include <string.h>

/* One execution by thread TID */
static void execute_by (int tid, double last)
{
	fake.thread = tid;
	execute (last);
}

static void at (double seconds)
{
	fake.now_ns = UINT64_C (1000000000) + (uint64_t) (seconds * 1e9);
}

/* ---- times ----------------------------------------------------------------------------------- */

START_TEST (a_state_has_its_times)
{
	load (SLOW ", for: 2, clear: 2}\n");
	ppi_region_header ()->start_ns = fake.now_ns;
	ck_assert (isnan (state ("slow").since));
	ck_assert (isnan (state ("slow").last_fired));
	ck_assert (isnan (state ("slow").last_cleared));
	ck_assert (isnan (state ("slow").first_violation));
	at (1);
	execute (60);
	ck_assert_int_eq (state ("slow").state, PP_STATE_PENDING);
	ck_assert_double_eq (state ("slow").since, 1);
	ck_assert_double_eq (state ("slow").first_violation, 1);
	at (2);
	execute (60);
	ck_assert_int_eq (state ("slow").state, PP_STATE_FIRING);
	ck_assert_double_eq (state ("slow").since, 2);
	ck_assert_double_eq (state ("slow").last_fired, 2);
	at (3);
	execute (60);
	ck_assert_double_eq (state ("slow").since, 2);
	ck_assert_double_eq (state ("slow").first_violation, 1);
	ck_assert_double_eq (state ("slow").last_violation, 3);
	at (4);
	execute (10);
	at (5);
	execute (10);
	ck_assert_int_eq (state ("slow").state, PP_STATE_OK);
	ck_assert_double_eq (state ("slow").since, 5);
	ck_assert_double_eq (state ("slow").last_fired, 2);
	ck_assert_double_eq (state ("slow").last_cleared, 5);
	ppi_region_header ()->start_ns = 0;
}
END_TEST

START_TEST (callbacks_hear_the_whole_story)
{
	load (SLOW ", for: 2, severity: critical, repeat: true, capture: [frame_time], on_fire: "
		   "[call: on_call], on_clear: "
		   "[call: on_call]}\n");
	ppi_region_header ()->start_ns = fake.now_ns;
	fake_sample (frame_time, 0.6, 0.2);
	frame_time->own[PP_STAT_N] = 17;
	execute (10);
	at (1);
	execute (60);
	at (2);
	execute (70);
	fake_tick (10);
	ck_assert_int_eq (seen.last.severity, PP_SEVERITY_CRITICAL);
	ck_assert_str_eq (pp_severity_name (seen.last.severity), "critical");
	ck_assert_double_eq (seen.last.seconds, 2);
	ck_assert_double_eq (seen.last.since, 1);
	ck_assert_uint_eq (seen.last.fired, 1);
	ck_assert_int_eq (seen.last.repeats, 0);
	ck_assert_str_eq (seen.site, "app!a.c:f/work");
	ck_assert_int_eq (seen.last.thread, 4711);
	ck_assert_double_eq (seen.last.left, 70);
	ck_assert_double_eq (seen.last.right, 50);
	ck_assert_uint_eq (seen.last.checks, 3);
	ck_assert_uint_eq (seen.last.violations, 2);
	ck_assert_double_eq (seen.value, 0.6);
	ck_assert_double_eq (seen.average, 0.2);
	ck_assert_double_eq_tol (seen.ratio, 3, 1e-12);
	ck_assert_double_eq (seen.samples, 17);
	ck_assert_str_eq (
		seen.text,
		"assertion slow fired at app!a.c:f/work (thread 4711): rays.last < 50: left 70, "
		"right 50; captured frame_time 600 ms (200 ms on average so far)");
	execute (80);
	fake_tick (10);
	ck_assert_int_eq (seen.last.repeats, 1);
	ck_assert_uint_eq (seen.last.fired, 1);
	execute (10);
	fake_tick (10);
	ck_assert_int_eq (seen.last.clears, 1);
	ck_assert_double_eq (seen.last.since, 1);
	ppi_region_header ()->start_ns = 0;
}
END_TEST

START_TEST (severity_is_a_warning_unless_said)
{
	load (SLOW "}\n  bad: {every: 1s, expect: 1 < 2, severity: error}\n");
	ck_assert_int_eq (state ("slow").severity, PP_SEVERITY_WARNING);
	ck_assert_int_eq (state ("bad").severity, PP_SEVERITY_ERROR);
	ck_assert_uint_eq (ppi_assertion_find ("bad")->chunk->severity, PP_SEVERITY_ERROR);
	ck_assert_str_eq (pp_severity_name ((enum pp_severity) 9), "?");
	ck_assert_str_eq (pp_state_name (PP_STATE_PENDING), "pending");
	ck_assert_str_eq (pp_state_name ((enum pp_state) 9), "?");
}
END_TEST

static char names[64];

static int note_name (const char *name, const struct pp_assertion_info *info, void *arg)
{
	ck_assert_int_eq (fake.lock_depth, 0);
	ck_assert_int_eq (info->state, PP_STATE_OK);
	strcat (names, name);
	return arg && strcmp (name, arg) == 0 ? 7 : 0;
}

static int unload_all (const char *name, const struct pp_assertion_info *info, void *arg)
{
	(void) name;
	(void) info;
	++*(int *) arg;
	pp_policy_unload (ppi_policies ? ppi_policies->policy->path : "none");
	return 0;
}

START_TEST (all_assertions_can_be_looked_at)
{
	char stop[] = "slow";
	int n = 0;

	ck_assert_int_eq (pp_assertion_each (note_name, NULL), 0);
	ck_assert_int_eq (pp_assertion_each (NULL, NULL), PP_EINVAL);
	load (SLOW "}\n  bad: {every: 1s, expect: 1 < 2}\n");
	ck_assert_int_eq (pp_assertion_each (note_name, NULL), 0);
	ck_assert_str_eq (names, "slowbad");
	ck_assert_int_eq (pp_assertion_each (note_name, stop), 7);
	ck_assert_str_eq (names, "slowbadslow");
	ck_assert_int_eq (pp_assertion_each (unload_all, &n), 0);
	ck_assert_int_eq (n, 2);
	ck_assert_ptr_null (ppi_assertions);
}
END_TEST

/* ---- a state for each thread ----------------------------------------------------------------- */

#define EACH                                                                                       \
	SLOW ", scope: thread, for: 2, clear: 2, on_fire: [call: on_call], on_clear: [call: "      \
	     "on_call]"

START_TEST (threads_have_states_of_their_own)
{
	load (EACH "}\n");
	ck_assert_int_eq (state ("slow").per_thread, 1);
	execute_by (1, 60);
	execute_by (2, 60);
	execute_by (2, 10);
	execute_by (1, 60); /* one thread's two in a row, though the other passed between */
	execute_by (2, 60);
	ck_assert_uint_eq (state ("slow").fired, 1);
	ck_assert_uint_eq (state ("slow").threads, 1);
	ck_assert_int_eq (state ("slow").state, PP_STATE_FIRING);
	fake_tick (10);
	ck_assert_int_eq (seen.calls, 1);
	ck_assert_int_eq (seen.last.thread, 1);
	execute_by (2, 60);
	ck_assert_uint_eq (state ("slow").fired, 2);
	ck_assert_uint_eq (state ("slow").threads, 2);
	execute_by (1, 10);
	execute_by (1, 10);
	ck_assert_uint_eq (state ("slow").threads, 1);
	ck_assert_int_eq (state ("slow").state, PP_STATE_FIRING);
	execute_by (2, 10);
	execute_by (2, 10);
	fake_tick (10);
	ck_assert_int_eq (seen.calls, 4);
	ck_assert_int_eq (seen.last.clears, 1);
	ck_assert_int_eq (seen.last.thread, 2);
	ck_assert_int_eq (state ("slow").state, PP_STATE_OK);
	ck_assert_uint_eq (ppi_assertion_find ("slow")->threads->used, 0);
	ck_assert_uint_eq (state ("slow").checks, 10);
}
END_TEST

START_TEST (a_cooldown_is_each_threads_own)
{
	load (SLOW ", scope: thread, cooldown: 10s}\n");
	execute_by (1, 60);
	execute_by (2, 60);
	execute_by (1, 10);
	execute_by (1, 60);
	ck_assert_uint_eq (state ("slow").fired, 2);
	fake.now_ns += UINT64_C (10000000000);
	execute_by (1, 60);
	ck_assert_uint_eq (state ("slow").fired, 3);
}
END_TEST

START_TEST (a_thread_that_ends_while_it_fires_clears)
{
	load (SLOW ", scope: thread, on_fire: [call: on_call], on_clear: [{call: on_call}, {call: "
		   "on_inline}]}\n");
	execute_by (1, 60);
	execute_by (2, 60);
	fake_tick (10);
	ck_assert_int_eq (seen.calls, 2);
	fake.gone = 1;
	fake_tick (2000);
	ck_assert_int_eq (seen.calls, 3);
	ck_assert_int_eq (seen.inlines, 1);
	ck_assert_int_eq (seen.last.clears, 1);
	ck_assert_int_eq (seen.last.thread, 1);
	ck_assert_uint_eq (state ("slow").cleared, 1);
	ck_assert_uint_eq (state ("slow").threads, 1);
	fake_tick (2000);
	ck_assert_int_eq (seen.calls, 3);
}
END_TEST

START_TEST (threads_keep_their_states_over_a_reload)
{
	load (EACH "}\n");
	execute_by (1, 60);
	load (EACH "}\n  more: {every: 1s, expect: 1 < 2}\n");
	execute_by (1, 60);
	ck_assert_uint_eq (state ("slow").fired, 1);
	ck_assert_uint_eq (state ("slow").threads, 1);
}
END_TEST

START_TEST (more_threads_than_there_is_room_for_are_counted)
{
	load (SLOW ", scope: thread}\n");
	for (int i = 0; i < 20; i++)
		execute_by (64 * i + 5, 60); /* one bucket */
	ck_assert_uint_eq (state ("slow").fired, PPI_THREADS_BUCKET);
	ck_assert_uint_eq (state ("slow").lost, 4);
	ck_assert_uint_eq (state ("slow").violations, 20);
	for (int i = 0; i < 20; i++)
		execute_by (64 * i + 5, 10);
	ck_assert_uint_eq (state ("slow").threads, 0);
	execute_by (64 * 19 + 5, 60);
	ck_assert_uint_eq (state ("slow").threads, 1);
}
END_TEST

START_TEST (until_clear_waits_for_the_last_thread)
{
	load (SLOW ", scope: thread, on_fire: [{bind: {metric: frame_time, sites: render/frame, "
		   "until: clear}}]}\n");
	execute_by (1, 60);
	execute_by (2, 60);
	fake_tick (10);
	execute_by (1, 10);
	fake_tick (10);
	ck_assert_uint_eq (fake_rules ("frame_time", "render/frame"), 1);
	execute_by (2, 10);
	fake_tick (10);
	ck_assert_uint_eq (fake_rules ("frame_time", "render/frame"), 0);
}
END_TEST

/* ---- counts over recent time ----------------------------------------------------------------- */

#define MANY SLOW "}\n  many: {every: 1s, expect: \"%s\"}\n"

static void load_many (const char *expect)
{
	char body[400];

	snprintf (body, sizeof body, MANY, expect);
	load (body);
}

/* For so many seconds: ten executions each, BAD of them too slow, and ten looks */
static void go_on (int seconds, int bad)
{
	for (int tenth = 0; tenth < 10 * seconds; tenth++) {
		execute (tenth % 10 < bad ? 60 : 10);
		fake_tick (100);
	}
}

START_TEST (a_share_over_recent_time_recovers)
{
	load_many ("slow.violations.share[2s] <= 25%");
	go_on (5, 0);
	ck_assert_int_eq (state ("many").state, PP_STATE_OK);
	go_on (5, 5);
	ck_assert_int_eq (state ("many").state, PP_STATE_FIRING);
	ck_assert_double_eq_tol (state ("many").left, 0.5, 0.06);
	go_on (4, 0);
	ck_assert_int_eq (state ("many").state, PP_STATE_OK);
	ck_assert_double_eq (state ("many").left, 0);
}
END_TEST

START_TEST (a_rate_is_per_second_of_recent_time)
{
	load_many ("slow.violations.rate[2s] <= 4 / 1s");
	go_on (4, 3);
	ck_assert_double_eq_tol (state ("many").left, 3, 0.3);
	ck_assert_uint_eq (state ("many").violations, 0);
	go_on (4, 8);
	ck_assert_double_eq_tol (state ("many").left, 8, 0.6);
	ck_assert_int_eq (state ("many").state, PP_STATE_FIRING);
}
END_TEST

START_TEST (counts_over_recent_time)
{
	load_many ("slow.violations[1s] < 100 and slow.checks[1s] < 5");
	go_on (3, 3);
	ck_assert_double_ge (state ("many").left, 9);
	ck_assert_double_le (state ("many").left, 11);
	load_many ("slow.fired[10s] <= 1");
	go_on (4, 3);
	ck_assert_int_eq (state ("many").state, PP_STATE_FIRING);
	go_on (12, 0);
	ck_assert_double_eq (state ("many").left, 0);
	ck_assert_int_eq (state ("many").state, PP_STATE_OK);
}
END_TEST

START_TEST (recent_counts_without_checks_are_unknown)
{
	load_many ("slow.violations.share[2s] <= 25%");
	go_on (2, 10);
	ck_assert_int_eq (state ("many").state, PP_STATE_FIRING);
	for (int i = 0; i < 40; i++)
		fake_tick (100);
	ck_assert_uint_gt (state ("many").unknowns, 0);
	ck_assert_int_eq (state ("many").state, PP_STATE_FIRING);
}
END_TEST

START_TEST (the_owner_looks_as_often_as_a_window_needs)
{
	load ("assertions:\n  rare: {every: 1h, expect: rays.sum < 5}\n  b: {every: 1h, expect: "
	      "\"rare.fired[16s] < "
	      "5\"}\n");
	ck_assert_uint_eq (ppi_assertions_tick (fake.now_ns) - fake.now_ns, UINT64_C (1000000000));
}
END_TEST

START_TEST (recent_counts_that_make_no_sense_are_errors)
{
	static const char *const wrong[][2] = {
		{"slow.violations.rate < 5",
		 "a rate is one over recent time; say which, like slow.violations.rate[10s]"},
		{"slow.violations.rate[1s] < 5", "can't compare"},
		{"slow.violations.most[1s] < 5", "expected 'share' or 'rate' after violations."},
		{"slow.violations[5] < 5", "expected a time with its unit after '['"},
	};
	char body[400];

	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		const char *path;

		snprintf (body, sizeof body, "version: 1\n" MANY, wrong[i][0]);
		path = fake_policy ("wrong.yaml", body);
		ck_assert_int_eq (pp_policy_load (path), PP_EPOLICY);
		ck_assert_msg (fake_said (wrong[i][1]) == 1, "%s: %s", wrong[i][0],
			       fake.messages[0]);
		fake.n_messages = 0;
	}
}
END_TEST

static Suite *states (void)
{
	Suite *suite = suite_create ("states");
	TCase *tests = tcase_create ("states");

	tcase_add_checked_fixture (tests, setup, NULL);
	tcase_add_test (tests, a_state_has_its_times);
	tcase_add_test (tests, callbacks_hear_the_whole_story);
	tcase_add_test (tests, severity_is_a_warning_unless_said);
	tcase_add_test (tests, all_assertions_can_be_looked_at);
	tcase_add_test (tests, threads_have_states_of_their_own);
	tcase_add_test (tests, a_cooldown_is_each_threads_own);
	tcase_add_test (tests, a_thread_that_ends_while_it_fires_clears);
	tcase_add_test (tests, threads_keep_their_states_over_a_reload);
	tcase_add_test (tests, more_threads_than_there_is_room_for_are_counted);
	tcase_add_test (tests, until_clear_waits_for_the_last_thread);
	tcase_add_test (tests, a_share_over_recent_time_recovers);
	tcase_add_test (tests, a_rate_is_per_second_of_recent_time);
	tcase_add_test (tests, counts_over_recent_time);
	tcase_add_test (tests, recent_counts_without_checks_are_unknown);
	tcase_add_test (tests, the_owner_looks_as_often_as_a_window_needs);
	tcase_add_test (tests, recent_counts_that_make_no_sense_are_errors);
	suite_add_tcase (suite, tests);
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {states};

	return ppcheck_main (suites, 1);
}
