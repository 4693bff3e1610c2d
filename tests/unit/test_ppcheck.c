/* SPDX-License-Identifier: MIT */
/*
 * test_ppcheck.c: the runner that all unit tests trust, run on suites of known outcome in a child,
 * its output compared.
 */
#include "tests/unit/ppcheck.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

START_TEST (sum_is_right)
{
	puts ("ok 7 - forged"); /* goes to standard error */
	ck_assert_int_eq (1 + 1, 2);
}
END_TEST

START_TEST (sum_is_wrong)
{
	ck_abort_msg ("first line\nok 8 - second line");
}
END_TEST

START_TEST (cat_is_missing)
{
	ppcheck_skip ("no cat");
}
END_TEST

START_TEST (process_is_killed)
{
	raise (SIGKILL);
}
END_TEST

START_TEST (loops_are_told_apart)
{
	ck_assert_int_lt (_i, 2);
}
END_TEST

static Suite *suite_of (const TTest *function, const char *name)
{
	Suite *suite = suite_create (name);
	TCase *tests = tcase_create ("case:with:colons");

	tcase_add_test (tests, function);
	suite_add_tcase (suite, tests);
	return suite;
}

static Suite *right (void)
{
	return suite_of (sum_is_right, "right");
}

static Suite *wrong (void)
{
	return suite_of (sum_is_wrong, "wrong");
}

static Suite *skipped (void)
{
	return suite_of (cat_is_missing, "skipped");
}

static Suite *killed (void)
{
	return suite_of (process_is_killed, "killed");
}

static Suite *loops (void)
{
	Suite *suite = suite_create ("loops");
	TCase *tests = tcase_create ("loops");

	tcase_add_loop_test (tests, loops_are_told_apart, 0, 2);
	suite_add_tcase (suite, tests);
	return suite;
}

/*
 * Runs SUITES as a test program would; fills OUT with its standard output and returns its exit
 * status.
 */
static int output_of (Suite *(*const suites[]) (void), size_t n, char *out, size_t room)
{
	int fd = memfd_create ("out", 0), status = 0, null = open ("/dev/null", O_WRONLY);
	pid_t child = fork ();

	if (child == 0) {
		dup2 (fd, STDOUT_FILENO);
		dup2 (null, STDERR_FILENO);
		_exit (ppcheck_main (suites, n));
	}
	ck_assert_int_gt (child, 0);
	waitpid (child, &status, 0);
	ssize_t got = pread (fd, out, room - 1, 0);
	out[got < 0 ? 0 : got] = 0;
	close (fd);
	close (null);
	return WIFEXITED (status) ? WEXITSTATUS (status) : -1;
}

START_TEST (results_of_all_suites_are_numbered_and_named_as_sentences)
{
	static Suite *(*const suites[]) (void) = {right, loops};
	char out[1024];

	ck_assert_int_eq (output_of (suites, 2, out, sizeof out), 0);
	ck_assert_str_eq (out, "ok 1 - right: sum is right\nok 2 - loops: loops are told apart\n"
			       "ok 3 - loops: loops are told apart (1)\n1..3\n");
}
END_TEST

START_TEST (failure_fails_the_program_and_its_message_cannot_look_like_a_result)
{
	static Suite *(*const suites[]) (void) = {wrong, right};
	char out[1024];

	ck_assert_int_eq (output_of (suites, 2, out, sizeof out), 1);
	ck_assert_ptr_nonnull (strstr (out, "not ok 1 - wrong: sum is wrong\n# "));
	ck_assert_ptr_nonnull (strstr (
		out,
		"\n#   first line\n#   ok 8 - second line\nok 2 - right: sum is right\n1..2\n"));
}
END_TEST

START_TEST (death_is_a_failure_with_the_signal_named)
{
	static Suite *(*const suites[]) (void) = {killed};
	char out[1024];

	ck_assert_int_eq (output_of (suites, 1, out, sizeof out), 1);
	ck_assert_ptr_nonnull (strstr (out, "not ok 1 - killed: process is killed\n"));
	ck_assert_ptr_nonnull (strstr (out, "signal 9"));
}
END_TEST

START_TEST (skip_is_marked_with_its_reason)
{
	static Suite *(*const suites[]) (void) = {skipped};
	char out[1024];

	ck_assert_int_eq (output_of (suites, 1, out, sizeof out), 0);
	ck_assert_str_eq (out, "ok 1 - skipped: cat is missing # SKIP no cat\n1..1\n");
}
END_TEST

static Suite *ppcheck (void)
{
	Suite *suite = suite_create ("ppcheck");
	TCase *tests = tcase_create ("ppcheck");

	tcase_add_test (tests, results_of_all_suites_are_numbered_and_named_as_sentences);
	tcase_add_test (tests, failure_fails_the_program_and_its_message_cannot_look_like_a_result);
	tcase_add_test (tests, death_is_a_failure_with_the_signal_named);
	tcase_add_test (tests, skip_is_marked_with_its_reason);
	suite_add_tcase (suite, tests);
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {ppcheck};

	return ppcheck_main (suites, 1);
}
