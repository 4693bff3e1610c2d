/* SPDX-License-Identifier: MIT */
/*
 * test_hardware.c: counters of the processor, on machines that have none: perf_event_open goes
 * through here, where each event of the processor becomes one of the kernel that every machine has,
 * on a processor with two counters, or a page as the kernel maps it where it lets user mode read
 * counters.
 */
#include "pp_arch.h"
#include "stdmetrics/per_thread.h"
#include "stdmetrics/stdmetrics.h"
#include "tests/unit/measure.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define COUNTERS 2 /* that the processor has */

static struct perf_event_attr asked; /* by the last call */
static int leaders;                  /* events that were opened with none before them */
static int members[4096];            /* of the group that a descriptor leads */
static struct perf_event_mmap_page *page;
static bool has_pages; /* user mode may read counters here */

/* A descriptor whose mapping is PAGE. */
static int open_page (void)
{
	size_t bytes = (size_t) sysconf (_SC_PAGESIZE);
	int fd = memfd_create ("counter", MFD_CLOEXEC);

	if (fd < 0 || ftruncate (fd, (off_t) bytes) != 0)
		return -1;
	page = mmap (NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		return -1;
	page->cap_user_rdpmc = page->cap_user_time = 1;
	return fd;
}

static long open_event (long (*kernel) (long number, ...), struct perf_event_attr attr, int leader,
			unsigned long flags)
{
	long fd;

	asked = attr;
	leaders += leader < 0;
	if (leader >= 0 && members[leader % 4096] >= COUNTERS) {
		errno = EINVAL;
		return -1;
	}
	if (has_pages)
		return open_page ();
	if (attr.type != PERF_TYPE_SOFTWARE) {
		attr.type = PERF_TYPE_SOFTWARE;
		attr.config = PERF_COUNT_SW_PAGE_FAULTS;
	}
	fd = kernel (SYS_perf_event_open, &attr, 0, -1, leader, flags);
	if (fd >= 0)
		members[(leader < 0 ? (int) fd : leader) % 4096] =
			leader < 0 ? 1 : members[leader % 4096] + 1;
	return fd;
}

/* In the place of the C library's. */
long syscall (long number, ...)
{
	long (*kernel) (long number, ...) =
		__extension__(long (*) (long, ...)) dlsym (RTLD_NEXT, "syscall");
	long argument[6];
	va_list args;

	va_start (args, number);
	for (int i = 0; i < 6; i++)
		argument[i] = va_arg (args, long);
	va_end (args);
	if (number == SYS_perf_event_open)
		return open_event (kernel, *(struct perf_event_attr *) argument[0],
				   (int) argument[3], (unsigned long) argument[4]);
	return kernel (number, argument[0], argument[1], argument[2], argument[3], argument[4],
		       argument[5]);
}

#define CACHE(cache, op, result)                                                                   \
	PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_##cache | PERF_COUNT_HW_CACHE_OP_##op << 8 |       \
				    PERF_COUNT_HW_CACHE_RESULT_##result << 16

static const struct {
	const struct ppi_source *source;
	uint32_t type;
	uint64_t config;
	bool in_kernel;
} events[] = {
	{&ppi_source_cycles, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, false},
	{&ppi_source_instructions, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, false},
	{&ppi_source_ref_cycles, PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, false},
	{&ppi_source_branches, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, false},
	{&ppi_source_branch_misses, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, false},
	{&ppi_source_cache_references, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, false},
	{&ppi_source_cache_misses, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, false},
	{&ppi_source_stalled_frontend, PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND,
	 false},
	{&ppi_source_stalled_backend, PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND,
	 false},
	{&ppi_source_l1d_misses, CACHE (L1D, READ, MISS), false},
	{&ppi_source_dtlb_misses, CACHE (DTLB, READ, MISS), false},
	{&ppi_source_itlb_misses, CACHE (ITLB, READ, MISS), false},
	{&ppi_source_task_clock, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, false},
	{&ppi_source_migrations, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, true},
	{&ppi_source_perf_context_switches, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES,
	 true},
	{&ppi_source_perf_page_faults, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, false},
	{&ppi_source_perf_minor_faults, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN, false},
	{&ppi_source_perf_major_faults, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ, false},
};

START_TEST (each_source_asks_the_kernel_for_its_event)
{
	for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
		struct measure m = {.instance = {.source = events[i].source}};
		char why[400];

		memset (&asked, 0, sizeof asked);
		/* that it was asked counts here, not what the kernel says to it */
		(void) events[i].source->open (&m.instance, why, sizeof why);
		ck_assert_msg (asked.type == events[i].type && asked.config == events[i].config,
			       "%s: type %u, config %llx", events[i].source->name, asked.type,
			       (unsigned long long) asked.config);
		ck_assert_int_eq (!asked.exclude_kernel, events[i].in_kernel);
		ck_assert_uint_eq (asked.exclude_hv, 1);
	}
}
END_TEST

START_TEST (events_that_the_processor_can_not_count_together_are_counted_in_several_groups)
{
	struct measure m[5] = {
		open_or_skip (&ppi_source_cycles), open_or_skip (&ppi_source_instructions),
		open_or_skip (&ppi_source_branches), open_or_skip (&ppi_source_l1d_misses),
		open_or_skip (&ppi_source_dtlb_misses)};

	leaders = 0;
	for (int i = 0; i < 5; i++)
		ck_assert_int_eq (begin (&m[i]), 0);
	ck_assert_int_eq (leaders, 3);
	touch (fresh_pages (50), 50);
	for (int i = 0; i < 5; i++)
		ck_assert_int_ge (end_of (&m[i]), 50);
}
END_TEST

static void page_says (int64_t count, uint64_t enabled_ns, uint64_t running_ns)
{
	page->offset = count;
	page->time_enabled = enabled_ns;
	page->time_running = running_ns;
}

START_TEST (where_the_kernel_lets_user_mode_read_counters_no_call_reads_them)
{
	struct measure m;
	uint64_t calls;

	if (!PP_ARCH_HAS_PMC)
		ppcheck_skip ("on this CPU the kernel reads them");
	has_pages = true;
	m = open_or_skip (&ppi_source_instructions);
	ck_assert_int_eq (begin (&m), 0);
	page_says (500, 1000, 1000);
	ck_assert_int_eq (begin (&m), 0);
	calls = ppi_per_thread ()->own_calls;
	page_says (800, 2000, 2000);
	ck_assert_int_eq (end_of (&m), 300);
	ck_assert_int_eq (begin (&m), 0);
	/* half of the time another one had the counter */
	page_says (900, 4000, 3000);
	ck_assert_int_eq (end_of (&m), 200);
	ck_assert_uint_eq (ppi_per_thread ()->own_calls, calls);
	ck_assert_double_eq_tol (ppi_source_instructions.share (&m.instance), 2.0 / 3, 1e-9);
}
END_TEST

static Suite *hardware (void)
{
	Suite *suite = suite_create ("hardware");
	TCase *tests = tcase_create ("hardware");

	tcase_add_test (tests, each_source_asks_the_kernel_for_its_event);
	tcase_add_test (
		tests,
		events_that_the_processor_can_not_count_together_are_counted_in_several_groups);
	tcase_add_test (tests, where_the_kernel_lets_user_mode_read_counters_no_call_reads_them);
	suite_add_tcase (suite, tests);
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {hardware};

	return ppcheck_main (suites, 1);
}
