/* SPDX-License-Identifier: MIT */
/*
 * ppcheck.h: how a unit test program runs its suites and tells the result. Tests are written with
 * plain check; a test function's name states the behaviour it proves, and becomes the name of the
 * result:
 *
 * 	START_TEST (full_ring_overwrites_its_oldest_sample)
 * 	{
 * 		ck_assert_int_eq (...);
 * 	}
 * 	END_TEST
 *
 * 	static Suite *ring (void)
 * 	{
 * 		Suite *suite = suite_create ("ring");
 * 		TCase *tests = tcase_create ("ring");
 *
 * 		tcase_add_test (tests, full_ring_overwrites_its_oldest_sample);
 * 		suite_add_tcase (suite, tests);
 * 		return suite;
 * 	}
 *
 * 	int main (void)
 * 	{
 * 		static Suite *(*const suites[]) (void) = {ring};
 *
 * 		return ppcheck_main (suites, 1);
 * 	}
 *
 * prints "ok 1 - ring: full ring overwrites its oldest sample".
 */
#ifndef PPCHECK_H
#define PPCHECK_H

#include <check.h>
#include <stddef.h>

/*
 * Ends the running test without a verdict, for what this machine does not have: "ok 1 - ... # SKIP
 * REASON". A skip is not a pass. REASON is one line. Only inside a test.
 */
#define ppcheck_skip(reason) ck_abort_msg ("# SKIP %s", reason)

/*
 * Runs N suites and prints TAP on standard output. What tests themselves print there goes to
 * standard error, so that it can't be taken for a result. Each test runs in a process of its own
 * (CK_FORK=no: in this one, for debuggers) and may take 60 s (CK_DEFAULT_TIMEOUT). Returns main's
 * exit status: 0 when nothing failed, 1 when something did, 99 when the tests could not be run.
 */
int ppcheck_main (Suite *(*const suites[]) (void), size_t n);

#endif
