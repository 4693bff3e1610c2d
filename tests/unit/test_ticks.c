/* SPDX-License-Identifier: MIT */
/*
 * test_ticks.c: which tick counters are trusted, and that their conversion agrees with
 * CLOCK_MONOTONIC, which the vDSO tells.
 */
#include "base/clock.h"
#include "base/ticks.h"
#include "base/vdso.h"
#include "libmetrics/tables/window.h"
#include "tests/unit/ppcheck.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifdef PP_ARCH_VDSO_CLOCK
#define VDSO_CLOCK PP_ARCH_VDSO_CLOCK
#else
#define VDSO_CLOCK "__kernel_clock_gettime"
#endif

static int64_t ns_of (const struct timespec *t)
{
	return t->tv_sec * INT64_C (1000000000) + t->tv_nsec;
}

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
	/* windows are of the same time */
	before = ppi_real_now_ns ();
	ticks = ppi_window_now ();
	after = ppi_real_now_ns ();
	ck_assert (before <= ticks && ticks <= after);
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

START_TEST (the_vdso_has_the_functions_that_it_has)
{
	int (*clock) (clockid_t, struct timespec *) =
		(int (*) (clockid_t, struct timespec *)) (uintptr_t) ppi_vdso_find (VDSO_CLOCK);
	struct timespec before, now, after;

	if (!getauxval (AT_SYSINFO_EHDR))
		ppcheck_skip ("the kernel lends nothing here");
	ck_assert_ptr_nonnull (clock);
	ck_assert_ptr_null (ppi_vdso_find ("__vdso_clock_gettim"));
	ck_assert_ptr_null (ppi_vdso_find (""));
	syscall (SYS_clock_gettime, CLOCK_MONOTONIC, &before);
	ck_assert_int_eq (clock (CLOCK_MONOTONIC, &now), 0);
	syscall (SYS_clock_gettime, CLOCK_MONOTONIC, &after);
	ck_assert_int_ge (ns_of (&now), ns_of (&before));
	ck_assert_int_le (ns_of (&now), ns_of (&after));
}
END_TEST

/* A vDSO that is not what it should be has nothing, whatever byte of it is another. */
START_TEST (an_image_that_is_none_has_no_functions)
{
	const char *image = (const char *) getauxval (AT_SYSINFO_EHDR);
	static _Alignas(4096) char copy[16384];
	const size_t tables = 4096; /* they are at its begin */

	if (!image)
		ppcheck_skip ("the kernel lends nothing here");
	ck_assert_ptr_null (ppi_vdso_find_in (copy, VDSO_CLOCK));
	memcpy (copy, image, 2 * tables);
	ck_assert_ptr_nonnull (ppi_vdso_find_in (copy, VDSO_CLOCK));
	for (size_t i = 64 + 56 * 8; i < tables; i++) {
		copy[i] = (char) ~copy[i];
		(void) ppi_vdso_find_in (copy, VDSO_CLOCK);
		copy[i] = image[i];
	}
	copy[1] = 'X';
	ck_assert_ptr_null (ppi_vdso_find_in (copy, VDSO_CLOCK));
}
END_TEST

#ifdef PP_ARCH_VDSO_CLOCK
static int refuse (int clock, int64_t at[2])
{
	(void) clock;
	(void) at;
	return -ENOSYS;
}

/* What a call may clobber, and what is below the stack, is the program's. */
START_TEST (the_kernels_clock_costs_no_register)
{
	pp_arch_clock_fn *found = pp_arch_clock_gettime;
	uint64_t ns, wrong;

	__asm__ volatile("subq $512, %%rsp; movq $8, -8(%%rsp); movq $9, -128(%%rsp)\n\t"
			 "movl $1, %%ecx; movl $2, %%esi; movl $3, %%edi; movl $4, %%r8d\n\t"
			 "movl $5, %%r9d; movl $6, %%r10d; movl $7, %%r11d\n\t"
			 "leaq 1f(%%rip), %%rax; movq %%rax, %%rdx; jmp pp_arch_clock; 1:\n\t"
			 "subq $1, %%rcx; subq $2, %%rsi; subq $3, %%rdi; subq $4, %%r8\n\t"
			 "subq $5, %%r9; subq $6, %%r10; subq $7, %%r11\n\t"
			 "subq $8, -8(%%rsp); subq $9, -128(%%rsp)\n\t"
			 "orq %%rsi, %%rcx; orq %%rdi, %%rcx; orq %%r8, %%rcx; orq %%r9, %%rcx\n\t"
			 "orq %%r10, %%rcx; orq %%r11, %%rcx; orq -8(%%rsp), %%rcx\n\t"
			 "orq -128(%%rsp), %%rcx; addq $512, %%rsp"
			 : "=a"(ns), "=c"(wrong)
			 :
			 : "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory", "cc");
	ck_assert_uint_eq (wrong, 0);
	ck_assert_uint_gt (ns, 0);
	pp_arch_clock_gettime = refuse;
	ns = pp_arch_monotonic_ns ();
	pp_arch_clock_gettime = found;
	ck_assert_uint_eq (ns, 0);
}
END_TEST
#endif

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
	tcase_add_test (tests, the_vdso_has_the_functions_that_it_has);
	tcase_add_test (tests, an_image_that_is_none_has_no_functions);
#ifdef PP_ARCH_VDSO_CLOCK
	tcase_add_test (tests, the_kernels_clock_costs_no_register);
#endif
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
