/* SPDX-License-Identifier: MIT */
/* test_engine.c: assertions at sites and by time, and the actions of policies. */
#include "assertions/engine/assertion.h"
#include "assertions/engine/assertions.h"
#include "assertions/engine/growth_check.h"
#include "assertions/engine/seen.h"
#include "assertions/engine/tick.h"
#include "libmetrics/registry/metric.h"
#include "libmetrics/registry/site.h"
#include "tests/unit/engine_program.h"
#include "tests/unit/ppcheck.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

/* ---- at sites -------------------------------------------------------------------------------- */

START_TEST (a_violation_at_a_site_fires_at_once)
{
	load (SLOW "}\n");
	execute (10);
	ck_assert_int_eq (state ("slow").state, PP_STATE_OK);
	execute (60);
	ck_assert_int_eq (state ("slow").state, PP_STATE_FIRING);
	ck_assert_double_eq (state ("slow").left, 60);
	ck_assert_double_eq (state ("slow").right, 50);
	execute (10);
	ck_assert_int_eq (state ("slow").state, PP_STATE_OK);
	ck_assert_uint_eq (state ("slow").checks, 3);
	ck_assert_uint_eq (state ("slow").passes, 2);
	ck_assert_uint_eq (state ("slow").violations, 1);
	ck_assert_uint_eq (state ("slow").fired, 1);
	ck_assert_uint_eq (state ("slow").cleared, 1);
	ck_assert_int_eq (pp_assertion_state ("none", &(struct pp_assertion_info){0}), PP_ENOENT);
}
END_TEST

START_TEST (after_100_begins_checking_with_sample_101)
{
	load (SLOW ", after: 100}\n");
	for (int i = 0; i < 100; i++)
		execute (60);
	ck_assert_uint_eq (state ("slow").checks, 0);
	execute (60);
	ck_assert_uint_eq (state ("slow").checks, 1);
	ck_assert_uint_eq (state ("slow").fired, 1);
}
END_TEST

START_TEST (no_sample_yet_is_unknown_and_counted)
{
	load (SLOW "}\n");
	fake_execute (work);
	ck_assert_int_eq (state ("slow").state, PP_STATE_UNKNOWN);
	ck_assert_uint_eq (state ("slow").unknowns, 1);
	ck_assert_uint_eq (state ("slow").checks, 0);
	execute (10);
	ck_assert_int_eq (state ("slow").state, PP_STATE_OK);
}
END_TEST

START_TEST (a_missing_counter_is_unknown_though_its_site_is_never_sampled)
{
	rays->unavailable = "this machine has none";
	load (SLOW "}\n  other: {at: f/work, expect: rays.last < 50 or 1 < 2}\n");
	ck_assert_int_eq (state ("slow").state, PP_STATE_UNKNOWN);
	ck_assert_uint_eq (state ("slow").unknowns, 1);
	ck_assert_uint_eq (state ("slow").fired, 0);
	ck_assert_int_eq (state ("other").state, PP_STATE_OK);
	ck_assert_uint_eq (state ("other").unknowns, 0);
	load (SLOW "}\n");
	ck_assert_int_eq (state ("slow").state, PP_STATE_UNKNOWN);
	ck_assert_uint_eq (state ("slow").unknowns, 1);
}
END_TEST

START_TEST (bare_names_at_a_site_are_this_threads_and_all_is_merged)
{
	load ("assertions:\n  own: {at: f/work, expect: rays.avg < 50}\n  all: {at: f/work, "
	      "expect: all(rays.avg) < "
	      "50}\n");
	rays->own[PP_STAT_AVG] = 10;
	rays->merged[PP_STAT_AVG] = 100;
	fake_tick (100);
	fake_execute (work);
	ck_assert_uint_eq (state ("own").violations, 0);
	ck_assert_uint_eq (state ("all").violations, 1);
	rays->merged[PP_STAT_AVG] = 20;
	fake_tick (100);
	fake_execute (work);
	ck_assert_uint_eq (state ("all").passes, 1);
}
END_TEST

START_TEST (captures_say_what_else_was_high)
{
	struct ppi_assertion *a;

	load (SLOW ", capture: [frame_time, rays], on_fire: [call: on_inline]}\n");
	fake_sample (frame_time, 0.6, 0.2);
	execute (60);
	execute (70);
	ck_assert_int_eq (seen.inlines, 1);
	ck_assert_uint_eq (seen.last.captures, 2);
	ck_assert_str_eq (seen.capture, "frame_time");
	ck_assert_double_eq (seen.value, 0.6);
	ck_assert_double_eq_tol (seen.ratio, 3, 1e-12);
	a = ppi_assertion_find ("slow");
	ck_assert_uint_eq (a->chunk->captures, 2);
	ck_assert_str_eq ((char *) a->chunk + a->chunk->expression, "rays.last < 50");
	ck_assert_ptr_eq ((char *) a->chunk + a->chunk->capture, a->entries);
	ck_assert_uint_eq (a->chunk->site, ppi_site_id (work));
	ck_assert_uint_eq (a->entries[1].metric, ppi_metric_id (rays));
	ck_assert_uint_eq (a->entries[1].contrast.violating.n, 2);
	ck_assert_double_eq (a->entries[1].contrast.violating.mean, 65);
}
END_TEST

START_TEST (what_is_captured_is_read_at_checks_that_hold_too)
{
	const struct ppi_contrast *c;

	load (SLOW ", capture: [frame_time]}\n");
	for (int i = 0; i < 100; i++) {
		fake_sample (frame_time, i % 10 == 9 ? 0.6 : 0.2, 0.2);
		execute (i % 10 == 9 ? 60 : 10);
	}
	fake_sample (frame_time, NAN, NAN);
	execute (10);
	execute (60);
	c = &ppi_assertion_find ("slow")->entries[0].contrast;
	ck_assert_uint_eq (c->violating.n, 10);
	ck_assert_uint_eq (c->other.n, 90);
	ck_assert_double_eq_tol (c->violating.mean, 0.6, 1e-12);
	ck_assert_double_eq_tol (c->other.mean, 0.2, 1e-12);
	ck_assert_double_eq (c->unknown_violating, 1);
	ck_assert_double_eq (c->unknown_other, 1);
}
END_TEST

START_TEST (of_very_many_checks_some_are_looked_at_and_stand_for_all)
{
	const struct ppi_contrast *c;
	double held = 0, sum = 0;

	load (SLOW ", capture: [frame_time]}\n");
	c = &ppi_assertion_find ("slow")->entries[0].contrast;
	for (int i = 0; i < 300000; i++) {
		double taken = i < 100000 ? 1 : 2;

		fake_sample (frame_time, taken, 1);
		execute (10);
		held++;
		sum += taken;
		if (i == 16000)
			ck_assert_uint_eq (c->other.n, 16001);
	}
	ck_assert_uint_lt (c->other.n, 100000);
	ck_assert_uint_gt (c->other.n, 40000);
	ck_assert_double_eq_tol (c->other.weight, held, 0.03 * held);
	ck_assert_double_eq_tol (c->other.mean, sum / held, 0.02 * sum / held);
}
END_TEST

START_TEST (timed_assertions_compare_too)
{
	const struct ppi_contrast *c;

	load ("assertions:\n  slow: {every: 1s, expect: rays.last < 50, capture: [frame_time]}\n");
	c = &ppi_assertion_find ("slow")->entries[0].contrast;
	for (int i = 0; i < 20; i++) {
		fake_sample (rays, i % 4 ? 10 : 60, 10);
		fake_sample (frame_time, i % 4 ? 3 : 4, 1);
		fake_tick (1000);
	}
	ck_assert_uint_eq (c->violating.n, state ("slow").violations);
	ck_assert_uint_eq (c->other.n, state ("slow").passes);
	ck_assert_uint_ge (c->violating.n, 4);
	ck_assert_double_eq (c->violating.mean, 4);
	ck_assert_double_eq (c->other.mean, 3);
}
END_TEST

START_TEST (counts_go_on_without_room_in_the_region)
{
	fake.no_region = true;
	load (SLOW ", capture: [rays]}\n");
	execute (60);
	execute (10);
	ck_assert_uint_eq (state ("slow").fired, 1);
	ck_assert_uint_eq (state ("slow").cleared, 1);
}
END_TEST

START_TEST (inline_callables_run_in_the_marker_and_others_with_the_tick)
{
	load (SLOW
	      ", on_fire: [{call: on_call}, {call: on_inline}], on_clear: [call: on_inline]}\n");
	execute (60);
	ck_assert_int_eq (seen.inlines, 1);
	ck_assert_int_eq (seen.calls, 0);
	ck_assert_str_eq (seen.site, "app!a.c:f/work");
	ck_assert_int_eq (seen.last.thread, 4711);
	ck_assert_int_eq (seen.last.clears, 0);
	fake_tick (10);
	ck_assert_int_eq (seen.calls, 1);
	execute (10);
	ck_assert_int_eq (seen.inlines, 2);
	ck_assert_int_eq (seen.last.clears, 1);
	fake_tick (10);
	ck_assert_int_eq (seen.calls, 1);
}
END_TEST

START_TEST (inline_callables_of_timed_assertions_run_without_the_lock)
{
	load ("assertions: {a: {every: 1s, expect: rays.sum < 50, on_fire: [call: on_inline]}}\n");
	rays->merged[PP_STAT_SUM] = 60;
	fake_tick (1000);
	ck_assert_int_eq (seen.inlines, 1);
	ck_assert_str_eq (seen.assertion, "a");
}
END_TEST

START_TEST (outcomes_left_by_a_busy_thread_are_stepped_by_the_tick)
{
	struct ppi_assertion *a;

	load (SLOW ", on_fire: [call: on_inline]}\n");
	a = ppi_assertion_find ("slow");
	a->busy = 1; /* as a thread that is in the machine just now */
	execute (60);
	execute (10);
	ck_assert_uint_eq (a->chunk->violations, 1);
	ck_assert_uint_eq (a->chunk->fired, 0);
	fake_tick (10);
	ck_assert_uint_eq (a->chunk->fired, 0);
	a->busy = 0;
	fake_tick (10);
	ck_assert_uint_eq (a->chunk->fired, 1);
	ck_assert_int_eq (seen.inlines, 1);
}
END_TEST

START_TEST (outcomes_that_find_no_room_are_counted)
{
	struct ppi_assertion *a;

	load (SLOW "}\n");
	a = ppi_assertion_find ("slow");
	a->busy = 1;
	for (unsigned i = 0; i < PPI_POSTS + 7; i++)
		execute (60);
	ck_assert_uint_eq (a->lost, 7);
	ck_assert_uint_eq (a->chunk->violations, PPI_POSTS + 7);
	a->busy = 0;
	execute (10);
	ck_assert_uint_eq (a->chunk->fired, 1);
	ck_assert_uint_eq (a->chunk->cleared, 1);
	fake_tick (10);
	ck_assert_uint_eq (fake_said ("more came at once than there was room for"), 1);
	ck_assert_uint_eq (
		fake_said (
			"; outcomes of checks that did not reach its state: 7 so far (said once)"),
		1);
}
END_TEST

START_TEST (the_callback_of_a_closed_module_is_not_called)
{
	load (SLOW ", on_fire: [{call: on_inline}, {call: on_call}]}\n");
	fake_remove_record (&inline_record.head);
	fake_remove_record (&call_record.head);
	execute (60);
	fake_tick (10);
	ck_assert_int_eq (seen.inlines + seen.calls, 0);
	ck_assert_uint_eq (
		fake_said ("an action of assertion 'slow' failed: on_call: its module was closed"),
		1);
	fake_add_record (&inline_record.head);
	execute (10);
	execute (60);
	ck_assert_int_eq (seen.inlines, 1);
}
END_TEST

/* ---- by time --------------------------------------------------------------------------------- */

START_TEST (timed_assertions_are_checked_by_their_period)
{
	uint64_t next;

	load ("assertions: {a: {every: 1s, expect: rays.sum < 50}}\n");
	rays->merged[PP_STAT_SUM] = 10;
	fake_tick (999);
	ck_assert_uint_eq (state ("a").checks, 0);
	fake_tick (1);
	ck_assert_uint_eq (state ("a").checks, 1);
	fake_tick (500);
	ck_assert_uint_eq (state ("a").checks, 1);
	next = ppi_assertions_tick (fake.now_ns);
	ck_assert_uint_eq (next - fake.now_ns, 500000000);
	rays->merged[PP_STAT_SUM] = 60;
	fake_tick (500);
	ck_assert_int_eq (state ("a").state, PP_STATE_FIRING);
}
END_TEST

START_TEST (all_assertions_get_the_programs_own_statistics_however_many_are_due_at_once)
{
	enum { MANY = 200 };
	char policy[MANY * 2 * 64] = "assertions:\n", name[16];
	size_t n = strlen (policy);

	for (int i = 0; i < MANY; i++)
		n += (size_t) snprintf (policy + n, sizeof policy - n,
					"  t%d: {every: 1s, expect: rays.gini < 50}\n"
					"  a%d: {at: f/work, expect: all(rays.gini) < 50}\n",
					i, i);
	load (policy);
	rays->merged[PP_STAT_AVG] = 10;
	fake_tick (1000);
	fake_execute (work);
	for (int i = 0; i < MANY; i++) {
		snprintf (name, sizeof name, "t%d", i);
		ck_assert_msg (state (name).state == PP_STATE_OK, "%s", name);
		snprintf (name, sizeof name, "a%d", i);
		ck_assert_msg (state (name).state == PP_STATE_OK, "%s", name);
	}
}
END_TEST

START_TEST (a_stalled_tick_makes_up_for_nothing)
{
	load ("assertions: {a: {every: 1s, expect: rays.sum < 50}}\n");
	rays->merged[PP_STAT_SUM] = 10;
	fake_tick (10500);
	ck_assert_uint_eq (state ("a").checks, 1);
	fake_tick (500);
	ck_assert_uint_eq (state ("a").checks, 1);
	fake_tick (500);
	ck_assert_uint_eq (state ("a").checks, 2);
}
END_TEST

START_TEST (what_has_not_ended_yet_fires)
{
	load ("assertions: {stuck: {every: 1s, expect: work.open_age <= 5s}}\n");
	fake_tick (1000);
	ck_assert_int_eq (state ("stuck").state, PP_STATE_UNKNOWN);
	work->open_age = 4;
	fake_tick (1000);
	ck_assert_int_eq (state ("stuck").state, PP_STATE_OK);
	work->open_age = 6;
	fake_tick (1000);
	ck_assert_int_eq (state ("stuck").state, PP_STATE_FIRING);
}
END_TEST

START_TEST (assertions_about_assertions_read_their_counts)
{
	load (SLOW "}\n  many: {every: 1s, expect: slow.violations.share <= 40%, for: 2}\n");
	execute (60);
	execute (10);
	fake_tick (1000);
	ck_assert_int_eq (state ("many").state, PP_STATE_PENDING);
	ck_assert_double_eq (state ("many").left, 0.5);
	fake_tick (1000);
	ck_assert_int_eq (state ("many").state, PP_STATE_FIRING);
	execute (10);
	fake_tick (1000);
	ck_assert_int_eq (state ("many").state, PP_STATE_OK);
}
END_TEST

START_TEST (assertions_at_rest_are_left_alone_until_there_is_something_to_do)
{
	uint64_t before;

	load (SLOW ", on_fire: [{call: on_call}]}\n");
	execute (10);
	fake_tick (10);
	before = ppi_assertions_passes ();
	for (int i = 0; i < 100; i++) {
		execute (10);
		fake_tick (10);
	}
	/* in a second: for what the recording says of them */
	ck_assert_uint_le (ppi_assertions_passes () - before, 3);
	execute (70);
	fake_tick (10);
	ck_assert_int_eq (seen.calls, 1);
	before = ppi_assertions_passes ();
	fake_tick (10);
	ck_assert_uint_eq (ppi_assertions_passes () - before, 0);
}
END_TEST

START_TEST (growth_at_rest_is_left_alone_until_it_is_due_or_much_has_come)
{
	pp_metric *size = fake_metric ("size", PP_ABI_SITE_INTERVAL, PPI_STATS, "value");
	uint64_t before;

	fake_sample (size, 10, 10);
	load ("assertions:\n  grows: {at: f/work, growth: {of: rays, with: size, at_most: n, "
	      "every: 10s}}\n");
	fake_tick (10);
	before = ppi_assertions_passes ();
	for (int i = 0; i < 100; i++) {
		execute (10);
		fake_tick (10);
	}
	ck_assert_uint_le (ppi_assertions_passes () - before, 3);
	before = ppi_assertions_passes ();
	for (int i = 0; i < 1000; i++)
		execute (10 + i);
	fake_tick (10);
	/* there is room for as many again */
	ck_assert_uint_eq (ppi_assertions_passes () - before, 1);
	for (int i = 0; i < 1000; i++)
		execute (10 + i);
	fake_tick (10000);
	ck_assert_uint_eq (state ("grows").unknowns, 1); /* all of one size */
	ck_assert_double_eq (ppi_assertion_find ("grows")->growth->growth.pairs, 2100);
}
END_TEST

START_TEST (merged_values_at_a_site_are_refreshed_all_the_same)
{
	uint64_t before;

	load ("assertions:\n  slow: {at: f/work, expect: all(rays).avg < 50}\n");
	fake_tick (10);
	before = ppi_assertions_passes ();
	for (int i = 0; i < 100; i++)
		fake_tick (10);
	ck_assert_uint_ge (ppi_assertions_passes () - before, 16);
}
END_TEST

START_TEST (the_tick_comes_soon_while_sites_are_checked)
{
	ck_assert_uint_eq (ppi_assertions_tick (fake.now_ns), UINT64_MAX);
	load (SLOW "}\n");
	ck_assert_uint_le (ppi_assertions_tick (fake.now_ns) - fake.now_ns, 10000000);
}
END_TEST

/* ---- actions --------------------------------------------------------------------------------- */

START_TEST (the_log_tells_the_whole_story)
{
	load ("assertions:\n  frame_slow: {at: render/frame, expect: frame_time.last <= 400 ms, "
	      "capture: [rays], "
	      "on_fire: [log: error]}\n");
	fake_sample (rays, 312, 104);
	fake_sample (frame_time, 0.612, 0.3);
	fake_execute (frame);
	fake_tick (10);
	ck_assert_uint_eq (fake.n_messages, 1);
	ck_assert_str_eq (fake.messages[0],
			  "error: assertion frame_slow fired at app!a.c:render/frame (thread "
			  "4711): frame_time.last <= 400 ms: left 612 ms, right 400 ms; captured "
			  "rays 312 (104 on average so far)");
	ck_assert_uint_eq (fake_history (PPI_HISTORY_FIRE, "frame_slow"), 1);
	ck_assert_uint_eq (fake_history (PPI_HISTORY_LOG, "frame_slow"), 1);
	ck_assert_double_eq (fake.history[fake.n_history - 2].value[0], 0.612);
}
END_TEST

START_TEST (the_log_has_the_policys_text_and_debug_stays_in_the_recording)
{
	load (SLOW ", on_fire: [{log: {level: info, text: too many rays}}, {log: debug}, {log: "
		   "plain text}]}\n");
	execute (60);
	fake_tick (10);
	ck_assert_uint_eq (fake.n_messages, 2);
	ck_assert_str_eq (fake.messages[0], "info: too many rays");
	ck_assert_str_eq (fake.messages[1], "warning: plain text");
	ck_assert_uint_eq (fake_history (PPI_HISTORY_LOG, "slow"), 3);
}
END_TEST

START_TEST (the_log_is_limited_and_says_what_it_left_out)
{
	load (SLOW ", on_fire: [log: info]}\n");
	for (int i = 0; i < 20; i++) {
		execute (60);
		execute (10);
		fake_tick (1);
	}
	ck_assert_uint_eq (fake_said ("info: "), 5);
	execute (60);
	fake_tick (3000);
	ck_assert_uint_eq (fake_said ("(15 more were not printed)"), 1);
	ck_assert_uint_eq (fake_history (PPI_HISTORY_LOG, "slow"), 21);
}
END_TEST

START_TEST (actions_run_once_per_fire)
{
	load (SLOW ", on_fire: [call: on_call]}\n");
	for (int i = 0; i < 5; i++)
		execute (60);
	fake_tick (10);
	fake_tick (10);
	ck_assert_int_eq (seen.calls, 1);
	ck_assert_uint_eq (fake_history (PPI_HISTORY_FIRE, "slow"), 1);
}
END_TEST

START_TEST (repeat_runs_them_again_once_per_cooldown)
{
	load (SLOW ", repeat: true, cooldown: 1s, on_fire: [call: on_call]}\n");
	pp_on_assertion ("slow", on_assertion, letter_x);
	for (int i = 0; i < 25; i++) {
		execute (60);
		fake_tick (100);
	}
	ck_assert_int_eq (seen.calls, 3);
	ck_assert_int_eq (seen.fires, 1);
	ck_assert_uint_eq (state ("slow").fired, 1);
}
END_TEST

START_TEST (bind_for_a_time_ends_by_itself_and_is_prolonged)
{
	load (SLOW ", on_fire: [{bind: {metric: frame_time, sites: [\"f/*\", \"g/*\"], every: 3, "
		   "for: 10s}}]}\n");
	execute (60);
	ck_assert_uint_eq (fake_rules ("frame_time", NULL), 0);
	fake_tick (10);
	ck_assert_uint_eq (fake_rules ("frame_time", NULL), 2);
	ck_assert_uint_eq (fake.rules[0].every, 3);
	ck_assert_uint_eq (fake_history (PPI_HISTORY_BIND, "frame_time"), 2);
	fake_tick (6000);
	execute (10);
	execute (60);
	fake_tick (10);
	ck_assert_uint_eq (fake_rules ("frame_time", NULL), 2);
	fake_tick (9000);
	ck_assert_uint_eq (fake_rules ("frame_time", NULL), 2);
	fake_tick (1000);
	ck_assert_uint_eq (fake_rules ("frame_time", NULL), 0);
	ck_assert_uint_eq (fake_history (PPI_HISTORY_UNBIND, "frame_time"), 2);
}
END_TEST

START_TEST (the_tick_comes_when_a_binding_ends)
{
	uint64_t next;

	load ("assertions: {a: {every: 1h, expect: rays.sum < 50, on_fire: [{bind: {metric: "
	      "frame_time, sites: \"f/*\", for: 10s}}]}}\n");
	rays->merged[PP_STAT_SUM] = 60;
	fake_tick (3600000);
	next = ppi_assertions_tick (fake.now_ns);
	ck_assert_uint_eq (next - fake.now_ns, UINT64_C (10000000000));
}
END_TEST

START_TEST (what_actions_bound_goes_on_through_a_reload)
{
	static const char first[] =
		SLOW ", on_fire: [{bind: {metric: frame_time, sites: \"f/*\", for: 10s}}]}\n";
	static const char second[] =
		SLOW ", on_fire: [{bind: {metric: frame_time, sites: \"f/*\", for: 10s}}]}\n  "
		     "more: {every: 1s, expect: 1 < 2}\n";
	static const char third[] = SLOW
		", after: 1, on_fire: [{bind: {metric: frame_time, sites: \"f/*\", for: 10s}}]}\n";
	const char *path;

	load (first);
	execute (60);
	fake_tick (10);
	load (second);
	ck_assert_uint_eq (fake_rules ("frame_time", "f/*"), 1);
	fake.bad_rule = "bad";
	path = fake_policy ("engine.yaml",
			    "version: 1\nbind: [{metric: frame_time, sites: bad}]\n");
	ck_assert_int_eq (pp_policy_load (path), PP_EPOLICY);
	unlink (path);
	fake.batch_error = PP_ECODE;
	path = fake_policy ("engine.yaml", "version: 1\n");
	ck_assert_int_eq (pp_policy_load (path), PP_EPOLICY);
	unlink (path);
	ck_assert_uint_eq (fake_rules ("frame_time", "f/*"), 0);
	execute (10);
	execute (60);
	fake_tick (10);
	ck_assert_uint_eq (fake_rules ("frame_time", "f/*"), 1);
	fake_tick (5000);
	load (third);
	ck_assert_uint_eq (fake_rules ("frame_time", "f/*"), 0);
}
END_TEST

START_TEST (unbind_and_bind_take_turns_with_a_binding_of_the_policy)
{
	load ("bind: [{metric: frame_time, sites: \"f/*\"}]\n" SLOW
	      ", on_fire: [{unbind: {metric: frame_time, sites: \"f/*\"}}], on_clear: [{bind: "
	      "{metric: frame_time, sites: \"f/*\"}}]}\n");
	for (int i = 0; i < 3; i++) {
		ck_assert_uint_eq (fake_rules ("frame_time", "f/*"), 1);
		execute (60);
		fake_tick (10);
		ck_assert_uint_eq (fake_rules ("frame_time", "f/*"), 0);
		execute (10);
		fake_tick (10);
	}
}
END_TEST

START_TEST (unbind_means_what_the_program_bound_where_the_policy_has_not)
{
	load ("bind: [{metric: frame_time, sites: \"f/*\"}]\n" SLOW
	      ", on_fire: [{unbind: {metric: frame_time, sites: \"render/*\"}}]}\n");
	execute (60);
	ck_assert_str_eq (fake.unbound, "");
	fake_tick (10);
	ck_assert_str_eq (fake.unbound, "frame_time render/*");
	ck_assert_uint_eq (fake_rules ("frame_time", "f/*"), 1);
}
END_TEST

START_TEST (an_action_that_fails_is_told_once)
{
	load (SLOW ", on_fire: [{bind: {metric: frame_time, sites: \"f/*\"}}]}\n");
	fake.bad_rule = "f/*";
	for (int i = 0; i < 3; i++) {
		execute (60);
		execute (10);
		fake_tick (10);
	}
	ck_assert_uint_eq (fake_said ("an action of assertion 'slow' failed: bind: 'f/*' can't be "
				      "bound (said once)"),
			   1);
	ck_assert_uint_eq (ppi_assertion_find ("slow")->on_fire[0].failed, 3);
}
END_TEST

START_TEST (changes_faster_than_the_owner_are_counted_and_told_once)
{
	load (SLOW ", on_fire: [call: on_call]}\n");
	for (int i = 0; i < 100; i++) {
		execute (60);
		execute (10);
	}
	fake_tick (10);
	fake_tick (10);
	ck_assert_uint_eq (state ("slow").fired, 100);
	ck_assert_int_eq (seen.calls, 32);
	ck_assert_uint_eq (ppi_assertion_find ("slow")->unperformed, 200 - PPI_NOTICES);
	ck_assert_uint_eq (fake_said ("more came at once than there was room for"), 1);
	ck_assert_uint_eq (
		fake_said ("; changes whose actions were left out: 136 so far (said once)"), 1);
}
END_TEST

static Suite *engine (void)
{
	Suite *suite = suite_create ("assertions");
	TCase *tests = tcase_create ("assertions");

	tcase_add_checked_fixture (tests, setup, NULL);
	tcase_add_test (tests, a_violation_at_a_site_fires_at_once);
	tcase_add_test (tests, after_100_begins_checking_with_sample_101);
	tcase_add_test (tests, no_sample_yet_is_unknown_and_counted);
	tcase_add_test (tests, a_missing_counter_is_unknown_though_its_site_is_never_sampled);
	tcase_add_test (tests, bare_names_at_a_site_are_this_threads_and_all_is_merged);
	tcase_add_test (tests, captures_say_what_else_was_high);
	tcase_add_test (tests, what_is_captured_is_read_at_checks_that_hold_too);
	tcase_add_test (tests, of_very_many_checks_some_are_looked_at_and_stand_for_all);
	tcase_add_test (tests, timed_assertions_compare_too);
	tcase_add_test (tests, counts_go_on_without_room_in_the_region);
	tcase_add_test (tests, inline_callables_run_in_the_marker_and_others_with_the_tick);
	tcase_add_test (tests, inline_callables_of_timed_assertions_run_without_the_lock);
	tcase_add_test (tests, outcomes_left_by_a_busy_thread_are_stepped_by_the_tick);
	tcase_add_test (tests, outcomes_that_find_no_room_are_counted);
	tcase_add_test (tests, the_callback_of_a_closed_module_is_not_called);
	tcase_add_test (tests, timed_assertions_are_checked_by_their_period);
	tcase_add_test (
		tests, all_assertions_get_the_programs_own_statistics_however_many_are_due_at_once);
	tcase_add_test (tests, a_stalled_tick_makes_up_for_nothing);
	tcase_add_test (tests, what_has_not_ended_yet_fires);
	tcase_add_test (tests, assertions_about_assertions_read_their_counts);
	tcase_add_test (tests, assertions_at_rest_are_left_alone_until_there_is_something_to_do);
	tcase_add_test (tests, growth_at_rest_is_left_alone_until_it_is_due_or_much_has_come);
	tcase_add_test (tests, merged_values_at_a_site_are_refreshed_all_the_same);
	tcase_add_test (tests, the_tick_comes_soon_while_sites_are_checked);
	tcase_add_test (tests, the_log_tells_the_whole_story);
	tcase_add_test (tests, the_log_has_the_policys_text_and_debug_stays_in_the_recording);
	tcase_add_test (tests, the_log_is_limited_and_says_what_it_left_out);
	tcase_add_test (tests, actions_run_once_per_fire);
	tcase_add_test (tests, repeat_runs_them_again_once_per_cooldown);
	tcase_add_test (tests, bind_for_a_time_ends_by_itself_and_is_prolonged);
	tcase_add_test (tests, the_tick_comes_when_a_binding_ends);
	tcase_add_test (tests, what_actions_bound_goes_on_through_a_reload);
	tcase_add_test (tests, unbind_and_bind_take_turns_with_a_binding_of_the_policy);
	tcase_add_test (tests, unbind_means_what_the_program_bound_where_the_policy_has_not);
	tcase_add_test (tests, an_action_that_fails_is_told_once);
	tcase_add_test (tests, changes_faster_than_the_owner_are_counted_and_told_once);
	suite_add_tcase (suite, tests);
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {engine};

	return ppcheck_main (suites, 1);
}
