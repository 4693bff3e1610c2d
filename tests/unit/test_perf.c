/* SPDX-License-Identifier: MIT */
/*
 * test_perf.c: counters of the processor and of the kernel. The protocol of the mapped page is
 * driven by a page of the test's own, so that no hardware counter is needed; everything else is
 * counted for real with the kernel's software events.
 */
#include "stdmetrics/perf.h"
#include "stdmetrics/perf_page.h"
#include "stdmetrics/per_thread.h"
#include "stdmetrics/stdmetrics.h"
#include "tests/unit/measure.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- the page -------------------------------------------------------------------------------- */

static struct perf_event_mmap_page page;
static uint64_t counter, ticks;
static uint32_t asked; /* index of the counter that was read */
static int moves;      /* how often the kernel moves the counter within a reading */

static uint64_t fake_ticks (void)
{
	return ticks;
}

/* While the processor is asked, the kernel takes the counter off and puts another one there. */
static uint64_t fake_counter (uint32_t index)
{
	uint64_t value = counter;

	asked = index;
	if (moves) {
		moves--;
		page.lock += 2;
		page.offset += 1000;
		page.index = 2;
		counter = 7;
	}
	return value;
}

static const struct ppi_perf_cpu fake = {fake_counter, fake_ticks};

static void fresh_page (void)
{
	memset (&page, 0, sizeof page);
	page.cap_user_rdpmc = 1;
	page.cap_user_time = 1;
	page.pmc_width = 48;
	page.time_mult = 1;
	page.lock = 2;
	counter = ticks = 0;
	moves = 0;
	asked = 99;
}

START_TEST (a_counter_is_the_offset_and_what_the_processor_says)
{
	struct ppi_perf_count count;

	fresh_page ();
	page.index = 3;
	page.offset = 1000000;
	counter = 234;
	ck_assert (ppi_perf_page_read (&page, &fake, &count));
	ck_assert_uint_eq (count.value, 1000234);
	ck_assert_uint_eq (asked, 2);
}
END_TEST

START_TEST (what_the_processor_says_is_a_signed_number_of_its_width)
{
	struct ppi_perf_count count;

	fresh_page ();
	page.index = 1;
	page.offset = INT64_C (1) << 47;
	counter = (UINT64_C (1) << 48) - 5; /* -5: the kernel lets counters run up to 0 */
	ck_assert (ppi_perf_page_read (&page, &fake, &count));
	ck_assert_uint_eq (count.value, (UINT64_C (1) << 47) - 5);
	page.pmc_width = 40;
	page.offset = 100;
	counter = (UINT64_C (1) << 40) - 1;
	ck_assert (ppi_perf_page_read (&page, &fake, &count));
	ck_assert_uint_eq (count.value, 99);
	page.pmc_width = 64;
	counter = (uint64_t) -3;
	ck_assert (ppi_perf_page_read (&page, &fake, &count));
	ck_assert_uint_eq (count.value, 97);
}
END_TEST

START_TEST (a_counter_that_is_not_on_the_processor_is_not_asked_and_does_not_run)
{
	struct ppi_perf_count count;

	fresh_page ();
	page.offset = 55;
	page.time_enabled = 1000;
	page.time_running = 400;
	ticks = 50;
	ck_assert (ppi_perf_page_read (&page, &fake, &count));
	ck_assert_uint_eq (count.value, 55);
	ck_assert_uint_eq (asked, 99);
	ck_assert_uint_eq (count.enabled_ns, 1050);
	ck_assert_uint_eq (count.running_ns, 400);
}
END_TEST

START_TEST (times_go_on_by_the_tick_counter_since_the_kernel_noted_them)
{
	struct ppi_perf_count count;

	fresh_page ();
	page.index = 1;
	page.time_enabled = 5000;
	page.time_running = 3000;
	page.time_offset = (uint64_t) -2000;
	page.time_shift = 4;
	page.time_mult = 10;
	ticks = 16 * 300 + 8; /* 300 * 10 + 5 */
	ck_assert (ppi_perf_page_read (&page, &fake, &count));
	ck_assert_uint_eq (count.enabled_ns, 5000 - 2000 + 3005);
	ck_assert_uint_eq (count.running_ns, 3000 - 2000 + 3005);
	/* a short counter that has wrapped since */
	page.cap_user_time_short = 1;
	page.time_cycles = 0xfff0;
	page.time_mask = 0xffff;
	page.time_shift = 0;
	page.time_mult = 1;
	page.time_offset = (uint64_t) -0xfff0;
	ticks = 0x10;
	ck_assert (ppi_perf_page_read (&page, &fake, &count));
	ck_assert_uint_eq (count.enabled_ns, 5000 + 0x20);
}
END_TEST

START_TEST (a_page_that_changes_within_a_reading_is_read_again)
{
	struct ppi_perf_count count;

	fresh_page ();
	page.index = 1;
	page.offset = 100;
	counter = 50;
	moves = 3;
	ck_assert (ppi_perf_page_read (&page, &fake, &count));
	ck_assert_int_eq (moves, 0);
	ck_assert_uint_eq (asked, 1);
	/* nothing of the former places: 100 + 3 * 1000 + 7 */
	ck_assert_uint_eq (count.value, 3107);
}
END_TEST

START_TEST (a_page_that_changes_all_the_time_is_left_to_the_kernel)
{
	struct ppi_perf_count count;

	fresh_page ();
	page.index = 1;
	moves = 1000000;
	ck_assert (!ppi_perf_page_read (&page, &fake, &count));
	ck_assert_int_gt (moves, 900000);
}
END_TEST

START_TEST (a_page_that_does_not_allow_it_is_left_to_the_kernel)
{
	struct ppi_perf_count count;

	fresh_page ();
	page.index = 1;
	page.cap_user_rdpmc = 0;
	ck_assert (!ppi_perf_page_read (&page, &fake, &count));
	page.cap_user_rdpmc = 1;
	page.cap_user_time = 0;
	ck_assert (!ppi_perf_page_read (&page, &fake, &count));
	page.cap_user_time = 1;
	page.time_shift = 64;
	ck_assert (!ppi_perf_page_read (&page, &fake, &count));
	ck_assert_uint_eq (asked, 99);
}
END_TEST

static bool between (uint64_t value, uint64_t enabled, uint64_t running, int64_t *count)
{
	struct ppi_perf_count begin = {1000, 500, 300},
			      end = {1000 + value, 500 + enabled, 300 + running};
	uint64_t share, whole;
	bool known = ppi_perf_between (&begin, &end, count, &share, &whole);

	ck_assert_uint_eq (share, running);
	ck_assert_uint_eq (whole, enabled);
	return known;
}

START_TEST (counters_that_took_turns_are_scaled_by_the_time_they_had)
{
	int64_t count;

	ck_assert (between (123, 1000, 1000, &count));
	ck_assert_int_eq (count, 123);
	ck_assert (between (100, 1000, 250, &count));
	ck_assert_int_eq (count, 400);
	ck_assert (between (1, 3, 2, &count));
	ck_assert_int_eq (count, 2); /* 1.5, rounded */
	ck_assert (between (UINT64_C (1) << 50, UINT64_C (1) << 40, UINT64_C (1) << 39, &count));
	ck_assert_int_eq (count, INT64_C (1) << 51);
	ck_assert (!between (0, 1000, 0, &count));
	/* an interval shorter than the clock's step */
	ck_assert (between (5, 0, 0, &count));
	ck_assert_int_eq (count, 5);
}
END_TEST

/* ---- reasons --------------------------------------------------------------------------------- */

static const char *explained (int error, bool hardware, bool in_kernel, int paranoid)
{
	static char why[400];

	ppi_perf_explain ("cycles", error, hardware, in_kernel, paranoid, why, sizeof why);
	return why;
}

START_TEST (a_refusal_says_what_to_do)
{
	ck_assert_ptr_nonnull (strstr (explained (EACCES, true, false, 3),
				       "perf_event_paranoid is 3; it takes 2 or less"));
	ck_assert_ptr_nonnull (strstr (explained (EACCES, false, true, 2),
				       "perf_event_paranoid is 2; it takes 1 or less"));
	ck_assert_ptr_nonnull (strstr (explained (EPERM, true, false, 1), "seccomp"));
	ck_assert_ptr_nonnull (
		strstr (explained (EPERM, true, false, PPI_PERF_PARANOID_UNKNOWN), "seccomp"));
	ck_assert_ptr_nonnull (
		strstr (explained (ENOENT, true, false, 1), "no hardware counter for cycles"));
	ck_assert_ptr_nonnull (strstr (explained (ENOSYS, true, false, 1), "no perf_event_open"));
	ck_assert_ptr_nonnull (
		strstr (explained (ENOENT, false, false, 1), "perf_event_open says"));
}
END_TEST

START_TEST (the_level_of_paranoia_is_the_kernels)
{
	FILE *file = fopen ("/proc/sys/kernel/perf_event_paranoid", "r");
	int level;

	if (!file)
		ppcheck_skip ("the kernel does not say");
	ck_assert_int_eq (fscanf (file, "%d", &level), 1);
	fclose (file);
	ck_assert_int_eq (ppi_perf_paranoid (), level);
}
END_TEST

/* ---- for real -------------------------------------------------------------------------------- */

static int open_quietly (const struct ppi_source *source, struct measure *m, char *why, size_t room)
{
	*m = (struct measure){.instance = {.source = source}};
	return source->open (&m->instance, why, room);
}

START_TEST (page_faults_are_counted_page_by_page)
{
	struct measure m = open_or_skip (&ppi_source_perf_page_faults);
	char *memory = fresh_pages (100);
	int64_t few, many;

	ck_assert_int_eq (begin (&m), 0);
	few = end_of (&m);
	begin (&m);
	touch (memory, 100);
	many = end_of (&m);
	ck_assert_int_ge (many, 100);
	ck_assert_int_lt (few, 50);
}
END_TEST

static int64_t ns_of (clockid_t clock)
{
	struct timespec t;

	clock_gettime (clock, &t);
	return (int64_t) t.tv_sec * 1000000000 + t.tv_nsec;
}

START_TEST (sleeping_switches_context_and_does_not_run)
{
	struct measure switches = open_or_skip (&ppi_source_perf_context_switches),
		       clock = open_or_skip (&ppi_source_task_clock);
	struct timespec nap = {0, 2000000};
	int64_t n, ns, passed = ns_of (CLOCK_MONOTONIC);

	ck_assert (begin (&switches) == 0 && begin (&clock) == 0);
	for (int i = 0; i < 5; i++)
		nanosleep (&nap, NULL);
	ns = end_of (&clock);
	n = end_of (&switches);
	passed = ns_of (CLOCK_MONOTONIC) - passed;
	ck_assert_int_ge (n, 5);
	ck_assert_int_gt (ns, 0);
	/* 10 ms were slept, however long the rest took; adjtime may slew the clock a little */
	ck_assert_int_le (ns, passed - 9900000);
}
END_TEST

static long times_switched (void)
{
	struct rusage usage;

	getrusage (RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

/*
 * Behind another event it stands still until the kernel happens to switch the thread: then it has
 * not moved at all. How much of a switch either clock counts is the kernel's business (some 40 µs
 * of it on virtual machines), so they are compared where there was none.
 */
START_TEST (the_clock_of_the_thread_goes_on_beside_other_events)
{
	struct measure faults = open_or_skip (&ppi_source_perf_page_faults),
		       clock = open_or_skip (&ppi_source_task_clock);

	/* short, so that the kernel has no other reason to bring it up to date */
	for (int i = 0; i < 20; i++) {
		int64_t inside, ns;
		long switched = times_switched ();

		ck_assert (begin (&faults) == 0 && begin (&clock) == 0);
		inside = ns_of (CLOCK_THREAD_CPUTIME_ID);
		while (ns_of (CLOCK_THREAD_CPUTIME_ID) < inside + 100000)
			;
		inside = ns_of (CLOCK_THREAD_CPUTIME_ID) - inside;
		ns = end_of (&clock);
		(void) end_of (&faults);
		ck_assert_int_gt (ns, 0);
		if (times_switched () == switched)
			ck_assert_int_ge (ns, inside);
	}
}
END_TEST

START_TEST (all_events_of_a_group_are_read_at_once_at_a_marker)
{
	struct measure m[3] = {open_or_skip (&ppi_source_perf_page_faults),
			       open_or_skip (&ppi_source_perf_major_faults),
			       open_or_skip (&ppi_source_perf_minor_faults)};
	uint64_t calls;

	for (int i = 0; i < 3; i++)
		ck_assert_int_eq (begin (&m[i]), 0);
	calls = ppi_per_thread ()->own_calls;
	ppi_reading_number++;
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq (m[i].instance.source->begin (&m[i].instance, m[i].slot), 0);
	ck_assert_uint_eq (ppi_per_thread ()->own_calls, calls + 1);
	ppi_reading_number++;
	ck_assert_int_eq (m[0].instance.source->begin (&m[0].instance, m[0].slot), 0);
	ck_assert_uint_eq (ppi_per_thread ()->own_calls, calls + 2);
}
END_TEST

START_TEST (an_event_declared_within_an_interval_leaves_the_others_alone)
{
	struct measure faults = open_or_skip (&ppi_source_perf_page_faults), minor;
	int64_t n, fewer;

	ck_assert_int_eq (begin (&faults), 0);
	touch (fresh_pages (50), 50);
	minor = open_or_skip (&ppi_source_perf_minor_faults);
	ck_assert_int_eq (begin (&minor), 0);
	touch (fresh_pages (30), 30);
	fewer = end_of (&minor);
	n = end_of (&faults);
	ck_assert_int_ge (n, 80);
	ck_assert_int_ge (fewer, 30);
	ck_assert_int_lt (fewer, n - 40);
}
END_TEST

START_TEST (an_event_that_never_had_to_wait_was_there_all_the_time)
{
	struct measure m = open_or_skip (&ppi_source_task_clock);

	ck_assert (isnan (ppi_source_task_clock.share (&m.instance)));
	ck_assert_int_eq (begin (&m), 0);
	touch (fresh_pages (20), 20);
	(void) end_of (&m);
	ck_assert (ppi_source_task_clock.share (&m.instance) == 1);
}
END_TEST

static void *faults_in_thread (void *arg)
{
	struct measure m[2];
	int64_t n;

	memcpy (m, arg, sizeof m);
	if (begin (&m[0]) < 0 || begin (&m[1]) < 0)
		return (void *) -1;
	touch (fresh_pages (10), 10);
	return end (&m[1], &n) < 0 || end (&m[0], &n) < 0 ? (void *) -2 : (void *) (intptr_t) n;
}

START_TEST (a_thousand_threads_count_their_own_and_leave_no_descriptor_behind)
{
	struct measure m[2] = {open_or_skip (&ppi_source_perf_page_faults),
			       open_or_skip (&ppi_source_task_clock)};
	int before = open_descriptors ();

	for (int round = 0; round < 125; round++) {
		pthread_t thread[8];

		for (int i = 0; i < 8; i++)
			ck_assert_int_eq (pthread_create (&thread[i], NULL, faults_in_thread, m),
					  0);
		for (int i = 0; i < 8; i++) {
			void *n;

			pthread_join (thread[i], &n);
			ck_assert_int_ge ((intptr_t) n, 10);
			ck_assert_int_lt ((intptr_t) n, 60);
		}
	}
	ck_assert_int_eq (open_descriptors (), before);
}
END_TEST

START_TEST (a_forked_child_opens_its_own_and_closes_its_parents)
{
	struct measure m = open_or_skip (&ppi_source_perf_page_faults);
	int status, before = open_descriptors ();
	int64_t n;
	pid_t child;

	ck_assert_int_eq (begin (&m), 0);
	child = fork ();
	if (child == 0) {
		/* begun in the parent: no value, not a wrong one */
		if (end (&m, &n) >= 0 || begin (&m) < 0)
			_exit (1);
		touch (fresh_pages (40), 40);
		_exit (end (&m, &n) == 0 && n >= 40 && n < 300 && open_descriptors () == before + 1
			       ? 0
			       : 2);
	}
	ck_assert_int_eq (waitpid (child, &status, 0), child);
	ck_assert_int_eq (status, 0);
	touch (fresh_pages (20), 20);
	ck_assert_int_ge (end_of (&m), 20);
}
END_TEST

START_TEST (a_child_of_vfork_opens_nothing_that_its_parent_would_use)
{
#if defined __SANITIZE_THREAD__
	ppcheck_skip ("ThreadSanitizer makes a fork of it");
#endif
	struct measure m = open_or_skip (&ppi_source_perf_page_faults);
	volatile int result = 1;
	/* what a child of vfork does is the very question: NOLINTBEGIN */
	pid_t child = vfork ();

	if (child == 0) {
		result = begin (&m);
		_exit (0);
	}
	/* NOLINTEND */
	ck_assert_int_eq (waitpid (child, NULL, 0), child);
	ck_assert_int_eq (result, PP_EUNAVAILABLE);
	ck_assert_int_eq (begin (&m), 0);
	touch (fresh_pages (20), 20);
	ck_assert_int_ge (end_of (&m), 20);
}
END_TEST

START_TEST (an_event_that_was_closed_inside_an_interval_has_no_value_there)
{
	struct measure m = open_or_skip (&ppi_source_perf_page_faults);
	int64_t n;

	ck_assert_int_eq (begin (&m), 0);
	touch (fresh_pages (100), 100);
	for (int fd = 3; fd < 2000; fd++)
		if (fd == ppi_per_thread ()->descriptor[PPI_FILE_PERF] || fd >= 256)
			close (fd);
	ck_assert_int_lt (end (&m, &n), 0);
	/* opened again: it counts from 0, which an interval that was begun before must not use */
	ck_assert_int_lt (end (&m, &n), 0);
	ck_assert_int_eq (begin (&m), 0);
	touch (fresh_pages (20), 20);
	ck_assert_int_ge (end_of (&m), 20);
}
END_TEST

START_TEST (the_limit_of_open_files_makes_samples_unavailable)
{
	struct measure m = open_or_skip (&ppi_source_perf_page_faults);
	struct rlimit limit, before;
	int result;

	getrlimit (RLIMIT_NOFILE, &before);
	limit = before;
	limit.rlim_cur = 3;
	ck_assert_int_eq (setrlimit (RLIMIT_NOFILE, &limit), 0);
	result = begin (&m);
	setrlimit (RLIMIT_NOFILE, &before);
	ck_assert_int_eq (result, PP_EUNAVAILABLE);
}
END_TEST

START_TEST (a_seccomp_filter_is_the_reason_where_there_is_one)
{
	struct sock_filter code[] = {
		BPF_STMT (BPF_LD | BPF_W | BPF_ABS, 0), /* the number of the call */
		BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = {sizeof code / sizeof code[0], code};
	struct measure m;
	char why[400] = "";

	if (ppi_perf_paranoid () > 2)
		ppcheck_skip ("kernel.perf_event_paranoid is reason enough");
	if (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
		ppcheck_skip ("no seccomp here");
	ck_assert_int_eq (open_quietly (&ppi_source_cycles, &m, why, sizeof why), PP_EUNAVAILABLE);
	ck_assert_msg (strstr (why, "seccomp") != NULL, "%s", why);
}
END_TEST

START_TEST (a_hardware_counter_counts_or_says_why_it_can_not)
{
	struct measure m;
	char why[400] = "";
	int64_t n;

	if (open_quietly (&ppi_source_instructions, &m, why, sizeof why) < 0) {
		ck_assert_ptr_nonnull (strstr (why, "instructions"));
		return;
	}
	ck_assert_int_eq (begin (&m), 0);
	touch (fresh_pages (1000), 1000);
	n = end_of (&m);
	ck_assert_int_ge (n, 1000);
}
END_TEST

static Suite *pages (void)
{
	Suite *suite = suite_create ("page");
	TCase *tests = tcase_create ("page");

	tcase_add_test (tests, a_counter_is_the_offset_and_what_the_processor_says);
	tcase_add_test (tests, what_the_processor_says_is_a_signed_number_of_its_width);
	tcase_add_test (tests,
			a_counter_that_is_not_on_the_processor_is_not_asked_and_does_not_run);
	tcase_add_test (tests, times_go_on_by_the_tick_counter_since_the_kernel_noted_them);
	tcase_add_test (tests, a_page_that_changes_within_a_reading_is_read_again);
	tcase_add_test (tests, a_page_that_changes_all_the_time_is_left_to_the_kernel);
	tcase_add_test (tests, a_page_that_does_not_allow_it_is_left_to_the_kernel);
	tcase_add_test (tests, counters_that_took_turns_are_scaled_by_the_time_they_had);
	suite_add_tcase (suite, tests);
	return suite;
}

static Suite *perf (void)
{
	Suite *suite = suite_create ("perf");
	TCase *tests = tcase_create ("perf");

	tcase_add_test (tests, a_refusal_says_what_to_do);
	tcase_add_test (tests, the_level_of_paranoia_is_the_kernels);
	tcase_add_test (tests, page_faults_are_counted_page_by_page);
	tcase_add_test (tests, sleeping_switches_context_and_does_not_run);
	tcase_add_test (tests, the_clock_of_the_thread_goes_on_beside_other_events);
	tcase_add_test (tests, all_events_of_a_group_are_read_at_once_at_a_marker);
	tcase_add_test (tests, an_event_declared_within_an_interval_leaves_the_others_alone);
	tcase_add_test (tests, an_event_that_never_had_to_wait_was_there_all_the_time);
	tcase_add_test (tests, a_thousand_threads_count_their_own_and_leave_no_descriptor_behind);
	tcase_add_test (tests, a_forked_child_opens_its_own_and_closes_its_parents);
	tcase_add_test (tests, a_child_of_vfork_opens_nothing_that_its_parent_would_use);
	tcase_add_test (tests, an_event_that_was_closed_inside_an_interval_has_no_value_there);
	tcase_add_test (tests, the_limit_of_open_files_makes_samples_unavailable);
	tcase_add_test (tests, a_seccomp_filter_is_the_reason_where_there_is_one);
	tcase_add_test (tests, a_hardware_counter_counts_or_says_why_it_can_not);
	suite_add_tcase (suite, tests);
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {pages, perf};

	return ppcheck_main (suites, 2);
}
