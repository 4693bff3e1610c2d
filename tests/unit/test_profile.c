/* SPDX-License-Identifier: MIT */
/*
 * test_profile.c: the analyser of samples: costs, the call graph, its order, what is hidden, and
 * what is printed.
 */
#include "profiler/analysis/render.h"
#include "profiler/sampler/raw.h"

#include "ppcheck.h"
#include "printed.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- what tests are made of ------------------------------------------------------------------ */

/* A stack of functions with names of one letter, the outermost first; "" is none. */
static uint32_t stack_of (struct ppi_samples *s, const char *letters)
{
	uint32_t function[64];
	size_t n = strlen (letters);

	for (size_t i = 0; i < n; i++)
		function[i] = ppi_samples_function (s, (char[]){letters[i], '\0'}, "file.c",
						    (unsigned) (letters[i] - 'A' + 1));
	return ppi_samples_stack (s, function, n);
}

static void add (struct ppi_samples *s, uint32_t thread, double at, const char *letters)
{
	ppi_samples_add (s, ppi_samples_thread (s, thread, "worker"),
			 (struct ppi_stack_sample){
				 .at_s = at, .stack = stack_of (s, letters), .periods = 1});
}

static void begin (struct ppi_samples *s)
{
	ppi_samples_init (s);
	s->program = strdup ("program, process 1");
	s->is_cpu = true;
	s->period_s = 1;
}

static uint32_t node_of (const struct ppi_profile *p, char letter)
{
	for (uint32_t i = 0; i < p->nodes; i++)
		if (p->node[i].name[0] == letter)
			return i;
	return PPI_PROFILE_ROOT;
}

static const struct ppi_profile_edge *edge_of (const struct ppi_profile *p, char caller,
					       char callee)
{
	uint32_t from = caller == '*' ? PPI_PROFILE_ROOT : node_of (p, caller),
		 to = callee == '*' ? PPI_PROFILE_ROOT : node_of (p, callee);

	for (size_t i = 0; i < p->edges; i++)
		if (p->edge[i].caller == from && p->edge[i].callee == to)
			return &p->edge[i];
	return NULL;
}

static void expect_edge (const struct ppi_profile *p, const char *ends, double total, double caller,
			 double callee)
{
	const struct ppi_profile_edge *edge = edge_of (p, ends[0], ends[1]);

	ck_assert_ptr_nonnull (edge);
	ck_assert_double_eq_tol (edge->total, total, 1e-12);
	ck_assert_double_eq_tol (edge->caller_time, caller, 1e-12);
	ck_assert_double_eq_tol (edge->callee_time, callee, 1e-12);
}

/* ---- costs ----------------------------------------------------------------------------------- */

START_TEST (a_sample_costs_half_of_the_gap_to_each_neighbour)
{
	struct ppi_samples s;

	begin (&s);
	add (&s, 1, 1, "A");
	add (&s, 1, 3, "A");
	add (&s, 1, 9, "B");
	ck_assert_double_eq (ppi_sample_cost (&s, &s.thread[0], 0), 1);
	ck_assert_double_eq (ppi_sample_cost (&s, &s.thread[0], 1), 4);
	ck_assert_double_eq (ppi_sample_cost (&s, &s.thread[0], 2), 3);
	ppi_samples_clear (&s);
}
END_TEST

START_TEST (the_only_sample_of_a_thread_is_worth_its_periods)
{
	struct ppi_samples s;

	begin (&s);
	add (&s, 1, 7, "A");
	s.thread[0].sample[0].periods = 4;
	ck_assert_double_eq (ppi_sample_cost (&s, &s.thread[0], 0), 4);
	ppi_samples_clear (&s);
}
END_TEST

START_TEST (looks_that_saw_the_same_are_counted_and_cost_what_lies_between)
{
	struct ppi_samples s;
	struct ppi_profile p;

	begin (&s);
	s.is_by_interval = true;
	s.by_watcher = true;
	add (&s, 1, 1, "AB");
	add (&s, 1, 10, "AB");
	add (&s, 1, 11, "A");
	s.thread[0].sample[1].periods = 9;
	ck_assert (ppi_profile_analyse (&s, &p));
	ck_assert_uint_eq (p.sample_number, 11);
	ck_assert_uint_eq (p.node[node_of (&p, 'B')].samples, 10);
	ck_assert_double_eq (p.node[node_of (&p, 'B')].self, 9.5);
	ck_assert_double_eq (p.node[node_of (&p, 'A')].self, 0.5);
	ppi_profile_clear (&p);
	ppi_samples_clear (&s);
}
END_TEST

START_TEST (the_time_before_a_signal_that_had_to_wait_is_nobodys)
{
	struct ppi_samples s;

	begin (&s);
	add (&s, 1, 1, "A");
	add (&s, 1, 2, "A");
	add (&s, 1, 100, "B");
	add (&s, 1, 101, "B");
	s.thread[0].sample[2].late = true;
	ck_assert_double_eq (ppi_sample_cost (&s, &s.thread[0], 1), 0.5);
	ck_assert_double_eq (ppi_sample_cost (&s, &s.thread[0], 2), 0.5);
	ppi_samples_clear (&s);
}
END_TEST

START_TEST (time_in_the_kernel_is_what_is_beyond_the_periods_that_the_timer_was_set_to)
{
	struct ppi_samples s;

	begin (&s);
	add (&s, 1, 1, "A");
	add (&s, 1, 2, "A");
	add (&s, 1, 32, "B");
	add (&s, 1, 62, "B");
	for (size_t i = 0; i < 4; i++)
		s.thread[0].sample[i].user = true;
	/* half of 1, and half of the period and a half that the program may have been in */
	ck_assert_double_eq (ppi_sample_cost (&s, &s.thread[0], 1), 0.5 + 0.75);
	s.thread[0].sample[3].periods = 24;
	ck_assert_double_eq (ppi_sample_cost (&s, &s.thread[0], 2), 0.75 + 15);
	ppi_samples_clear (&s);
}
END_TEST

START_TEST (handlers_that_are_kept_waiting_now_and_then_make_samples_no_more_seldom)
{
	uint64_t cost = 0;

	for (int i = 0; i < 50; i++)
		cost = ppi_raw_cost (cost, 3000);
	ck_assert_uint_eq (cost, 3000);
	/* a tenth of a period of 1 ms is 100 us */
	ck_assert_uint_lt (ppi_raw_cost (cost, 2650000), 10000);
	for (int i = 0; i < 8000; i++) {
		cost = ppi_raw_cost (cost, i % 8 ? 3000 : 2650000);
		ck_assert_uint_lt (cost, 100000);
	}
	/* and where all are dear it is believed soon */
	for (int i = 0; i < 10; i++)
		cost = ppi_raw_cost (cost, 200000);
	ck_assert_uint_eq (cost, 200000);
	for (int i = 0; i < 100; i++)
		cost = ppi_raw_cost (cost, 3000);
	ck_assert_uint_eq (cost, 3000);
}
END_TEST

START_TEST (equal_functions_and_stacks_are_one)
{
	struct ppi_samples s;
	uint32_t first;

	begin (&s);
	first = stack_of (&s, "AB");
	for (int i = 0; i < 1000; i++) {
		char letters[3] = {(char) ('A' + i % 26), (char) ('A' + i / 26 % 26), '\0'};

		stack_of (&s, letters);
	}
	ck_assert_uint_eq (stack_of (&s, "AB"), first);
	ck_assert_uint_eq (s.functions, 26);
	ck_assert_uint_eq (s.stacks, 676);
	ppi_samples_clear (&s);
}
END_TEST

/* ---- the graph ------------------------------------------------------------------------------- */

/*
 * The example of Racket's document, section 3: a second with the stack A→B→B→B→A. (Its sentence
 * "the same goes for the A→A edge" can't be meant: that stack has no such edge.)
 */
START_TEST (times_of_edges_are_split_by_how_often_each_end_is_on_the_stack)
{
	struct ppi_samples s;
	struct ppi_profile p;

	begin (&s);
	add (&s, 1, 0, "ABBBA");
	ck_assert (ppi_profile_analyse (&s, &p));
	expect_edge (&p, "AB", 1, 1.0 / 2, 1.0 / 3);
	expect_edge (&p, "BB", 1, 2.0 / 3, 2.0 / 3);
	expect_edge (&p, "BA", 1, 1.0 / 3, 1.0 / 2);
	expect_edge (&p, "*A", 1, 1, 1.0 / 2);
	expect_edge (&p, "A*", 1, 1.0 / 2, 1);
	ck_assert_uint_eq (p.edges, 5);
	ck_assert_double_eq (p.node[node_of (&p, 'A')].total, 1);
	ck_assert_double_eq (p.node[node_of (&p, 'A')].self, 1);
	ck_assert_double_eq (p.node[node_of (&p, 'B')].total, 1);
	ck_assert_double_eq (p.node[node_of (&p, 'B')].self, 0);
	ppi_profile_clear (&p);
	ppi_samples_clear (&s);
}
END_TEST

START_TEST (times_of_the_edges_at_a_node_sum_up_to_its_total)
{
	struct ppi_samples s;
	struct ppi_profile p;

	begin (&s);
	for (int i = 0; i < 200; i++) {
		static const char *const stacks[] = {"AB", "ABBBA", "ACB", "ACACA", "D", "ABCABC"};

		add (&s, 1 + (uint32_t) i % 3, i * 1.25, stacks[i * 7 % 6]);
	}
	ck_assert (ppi_profile_analyse (&s, &p));
	for (size_t i = 0; i < p.nodes; i++) {
		double in = 0, out = 0;

		for (size_t k = 0; k < p.node[i].callers; k++)
			in += p.edge[p.node[i].caller[k]].callee_time;
		for (size_t k = 0; k < p.node[i].callees; k++)
			out += p.edge[p.node[i].callee[k]].caller_time;
		ck_assert_double_eq_tol (in, p.node[i].total, 1e-9);
		ck_assert_double_eq_tol (out, p.node[i].total, 1e-9);
	}
	ck_assert_uint_eq (p.sample_number, 200);
	ck_assert_uint_eq (p.threads, 3);
	ck_assert_uint_eq (p.node[node_of (&p, 'A')].threads, 3);
	ppi_profile_clear (&p);
	ppi_samples_clear (&s);
}
END_TEST

static void nodes_are (struct ppi_samples *s, const char *expected)
{
	struct ppi_profile p;
	char order[8] = "";

	ck_assert (ppi_profile_analyse (s, &p));
	ck_assert_uint_lt (p.nodes, sizeof order);
	for (size_t i = 0; i < p.nodes; i++)
		order[i] = p.node[i].name[0];
	ck_assert_str_eq (order, expected);
	ppi_profile_clear (&p);
	ppi_samples_clear (s);
}

START_TEST (nodes_are_in_topological_order_and_then_by_total)
{
	struct ppi_samples s;

	begin (&s);
	/* E calls C, which is also called by B: C is last though it has the most */
	add (&s, 1, 0, "ABC");
	add (&s, 1, 1, "ABC");
	add (&s, 1, 2, "AEC");
	add (&s, 1, 3, "AD");
	add (&s, 1, 4, "ABC");
	nodes_are (&s, "ABDEC");
}
END_TEST

START_TEST (a_cycle_is_entered_where_the_program_does)
{
	struct ppi_samples s;

	begin (&s);
	add (&s, 1, 0, "MXY");
	add (&s, 1, 1, "MXYXYX");
	add (&s, 1, 2, "MXYZ");
	nodes_are (&s, "MXYZ");
}
END_TEST

START_TEST (a_node_is_hidden_only_where_it_matters_to_nobody)
{
	struct ppi_samples s;
	struct ppi_profile p;

	begin (&s);
	/*
	 * B has no time of its own, but all of C's comes through it; D has next to none, neither
	 * have its callers
	 */
	for (int i = 0; i < 200; i++)
		add (&s, 1, i, i == 100 ? "AD" : "ABC");
	ck_assert (ppi_profile_analyse (&s, &p));
	ck_assert (!ppi_profile_hides (&p, node_of (&p, 'B'), 0.01, 0.02));
	ck_assert (ppi_profile_hides (&p, node_of (&p, 'D'), 0.01, 0.02));
	/* less of itself than one of both */
	ck_assert (!ppi_profile_hides (&p, node_of (&p, 'D'), 0.001, 0.02));
	ck_assert (!ppi_profile_hides (&p, node_of (&p, 'D'), 0.01, 0.001));
	ppi_profile_clear (&p);
	ppi_samples_clear (&s);
}
END_TEST

/* ---- what is printed ------------------------------------------------------------------------- */

static void some_profile (struct ppi_samples *s, struct ppi_profile *p)
{
	begin (s);
	for (int i = 0; i < 40; i++)
		add (s, 1 + (uint32_t) i % 2, i * 0.5, i % 4 ? "AB" : "ACBC");
	s->actual_s = 40;
	s->wall_s = 12;
	s->cpu_s = 40;
	s->lost[PPI_SAMPLE_FULL] = 3;
	ck_assert (ppi_profile_analyse (s, p));
}

START_TEST (the_text_says_what_much_that_is_unaccounted_for_may_be)
{
	struct ppi_samples s;
	struct ppi_profile p;
	char *text;

	some_profile (&s, &p);
	p.actual_time = 60;
	text = printed (ppi_render_text, &p);
	ck_assert_ptr_nonnull (strstr (text, "36.7 % unaccounted for\n  what system calls took"));
	free (text);
	/* the watcher sees them */
	p.is_by_interval = true;
	p.by_watcher = true;
	text = printed (ppi_render_text, &p);
	ck_assert_ptr_null (strstr (text, "system calls"));
	free (text);
	ppi_profile_clear (&p);
	ppi_samples_clear (&s);
}
END_TEST

START_TEST (the_text_names_nodes_from_the_top_with_callers_and_callees)
{
	struct ppi_samples s;
	struct ppi_profile p;
	char *text;

	some_profile (&s, &p);
	text = printed (ppi_render_text, &p);
	ck_assert_ptr_nonnull (strstr (
		text, "CPU time that was sampled: 38000 ms of 40000 ms, 5.0 % unaccounted for"));
	ck_assert_ptr_null (strstr (text, "system calls"));
	ck_assert_ptr_nonnull (
		strstr (text, "samples: 40, one every 950.00 ms (asked for: 1000.00 ms)"));
	ck_assert_ptr_nonnull (strstr (text, "3 samples were lost"));
	ck_assert_ptr_nonnull (strstr (text, "[1] 38000(100.0%)    0(0.0%) A  file.c:1\n"));
	/* nothing is wider than a terminal */
	for (const char *line = text; *line; line += strcspn (line, "\n") + 1)
		ck_assert_uint_le (strcspn (line, "\n"), 80);
	free (text);
	ppi_profile_clear (&p);
	ppi_samples_clear (&s);
}
END_TEST

START_TEST (the_text_of_a_watcher_speaks_of_intervals_and_of_itself)
{
	struct ppi_samples s;
	struct ppi_profile p;
	char *text;

	begin (&s);
	s.is_by_interval = true;
	s.by_watcher = true;
	s.own_s = 0.25;
	s.wall_s = 10;
	add (&s, 1, 1, "A");
	add (&s, 1, 3, "A");
	ck_assert (ppi_profile_analyse (&s, &p));
	text = printed (ppi_render_text, &p);
	ck_assert_ptr_nonnull (strstr (text, "interval  source"));
	ck_assert_ptr_nonnull (
		strstr (text, "the sampler itself: 250 ms of CPU time, 2.5 % of 10000 ms"));
	free (text);
	ppi_profile_clear (&p);
	ppi_samples_clear (&s);
}
END_TEST

START_TEST (a_function_without_a_name_is_three_question_marks)
{
	struct ppi_samples s;
	struct ppi_profile p;
	uint32_t function;
	char *text;

	begin (&s);
	function = ppi_samples_function (&s, "", "/lib/x.so", 0);
	ppi_samples_add (&s, ppi_samples_thread (&s, 1, "t"),
			 (struct ppi_stack_sample){.stack = ppi_samples_stack (&s, &function, 1),
						   .periods = 1});
	ck_assert (ppi_profile_analyse (&s, &p));
	text = printed (ppi_render_text, &p);
	ck_assert_ptr_nonnull (strstr (text, "???  /lib/x.so"));
	free (text);
	ppi_profile_clear (&p);
	ppi_samples_clear (&s);
}
END_TEST

START_TEST (chickens_table_has_samples_for_calls_and_says_what_is_missing)
{
	struct ppi_samples s;
	struct ppi_profile p;
	char *text;

	some_profile (&s, &p);
	text = printed (ppi_render_chicken, &p);
	ck_assert_ptr_nonnull (strstr (
		text, "40.000s CPU time, 12.000s elapsed, 40 samples, +- 14.8 points\n"
		      "  CPU time that was sampled: 38000 ms of 40000 ms, 5.0 % unaccounted for\n"
		      "  3 samples were lost"));
	ck_assert_ptr_nonnull (strstr (
		text, "\n\nprocedure calls seconds average percent\nB 30 28.500 0.950 75.000\n"));
	free (text);
	ppi_profile_clear (&p);
	ppi_samples_clear (&s);
}
END_TEST

START_TEST (collapsed_stacks_have_microseconds)
{
	struct ppi_samples s;
	char *text = NULL;
	size_t bytes;
	FILE *out;

	begin (&s);
	add (&s, 1, 0, "AB");
	add (&s, 1, 2, "A");
	add (&s, 1, 3, "AB");
	out = open_memstream (&text, &bytes);
	ck_assert (ppi_render_collapsed (&s, out));
	fclose (out);
	ck_assert_str_eq (text, "A;B 1500000\nA 1500000\n");
	free (text);
	ppi_samples_clear (&s);
}
END_TEST

START_TEST (texts_in_json_are_utf8_whatever_the_names_are)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream (&text, &bytes);

	ppi_put_json_text ("a\"\\\n\303\244\377\300\200z", out);
	fclose (out);
	ck_assert_str_eq (text, "\"a\\u0022\\u005c\\u000a\303\244\\ufffd\\ufffd\\ufffdz\"");
	free (text);
}
END_TEST

START_TEST (json_that_is_read_and_written_again_is_the_same)
{
#ifdef HAVE_JANSSON
	struct ppi_samples s;
	struct ppi_profile p, again;
	char path[] = "/tmp/profile.XXXXXX", why[256], *text, *second;
	int fd = mkstemp (path);

	some_profile (&s, &p);
	text = printed (ppi_render_json, &p);
	ck_assert_int_eq (write (fd, text, strlen (text)), (long) strlen (text));
	close (fd);
	ck_assert_msg (ppi_profile_from_json (path, &again, why, sizeof why), "%s", why);
	second = printed (ppi_render_json, &again);
	ck_assert_str_eq (text, second);
	unlink (path);
	free (text);
	free (second);
	ppi_profile_clear (&p);
	ppi_profile_clear (&again);
	ppi_samples_clear (&s);
#else
	ppcheck_skip ("built without jansson");
#endif
}
END_TEST

START_TEST (json_that_is_no_profile_is_refused_with_a_reason)
{
#ifdef HAVE_JANSSON
	static const char *const wrong[] = {"{}", "{\"clock\": \"cpu\"}", "[1]", "{",
					    "{\"clock\": \"cpu\", \"lost\": {}, \"nodes\": [{}]}"};
	struct ppi_profile p;
	char why[256];

	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		char path[] = "/tmp/profile.XXXXXX";
		int fd = mkstemp (path);

		ck_assert_int_eq (write (fd, wrong[i], strlen (wrong[i])),
				  (long) strlen (wrong[i]));
		close (fd);
		ck_assert (!ppi_profile_from_json (path, &p, why, sizeof why));
		ck_assert_str_ne (why, "");
		ppi_profile_clear (&p);
		unlink (path);
	}
#else
	ppcheck_skip ("built without jansson");
#endif
}
END_TEST

static Suite *analysis (void)
{
	Suite *suite = suite_create ("profile");
	TCase *tests = tcase_create ("profile");

	tcase_add_test (tests, a_sample_costs_half_of_the_gap_to_each_neighbour);
	tcase_add_test (tests, the_only_sample_of_a_thread_is_worth_its_periods);
	tcase_add_test (tests, looks_that_saw_the_same_are_counted_and_cost_what_lies_between);
	tcase_add_test (tests, the_time_before_a_signal_that_had_to_wait_is_nobodys);
	tcase_add_test (tests,
			time_in_the_kernel_is_what_is_beyond_the_periods_that_the_timer_was_set_to);
	tcase_add_test (tests,
			handlers_that_are_kept_waiting_now_and_then_make_samples_no_more_seldom);
	tcase_add_test (tests, equal_functions_and_stacks_are_one);
	tcase_add_test (tests, times_of_edges_are_split_by_how_often_each_end_is_on_the_stack);
	tcase_add_test (tests, times_of_the_edges_at_a_node_sum_up_to_its_total);
	tcase_add_test (tests, nodes_are_in_topological_order_and_then_by_total);
	tcase_add_test (tests, a_cycle_is_entered_where_the_program_does);
	tcase_add_test (tests, a_node_is_hidden_only_where_it_matters_to_nobody);
	tcase_add_test (tests, the_text_says_what_much_that_is_unaccounted_for_may_be);
	tcase_add_test (tests, the_text_names_nodes_from_the_top_with_callers_and_callees);
	tcase_add_test (tests, the_text_of_a_watcher_speaks_of_intervals_and_of_itself);
	tcase_add_test (tests, a_function_without_a_name_is_three_question_marks);
	tcase_add_test (tests, chickens_table_has_samples_for_calls_and_says_what_is_missing);
	tcase_add_test (tests, collapsed_stacks_have_microseconds);
	tcase_add_test (tests, texts_in_json_are_utf8_whatever_the_names_are);
	tcase_add_test (tests, json_that_is_read_and_written_again_is_the_same);
	tcase_add_test (tests, json_that_is_no_profile_is_refused_with_a_reason);
	suite_add_tcase (suite, tests);
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {analysis};

	return ppcheck_main (suites, 1);
}
