/* SPDX-License-Identifier: MIT */
/*
 * test_sources.c: the list of sources, what one system call tells several of them, and the
 * descriptors that they keep in each thread.
 */
#include "base/clock.h"
#include "base/message.h"
#include "base/types.h"
#include "libmetrics/source/source.h"
#include "stdmetrics/listing.h"
#include "stdmetrics/per_thread.h"
#include "stdmetrics/stdmetrics.h"
#include "tests/unit/measure.h"

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static struct measure open_one (const struct ppi_source *source, const char *argument)
{
	struct measure m = {.instance = {.source = source,
					 .argument = (char *) (uintptr_t) argument,
					 .sample_type = source->sample_type}};
	char why[300] = "";

	if (source->open)
		ck_assert_msg (source->open (&m.instance, why, sizeof why) == 0, "%s", why);
	return m;
}

static int64_t point_of (struct measure *m)
{
	union ppi_sample out;

	ppi_reading_number++;
	ck_assert_int_eq (m->instance.source->point (&m->instance, &out), 0);
	return out.i;
}

/* ---- the list -------------------------------------------------------------------------------- */

/* "| `NAME` | FOR | UNIT | READING |" in the row of the manual, NULL: there is none */
static void find_row (const struct ppi_source *source, void *arg)
{
	const char *manual = arg, *kinds = source->kinds == 3   ? "both"
					   : source->kinds == 1 ? "points"
								: "intervals";
	const char *unit = ppi_unit_symbol ((enum ppi_unit) source->unit);
	char row[200];

	snprintf (row, sizeof row, "\n| `%s%s%s` | %s | %s | %s | ", source->name,
		  source->prefix ? ":" : "", source->prefix ? source->form : "", kinds,
		  *unit ? unit : "-", ppi_reading_name (source->reading));
	ck_assert_msg (strstr (manual, row) != NULL, "docs/manual.md has no row that begins%s",
		       row);
}

static char *read_manual (void)
{
	static char text[200000];
	const char *top = getenv ("srcdir");
	char path[4096];
	FILE *page;

	snprintf (path, sizeof path, "%s/docs/manual.md", top ? top : ".");
	page = fopen (path, "r");
	ck_assert_msg (page != NULL, "%s", path);
	text[fread (text, 1, sizeof text - 1, page)] = '\0';
	fclose (page);
	return text;
}

/*
 * A source whose readings take time by the test's clock: 40 ns each, but the first thousand, which
 * somebody interrupts, four times as long.
 */
static uint64_t by_hand_ns;
static unsigned readings;

static uint64_t clock_by_hand (void)
{
	return by_hand_ns;
}

static int read_slowly (struct ppi_source_instance *instance, uint64_t *now)
{
	(void) instance;
	by_hand_ns += ++readings > 1000 ? 40 : 160;
	*now = readings;
	return 0;
}

static const struct ppi_source slow = {
	.name = "slow", PPI_COUNTER (BYTES, 1, MEMORY), .read = read_slowly};

static int refuse (struct ppi_source_instance *instance, char *why, size_t room)
{
	(void) instance;
	snprintf (why, room, "no such machine");
	return PP_EUNAVAILABLE;
}

static const struct ppi_source lacking = {
	.name = "lacking", PPI_COUNTER (PLAIN, 1, MEMORY), .open = refuse, .read = read_slowly};

struct listed {
	unsigned n;
	double ns[2];
	bool is_here[2];
	char unit[2][8];
};

static void keep (const struct ppi_listed_source *source, void *arg)
{
	struct listed *l = arg;

	if (l->n == 2)
		ck_abort_msg ("more are listed than were asked for");
	l->ns[l->n] = source->ns;
	l->is_here[l->n] = !source->why;
	snprintf (l->unit[l->n], sizeof l->unit[l->n], "%s", source->unit);
	l->n++;
}

START_TEST (a_reading_costs_what_it_takes_by_the_clock_where_nobody_interrupts)
{
	static const char *const names[] = {"slow", "lacking"};
	struct listed l = {.n = 0};

	ck_assert_int_eq (ppi_source_register (&slow), 0);
	ck_assert_int_eq (ppi_source_register (&lacking), 0);
	ppi_clock_set (clock_by_hand);
	ck_assert_uint_eq (ppi_list_sources (names, 2, keep, NULL, &l), 0);
	ppi_clock_set (NULL);
	ck_assert_uint_eq (l.n, 2);
	ck_assert_double_eq (l.ns[0], 40);
	ck_assert (l.is_here[0]);
	ck_assert_str_eq (l.unit[0], "B");
	ck_assert (isnan (l.ns[1]));
	ck_assert (!l.is_here[1]);
}
END_TEST

START_TEST (the_manual_has_every_source_as_the_library_has_it)
{
	char *manual = read_manual (), *table = strstr (manual, "| source | for |"), *after, *last;
	size_t rows = 0, sources = 0;

	ck_assert_ptr_nonnull (table);
	after = strstr (table, "\n\n");
	ck_assert_ptr_nonnull (after);
	*after = '\0';
	ck_assert_int_eq (ppi_stdmetrics_init (), 0);
	ppi_source_each (find_row, table);
	for (last = strstr (table, "\n| `"); last; last = strstr (last + 1, "\n| `"))
		rows++;
#define X(name) sources++;
	PP_ABI_SOURCES (X)
#undef X
	ck_assert_uint_eq (rows, sources);
}
END_TEST

/* ---- constants ------------------------------------------------------------------------------- */

START_TEST (a_constant_is_an_integer_where_it_can_be_and_else_a_double)
{
	struct measure whole = open_one (&ppi_source_constant, "-3"),
		       part = open_one (&ppi_source_constant, "2.5e-1"),
		       large = open_one (&ppi_source_constant, "99999999999999999999");
	union ppi_sample sample;

	ck_assert_int_eq (whole.instance.sample_type, PP_ABI_SAMPLE_INT);
	ck_assert_int_eq (begin (&whole), 0);
	ck_assert_int_eq (end_of (&whole), -3);
	ck_assert_int_eq (point_of (&whole), -3);
	ck_assert_int_eq (part.instance.sample_type, PP_ABI_SAMPLE_DOUBLE);
	sample.i = point_of (&part);
	ck_assert (sample.d == 0.25);
	sample.i = point_of (&large);
	ck_assert (large.instance.sample_type == PP_ABI_SAMPLE_DOUBLE && sample.d == 1e20);
}
END_TEST

START_TEST (what_is_no_number_is_no_constant)
{
	static const char *const texts[] = {"x", "3x", "0x10", "inf", "nan", "1e999",
					    "-", " 3", "3 ",   "1,5", "--1", "."};

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		struct ppi_source_instance in = {.source = &ppi_source_constant,
						 .argument = (char *) (uintptr_t) texts[i]};
		char why[200] = "";

		ck_assert_msg (ppi_source_constant.open (&in, why, sizeof why) == PP_EINVAL,
			       "\"%s\"", texts[i]);
		ck_assert_ptr_nonnull (strstr (why, "constant:3"));
	}
}
END_TEST

/* ---- rusage ---------------------------------------------------------------------------------- */

START_TEST (one_call_tells_all_fields_of_rusage_at_a_marker)
{
	struct measure all = open_one (&ppi_source_page_faults, NULL),
		       minor = open_one (&ppi_source_minor_faults, NULL),
		       major = open_one (&ppi_source_major_faults, NULL);
	char *memory = fresh_pages (200);
	uint64_t a, b, c;

	ppi_reading_number++;
	ck_assert_int_eq (ppi_source_page_faults.read (&all.instance, &a), 0);
	touch (memory, 200);
	/* the same marker: nothing is asked again */
	ck_assert_int_eq (ppi_source_minor_faults.read (&minor.instance, &b), 0);
	ck_assert_int_eq (ppi_source_major_faults.read (&major.instance, &c), 0);
	ck_assert_uint_eq (a, b + c);
	/* the next one */
	ppi_reading_number++;
	ck_assert_int_eq (ppi_source_page_faults.read (&all.instance, &c), 0);
	ck_assert_uint_ge (c, a + 200);
}
END_TEST

START_TEST (user_and_system_time_are_parts_of_the_threads_time)
{
	struct measure user = open_one (&ppi_source_user_time, NULL),
		       kernel = open_one (&ppi_source_system_time, NULL);
	int64_t in_user, in_kernel;
	struct rusage before, after;

	getrusage (RUSAGE_THREAD, &before);
	ck_assert (begin (&user) == 0 && begin (&kernel) == 0);
	do {
		getrusage (RUSAGE_THREAD, &after);
	} while (after.ru_utime.tv_sec * 1000000 + after.ru_utime.tv_usec <
		 before.ru_utime.tv_sec * 1000000 + before.ru_utime.tv_usec + 20000);
	in_user = end_of (&user);
	in_kernel = end_of (&kernel);
	ck_assert_int_gt (in_user, 0);
	ck_assert_int_ge (in_kernel, 0);
}
END_TEST

START_TEST (resident_memory_grows_with_the_pages_that_are_touched)
{
	struct measure now = open_one (&ppi_source_resident, NULL),
		       peak = open_one (&ppi_source_max_resident, NULL);
	int64_t page = sysconf (_SC_PAGESIZE), n = 4096, before = point_of (&now), raised;
	char *memory = fresh_pages ((size_t) n);

	ck_assert_int_gt (before, 0);
	ck_assert_int_eq (begin (&now), 0);
	touch (memory, (size_t) n);
	raised = end_of (&now);
	/* the kernel counts in batches on each processor */
	ck_assert_int_ge (raised, (n - 1024) * page);
	ck_assert_int_ge (point_of (&peak) * 1024, before);
	ck_assert_int_eq (begin (&now), 0);
	munmap (memory, (size_t) (n * page));
	ck_assert_int_lt (end_of (&now), 0);
}
END_TEST

/* ---- input and output ------------------------------------------------------------------------ */

static void through_a_pipe (size_t bytes, int calls)
{
	char buffer[1000] = "";
	int ends[2];

	if (pipe (ends) != 0)
		abort ();
	for (int i = 0; i < calls; i++)
		if (write (ends[1], buffer, bytes) != (ssize_t) bytes ||
		    read (ends[0], buffer, bytes) != (ssize_t) bytes)
			abort ();
	close (ends[0]);
	close (ends[1]);
}

START_TEST (bytes_and_calls_are_counted_without_those_of_the_readings)
{
	struct measure in = open_one (&ppi_source_bytes_read, NULL),
		       out = open_one (&ppi_source_bytes_written, NULL),
		       reads = open_one (&ppi_source_read_calls, NULL),
		       writes = open_one (&ppi_source_write_calls, NULL),
		       inner = open_one (&ppi_source_resident, NULL);

	for (int round = 0; round < 3; round++) {
		/* check's assertions write, so there are none between */
		int begun = begin (&in) | begin (&out) | begin (&reads) | begin (&writes) |
			    begin (&inner);

		through_a_pipe (1000, 7);
		(void) end_of (&inner);
		int64_t sums[4] = {end_of (&in), end_of (&out), end_of (&reads), end_of (&writes)};

		ck_assert_int_eq (begun, 0);
		ck_assert_int_eq (sums[0], 7000);
		ck_assert_int_eq (sums[1], 7000);
		ck_assert_int_eq (sums[2], 7);
		ck_assert_int_eq (sums[3], 7);
	}
}
END_TEST

START_TEST (one_call_tells_all_of_io_at_a_marker)
{
	struct measure in = open_one (&ppi_source_bytes_read, NULL),
		       out = open_one (&ppi_source_bytes_written, NULL);
	uint64_t now, calls;

	ck_assert_int_eq (begin (&in), 0);
	calls = ppi_per_thread ()->own_calls;
	ppi_reading_number++;
	ck_assert_int_eq (ppi_source_bytes_read.read (&in.instance, &now), 0);
	ck_assert_int_eq (ppi_source_bytes_written.read (&out.instance, &now), 0);
	ck_assert_int_eq (ppi_source_bytes_read.read (&in.instance, &now), 0);
	ck_assert_uint_eq (ppi_per_thread ()->own_calls, calls + 1);
}
END_TEST

static void *read_in_thread (void *arg)
{
	struct measure m = *(struct measure *) arg;
	int64_t sample;

	if (begin (&m) < 0)
		return (void *) -1;
	through_a_pipe (10, 5);
	return end (&m, &sample) < 0 ? (void *) -2 : (void *) (intptr_t) sample;
}

/* ---- descriptors ----------------------------------------------------------------------------- */

START_TEST (a_thousand_threads_leave_no_descriptor_behind)
{
	struct measure m = open_one (&ppi_source_bytes_read, NULL);
	int before;

	ck_assert_int_eq (begin (&m), 0);
	(void) end_of (&m);
	before = open_descriptors ();
	for (int round = 0; round < 125; round++) {
		pthread_t thread[8];

		for (int i = 0; i < 8; i++)
			ck_assert_int_eq (pthread_create (&thread[i], NULL, read_in_thread, &m), 0);
		for (int i = 0; i < 8; i++) {
			void *sum;

			pthread_join (thread[i], &sum);
			ck_assert_int_eq ((intptr_t) sum, 50);
		}
	}
	ck_assert_int_eq (open_descriptors (), before);
}
END_TEST

/* In a child made by MAKE: it counts its own, and has closed what it inherited. */
static void child_of (pid_t (*make) (void))
{
	struct measure m = open_one (&ppi_source_bytes_read, NULL);
	int status, before;
	int64_t sum;
	pid_t child;

	before = open_descriptors ();
	ck_assert_int_eq (begin (&m), 0);
	child = make ();
	if (child == 0) {
		if (begin (&m) < 0)
			_exit (1);
		through_a_pipe (10, 3);
		if (end (&m, &sum) < 0 || sum != 30)
			_exit (2);
		_exit (open_descriptors () == before + 1 ? 0 : 3);
	}
	ck_assert_int_eq (waitpid (child, &status, 0), child);
	ck_assert_int_eq (status, 0);
	through_a_pipe (10, 2);
	ck_assert_int_eq (end_of (&m), 20);
}

START_TEST (a_forked_child_counts_its_own)
{
	child_of (fork);
}
END_TEST

START_TEST (a_child_that_no_handler_was_told_of_counts_its_own)
{
	child_of (_Fork);
}
END_TEST

static char told[600];
static int tellings;

static void note_message (const char *line, void *arg)
{
	(void) arg;
	snprintf (told, sizeof told, "%s", line);
	tellings++;
}

START_TEST (the_limit_of_open_files_makes_samples_unavailable_and_is_told_once)
{
	struct measure m = open_one (&ppi_source_bytes_read, NULL);
	struct rlimit limit, before;
	int64_t sum;

	getrlimit (RLIMIT_NOFILE, &before);
	limit = before;
	limit.rlim_cur = 3;
	ppi_message_set (note_message, NULL);
	ck_assert_int_eq (setrlimit (RLIMIT_NOFILE, &limit), 0);
	ck_assert_int_eq (begin (&m), PP_EUNAVAILABLE);
	ppi_sources_tell ();
	for (int i = 0; i < 1000; i++)
		ck_assert_int_eq (begin (&m), PP_EUNAVAILABLE);
	ck_assert_int_eq (end (&m, &sum), PP_EUNAVAILABLE);
	ppi_sources_tell ();
	setrlimit (RLIMIT_NOFILE, &before);
	ck_assert_int_eq (tellings, 1);
	ck_assert_ptr_nonnull (strstr (told, "ulimit -n"));
}
END_TEST

START_TEST (a_descriptor_that_the_program_closed_is_opened_again)
{
	struct measure m = open_one (&ppi_source_bytes_read, NULL);
	int64_t sum;

	ck_assert_int_eq (begin (&m), 0);
	close (ppi_per_thread ()->descriptor[PPI_FILE_IO]);
	ck_assert_int_lt (end (&m, &sum), 0);
	ck_assert_int_eq (begin (&m), 0);
	through_a_pipe (10, 1);
	ck_assert_int_eq (end_of (&m), 10);
}
END_TEST

static int number_of_io;

static void *give_the_number_away (void *arg)
{
	struct measure m = *(struct measure *) arg;
	int zero = open ("/dev/zero", O_RDONLY);

	if (begin (&m) < 0)
		return (void *) 1;
	number_of_io = ppi_per_thread ()->descriptor[PPI_FILE_IO];
	return dup2 (zero, number_of_io) < 0 ? (void *) 2 : NULL;
}

START_TEST (a_number_that_the_program_has_taken_is_not_closed)
{
	struct measure m = open_one (&ppi_source_bytes_read, NULL);
	pthread_t thread;
	char byte = 1;
	void *result;

	ck_assert_int_eq (pthread_create (&thread, NULL, give_the_number_away, &m), 0);
	pthread_join (thread, &result);
	ck_assert_ptr_null (result);
	ck_assert_int_eq (read (number_of_io, &byte, 1), 1);
	ck_assert_int_eq (byte, 0);
}
END_TEST

START_TEST (descriptors_are_out_of_the_way_and_not_inherited_by_programs)
{
	struct measure m = open_one (&ppi_source_bytes_read, NULL);
	struct rlimit limit;
	int fd;

	ck_assert_int_eq (begin (&m), 0);
	fd = ppi_per_thread ()->descriptor[PPI_FILE_IO];
	getrlimit (RLIMIT_NOFILE, &limit);
	ck_assert_int_ge (fd, limit.rlim_cur / 2 < 512 ? (int) limit.rlim_cur / 2 : 512);
	ck_assert_int_eq (fcntl (fd, F_GETFD), FD_CLOEXEC);
}
END_TEST

static Suite *sources (void)
{
	Suite *suite = suite_create ("sources");
	TCase *tests = tcase_create ("sources");

	tcase_add_test (tests, the_manual_has_every_source_as_the_library_has_it);
	tcase_add_test (tests, a_reading_costs_what_it_takes_by_the_clock_where_nobody_interrupts);
	tcase_add_test (tests, a_constant_is_an_integer_where_it_can_be_and_else_a_double);
	tcase_add_test (tests, what_is_no_number_is_no_constant);
	tcase_add_test (tests, one_call_tells_all_fields_of_rusage_at_a_marker);
	tcase_add_test (tests, user_and_system_time_are_parts_of_the_threads_time);
	tcase_add_test (tests, resident_memory_grows_with_the_pages_that_are_touched);
	tcase_add_test (tests, bytes_and_calls_are_counted_without_those_of_the_readings);
	tcase_add_test (tests, one_call_tells_all_of_io_at_a_marker);
	suite_add_tcase (suite, tests);
	return suite;
}

static Suite *descriptors (void)
{
	Suite *suite = suite_create ("descriptors");
	TCase *tests = tcase_create ("descriptors");

	tcase_add_test (tests, a_thousand_threads_leave_no_descriptor_behind);
	tcase_add_test (tests, a_forked_child_counts_its_own);
	tcase_add_test (tests, a_child_that_no_handler_was_told_of_counts_its_own);
	tcase_add_test (tests, the_limit_of_open_files_makes_samples_unavailable_and_is_told_once);
	tcase_add_test (tests, a_descriptor_that_the_program_closed_is_opened_again);
	tcase_add_test (tests, a_number_that_the_program_has_taken_is_not_closed);
	tcase_add_test (tests, descriptors_are_out_of_the_way_and_not_inherited_by_programs);
	suite_add_tcase (suite, tests);
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {sources, descriptors};

	return ppcheck_main (suites, 2);
}
