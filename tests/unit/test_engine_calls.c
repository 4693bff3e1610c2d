/* SPDX-License-Identifier: MIT */
/* test_engine_calls.c: callbacks, polling, expectations in the code, children. */
#include "assertions/engine/assertion.h"
#include "assertions/engine/assertions.h"
#include "base/part.h"
#include "tests/unit/engine_program.h"
#include "tests/unit/ppcheck.h"

#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- callbacks ------------------------------------------------------------------------------- */

START_TEST (callbacks_hear_of_fires_and_clears_in_their_order)
{
	ck_assert_int_eq (pp_on_assertion ("slow", on_assertion, letter_a), PP_OK);
	load (SLOW "}\n");
	ck_assert_int_eq (pp_on_assertion ("slow", on_assertion, letter_b), PP_OK);
	execute (60);
	ck_assert_int_eq (seen.fires, 0);
	fake_tick (10);
	ck_assert_int_eq (seen.fires, 2);
	ck_assert_str_eq (seen.order, "ab");
	ck_assert_str_eq (seen.assertion, "slow");
	ck_assert_uint_eq (seen.last.size, sizeof (struct pp_violation));
	execute (10);
	fake_tick (10);
	ck_assert_int_eq (seen.clears, 2);
	ck_assert_int_eq (pp_on_assertion ("slow", NULL, letter_x), PP_OK);
	ck_assert_int_eq (pp_on_assertion (NULL, on_assertion, NULL), PP_EINVAL);
}
END_TEST

START_TEST (callbacks_that_were_taken_away_are_silent)
{
	load (SLOW "}\n");
	pp_on_assertion ("slow", on_assertion, letter_a);
	pp_on_assertion ("slow", on_assertion, letter_b);
	pp_on_assertion ("slow", NULL, letter_a);
	execute (60);
	fake_tick (10);
	ck_assert_str_eq (seen.order, "b");
}
END_TEST

START_TEST (poll_delivers_and_counts)
{
	pp_on_assertion ("slow", on_assertion, letter_a);
	load (SLOW ", on_fire: [call: on_call]}\n");
	execute (60);
	ck_assert_int_eq (pp_poll (), 2);
	ck_assert_int_eq (seen.fires, 1);
	ck_assert_int_eq (seen.calls, 1);
	ck_assert_int_eq (pp_poll (), 0);
}
END_TEST

START_TEST (with_a_poll_fd_only_poll_delivers)
{
	struct pollfd fd = {.events = POLLIN};

	pp_on_assertion ("slow", on_assertion, letter_a);
	load (SLOW ", on_fire: [log: info, call: on_call]}\n");
	fd.fd = pp_poll_fd ();
	ck_assert_int_ge (fd.fd, 0);
	ck_assert_int_eq (pp_poll_fd (), fd.fd);
	execute (60);
	ck_assert_int_eq (poll (&fd, 1, 0), 0);
	fake_tick (10);
	ck_assert_int_eq (seen.fires + seen.calls, 0);
	ck_assert_uint_eq (fake_said ("info: "), 1);
	ck_assert_int_eq (poll (&fd, 1, 0), 1);
	ck_assert_int_eq (pp_poll (), 2);
	ck_assert_int_eq (seen.fires + seen.calls, 2);
	ck_assert_int_eq (poll (&fd, 1, 0), 0);
}
END_TEST

static void reload (const struct pp_violation *violation, void *arg)
{
	(void) violation;
	(void) arg;
	seen.calls++;
	ck_assert_int_eq (pp_poll (), 0);
	load ("bind: []\n");
	ck_assert_str_eq (violation->assertion, "slow");
	ck_assert_str_eq (violation->expression, "rays.last < 50");
}

START_TEST (a_callback_may_replace_the_policy_that_called_it)
{
	pp_on_assertion ("slow", reload, NULL);
	load (SLOW "}\n");
	execute (60);
	fake_tick (10);
	ck_assert_int_eq (seen.calls, 1);
	ck_assert_int_eq (pp_assertion_state ("slow", &(struct pp_assertion_info){0}), PP_ENOENT);
}
END_TEST

static void unload_inside (const struct pp_violation *violation, void *arg)
{
	(void) violation;
	(void) arg;
	seen.inlines++;
	ck_assert_int_eq (pp_policy_load ("x"), PP_ESTATE);
	ck_assert_int_eq (pp_policy_unload ("x"), PP_ESTATE);
	ck_assert_int_eq (pp_expect ("inner", "2 < 1"), PP_ESTATE);
	ck_assert_int_eq (pp_poll (), 0);
	fake_execute (work);
}

START_TEST (an_inline_callable_is_never_called_inside_itself)
{
	static struct pp_abi_callable record = CALLABLE (unload_inside, PP_ABI_CALLABLE_INLINE);

	fake_add_record (&record.head);
	load (SLOW ", repeat: true, on_fire: [call: unload_inside]}\n");
	execute (60);
	ck_assert_int_eq (seen.inlines, 1);
	ck_assert_uint_eq (state ("slow").violations, 2);
}
END_TEST

/* ---- expectations ---------------------------------------------------------------------------- */

START_TEST (expect_answers_here_and_now)
{
	ck_assert_int_eq (pp_expect ("few", "rays.sum < 50"), 2);
	rays->merged[PP_STAT_SUM] = 10;
	ck_assert_int_eq (pp_expect ("few", "rays.sum < 50"), 1);
	rays->merged[PP_STAT_SUM] = 60;
	ck_assert_int_eq (pp_expect ("few", "rays.sum < 50"), 0);
	ck_assert_uint_eq (state ("few").fired, 1);
	ck_assert_uint_eq (fake_history (PPI_HISTORY_FIRE, "few"), 1);
	ck_assert_int_eq (pp_expect ("few", "rays.sum < 60"), PP_EEXIST);
	ck_assert_int_eq (pp_expect ("2few", "rays.sum < 60"), PP_EINVAL);
	ck_assert_int_eq (pp_expect (NULL, "1 < 2"), PP_EINVAL);
	ck_assert_int_eq (fake.lock_depth, 0);
}
END_TEST

static int woken;

static void wake (void)
{
	woken++;
}

START_TEST (the_owner_is_woken_for_what_an_expectation_queues)
{
	pp_on_assertion ("few", on_assertion, letter_a);
	rays->merged[PP_STAT_SUM] = 10;
	ck_assert_int_eq (pp_expect ("few", "rays.sum < 50"), 1);
	ppi_assertions_wake_set (wake);
	ck_assert (ppi_parts_need_thread ());
	ck_assert_int_eq (pp_expect ("few", "rays.sum < 50"), 1);
	ck_assert_int_eq (woken, 0);
	rays->merged[PP_STAT_SUM] = 60;
	ck_assert_int_eq (pp_expect ("few", "rays.sum < 50"), 0);
	ck_assert_int_eq (woken, 1);
	ck_assert_int_eq (seen.fires, 0);
	fake_tick (10);
	ck_assert_int_eq (seen.fires, 1);
	ppi_assertions_wake_set (NULL);
}
END_TEST

START_TEST (a_wrong_expectation_is_told_once)
{
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq (pp_expect ("few", "ryas.sum < 50"), PP_EINVAL);
	ck_assert_uint_eq (
		fake_said ("few:1:1: error: there is no metric 'ryas'; did you mean 'rays'?"), 1);
	ck_assert_uint_eq (fake.n_messages, 3);
}
END_TEST

/* Checks "few" N times, with so many rays */
static void check_few (double sum_of_rays, const char *clauses, unsigned n)
{
	rays->merged[PP_STAT_SUM] = sum_of_rays;
	for (unsigned i = 0; i < n; i++)
		ck_assert_int_eq (pp_expect_with ("few", "rays.sum < 50", clauses),
				  sum_of_rays < 50);
}

START_TEST (an_expectation_fires_as_its_clauses_say)
{
	static const char clauses[] =
		"for: 3, clear: 2, cooldown: 10s, severity: critical, after: 4";

	pp_on_assertion ("few", on_assertion, letter_a);
	check_few (60, clauses, 4); /* answers, but no checks yet */
	ck_assert_uint_eq (state ("few").checks, 0);
	check_few (60, clauses, 2);
	ck_assert_int_eq (state ("few").state, PP_STATE_PENDING);
	ck_assert_int_eq (state ("few").severity, PP_SEVERITY_CRITICAL);
	check_few (60, NULL, 1); /* whichever it has */
	ck_assert_int_eq (state ("few").state, PP_STATE_FIRING);
	check_few (10, clauses, 1);
	ck_assert_int_eq (state ("few").state, PP_STATE_FIRING);
	check_few (10, clauses, 1);
	ck_assert_int_eq (state ("few").state, PP_STATE_OK);
	check_few (60, clauses, 5);
	ck_assert_int_eq (state ("few").state, PP_STATE_PENDING);
	fake_tick (10000);
	check_few (60, clauses, 1);
	ck_assert_uint_eq (state ("few").fired, 2);
	fake_tick (10);
	ck_assert_int_eq (seen.fires, 2);
	ck_assert_int_eq (seen.last.severity, PP_SEVERITY_CRITICAL);
}
END_TEST

START_TEST (repeated_expectations_call_with_every_cooldown)
{
	static const char clauses[] = "repeat: true, cooldown: 1s";

	pp_on_assertion ("few", on_assertion, letter_a);
	for (int i = 0; i < 4; i++) {
		check_few (60, clauses, 10);
		fake_tick (500);
	}
	ck_assert_str_eq (seen.order, "aa");
	ck_assert_uint_eq (state ("few").fired, 1);
}
END_TEST

START_TEST (an_expectation_captures)
{
	pp_on_assertion ("few", on_assertion, letter_a);
	frame_time->merged[PP_STAT_LAST] = 3;
	frame_time->merged[PP_STAT_AVG] = 1.5;
	check_few (60, "capture: [frame_time]", 1);
	fake_tick (10);
	ck_assert_str_eq (seen.capture, "frame_time");
	ck_assert (seen.value == 3 && seen.ratio == 2);
}
END_TEST

static void *check_in_a_thread (void *arg)
{
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq (pp_expect_with ("few", "rays.sum < 50", arg), 0);
	return NULL;
}

START_TEST (with_scope_thread_each_thread_that_checks_has_a_state)
{
	static char clauses[] = "scope: thread, for: 3";
	pthread_t thread;

	check_few (60, clauses, 2);
	pthread_create (&thread, NULL, check_in_a_thread, clauses);
	pthread_join (thread, NULL);
	ck_assert_uint_eq (state ("few").violations, 4);
	ck_assert_uint_eq (state ("few").fired, 0);
	check_few (60, clauses, 1);
	ck_assert_uint_eq (state ("few").fired, 1);
	ck_assert_uint_eq (state ("few").threads, 1);
}
END_TEST

START_TEST (wrong_clauses_are_told_once_and_make_nothing)
{
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq (
			pp_expect_with ("few", "rays.sum < 50", "fro: 3, clear: 0, cooldown: 2"),
			PP_EINVAL);
	ck_assert_uint_eq (fake_said ("did you mean 'for'?"), 1);
	ck_assert_uint_eq (fake_said ("few:1:17: error: 'clear' must be from 1 to 1000000, not 0"),
			   1);
	ck_assert_uint_eq (fake_said ("'cooldown' must be a time with its unit"), 1);
	ck_assert_int_eq (pp_expect_with ("few", "rays.sum < 50", "at: f/work"), PP_EINVAL);
	ck_assert_int_eq (pp_expect_with ("few", "rays.sum < 50", "capture: [ryas]"), PP_EINVAL);
	ck_assert_uint_eq (fake_said ("there is no metric 'ryas'; did you mean 'rays'?"), 1);
	ck_assert_int_eq (pp_expect_with ("few", "rays.sum < 50", "for: 3}"), PP_EINVAL);
	ck_assert_int_eq (pp_expect_with ("few", "rays.sum < 50", "{"), PP_EINVAL);
	ck_assert_int_eq (pp_expect_with ("few", "rays.sum < 50", "[3]"), PP_EINVAL);
	ck_assert_int_eq (pp_assertion_state ("few", &(struct pp_assertion_info){0}), PP_ENOENT);
	ck_assert_int_eq (fake.lock_depth, 0);
}
END_TEST

START_TEST (other_clauses_under_one_name_are_a_clash)
{
	check_few (10, "for: 3", 1);
	ck_assert_int_eq (pp_expect_with ("few", "rays.sum < 50", "for: 4"), PP_EEXIST);
	ck_assert_uint_eq (
		fake_said ("expectation 'few' exists already, as: rays.sum < 50, with for: 3"), 1);
	ck_assert_int_eq (pp_expect_with ("few", "rays.sum < 50", ""), PP_EEXIST);
	check_few (10, NULL, 1);
}
END_TEST

static struct {
	struct pp_abi_expect expect;
	char text[200];
} expectation;

static void make_expectation (const char *name, const char *expression)
{
	char *text = (char *) &expectation;

	memset (&expectation, 0, sizeof expectation);
	expectation.expect.head = (struct pp_abi_record){.size = 256,
							 .abi = PP_ABI_VERSION,
							 .type = PP_ABI_RECORD_EXPECT,
							 .line = 42,
							 .column = 9};
	expectation.expect.head.name = 56;
	expectation.expect.head.file = 80;
	expectation.expect.expression = 120;
	expectation.expect.call = inline_record.function;
	strcpy (text + 56, name);
	strcpy (text + 80, "app.c");
	strcpy (text + 120, expression);
	fake_add_record (&expectation.expect.head);
}

START_TEST (an_expectation_in_the_code_calls_its_function_at_once)
{
	make_expectation ("few", "rays.sum < 50");
	pp_rt_expect (&expectation.expect);
	ck_assert_int_eq (pp_assertion_state ("few", &(struct pp_assertion_info){0}), PP_ENOENT);
	fake_module_added ();
	rays->merged[PP_STAT_SUM] = 60;
	pp_rt_expect (&expectation.expect);
	pp_rt_expect (&expectation.expect);
	ck_assert_int_eq (seen.inlines, 1);
	ck_assert_str_eq (seen.assertion, "few");
	ck_assert_str_eq (seen.site, "-");
	ck_assert_uint_eq (state ("few").violations, 2);
	fake_remove_record (&expectation.expect.head);
	pp_rt_expect (&expectation.expect);
	ck_assert_uint_eq (state ("few").violations, 2);
}
END_TEST

START_TEST (an_expectation_in_the_code_has_clauses)
{
	make_expectation ("few", "rays.sum < 50");
	expectation.expect.clauses = 160;
	strcpy ((char *) &expectation + 160, "for: 2, repeat: true");
	fake_module_added ();
	rays->merged[PP_STAT_SUM] = 60;
	pp_rt_expect (&expectation.expect);
	ck_assert_int_eq (seen.inlines, 0);
	pp_rt_expect (&expectation.expect);
	ck_assert_int_eq (seen.inlines, 1);
	pp_rt_expect (&expectation.expect);
	ck_assert_int_eq (seen.inlines, 2);
	ck_assert_uint_eq (state ("few").fired, 1);
}
END_TEST

START_TEST (a_wrong_expectation_in_the_code_is_told_with_its_line)
{
	make_expectation ("few", "rays.sum < 5 ms");
	fake_module_added ();
	ck_assert_uint_eq (fake_said ("app.c:42:10: error: can't compare 'rays.sum' (a plain "
				      "number) and '5 ms' (a time)"),
			   1);
	ck_assert_str_eq (fake.messages[1], "    rays.sum < 5 ms");
	ck_assert_str_eq (fake.messages[2], "             ^");
	pp_rt_expect (&expectation.expect);
	ck_assert_int_eq (pp_assertion_state ("few", &(struct pp_assertion_info){0}), PP_ENOENT);
}
END_TEST

/* ---- fork ------------------------------------------------------------------------------------ */

START_TEST (a_child_starts_with_counts_of_its_own)
{
	struct ppi_assertion_chunk *parents;

	pp_on_assertion ("slow", on_assertion, letter_a);
	load (SLOW "}\n");
	execute (60);
	parents = ppi_assertion_find ("slow")->chunk;
	ppi_assertion_find ("slow")->busy = 1; /* of a thread that the child doesn't have */
	ppi_parts_fork_child ();
	ck_assert_ptr_ne (ppi_assertion_find ("slow")->chunk, parents);
	ck_assert_uint_eq (state ("slow").violations, 0);
	ck_assert_int_eq (state ("slow").state, PP_STATE_OK);
	fake_tick (10);
	ck_assert_int_eq (seen.fires, 0);
	execute (60);
	fake_tick (10);
	ck_assert_int_eq (seen.fires, 1);
	ck_assert_uint_eq (parents->violations, 1);
}
END_TEST

START_TEST (a_raw_child_writes_nothing_of_its_parents)
{
	struct ppi_assertion_chunk *parents;
	pid_t child;
	int status;

	load (SLOW "}\n");
	make_expectation ("few", "rays.sum < 50");
	fake_module_added ();
	execute (60);
	parents = ppi_assertion_find ("slow")->chunk;
	child = _Fork ();
	ck_assert_int_ge (child, 0);
	if (!child) {
		uint64_t before = parents->violations;

		/* its markers and expectations are still, until it asks for something */
		execute (60);
		pp_rt_expect (&expectation.expect);
		if (parents->violations != before || ppi_assertion_find ("few")->chunk->unknowns)
			_exit (1);
		if (pp_expect ("more", "1 < 2") != 1 ||
		    ppi_assertion_find ("slow")->chunk == parents || state ("slow").violations)
			_exit (2);
		execute (60);
		_exit (state ("slow").violations == 1 && parents->violations == before ? 0 : 3);
	}
	ck_assert_int_eq (waitpid (child, &status, 0), child);
	ck_assert_msg (WIFEXITED (status) && WEXITSTATUS (status) == 0, "the child ended with %d",
		       status);
}
END_TEST

static Suite *calls (void)
{
	Suite *suite = suite_create ("callbacks and expectations");
	TCase *tests = tcase_create ("callbacks and expectations");

	tcase_add_checked_fixture (tests, setup, NULL);
	tcase_add_test (tests, callbacks_hear_of_fires_and_clears_in_their_order);
	tcase_add_test (tests, callbacks_that_were_taken_away_are_silent);
	tcase_add_test (tests, poll_delivers_and_counts);
	tcase_add_test (tests, with_a_poll_fd_only_poll_delivers);
	tcase_add_test (tests, a_callback_may_replace_the_policy_that_called_it);
	tcase_add_test (tests, an_inline_callable_is_never_called_inside_itself);
	tcase_add_test (tests, expect_answers_here_and_now);
	tcase_add_test (tests, the_owner_is_woken_for_what_an_expectation_queues);
	tcase_add_test (tests, a_wrong_expectation_is_told_once);
	tcase_add_test (tests, an_expectation_fires_as_its_clauses_say);
	tcase_add_test (tests, repeated_expectations_call_with_every_cooldown);
	tcase_add_test (tests, an_expectation_captures);
	tcase_add_test (tests, with_scope_thread_each_thread_that_checks_has_a_state);
	tcase_add_test (tests, wrong_clauses_are_told_once_and_make_nothing);
	tcase_add_test (tests, other_clauses_under_one_name_are_a_clash);
	tcase_add_test (tests, an_expectation_in_the_code_calls_its_function_at_once);
	tcase_add_test (tests, an_expectation_in_the_code_has_clauses);
	tcase_add_test (tests, a_wrong_expectation_in_the_code_is_told_with_its_line);
	tcase_add_test (tests, a_child_starts_with_counts_of_its_own);
	tcase_add_test (tests, a_raw_child_writes_nothing_of_its_parents);
	suite_add_tcase (suite, tests);
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {calls};

	return ppcheck_main (suites, 1);
}
