/* SPDX-License-Identifier: MIT */
/* test_where.c: which samples are of executions that violated an assertion, and what is made of them. */
#include "profiler/analysis/where.h"

#include "ppcheck.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what tests are made of: times in ms ----------------------------------------------------- */

#define MS UINT64_C (1000000)
#define THREAD 7u

static struct ppi_samples samples;
static struct ppi_violating_chunk *violating;
static struct ppi_where where;

static void begin (bool is_by_interval, uint32_t room)
{
	ppi_samples_init (&samples);
	samples.program = strdup ("program, process 1");
	samples.is_by_interval = is_by_interval;
	samples.by_watcher = is_by_interval;
	samples.period_s = 1e-3;
	violating = calloc (1, sizeof *violating + room * sizeof violating->execution[0]);
	violating->room = room;
}

static void end (void)
{
	ppi_where_clear (&where);
	ppi_samples_clear (&samples);
	free (violating);
}

static uint32_t function (const char *name)
{
	return ppi_samples_function (&samples, name, "program.c", 1);
}

/* An execution that violated it. */
static void violated (uint32_t thread, uint64_t from, uint64_t to)
{
	violating->execution[violating->n++ % violating->room] =
		(struct ppi_execution){from * MS, to * MS, thread, 1};
}

/* A sample at AT whose stack is OUTER and INNER, the PERIODS-th that saw that. */
static void sample (uint32_t thread, uint64_t at, const char *outer, const char *inner,
		    uint32_t periods)
{
	uint32_t frame[] = {function (outer), function (inner)};

	ppi_samples_add (&samples, ppi_samples_thread (&samples, thread, "worker"),
			 (struct ppi_stack_sample){.ns = at * MS,
						   .at_s = 1e-3 * (double) at,
						   .stack = ppi_samples_stack (&samples, frame, 2),
						   .periods = periods});
}

/* N executions from FROM on, 10 ms each and 10 ms apart, of which all were violated. */
static void violate (uint64_t from, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		violated (THREAD, from + 20 * i, from + 20 * i + 9);
}

static void find (void)
{
	uint32_t site = function ("request");

	ppi_where_clear (&where);
	ck_assert (ppi_where_of (violating, &site, 1, &samples, &where));
}

static const struct ppi_where_row *row_of (const char *name)
{
	for (size_t i = 0; i < where.rows; i++)
		if (strcmp (where.row[i].name, name) == 0)
			return &where.row[i];
	ck_abort_msg ("there is no row %s", name);
	return NULL;
}

#define ck_assert_near(a, b)                                                                       \
	ck_assert_msg (fabs ((a) - (b)) < 1e-9, #a " is %g, not %g", a, (double) (b))

/* ---- samples of executions ------------------------------------------------------------------- */

/* one each ms: in executions that violated it "slow", else "fast" */
static void one_each_ms (unsigned executions)
{
	violate (0, executions);
	for (uint64_t t = 0; t < 20 * executions; t++)
		sample (THREAD, t, "request", t % 20 <= 9 ? "slow" : "fast", 1);
}

START_TEST (samples_in_executions_that_violated_it_are_told_from_the_others)
{
	begin (true, 64);
	one_each_ms (10);
	find ();
	ck_assert_near (where.samples, 100);
	ck_assert_uint_eq (where.executions, 10);
	ck_assert_near (where.others, 100);
	ck_assert_uint_eq (where.rows, 1);
	ck_assert_near (row_of ("slow")->share, 1);
	ck_assert_near (row_of ("slow")->elsewhere, 0);
	end ();
}
END_TEST

START_TEST (other_threads_have_no_part_in_it)
{
	begin (true, 64);
	one_each_ms (10);
	for (uint64_t t = 0; t < 200; t++)
		sample (THREAD + 1, t, "request", "other", 1);
	find ();
	ck_assert_near (where.samples, 100);
	ck_assert_near (where.others, 100);
	end ();
}
END_TEST

START_TEST (of_intervals_the_others_are_those_inside_the_site)
{
	begin (true, 64);
	one_each_ms (10);
	for (uint64_t t = 300; t < 400; t++)
		sample (THREAD, t, "main", "idle", 1);
	find ();
	ck_assert_near (where.others, 100);
	end ();
	/* functions know of no site */
	begin (false, 64);
	one_each_ms (10);
	for (uint64_t t = 300; t < 400; t++)
		sample (THREAD, t, "main", "idle", 1);
	find ();
	ck_assert_near (where.others, 200);
	end ();
}
END_TEST

START_TEST (executions_inside_each_other_count_once)
{
	begin (true, 64);
	one_each_ms (10);
	for (unsigned i = 0; i < 10; i++)
		violated (THREAD, 20 * i + 2, 20 * i + 5);
	find ();
	ck_assert_near (where.samples, 100);
	ck_assert_uint_eq (where.executions, 10);
	end ();
}
END_TEST

START_TEST (a_sample_that_stands_for_several_is_dealt_out)
{
	begin (true, 64);
	violate (20, 10);
	for (uint64_t i = 1; i <= 10; i++) {
		sample (THREAD, 20 * i, "request", "slow", 1);
		/* ten looks, of which nine were in the execution */
		sample (THREAD, 20 * i + 10, "request", "slow", 10);
	}
	find ();
	ck_assert_near (where.samples, 10 + 90);
	ck_assert_near (where.others, 10);
	end ();
}
END_TEST

START_TEST (of_a_ring_that_is_full_only_the_time_counts_that_it_still_has)
{
	begin (true, 10);
	one_each_ms (20);
	find ();
	ck_assert_near (where.samples, 100);
	ck_assert_uint_eq (where.executions, 10);
	/* those that fell out of the ring are not taken for executions that held */
	ck_assert_near (where.others, 100);
	ck_assert_near (row_of ("slow")->elsewhere, 0);
	end ();
}
END_TEST

START_TEST (what_a_damaged_recording_says_of_executions_does_no_harm)
{
	begin (true, 64);
	one_each_ms (10);
	violated (THREAD, 50, 40);
	violated (0, 0, 100000);
	violated (THREAD, 300, UINT64_MAX / MS);
	find ();
	ck_assert_near (where.samples, 100);
	violating->n = UINT64_MAX;
	find ();
	end ();
}
END_TEST

/* ---- how much that says ---------------------------------------------------------------------- */

START_TEST (few_samples_or_executions_say_nothing)
{
	begin (true, 64);
	one_each_ms (4);
	find ();
	ck_assert_near (where.samples, 40);
	ck_assert_uint_eq (where.rows, 0);
	end ();
	begin (true, 64);
	violate (0, 10);
	for (uint64_t i = 0; i < 10; i++)
		sample (THREAD, 20 * i + 3, "request", "slow", 1);
	find ();
	ck_assert_uint_eq (where.rows, 0);
	end ();
}
END_TEST

/* Of N executions with one sample each, or SAMPLES that are alike, a half is in each of two. */
static void halves (unsigned n, unsigned per_execution)
{
	begin (true, 128);
	violate (0, n);
	for (uint64_t i = 0; i < n; i++)
		for (unsigned k = 0; k < per_execution; k++)
			sample (THREAD, 20 * i + k, "request", i % 2 ? "one" : "two", 1);
	find ();
}

START_TEST (a_sample_for_each_execution_has_the_binomial_interval)
{
	halves (100, 1);
	/* Wilson's of 50 in 100 */
	ck_assert (fabs (row_of ("one")->low - 0.4038) < 2e-3);
	ck_assert (fabs (row_of ("one")->high - 0.5962) < 2e-3);
	end ();
}
END_TEST

START_TEST (samples_of_one_execution_that_are_alike_count_as_one)
{
	double low, high;

	halves (100, 1);
	low = row_of ("one")->low;
	high = row_of ("one")->high;
	end ();
	halves (100, 9);
	ck_assert_near (where.samples, 900);
	ck_assert (fabs (row_of ("one")->low - low) < 1e-3);
	ck_assert (fabs (row_of ("one")->high - high) < 1e-3);
	end ();
}
END_TEST

START_TEST (rows_come_by_falling_share)
{
	begin (true, 64);
	violate (0, 10);
	for (uint64_t i = 0; i < 10; i++)
		for (unsigned k = 0; k < 9; k++)
			sample (THREAD, 20 * i + k, "request", k < 2 ? "b" : k < 3 ? "c" : "a", 1);
	find ();
	ck_assert_uint_eq (where.rows, 3);
	ck_assert_str_eq (where.row[0].name, "a");
	ck_assert_str_eq (where.row[1].name, "b");
	ck_assert_str_eq (where.row[2].name, "c");
	ck_assert_near (where.row[0].share, 6.0 / 9);
	/* nobody else was sampled */
	ck_assert (isnan (where.row[0].elsewhere));
	end ();
}
END_TEST

/* ---- the suite ------------------------------------------------------------------------------- */

static Suite *suite_of_where (void)
{
	Suite *suite = suite_create ("where");
	TCase *tests = tcase_create ("where");

	tcase_add_test (tests, samples_in_executions_that_violated_it_are_told_from_the_others);
	tcase_add_test (tests, other_threads_have_no_part_in_it);
	tcase_add_test (tests, of_intervals_the_others_are_those_inside_the_site);
	tcase_add_test (tests, executions_inside_each_other_count_once);
	tcase_add_test (tests, a_sample_that_stands_for_several_is_dealt_out);
	tcase_add_test (tests, of_a_ring_that_is_full_only_the_time_counts_that_it_still_has);
	tcase_add_test (tests, what_a_damaged_recording_says_of_executions_does_no_harm);
	tcase_add_test (tests, few_samples_or_executions_say_nothing);
	tcase_add_test (tests, a_sample_for_each_execution_has_the_binomial_interval);
	tcase_add_test (tests, samples_of_one_execution_that_are_alike_count_as_one);
	tcase_add_test (tests, rows_come_by_falling_share);
	suite_add_tcase (suite, tests);
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {suite_of_where};

	return ppcheck_main (suites, 1);
}
