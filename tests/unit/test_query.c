/* SPDX-License-Identifier: MIT */
/*
 * test_query.c: tables by dimensions, from records that are made up: the published ones of domain-
 * specific profiling, digit for digit, and the rule for each column where they leave it open.
 */
#include "profiler/analysis/query.h"
#include "tests/unit/array_records.h"

#include "ppcheck.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- what tests are made of ------------------------------------------------------------------ */

static const char *site_name (uint32_t site, void *arg)
{
	(void) arg;
	return site == 7 ? "parse.c:parse/rule" : "?";
}

static struct ppi_query_source source_of (struct ppi_records *records)
{
	return (struct ppi_query_source){
		.records = records, .total_ns = (double) NAN, .site_name = site_name};
}

/* Asks for TEXT; STATS, which end with NULL, are columns. */
static void ask (struct ppi_query *query, struct ppi_query_source *source, const char *text,
		 const char *const *stats)
{
	char why[512];

	query->terms = ppi_terms_create (source);
	ck_assert_ptr_nonnull (query->terms);
	ck_assert_msg (ppi_terms_list (query->terms, text, &query->list, why, sizeof why), "%s",
		       why);
	for (; stats && *stats; stats++)
		ck_assert_msg (ppi_query_stat (query, *stats, why, sizeof why), "%s", why);
	ck_assert_msg (ppi_query_run (query, source, why, sizeof why), "%s", why);
}

static char *printed (const struct ppi_query *query, enum ppi_query_unit unit)
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream (&text, &n);

	ck_assert (ppi_query_print_text (query, unit, out));
	fclose (out);
	return text;
}

/* What is printed for TEXT, the caller's to free. */
static char *tables_of (struct ppi_records *records, const char *text)
{
	struct ppi_query_source source = source_of (records);
	struct ppi_query query = {.n_stats = 0};
	char *is;

	ask (&query, &source, text, NULL);
	is = printed (&query, PPI_UNIT_MS);
	ppi_query_clear (&query);
	return is;
}

static void expect_part (const char *text, const char *part)
{
	ck_assert_msg (strstr (text, part) != NULL, "%s\nis not in\n%s", part, text);
}

static void attribute (struct ppi_records *r, const char *name, const char *subject)
{
	array_begin (r, "AttrEval");
	array_text (r, "name", name);
	array_text (r, "subject", subject);
}

static void evaluated (struct ppi_records *r, const char *cached, double own_ns)
{
	array_text (r, "cached", cached);
	array_end (r, own_ns);
}

/* iszero and value of 3 + 4 * 5; shares of own times are those of the publication. */
static struct ppi_records *three_plus_four_times_five (void)
{
	struct ppi_records *r = array_records ();

	attribute (r, "iszero", "Add");
	attribute (r, "value", "Add");
	attribute (r, "value", "Num(3)");
	evaluated (r, "false", 10000);
	attribute (r, "value", "Mul");
	attribute (r, "value", "Num(4)");
	evaluated (r, "false", 10000);
	attribute (r, "value", "Num(5)");
	evaluated (r, "false", 10000);
	evaluated (r, "false", 20000);
	evaluated (r, "false", 23843);
	evaluated (r, "false", 23444);
	attribute (r, "value", "Add");
	evaluated (r, "true", 2713);
	return r;
}

/* ---- the published tables -------------------------------------------------------------------- */

START_TEST (tables_by_name_and_cached_are_the_published_ones)
{
	struct ppi_records *r = three_plus_four_times_five ();
	char *is = tables_of (r, "name cached");

	ck_assert_str_eq (is, "total time unknown\n"
			      "0 ms profiled time\n"
			      "7 profile records\n"
			      "\n"
			      "By name:\n"
			      "\n"
			      "Total  Total  Self  Self  Desc  Desc  Count  Count\n"
			      "   ms      %    ms     %    ms     %             %\n"
			      "    0   97.3     0  23.4     0  73.8      1   14.3  iszero\n"
			      "    0   76.6     0  76.6     0   0.0      6   85.7  value\n"
			      "\n"
			      "By cached for iszero:\n"
			      "\n"
			      "Total  Total  Self  Self  Desc  Desc  Count  Count\n"
			      "   ms      %    ms     %    ms     %             %\n"
			      "    0   23.4     0  23.4     0   0.0      1   14.3  false\n"
			      "\n"
			      "By cached for value:\n"
			      "\n"
			      "Total  Total  Self  Self  Desc  Desc  Count  Count\n"
			      "   ms      %    ms     %    ms     %             %\n"
			      "    0   73.8     0  73.8     0   0.0      5   71.4  false\n"
			      "    0    2.7     0   2.7     0   0.0      1   14.3  true\n");
	free (is);
	ppi_records_close (r);
}
END_TEST

static void strategy (struct ppi_records *r, const char *name)
{
	array_begin (r, "StratEval");
	array_text (r, "strategy", name);
}

/* bottomup (simplify) at a term whose children are CHILDREN, which ends with -1: first their terms */
static void bottomup (struct ppi_records *r, const char *name, const int (*children)[2], int term)
{
	strategy (r, name);
	strategy (r, "all");
	for (int i = 0; i < 2; i++)
		if (children[term][i])
			bottomup (r, "bottomup", children, children[term][i]);
	array_end (r, 158);
	strategy (r, "simplify");
	array_end (r, 13);
	array_end (r, 128);
}

/* 0 + (1 * (5 + 4) + 0): four operations, five numbers, and what the numbers hold */
static struct ppi_records *optimised (void)
{
	static const int children[][2] = {
		{1, 2},         /* 0 + ... */
		{3, 0},         /* 0 */
		{4, 5},         /* ... + 0 */
		{0, 0},         /* what it holds */
		{6, 7}, {8, 0}, /* 1 * ..., 0 */
		{9, 0}, {10, 11}, {0, 0}, {0, 0}, {12, 0}, {13, 0}, {0, 0}, {0, 0},
	};
	struct ppi_records *r = array_records ();

	bottomup (r, "optimise", children, 0);
	return r;
}

START_TEST (counts_of_the_optimiser_are_the_published_ones)
{
	struct ppi_records *r = optimised ();
	char *is = tables_of (r, "strategy");

	expect_part (is, "42 profile records");
	expect_part (is, "  1    2.4  optimise\n");
	expect_part (is, " 14   33.3  all\n");
	expect_part (is, " 13   31.0  bottomup\n");
	expect_part (is, " 14   33.3  simplify\n");
	free (is);
	ppi_records_close (r);
}
END_TEST

START_TEST (total_time_is_told_with_the_share_that_was_profiled)
{
	struct ppi_records *r = array_records ();
	struct ppi_query_source source = source_of (r);
	struct ppi_query query = {.n_stats = 0};
	char *is;

	source.total_ns = 113.4e6;
	array_begin (r, "AttrEval");
	array_text (r, "name", "decl");
	array_end (r, 31.9e6);
	ask (&query, &source, "event name", NULL);
	is = printed (&query, PPI_UNIT_MS);
	expect_part (is, "113 ms total time\n31 ms profiled time (28.1%)\n1 profile records\n");
	expect_part (is, "By name for AttrEval:\n");
	free (is);
	ppi_query_clear (&query);
	ppi_records_close (r);
}
END_TEST

/* ---- the rule -------------------------------------------------------------------------------- */

struct expected {
	const char *value;
	double self, desc;
	uint64_t count;
};

static void expect_row (const struct ppi_query *query, unsigned level, uint32_t number,
			const struct expected *row)
{
	const struct ppi_query_row *is = ppi_query_row (query, level, number);
	char text[64];

	ck_assert_str_eq (ppi_value_text (query->terms, ppi_query_value (query, level, is), text,
					  sizeof text),
			  row->value);
	ck_assert_msg (fabs (is->self_ns - row->self) < 1e-6, "self of %s: %g", row->value,
		       is->self_ns);
	ck_assert_msg (isnan (row->desc) ? isnan (is->desc_ns)
					 : fabs (is->desc_ns - row->desc) < 1e-6,
		       "desc of %s: %g", row->value, is->desc_ns);
	ck_assert_uint_eq (is->count, row->count);
}

/* Rows of the tables behind each other, as they are printed. */
static void expect_rows (const struct ppi_query *query, const struct expected *row, size_t n)
{
	struct ppi_query_tables tables;
	size_t at = 0;

	ck_assert (ppi_query_tables (query, &tables));
	for (size_t t = 0; t < tables.n; t++)
		for (size_t i = 0; i < tables.table[t].n; i++, at++) {
			ck_assert_uint_lt (at, n);
			expect_row (query, tables.table[t].level, tables.table[t].row[i], &row[at]);
		}
	ck_assert_uint_eq (at, n);
	ppi_query_tables_clear (&tables);
}

static void expect_query (struct ppi_records *r, const char *text, const struct expected *row,
			  size_t n)
{
	struct ppi_query_source source = source_of (r);
	struct ppi_query query = {.n_stats = 0};

	ask (&query, &source, text, NULL);
	expect_rows (&query, row, n);
	ppi_query_clear (&query);
}

#define EXPECT(r, text, ...)                                                                       \
	expect_query (r, text, (const struct expected[]){__VA_ARGS__},                             \
		      sizeof ((const struct expected[]){__VA_ARGS__}) / sizeof (struct expected))

static void named (struct ppi_records *r, const char *name)
{
	array_begin (r, "call");
	array_text (r, "name", name);
}

START_TEST (descendants_count_once_however_often_their_ancestor_is_open)
{
	struct ppi_records *r = array_records ();

	/* a { a { b } b { a { b } } } */
	named (r, "a");
	named (r, "a");
	named (r, "b");
	array_end (r, 1);
	array_end (r, 10);
	named (r, "b");
	named (r, "a");
	named (r, "b");
	array_end (r, 2);
	array_end (r, 20);
	array_end (r, 4);
	array_end (r, 40);
	EXPECT (r, "name", {"a", 70, 7, 3}, {"b", 7, 20, 3});
	ppi_records_close (r);
}
END_TEST

START_TEST (prefix_plays_no_part_in_what_descendants_are_left_out)
{
	struct ppi_records *r = array_records ();

	/* a/x { b/x { a/y } } */
	named (r, "a");
	array_text (r, "kind", "x");
	named (r, "b");
	array_text (r, "kind", "x");
	named (r, "a");
	array_text (r, "kind", "y");
	array_end (r, 1);
	array_end (r, 10);
	array_end (r, 100);
	EXPECT (r, "name kind", {"a", 101, 10, 2}, {"b", 10, 1, 1}, {"x", 100, 1, 1},
		{"y", 1, 0, 1}, {"x", 10, 1, 1});
	ppi_records_close (r);
}
END_TEST

START_TEST (missing_dimensions_are_a_row_of_their_own)
{
	struct ppi_records *r = array_records ();

	array_begin (r, "call");
	named (r, "(none)");
	array_end (r, 1);
	array_end (r, 10);
	EXPECT (r, "name", {"(none)", 10, 1, 1}, {"(none)", 1, 0, 1});
	ppi_records_close (r);
}
END_TEST

START_TEST (where_chooses_rows_and_nothing_else)
{
	struct ppi_records *r = three_plus_four_times_five ();
	struct ppi_query_source source = source_of (r);
	struct ppi_query query = {.n_stats = 0};

	ask (&query, &source, "name where name = \"value\" and parent.name = \"iszero\"", NULL);
	ck_assert_uint_eq (query.chosen, 1);
	ck_assert_uint_eq (query.sums.records, 7);
	ck_assert_double_eq (query.sums.profiled_ns, 100000);
	expect_rows (&query, (const struct expected[]){{"value", 23843, 0, 1}}, 1);
	ppi_query_clear (&query);
	EXPECT (r, "name where name = 'iszero'", {"iszero", 23444, 73843, 1});
	/* unknown is not true, and its opposite isn't either */
	expect_query (r, "name where not parent.cached = 'false'", NULL, 0);
	ppi_records_close (r);
}
END_TEST

START_TEST (spans_and_points_are_inside_nothing)
{
	struct ppi_records *r = array_records ();

	named (r, "a");
	array_span (r, "job", 1000);
	array_point (r, "mark");
	named (r, "b");
	array_span (r, "job", 500);
	array_end (r, 1);
	array_end (r, 10);
	EXPECT (r, "event", {"job", 1500, 0, 2}, {"call", 11, 0, 2}, {"mark", 0, 0, 1});
	EXPECT (r, "location where event = 'call'", {"root", 10, 1, 1}, {"leaf", 1, 0, 1});
	ppi_records_close (r);
}
END_TEST

START_TEST (threads_are_told_apart)
{
	struct ppi_records *r = array_records ();

	array_thread (r, 3);
	named (r, "a");
	named (r, "b");
	array_end (r, 1);
	array_end (r, 10);
	array_thread (r, 4);
	named (r, "a");
	array_end (r, 100);
	EXPECT (r, "thread name", {"4", 100, 0, 1}, {"3", 11, 0, 2}, {"a", 100, 0, 1},
		{"a", 10, 1, 1}, {"b", 1, 0, 1});
	ppi_records_close (r);
}
END_TEST

START_TEST (cost_is_deducted_from_own_times_and_what_was_not_is_told)
{
	struct ppi_records *r = array_records ();
	struct ppi_query_source source = source_of (r);
	struct ppi_query query = {.n_stats = 0};
	char *is;

	array_info (r)->cost_inside_ns = 25;
	array_info (r)->cost_around_ns = 5;
	array_info (r)->lost[PP_DROP_STREAM] = 3;
	array_info (r)->lost[PP_DROP_DEPTH] = 4;
	array_info (r)->others = 5;
	named (r, "a");
	named (r, "b");
	array_end (r, 20);
	array_point (r, "mark");
	array_end (r, 130);
	ask (&query, &source, "name where has(name)", NULL);
	/* a without its 25, and b's 5 around it */
	ck_assert_double_eq (query.sums.profiled_ns, 100);
	ck_assert_double_eq (query.sums.kept_ns, 5);
	ck_assert_uint_eq (query.sums.clamped, 1);
	expect_rows (&query, (const struct expected[]){{"a", 100, 0, 1}, {"b", 0, 0, 1}}, 2);
	is = printed (&query, PPI_UNIT_NS);
	expect_part (is, "100 ns profiled time\n3 profile records\n2 of them chosen\n"
			 "cost of recording: 30.0 ns a record, 50.0 ns deducted; 5.00 ns could not "
			 "be, of 1 that took less\n"
			 "4 dropped (depth): intervals and marks nested deeper than 1,024\n"
			 "3 dropped (stream): entries of streams, since the recording was slower "
			 "than their writers\n"
			 "5 not exact (strings): strings of dimensions");
	free (is);
	ppi_query_clear (&query);
	ppi_records_close (r);
}
END_TEST

START_TEST (what_is_no_number_is_one_value_that_is_neither_equal_nor_missing)
{
	static const double values[] = {0.0, -0.0, NAN, -NAN, 2, -INFINITY};
	struct ppi_records *r = array_records ();

	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		array_begin (r, "a");
		array_real (r, "x", values[i]);
		array_end (r, 10);
	}
	array_begin (r, "a");
	array_end (r, 10);
	EXPECT (r, "x", {"0", 20, 0, 2}, {"nan", 20, 0, 2}, {"(none)", 10, 0, 1},
		{"-inf", 10, 0, 1}, {"2", 10, 0, 1});
	EXPECT (r, "x where x = 0 or x > 1", {"0", 20, 0, 2}, {"2", 10, 0, 1});
	EXPECT (r, "x where x != 0", {"nan", 20, 0, 2}, {"-inf", 10, 0, 1}, {"2", 10, 0, 1});
	EXPECT (r, "x where not x <= 0 and has (x)", {"2", 10, 0, 1});
	ppi_records_close (r);
}
END_TEST

START_TEST (records_that_can_not_be_are_counted_and_hurt_nobody)
{
	struct ppi_records *r = array_records ();
	struct ppi_query_source source = source_of (r);
	struct ppi_query query = {.n_stats = 0};

	named (r, "a");
	named (r, "b");
	array_end (r, 1);
	array_last (r)->depth = UINT32_MAX;
	array_end (r, 10);
	named (r, "c");
	array_end (r, 5);
	array_last (r)->time_ns = -1;
	named (r, "d");
	array_end (r, 5);
	array_last (r)->event = UINT32_MAX;
	array_last (r)->time_ns = (double) NAN;
	ask (&query, &source, "name event depth location", NULL);
	ck_assert_uint_eq (query.sums.records, 4);
	ck_assert_uint_eq (query.sums.damaged, 3);
	ck_assert_double_eq (query.sums.profiled_ns, 11);
	ppi_query_clear (&query);
	ppi_records_close (r);
}
END_TEST

/* ---- derived dimensions ---------------------------------------------------------------------- */

START_TEST (dimensions_are_derived_from_what_is_around_and_inside)
{
	struct ppi_records *r = three_plus_four_times_five ();

	EXPECT (r, "location", {"root", 26157, 73843, 2}, {"inner", 43843, 30000, 2},
		{"leaf", 30000, 0, 3});
	EXPECT (r, "parent.name", {"(none)", 26157, 73843, 2}, {"iszero", 23843, 50000, 1},
		{"value", 50000, 0, 4});
	EXPECT (r, "root.name where depth = 3", {"iszero", 20000, 0, 2});
	EXPECT (r, "depends-on(subject) where name = 'value'", {"Mul, Num(3)", 23843, 50000, 1},
		{"Num(4), Num(5)", 20000, 20000, 1}, {"(none)", 32713, 0, 4});
	EXPECT (r, "depends-on where depth = 0", {"AttrEval", 23444, 30000, 1},
		{"(none)", 2713, 0, 1});
	ppi_records_close (r);
}
END_TEST

START_TEST (sites_are_known_by_name)
{
	struct ppi_records *r = array_records ();

	array_begin (r, "rule");
	array_site (r, 7);
	array_begin (r, "token");
	array_end (r, 1);
	array_end (r, 2);
	EXPECT (r, "site", {"parse.c:parse/rule", 2, 1, 1}, {"(none)", 1, 0, 1});
	EXPECT (r, "event where site ~ \"parse/*\"", {"rule", 2, 1, 1});
	ppi_records_close (r);
}
END_TEST

START_TEST (a_dimension_of_ones_own_is_an_expression)
{
	struct ppi_records *r = array_records ();
	static const int64_t bytes[] = {1, 1023, 1024, 2047, 5000};

	for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
		array_begin (r, "read");
		array_int (r, "bytes", bytes[i]);
		array_end (r, (double) (i + 1));
	}
	EXPECT (r, "size_class = log2(bytes)", {"10", 7, 0, 2}, {"12", 5, 0, 1}, {"9", 2, 0, 1},
		{"0", 1, 0, 1});
	ppi_records_close (r);
}
END_TEST

/* ---- columns, order, limits ------------------------------------------------------------------ */

static struct ppi_records *reads (void)
{
	struct ppi_records *r = array_records ();

	for (int i = 1; i <= 100; i++) {
		array_begin (r, "read");
		array_text (r, "file", i % 4 ? "a" : "b");
		array_int (r, "bytes", i);
		array_end (r, 1e6 * (i % 4 ? 1 : 5));
	}
	return r;
}

START_TEST (any_statistic_is_a_column)
{
	static const char *const stats[] = {"p99",       "avg(bytes)",   "max(bytes)", "p50(bytes)",
					    "sum(self)", "count(bytes)", NULL};
	struct ppi_records *r = reads ();
	struct ppi_query_source source = source_of (r);
	struct ppi_query query = {.n_stats = 0};

	ask (&query, &source, "file", stats);
	ck_assert_double_eq (ppi_query_stat_value (&query, 0, 0, 0), 5e6);
	ck_assert_double_eq (ppi_query_stat_value (&query, 0, 0, 1), 52);
	ck_assert_double_eq (ppi_query_stat_value (&query, 0, 0, 2), 100);
	ck_assert_double_eq (ppi_query_stat_value (&query, 0, 0, 3), 52);
	ck_assert_double_eq (ppi_query_stat_value (&query, 0, 0, 4), 125e6);
	ck_assert_double_eq (ppi_query_stat_value (&query, 0, 1, 5), 75);
	ppi_query_clear (&query);
	ppi_records_close (r);
}
END_TEST

START_TEST (rows_are_sorted_as_asked_and_limited)
{
	struct ppi_records *r = reads ();
	struct ppi_query_source source = source_of (r);
	struct ppi_query query = {.n_stats = 0, .sort = PPI_SORT_COUNT, .limit = 1};
	char *is;

	ask (&query, &source, "file", NULL);
	is = printed (&query, PPI_UNIT_MS);
	expect_part (is, "75   37.5    75  37.5     0   0.0     75   75.0  a\n"
			 "... and 1 more, of 25 records\n");
	free (is);
	ppi_query_clear (&query);
	ppi_records_close (r);
}
END_TEST

START_TEST (groups_beyond_the_bound_are_one_that_says_so)
{
	struct ppi_records *r = reads ();
	struct ppi_query_source source = source_of (r);
	struct ppi_query query = {.n_stats = 0, .groups = 10};
	uint64_t records = 0;
	char *is;

	ask (&query, &source, "bytes", NULL);
	is = printed (&query, PPI_UNIT_MS);
	expect_part (is, "more groups than 10");
	expect_part (is, "    -      -   178  89.0     -     -     90   90.0  (rest)\n");
	for (uint32_t i = 0; i < 11; i++)
		records += ppi_query_row (&query, 0, i)->count;
	ck_assert_uint_eq (records, 100);
	free (is);
	ppi_query_clear (&query);
	ppi_records_close (r);
}
END_TEST

START_TEST (long_values_are_footnotes)
{
	struct ppi_records *r = array_records ();
	char *is;

	named (r, "Add(Num(3), Mul(Num(4), Num(5))) and what else there is");
	array_end (r, 2e6);
	named (r, "a\t\xc2\x9b\xff"
		  "b");
	array_end (r, 1e6);
	is = tables_of (r, "name");
	expect_part (is, "50.0  [1]\n");
	is[strcspn (is, "\n")] = ' ';
	expect_part (is, "33.3     0   0.0      1   50.0  a\\x09\\xc2\\x9b\\xffb\n");
	expect_part (is, "[1] Add(Num(3), Mul(Num(4), Num(5))) and what else there is\n");
	free (is);
	ppi_records_close (r);
}
END_TEST

/* ---- other formats --------------------------------------------------------------------------- */

static char *printed_by (bool (*print) (const struct ppi_query *query, FILE *out),
			 struct ppi_records *records, const char *text)
{
	struct ppi_query_source source = source_of (records);
	struct ppi_query query = {.n_stats = 0};
	char *is = NULL;
	size_t n;
	FILE *out = open_memstream (&is, &n);

	ask (&query, &source, text, NULL);
	ck_assert (print (&query, out));
	fclose (out);
	ppi_query_clear (&query);
	return is;
}

START_TEST (csv_has_a_line_for_each_row)
{
	struct ppi_records *r = array_records ();
	char *is;

	named (r, "say \"a\"");
	array_end (r, 3);
	array_begin (r, "call");
	array_end (r, 1);
	is = printed_by (ppi_query_print_csv, r, "event name");
	ck_assert_str_eq (is, "table,\"event\",\"name\",total_ns,total_percent,self_ns,"
			      "self_percent,desc_ns,desc_percent,count,count_percent\r\n"
			      "1,\"call\",,4,100,4,100,0,0,2,100\r\n"
			      "2,\"call\",\"say \"\"a\"\"\",3,75,3,75,0,0,1,50\r\n"
			      "2,\"call\",,1,25,1,25,0,0,1,50\r\n");
	free (is);
	ppi_records_close (r);
}
END_TEST

START_TEST (json_leaves_out_what_is_missing)
{
#ifdef HAVE_JANSSON
	struct ppi_records *r = array_records ();
	char *is;

	named (r, "(none)");
	array_end (r, 3);
	array_begin (r, "call");
	array_end (r, 1);
	is = printed_by (ppi_query_print_json, r, "name");
	expect_part (is, "\"records\": 2");
	expect_part (is, "\"value\": \"(none)\"");
	ck_assert_ptr_null (strstr (strstr (is, "\"(none)\"") + 1, "\"value\""));
	free (is);
	ppi_records_close (r);
#else
	ppcheck_skip ("there is no jansson");
#endif
}
END_TEST

static Suite *tables (void)
{
	Suite *suite = suite_create ("query");
	TCase *tests = tcase_create ("query");

	tcase_add_test (tests, tables_by_name_and_cached_are_the_published_ones);
	tcase_add_test (tests, counts_of_the_optimiser_are_the_published_ones);
	tcase_add_test (tests, total_time_is_told_with_the_share_that_was_profiled);
	tcase_add_test (tests, descendants_count_once_however_often_their_ancestor_is_open);
	tcase_add_test (tests, prefix_plays_no_part_in_what_descendants_are_left_out);
	tcase_add_test (tests, missing_dimensions_are_a_row_of_their_own);
	tcase_add_test (tests, where_chooses_rows_and_nothing_else);
	tcase_add_test (tests, spans_and_points_are_inside_nothing);
	tcase_add_test (tests, threads_are_told_apart);
	tcase_add_test (tests, cost_is_deducted_from_own_times_and_what_was_not_is_told);
	tcase_add_test (tests, what_is_no_number_is_one_value_that_is_neither_equal_nor_missing);
	tcase_add_test (tests, records_that_can_not_be_are_counted_and_hurt_nobody);
	tcase_add_test (tests, dimensions_are_derived_from_what_is_around_and_inside);
	tcase_add_test (tests, sites_are_known_by_name);
	tcase_add_test (tests, a_dimension_of_ones_own_is_an_expression);
	tcase_add_test (tests, any_statistic_is_a_column);
	tcase_add_test (tests, rows_are_sorted_as_asked_and_limited);
	tcase_add_test (tests, groups_beyond_the_bound_are_one_that_says_so);
	tcase_add_test (tests, long_values_are_footnotes);
	tcase_add_test (tests, csv_has_a_line_for_each_row);
	tcase_add_test (tests, json_leaves_out_what_is_missing);
	suite_add_tcase (suite, tests);
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {tables};

	return ppcheck_main (suites, 1);
}
