/* SPDX-License-Identifier: MIT */
/*
 * test_profile_sum.c: profiles of several runs are added up; how sure shares are; what is left out
 * before main.
 */
#include "profiler/analysis/render.h"

#include "ppcheck.h"
#include "printed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what tests are made of ------------------------------------------------------------------ */

/* Functions with names of one letter, the outermost first. */
static void add (struct ppi_samples *s, uint32_t thread, double at, const char *letters)
{
	uint32_t function[16];
	size_t n = strlen (letters);

	for (size_t i = 0; i < n; i++)
		function[i] = ppi_samples_function (s, (char[]){letters[i], '\0'}, "file.c",
						    (unsigned) (letters[i] - 'A' + 1));
	ppi_samples_add (s, ppi_samples_thread (s, thread, "worker"),
			 (struct ppi_stack_sample){.at_s = at,
						   .stack = ppi_samples_stack (s, function, n),
						   .periods = 1});
}

static void begin (struct ppi_samples *s, const char *program)
{
	ppi_samples_init (s);
	s->program = strdup (program);
	s->is_cpu = true;
	s->period_s = 1;
	s->actual_s = s->cpu_s = 10;
	s->wall_s = 20;
	s->lost[0] = 3;
}

static void first_run (struct ppi_samples *s, uint32_t thread)
{
	add (s, thread, 1, "AB");
	add (s, thread, 2, "ABBA");
	add (s, thread, 4, "A");
}

/* Other functions, too, and what both have in another order. */
static void second_run (struct ppi_samples *s, uint32_t thread)
{
	add (s, thread, 1, "CAB");
	add (s, thread, 5, "AB");
	add (s, thread, 6, "C");
}

/* Two runs, whose threads have the same number. */
static void two (struct ppi_profile *profile)
{
	struct ppi_samples s;

	begin (&s, "one");
	first_run (&s, 7);
	ck_assert (ppi_profile_analyse (&s, &profile[0]));
	ppi_samples_clear (&s);
	begin (&s, "two");
	second_run (&s, 7);
	ck_assert (ppi_profile_analyse (&s, &profile[1]));
	ppi_samples_clear (&s);
}

static void clear (struct ppi_profile *profile, size_t n)
{
	for (size_t i = 0; i < n; i++)
		ppi_profile_clear (&profile[i]);
}

/* ---- sums ------------------------------------------------------------------------------------ */

START_TEST (the_sum_is_the_profile_of_all_samples_in_one)
{
	struct ppi_samples s;
	struct ppi_profile part[2], sum, all;
	char *one, *other;

	two (part);
	ck_assert (ppi_profile_merge (part, 2, &sum));
	begin (&s, "one + two");
	first_run (&s, 1);
	second_run (&s, 2);
	s.actual_s = s.cpu_s = 20;
	s.wall_s = 40;
	s.lost[0] = 6;
	ck_assert (ppi_profile_analyse (&s, &all));
	one = printed (ppi_render_json, &sum);
	other = printed (ppi_render_json, &all);
	ck_assert_str_eq (one, other);
	free (one);
	free (other);
	ppi_samples_clear (&s);
	clear (part, 2);
	ppi_profile_clear (&sum);
	ppi_profile_clear (&all);
}
END_TEST

START_TEST (the_sum_of_sums_is_the_sum_of_all)
{
	struct ppi_profile part[4], sum[2], all;
	char *one, *other;

	two (part);
	two (part + 2);
	ck_assert (ppi_profile_merge (part, 2, &sum[0]));
	sum[1] = part[2];
	ck_assert (ppi_profile_merge (sum, 2, &all));
	ppi_profile_clear (&sum[0]);
	ck_assert (ppi_profile_merge (part, 3, &sum[0]));
	one = printed (ppi_render_json, &all);
	other = printed (ppi_render_json, &sum[0]);
	ck_assert_str_eq (one, other);
	free (one);
	free (other);
	clear (part, 4);
	ppi_profile_clear (&sum[0]);
	ppi_profile_clear (&all);
}
END_TEST

START_TEST (a_function_at_another_line_is_another_function)
{
	struct ppi_profile part[2], sum;

	two (part);
	for (size_t i = 0; i < part[1].nodes; i++)
		part[1].node[i].line += 100;
	ck_assert (ppi_profile_merge (part, 2, &sum));
	ck_assert_uint_eq (sum.nodes, part[0].nodes + part[1].nodes);
	ppi_profile_clear (&sum);
	clear (part, 2);
}
END_TEST

START_TEST (what_is_not_known_of_one_is_not_known_of_the_sum)
{
	struct ppi_profile part[2], sum;

	two (part);
	part[1].actual_time = 0;
	part[1].period = 2;
	ck_assert (ppi_profile_merge (part, 2, &sum));
	ck_assert_double_eq (sum.actual_time, 0);
	ck_assert_double_eq (sum.period, 0);
	ck_assert_double_eq (sum.cpu_time, 20);
	ppi_profile_clear (&sum);
	clear (part, 2);
}
END_TEST

START_TEST (many_are_named_by_the_first_three)
{
	struct ppi_profile part[5], sum;

	two (part);
	two (part + 2);
	part[4] = part[0];
	ck_assert (ppi_profile_merge (part, 5, &sum));
	ck_assert_str_eq (sum.program, "one + two + one + 2 more");
	ck_assert_uint_eq (sum.threads, 5);
	for (uint32_t i = 0; i < sum.threads; i++)
		ck_assert_uint_eq (sum.thread[i].id, i + 1);
	ppi_profile_clear (&sum);
	clear (part, 4);
}
END_TEST

START_TEST (a_profile_without_a_sample_adds_its_time)
{
	struct ppi_samples s;
	struct ppi_profile part[2], sum;

	two (part);
	ppi_profile_clear (&part[1]);
	begin (&s, "idle");
	ck_assert (ppi_profile_analyse (&s, &part[1]));
	ck_assert (ppi_profile_merge (part, 2, &sum));
	ck_assert_double_eq (sum.actual_time, 20);
	ck_assert_double_eq (sum.total_time, part[0].total_time);
	ppi_samples_clear (&s);
	ppi_profile_clear (&sum);
	clear (part, 2);
}
END_TEST

/* As a file may have it that somebody wrote by hand. */
START_TEST (a_node_that_names_no_thread_of_its_profile_has_none_in_the_sum)
{
	struct ppi_profile part[2], sum;

	two (part);
	for (size_t i = 0; i < part[0].nodes; i++)
		part[0].node[i].thread[0] = 12345;
	ck_assert (ppi_profile_merge (part, 1, &sum));
	for (size_t i = 0; i < sum.nodes; i++)
		ck_assert_uint_eq (sum.node[i].threads, 0);
	ppi_profile_clear (&sum);
	clear (part, 2);
}
END_TEST

/* A sum of many samples that stand for little is no surer than the few that stand for the most. */
START_TEST (a_sum_is_as_sure_as_the_samples_that_most_of_its_time_is_of)
{
	struct ppi_profile part[2] = {{.total_time = 1, .sample_number = 1000},
				      {.total_time = 9, .sample_number = 9}};
	struct ppi_profile sum;

	for (size_t i = 0; i < 2; i++) {
		part[i].program = strdup ("program");
		ppi_profile_weigh (&part[i]);
	}
	ck_assert (ppi_profile_merge (part, 2, &sum));
	ck_assert_double_lt (ppi_profile_margin (&part[0]), 0.04);
	ck_assert_double_gt (ppi_profile_margin (&sum), 0.2);
	ck_assert_double_lt (ppi_profile_margin (&sum), ppi_profile_margin (&part[1]));
	ppi_profile_clear (&sum);
	clear (part, 2);
}
END_TEST

START_TEST (times_of_two_kinds_have_no_sum)
{
	struct ppi_profile part[2];

	two (part);
	ck_assert_ptr_null (ppi_profiles_differ (&part[0], &part[1]));
	part[1].is_cpu = false;
	ck_assert_str_eq (ppi_profiles_differ (&part[0], &part[1]),
			  "is of the wall clock, and the others are of CPU time");
	part[1].is_by_interval = true;
	part[1].by_watcher = true;
	ck_assert_str_eq (ppi_profiles_differ (&part[0], &part[1]),
			  "is by interval, and the others are by function");
	part[1].is_by_interval = false;
	part[1].is_by_line = true;
	ck_assert_str_eq (ppi_profiles_differ (&part[0], &part[1]),
			  "is by line, and the others are by function");
	clear (part, 2);
}
END_TEST

/* Stacks of N functions with NAMES, the outermost first, at second AT. */
static void add_names (struct ppi_samples *s, double at, const char *const *names, size_t n)
{
	uint32_t function[8];

	for (size_t i = 0; i < n; i++)
		function[i] = ppi_samples_function (s, names[i], "libc.so.6", 0);
	ppi_samples_add (s, ppi_samples_thread (s, 1, "main"),
			 (struct ppi_stack_sample){.at_s = at,
						   .stack = ppi_samples_stack (s, function, n),
						   .periods = 1});
}

static uint32_t named (const struct ppi_profile *p, const char *name)
{
	for (uint32_t i = 0; i < p->nodes; i++)
		if (strcmp (p->node[i].name, name) == 0)
			return i;
	return PPI_PROFILE_ROOT;
}

START_TEST (what_calls_main_is_hidden_and_a_function_of_such_a_name_in_the_program_is_not)
{
	static const char *const stack[] = {
		"_start", "__libc_start_main_impl", "__libc_start_call_main", "main", "clone3",
		"work"};
	struct ppi_samples s;
	struct ppi_profile p;

	begin (&s, "one");
	for (int i = 0; i < 10; i++)
		add_names (&s, i, stack, 6);
	ck_assert (ppi_profile_analyse (&s, &p));
	for (size_t i = 0; i < 3; i++)
		ck_assert (ppi_profile_hides (&p, named (&p, stack[i]), 0.01, 0.02));
	for (size_t i = 3; i < 6; i++)
		ck_assert (!ppi_profile_hides (&p, named (&p, stack[i]), 0.01, 0.02));
	/* who wants all gets it */
	ck_assert (!ppi_profile_hides (&p, named (&p, "_start"), 0, 0.02));
	ck_assert (!ppi_profile_hides (&p, named (&p, "_start"), 0.01, 0));
	ppi_profile_clear (&p);
	ppi_samples_clear (&s);
}
END_TEST

/* Functions of the program's that are called as what starts threads: with a line, and without. */
START_TEST (a_function_of_the_program_is_shown_whatever_its_name)
{
	for (unsigned line = 0; line < 2; line++)
		for (int by_interval = 0; by_interval < 2; by_interval++) {
			struct ppi_samples s;
			struct ppi_profile p;
			uint32_t stack[4];

			begin (&s, "one");
			s.is_by_interval = by_interval;
			stack[0] = ppi_samples_function (&s, "clone3", "libc.so.6", 0);
			stack[1] = ppi_samples_function (&s, "start_thread", "libc.so.6", 0);
			stack[2] = ppi_samples_function (&s, "start_thread", "program", line);
			stack[3] = ppi_samples_function (&s, "work", "program", line);
			for (int i = 0; i < 10; i++)
				ppi_samples_add (&s, ppi_samples_thread (&s, 1, "main"),
						 (struct ppi_stack_sample){
							 .at_s = i,
							 .stack = ppi_samples_stack (&s, stack, 4),
							 .periods = 1});
			ck_assert (ppi_profile_analyse (&s, &p));
			for (uint32_t i = 0; i < p.nodes; i++)
				ck_assert_int_eq (ppi_profile_hides (&p, i, 0.01, 0.02),
						  !by_interval &&
							  strcmp (p.node[i].file, "program") != 0);
			ppi_profile_clear (&p);
			ppi_samples_clear (&s);
		}
}
END_TEST

START_TEST (one_sample_is_one_sample_and_says_next_to_nothing)
{
	struct ppi_samples s;
	struct ppi_profile p;
	char *text;

	begin (&s, "one");
	add (&s, 1, 1, "AB");
	add (&s, 2, 1, "AB");
	add (&s, 2, 2, "AB");
	memset (s.lost, 0, sizeof s.lost);
	s.lost[PPI_SAMPLE_CUT] = 1;
	ck_assert (ppi_profile_analyse (&s, &p));
	text = printed (ppi_render_text, &p);
	ck_assert_ptr_nonnull (strstr (text, ", 1 sample\n"));
	ck_assert_ptr_nonnull (strstr (text, ", 2 samples\n"));
	ck_assert_ptr_nonnull (strstr (text, "  1 sample whose stack was cut off: its outer"));
	free (text);
	ppi_profile_clear (&p);
	ppi_samples_clear (&s);
	begin (&s, "one");
	add (&s, 1, 1, "AB");
	ck_assert (ppi_profile_analyse (&s, &p));
	text = printed (ppi_render_text, &p);
	ck_assert_ptr_nonnull (strstr (text, "  samples: 1, "));
	ck_assert_ptr_nonnull (
		strstr (text, "\n  by chance a share may be off: +- 44.5 points near 50 %"));
	free (text);
	text = printed (ppi_render_chicken, &p);
	ck_assert_ptr_nonnull (strstr (text, " elapsed, 1 sample, +- 44.5 points\n"));
	free (text);
	ppi_profile_clear (&p);
	ppi_samples_clear (&s);
}
END_TEST

/* Where a function's line is not another's of its name, formats without a column for it have it. */
static void places_are (bool is_by_line, unsigned second, const char *in_chicken,
			const char *in_dot, const char *collapsed)
{
	struct ppi_samples s;
	struct ppi_profile p;
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream (&text, &bytes);

	begin (&s, "one");
	s.is_by_line = is_by_line;
	for (unsigned i = 0; i < 2; i++) {
		uint32_t f = ppi_samples_function (&s, "f", "/src/f.c", i ? second : 3);
		struct ppi_stack_sample sample = {
			.at_s = i + 1, .stack = ppi_samples_stack (&s, &f, 1), .periods = 1};

		ppi_samples_add (&s, ppi_samples_thread (&s, 1, "main"), sample);
	}
	ck_assert (ppi_render_collapsed (&s, out));
	fclose (out);
	ck_assert_str_eq (text, collapsed);
	free (text);
	ck_assert (ppi_profile_analyse (&s, &p));
	text = printed (ppi_render_chicken, &p);
	ck_assert_ptr_nonnull (strstr (text, in_chicken));
	free (text);
	text = printed (ppi_render_dot, &p);
	ck_assert_ptr_nonnull (strstr (text, in_dot));
	free (text);
	ppi_profile_clear (&p);
	ppi_samples_clear (&s);
}

START_TEST (functions_of_one_name_have_their_lines_behind_it)
{
	places_are (false, 5, "\nf f.c:5 1 ", "\"f\\nf.c:5\\n", "f f.c:3 500000\nf f.c:5 500000\n");
	places_are (false, 3, "\nf 2 ", "\"f\\n1000 ms", "f 1000000\n");
}
END_TEST

START_TEST (by_line_all_have_theirs)
{
	places_are (true, 3, "\nf f.c:3 2 ", "\"f\\nf.c:3\\n", "f f.c:3 1000000\n");
}
END_TEST

static Suite *sums (void)
{
	Suite *suite = suite_create ("sums of profiles");
	TCase *tests = tcase_create ("sums of profiles");

	tcase_add_test (tests, the_sum_is_the_profile_of_all_samples_in_one);
	tcase_add_test (tests, the_sum_of_sums_is_the_sum_of_all);
	tcase_add_test (tests, a_function_at_another_line_is_another_function);
	tcase_add_test (tests, what_is_not_known_of_one_is_not_known_of_the_sum);
	tcase_add_test (tests, many_are_named_by_the_first_three);
	tcase_add_test (tests, a_profile_without_a_sample_adds_its_time);
	tcase_add_test (tests, a_node_that_names_no_thread_of_its_profile_has_none_in_the_sum);
	tcase_add_test (tests, a_sum_is_as_sure_as_the_samples_that_most_of_its_time_is_of);
	tcase_add_test (tests, times_of_two_kinds_have_no_sum);
	tcase_add_test (
		tests,
		what_calls_main_is_hidden_and_a_function_of_such_a_name_in_the_program_is_not);
	tcase_add_test (tests, a_function_of_the_program_is_shown_whatever_its_name);
	tcase_add_test (tests, one_sample_is_one_sample_and_says_next_to_nothing);
	tcase_add_test (tests, functions_of_one_name_have_their_lines_behind_it);
	tcase_add_test (tests, by_line_all_have_theirs);
	suite_add_tcase (suite, tests);
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {sums};

	return ppcheck_main (suites, 1);
}
