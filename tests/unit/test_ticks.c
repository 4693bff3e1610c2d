/* SPDX-License-Identifier: MIT */
/*
 * test_ticks.c: which tick counters are trusted, and that their conversion agrees with
 * CLOCK_MONOTONIC.
 */
#include "base/clock.h"
#include "base/ticks.h"
#include "tests/unit/ppcheck.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

START_TEST (a_counter_that_the_kernel_keeps_time_by_is_trusted)
{
	ck_assert_ptr_null (ppi_ticks_judge (false, "tsc hpet acpi_pm \n", "tsc\n", "tsc"));
	ck_assert_ptr_null (ppi_ticks_judge (true, "tsc\n", "tsc\n", "tsc"));
}
END_TEST

START_TEST (a_counter_that_the_kernel_gave_up_is_not_trusted_whatever_the_processor_says)
{
	ck_assert_ptr_nonnull (
		strstr (ppi_ticks_judge (true, "hpet acpi_pm \n", "hpet\n", "tsc"), "unstable"));
	/* a name that only begins so is another one */
	ck_assert_ptr_nonnull (ppi_ticks_judge (true, "tsc-early hpet\n", "hpet\n", "tsc"));
}
END_TEST

START_TEST (a_counter_beside_a_guests_clock_is_trusted_if_it_is_invariant)
{
	ck_assert_ptr_null (
		ppi_ticks_judge (true, "kvm-clock tsc acpi_pm \n", "kvm-clock\n", "tsc"));
	ck_assert_ptr_nonnull (
		ppi_ticks_judge (false, "kvm-clock tsc acpi_pm \n", "kvm-clock\n", "tsc"));
}
END_TEST

START_TEST (where_the_kernel_does_not_say_the_processor_decides)
{
	ck_assert_ptr_null (ppi_ticks_judge (true, NULL, NULL, "tsc"));
	ck_assert_ptr_null (ppi_ticks_judge (true, "", "", "tsc"));
	ck_assert_ptr_nonnull (ppi_ticks_judge (false, NULL, NULL, "tsc"));
}
END_TEST

START_TEST (the_environment_decides_what_markers_read)
{
	uint64_t before, ticks, after;

	setenv ("PP_CLOCK", "monotonic", 1);
	ppi_ticks_choose ();
	ck_assert_uint_eq (ppi_ticks_are_trusted, 0);
	ck_assert_ptr_nonnull (ppi_ticks_doubt ());
	before = ppi_real_now_ns ();
	ticks = ppi_ticks ();
	after = ppi_real_now_ns ();
	ck_assert (before <= ticks && ticks <= after);
	ck_assert (ppi_seconds_per_tick () == 1e-9);
}
END_TEST

START_TEST (the_environment_may_insist_on_the_counter)
{
	setenv ("PP_CLOCK", "tsc", 1);
	ppi_ticks_choose ();
	ck_assert_uint_eq (ppi_ticks_are_trusted, 1);
	ck_assert_ptr_null (ppi_ticks_doubt ());
}
END_TEST

/* Both clocks with little between them. */
static void both (uint64_t *ticks, uint64_t *ns)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < 100; i++) {
		uint64_t before = ppi_ticks (), now = ppi_real_now_ns (), after = ppi_ticks ();

		if (after - before >= least)
			continue;
		least = after - before;
		*ticks = before + least / 2;
		*ns = now;
	}
}

START_TEST (conversion_agrees_with_the_kernels_clock_and_does_not_change_any_more)
{
	struct timespec nap = {0, 300000000};
	uint64_t ticks[2], ns[2];
	double ratio, seconds;

	ppi_clock_start ();
	both (&ticks[0], &ns[0]);
	nanosleep (&nap, NULL);
	both (&ticks[1], &ns[1]);
	ratio = ppi_seconds_per_tick ();
	seconds = (double) (ticks[1] - ticks[0]) * ratio;
	ck_assert (fabs (seconds / ((double) (ns[1] - ns[0]) * 1e-9) - 1) < 1e-3);
	for (int i = 0; i < 1000; i++)
		ck_assert (ppi_seconds_per_tick () == ratio);
}
END_TEST

/* A machine that slept: its counter went on, and CLOCK_MONOTONIC stood still. */
static long slept_ns;

int clock_gettime (clockid_t clock, struct timespec *now)
{
	long r = syscall (SYS_clock_gettime, clock, now);

	if (clock == CLOCK_MONOTONIC && (now->tv_nsec -= slept_ns) < 0) {
		now->tv_nsec += 1000000000;
		now->tv_sec--;
	}
	return (int) r;
}

START_TEST (a_machine_that_slept_before_the_ratio_was_known_has_the_same_one)
{
	struct timespec nap = {0, 30000000};
	uint64_t ticks[2], ns[2];

	ppi_clock_start ();
	nanosleep (&nap, NULL);
	slept_ns = 20000000;
	both (&ticks[0], &ns[0]);
	nanosleep (&nap, NULL);
	both (&ticks[1], &ns[1]);
	ck_assert (fabs ((double) (ticks[1] - ticks[0]) * ppi_seconds_per_tick () /
				 ((double) (ns[1] - ns[0]) * 1e-9) -
			 1) < 0.05);
	slept_ns = 0;
}
END_TEST

START_TEST (the_least_step_of_the_clock_is_known)
{
	for (int trusted = 0; trusted < 2; trusted++) {
		double seconds;

		ppi_ticks_are_trusted = (uint32_t) trusted;
		seconds = (double) ppi_ticks_resolution () *
			  (trusted ? ppi_seconds_per_tick () : 1e-9);
		ck_assert_msg (seconds > 0 && seconds < 1e-3, "%g s", seconds);
	}
}
END_TEST

static Suite *ticks (void)
{
	Suite *suite = suite_create ("ticks");
	TCase *tests = tcase_create ("ticks");

	tcase_add_test (tests, a_counter_that_the_kernel_keeps_time_by_is_trusted);
	tcase_add_test (
		tests,
		a_counter_that_the_kernel_gave_up_is_not_trusted_whatever_the_processor_says);
	tcase_add_test (tests, a_counter_beside_a_guests_clock_is_trusted_if_it_is_invariant);
	tcase_add_test (tests, where_the_kernel_does_not_say_the_processor_decides);
	tcase_add_test (tests, the_environment_decides_what_markers_read);
	tcase_add_test (tests, the_environment_may_insist_on_the_counter);
	tcase_add_test (tests,
			conversion_agrees_with_the_kernels_clock_and_does_not_change_any_more);
	tcase_add_test (tests, a_machine_that_slept_before_the_ratio_was_known_has_the_same_one);
	tcase_add_test (tests, the_least_step_of_the_clock_is_known);
	suite_add_tcase (suite, tests);
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {ticks};

	return ppcheck_main (suites, 1);
}
