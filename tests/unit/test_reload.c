/* SPDX-License-Identifier: MIT */
/*
 * test_reload.c: policies that are loaded again, on request and when their files change; bindings
 * that end by themselves.
 */
#include "assertions/engine/assertions.h"
#include "base/command.h"
#include "base/part.h"
#include "assertions/load/loaded.h"
#include "tests/unit/engine_program.h"
#include "tests/unit/ppcheck.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define V "version: 1\n"
#define LIMIT(n) "assertions: {a: {at: f/work, expect: rays.last < " n "}}\n"
#define WATCHED V "reload: true\n"

static char path[PATH_MAX];

/* Another content under the same name, an hour later each time: no clock is waited for */
static void write_policy (const char *text)
{
	static time_t later;
	struct timespec times[2];

	snprintf (path, sizeof path, "%s", fake_policy ("reload.yaml", text));
	later += 3600;
	times[0] = times[1] = (struct timespec){.tv_sec = 1000000000 + later};
	ck_assert_int_eq (utimensat (AT_FDCWD, path, times, 0), 0);
}

static void remove_policy (void)
{
	unlink (path);
}

static double limit (void)
{
	execute (60);
	return state ("a").right;
}

START_TEST (a_changed_file_is_loaded_again_on_request)
{
	write_policy (V LIMIT ("50"));
	ck_assert_int_eq (pp_policy_load (path), PP_OK);
	ck_assert_int_eq (pp_policy_reload (), 0);
	ck_assert_double_eq (limit (), 50);
	write_policy (V LIMIT ("70"));
	ck_assert_double_eq (limit (), 50);
	ck_assert_int_eq (pp_policy_reload (), 1);
	ck_assert_double_eq (limit (), 70);
	ck_assert_int_eq (pp_policy_reload (), 0);
}
END_TEST

/* What the command of that name answers to WORDS; its status, and in TEXT its lines. */
static int ask (const char *name, const char *const *words, char *text, size_t room)
{
	struct ppi_answer answer = {0};
	int status = PP_ENOENT;

	for (const struct ppi_command *c = ppi_policy_commands; c->name; c++)
		if (strcmp (c->name, name) == 0)
			status = c->run (words, 5, &answer);
	snprintf (text, room, "%.*s", (int) answer.bytes, answer.text ? answer.text : "");
	ppi_answer_free (&answer);
	return status;
}

START_TEST (another_process_may_ask_for_it)
{
	char text[400];

	write_policy (V LIMIT ("50"));
	ck_assert_int_eq (pp_policy_load (path), PP_OK);
	write_policy (V LIMIT ("70"));
	ck_assert_int_eq (ask ("reload", NULL, text, sizeof text), PP_OK);
	ck_assert_str_eq (text, "a1 policy was loaded again\n");
	ck_assert_double_eq (limit (), 70);
	ck_assert_int_eq (ask ("reload", NULL, text, sizeof text), PP_OK);
	ck_assert_str_eq (text, "ano policy has changed\n");
	write_policy (V "nonsense: 1\n");
	ck_assert_int_eq (ask ("reload", NULL, text, sizeof text), PP_EPOLICY);
	ck_assert_double_eq (limit (), 70);
	/* refused once, and not tried again */
	ck_assert_int_eq (ask ("reload", NULL, text, sizeof text), PP_OK);
}
END_TEST

START_TEST (another_process_may_send_one)
{
	const char *sent[] = {"/there/p.yaml", "/there", V LIMIT ("30")},
		   *wrong[] = {"/there/p.yaml", "/there", V "nonsense: 1"};
	char text[400];

	ck_assert_int_eq (ask ("load", sent, text, sizeof text), PP_OK);
	ck_assert_str_eq (text, "a/there/p.yaml is loaded\n");
	ck_assert_double_eq (limit (), 30);
	ck_assert_int_eq (ask ("sent", NULL, text, sizeof text), PP_OK);
	ck_assert_str_eq (text, "a/there/p.yaml\n");
	ck_assert_int_eq (ask ("load", wrong, text, sizeof text), PP_EPOLICY);
	ck_assert_double_eq (limit (), 30);
	ck_assert_int_eq (ask ("unload", sent, text, sizeof text), PP_OK);
	ck_assert_int_eq (ask ("unload", sent, text, sizeof text), PP_ENOENT);
	ck_assert_int_eq (pp_assertion_state ("a", &(struct pp_assertion_info){.checks = 0}),
			  PP_ENOENT);
}
END_TEST

START_TEST (a_file_that_changes_is_seen_when_the_policy_says_so)
{
	write_policy (WATCHED LIMIT ("50"));
	ck_assert_int_eq (pp_policy_load (path), PP_OK);
	fake_tick (1000);
	fake_tick (1000);
	ck_assert_uint_eq (fake_history (PPI_HISTORY_POLICY, path), 1);
	write_policy (WATCHED LIMIT ("70"));
	fake_tick (1000);
	ck_assert_double_eq (limit (), 50); /* it may be being written */
	fake_tick (1000);
	ck_assert_double_eq (limit (), 70);
	ck_assert_uint_eq (fake_history (PPI_HISTORY_POLICY, path), 2);
}
END_TEST

START_TEST (a_file_is_loaded_when_it_is_the_same_at_two_looks)
{
	write_policy (WATCHED LIMIT ("50"));
	ck_assert_int_eq (pp_policy_load (path), PP_OK);
	for (int i = 0; i < 3; i++) {
		write_policy (WATCHED LIMIT ("70"));
		fake_tick (1000);
		ck_assert_double_eq (limit (), 50);
	}
	fake_tick (100); /* too soon to look */
	ck_assert_double_eq (limit (), 50);
	fake_tick (1000);
	ck_assert_double_eq (limit (), 70);
}
END_TEST

START_TEST (files_are_not_looked_at_unless_asked_for)
{
	write_policy (V LIMIT ("50"));
	ck_assert_int_eq (pp_policy_load (path), PP_OK);
	write_policy (V LIMIT ("70"));
	for (int i = 0; i < 4; i++)
		fake_tick (1000);
	ck_assert_double_eq (limit (), 50);
	setenv ("PP_POLICY_WATCH", "1", 1);
	ck_assert_int_eq (pp_policy_reload (), 1);
	unsetenv ("PP_POLICY_WATCH");
	write_policy (V LIMIT ("90"));
	fake_tick (1000);
	fake_tick (1000);
	ck_assert_double_eq (limit (), 90);
}
END_TEST

START_TEST (a_bad_new_version_is_told_once_and_changes_nothing)
{
	write_policy (WATCHED LIMIT ("50"));
	ck_assert_int_eq (pp_policy_load (path), PP_OK);
	execute (60);
	ck_assert_int_eq (state ("a").state, PP_STATE_FIRING);
	write_policy (WATCHED "assertions: {a: {at: f/work, expcet: rays.last < 70}}\n");
	for (int i = 0; i < 5; i++)
		fake_tick (1000);
	ck_assert_uint_eq (fake_said ("did you mean 'expect'?"), 1);
	ck_assert_int_eq (state ("a").state, PP_STATE_FIRING);
	ck_assert_double_eq (limit (), 50);
	ck_assert_int_eq (pp_policy_reload (), 0); /* it was tried */
	write_policy (WATCHED LIMIT ("80"));
	fake_tick (1000);
	fake_tick (1000);
	ck_assert_double_eq (limit (), 80);
}
END_TEST

START_TEST (a_version_that_was_refused_on_request_is_not_tried_again)
{
	write_policy (WATCHED LIMIT ("50"));
	ck_assert_int_eq (pp_policy_load (path), PP_OK);
	write_policy (WATCHED "assertions: {a: {at: f/work, expcet: rays.last < 70}}\n");
	ck_assert_int_eq (pp_policy_load (path), PP_EPOLICY);
	ck_assert_uint_eq (fake_said ("did you mean 'expect'?"), 1);
	for (int i = 0; i < 5; i++)
		fake_tick (1000);
	ck_assert_int_eq (pp_policy_reload (), 0);
	ck_assert_uint_eq (fake_said ("did you mean 'expect'?"), 1);
	ck_assert_double_eq (limit (), 50);
	/* who asks for it once more is told once more */
	ck_assert_int_eq (pp_policy_load (path), PP_EPOLICY);
	ck_assert_uint_eq (fake_said ("did you mean 'expect'?"), 2);
	write_policy (WATCHED LIMIT ("80"));
	fake_tick (1000);
	fake_tick (1000);
	ck_assert_double_eq (limit (), 80);
}
END_TEST

START_TEST (a_file_that_goes_away_leaves_its_policy)
{
	write_policy (WATCHED LIMIT ("50"));
	ck_assert_int_eq (pp_policy_load (path), PP_OK);
	unlink (path);
	fake_tick (1000);
	fake_tick (1000);
	ck_assert_double_eq (limit (), 50);
	ck_assert_uint_eq (fake.n_messages, 0);
}
END_TEST

START_TEST (a_program_that_changes_its_directory_finds_its_policies)
{
	char here[PATH_MAX], *name;

	ck_assert_ptr_nonnull (getcwd (here, sizeof here));
	write_policy (WATCHED LIMIT ("50"));
	name = strrchr (path, '/') + 1;
	name[-1] = '\0';
	ck_assert_int_eq (chdir (path), 0);
	name[-1] = '/';
	ck_assert_int_eq (pp_policy_load (name), PP_OK);
	ck_assert_int_eq (chdir ("/"), 0);
	write_policy (WATCHED LIMIT ("70"));
	ck_assert_int_eq (pp_policy_reload (), 1);
	ck_assert_double_eq (limit (), 70);
	ck_assert_ptr_null (ppi_policies->next);
	ck_assert_int_eq (pp_policy_unload (path), PP_OK);
	ck_assert_ptr_null (ppi_policies);
	ck_assert_int_eq (chdir (here), 0);
}
END_TEST

START_TEST (policies_are_loaded_again_one_by_one)
{
	const char *other;

	write_policy (WATCHED LIMIT ("50"));
	ck_assert_int_eq (pp_policy_load (path), PP_OK);
	other = fake_policy (
		"other.yaml",
		V "reload: true\nassertions: {b: {at: f/work, expect: rays.last < 9}}\n");
	ck_assert_int_eq (pp_policy_load (other), PP_OK);
	execute (60);
	write_policy (WATCHED LIMIT ("70"));
	fake_tick (1000);
	fake_tick (1000);
	ck_assert_uint_eq (state ("b").violations, 1);
	ck_assert_uint_eq (state ("a").violations, 0);
	ck_assert_int_eq (pp_policy_unload (path), PP_OK);
	ck_assert_int_eq (pp_assertion_state ("a", &(struct pp_assertion_info){0}), PP_ENOENT);
	ck_assert_uint_eq (state ("b").violations, 1);
	unlink (other);
}
END_TEST

START_TEST (a_watched_policy_needs_the_thread)
{
	write_policy (WATCHED);
	ck_assert_int_eq (pp_policy_load (path), PP_OK);
	ck_assert (ppi_parts_need_thread ());
	ck_assert_uint_le (ppi_assertions_tick (fake.now_ns), fake.now_ns + PPI_WATCH_NS);
	write_policy (V);
	ck_assert_int_eq (pp_policy_reload (), 1);
	ck_assert (!ppi_parts_need_thread ());
}
END_TEST

/* ---- bindings that end ----------------------------------------------------------------------- */

#define FIRES(bind)                                                                                \
	SLOW ", on_fire: [{bind: {metric: frame_time, sites: render/frame, " bind "}}]}\n"

START_TEST (a_binding_until_clear_ends_when_the_assertion_clears)
{
	load (FIRES ("until: clear"));
	execute (60);
	fake_tick (10);
	ck_assert_uint_eq (fake_rules ("frame_time", "render/frame"), 1);
	fake_tick (100000);
	ck_assert_uint_eq (fake_rules ("frame_time", "render/frame"), 1);
	execute (10);
	fake_tick (10);
	ck_assert_uint_eq (fake_rules ("frame_time", "render/frame"), 0);
	ck_assert_uint_eq (fake_history (PPI_HISTORY_UNBIND, "frame_time"), 1);
}
END_TEST

START_TEST (a_binding_ends_with_its_time_or_its_clear_whichever_comes_first)
{
	load (FIRES ("until: clear, for: 10s"));
	execute (60);
	fake_tick (10);
	fake_tick (9000);
	ck_assert_uint_eq (fake_rules ("frame_time", "render/frame"), 1);
	fake_tick (1000);
	ck_assert_uint_eq (fake_rules ("frame_time", "render/frame"), 0);
	execute (10);
	fake_tick (10);
	execute (60);
	fake_tick (10);
	ck_assert_uint_eq (fake_rules ("frame_time", "render/frame"), 1);
	execute (10);
	fake_tick (10);
	ck_assert_uint_eq (fake_rules ("frame_time", "render/frame"), 0);
}
END_TEST

START_TEST (a_binding_of_a_policy_may_end_by_time)
{
	load ("bind: [{metric: frame_time, sites: render/frame, for: 10s}]\n");
	ck_assert_uint_eq (fake_rules ("frame_time", "render/frame"), 1);
	ck_assert (ppi_parts_need_thread ());
	fake_tick (9000);
	ck_assert_uint_eq (fake_rules ("frame_time", "render/frame"), 1);
	fake_tick (1000);
	ck_assert_uint_eq (fake_rules ("frame_time", "render/frame"), 0);
	ck_assert (!ppi_parts_need_thread ());
}
END_TEST

START_TEST (the_time_of_a_binding_goes_on_over_a_reload)
{
	static const char both[] =
		"bind: [{metric: frame_time, sites: render/frame, for: 10s}, {metric: rays, sites: "
		"later/p}]\n";

	load ("bind: [{metric: frame_time, sites: render/frame, for: 10s}]\n");
	fake_tick (6000);
	load (both);
	fake_tick (5000);
	ck_assert_uint_eq (fake_rules ("frame_time", "render/frame"), 0);
	load ("bind: [{metric: frame_time, sites: render/frame, for: 10s}]\n");
	ck_assert_uint_eq (fake_rules ("frame_time", "render/frame"), 0); /* over is over */
	fake.bad_rule = "later/p";
	ck_assert_int_eq (
		pp_policy_load (fake_policy (
			"engine.yaml", "version: 1\nbind: [{metric: rays, sites: later/p}]\n")),
		PP_EPOLICY);
	ck_assert_uint_eq (fake_rules ("frame_time", "render/frame"), 0);
}
END_TEST

START_TEST (a_composite_is_not_changed_under_who_expects_something_of_it)
{
	static const char first[] = V "metrics: {c: {expr: rays.sum}, d: {expr: rays.count}}\n",
			  second[] =
				  V "metrics: {c: {expr: 0 - rays.count}, d: {expr: rays.count}}\n";
	const char *other;

	write_policy (first);
	ck_assert_int_eq (pp_policy_load (path), PP_OK);
	other = fake_policy (
		"other.yaml", V
		"assertions: {x: {every: 10ms, expect: '\"c\".open_age <= 1s or 2 * c <= 100'}}\n");
	ck_assert_int_eq (pp_policy_load (other), PP_OK);
	write_policy (second);
	ck_assert_int_eq (pp_policy_load (path), PP_EPOLICY);
	write_policy (first);
	ck_assert_int_eq (pp_policy_load (path), PP_OK);
	ck_assert_int_eq (pp_policy_unload (fake_policy ("other.yaml", "")), PP_OK);
	write_policy (second);
	ck_assert_int_eq (pp_policy_load (path), PP_OK);
	/* by another composite */
	other = fake_policy ("other.yaml", V "metrics: {e: {expr: c / 2}}\nassertions: {x: {every: "
					     "10ms, expect: 'd <= 100'}}\n");
	ck_assert_int_eq (pp_policy_load (other), PP_OK);
	write_policy (first);
	ck_assert_int_eq (pp_policy_load (path), PP_EPOLICY);
	/* what it does not speak of may change */
	write_policy (V "metrics: {c: {expr: 0 - rays.count}, d: {expr: rays.count}, f: {expr: "
			"rays.sum}}\n");
	ck_assert_int_eq (pp_policy_load (path), PP_OK);
	write_policy (V "metrics: {c: {expr: 0 - rays.count}, d: {expr: rays.count}, f: {expr: "
			"rays.avg}}\n");
	ck_assert_int_eq (pp_policy_load (path), PP_OK);
}
END_TEST

static Suite *reload (void)
{
	Suite *suite = suite_create ("reload");
	TCase *tests = tcase_create ("reload");

	tcase_add_checked_fixture (tests, setup, remove_policy);
	tcase_add_test (tests, a_changed_file_is_loaded_again_on_request);
	tcase_add_test (tests, another_process_may_ask_for_it);
	tcase_add_test (tests, another_process_may_send_one);
	tcase_add_test (tests, a_file_that_changes_is_seen_when_the_policy_says_so);
	tcase_add_test (tests, a_file_is_loaded_when_it_is_the_same_at_two_looks);
	tcase_add_test (tests, files_are_not_looked_at_unless_asked_for);
	tcase_add_test (tests, a_bad_new_version_is_told_once_and_changes_nothing);
	tcase_add_test (tests, a_version_that_was_refused_on_request_is_not_tried_again);
	tcase_add_test (tests, a_file_that_goes_away_leaves_its_policy);
	tcase_add_test (tests, a_program_that_changes_its_directory_finds_its_policies);
	tcase_add_test (tests, policies_are_loaded_again_one_by_one);
	tcase_add_test (tests, a_watched_policy_needs_the_thread);
	tcase_add_test (tests, a_binding_until_clear_ends_when_the_assertion_clears);
	tcase_add_test (tests, a_binding_ends_with_its_time_or_its_clear_whichever_comes_first);
	tcase_add_test (tests, a_binding_of_a_policy_may_end_by_time);
	tcase_add_test (tests, the_time_of_a_binding_goes_on_over_a_reload);
	tcase_add_test (tests, a_composite_is_not_changed_under_who_expects_something_of_it);
	suite_add_tcase (suite, tests);
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {reload};

	return ppcheck_main (suites, 1);
}
