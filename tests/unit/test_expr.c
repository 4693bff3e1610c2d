/* SPDX-License-Identifier: MIT */
/*
 * test_expr.c: expressions of assertions: what they are worth, what is wrong with them and where.
 */
#include "assertions/language/expr.h"
#include "base/estimate.h"
#include "base/types.h"
#include "libmetrics/keep/accumulator.h"
#include "tests/unit/ppcheck.h"

#include <locale.h>
#include <math.h>
#include <string.h>

/* ---- a little world of names ----------------------------------------------------------------- */

static const struct {
	const char *name;
	struct ppi_name_metric metric;
} metrics[] = {
	{"time", {PPI_STATS, PPI_UNIT_SECONDS, PP_ABI_SITE_INTERVAL, false, NULL, 0, true}},
	{"series",
	 {PPI_BOUNDED_SERIES, PPI_UNIT_SECONDS, PP_ABI_SITE_INTERVAL, false, NULL, 0, false}},
	{"heap", {PPI_SUMCOUNT, PPI_UNIT_BYTES, PP_ABI_SITE_INTERVAL, false, NULL, 0, false}},
	{"rays", {PPI_SUMCOUNT, PPI_UNIT_PLAIN, PP_ABI_SITE_POINT, false, NULL, 0, false}},
	{"depth", {PPI_SCALAR, PPI_UNIT_PLAIN, PP_ABI_SITE_POINT, false, NULL, 0, false}},
	{"runs", {PPI_COUNT, PPI_UNIT_PLAIN, PP_ABI_SITE_INTERVAL, false, NULL, 0, false}},
	{"unknown", {PPI_STATS, PPI_UNIT_PLAIN, PP_ABI_SITE_POINT, false, NULL, 0, false}},
};

static bool each (const struct ppi_names *self, enum ppi_name_kind kind,
		  bool (*fn) (const char *name, void *arg), void *arg)
{
	(void) self;
	for (size_t i = 0; kind == PPI_NAME_METRIC && i < sizeof metrics / sizeof *metrics; i++)
		if (fn (metrics[i].name, arg))
			return true;
	if (kind == PPI_NAME_ASSERTION)
		return fn ("slow", arg);
	return kind == PPI_NAME_KNOB && fn ("antialias", arg);
}

static bool metric (const struct ppi_names *self, const char *name, struct ppi_name_metric *out)
{
	(void) self;
	for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
		if (strcmp (metrics[i].name, name) == 0) {
			*out = metrics[i].metric;
			return true;
		}
	return false;
}

static int site (const struct ppi_names *self, const char *pattern, unsigned kind, char *why,
		 size_t room)
{
	(void) self;
	(void) kind;
	if (strcmp (pattern, "twice") != 0)
		return 1;
	snprintf (why, room, "'twice' means 2 sites");
	return PP_EAMBIGUOUS;
}

static const char *composite (const struct ppi_names *self, const char *name)
{
	static const char *const table[][2] = {{"per_ray", "time.sum / rays.sum"},
					       {"twice", "2 * per_ray"},
					       {"loop", "1s + pool"},
					       {"pool", "loop - 1s"},
					       {"self", "self"},
					       {"wrong", "time.sum +"},
					       {"condition", "time.sum < 1s"},
					       {"quantile", "time.p99"}};

	(void) self;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (strcmp (table[i][0], name) == 0)
			return table[i][1];
	return NULL;
}

/* gini is a plain number, worst has the metric's unit, any its square */
static int statistic (const struct ppi_names *self, const char *name, int *power)
{
	(void) self;
	*power = strcmp (name, "gini") == 0 ? 0 : strcmp (name, "worst") == 0 ? 1 : 2;
	return strcmp (name, "gini") == 0    ? 0
	       : strcmp (name, "worst") == 0 ? 1
	       : strcmp (name, "any") == 0   ? 2
					     : -1;
}

static bool aggregates (const struct ppi_names *self,
			bool (*fn) (const struct ppi_name_aggregate *aggregate, void *arg),
			void *arg)
{
	static const struct ppi_name_aggregate all[] = {
		{{"command", "cached", NULL, NULL}, 2, PPI_HISTOGRAM},
		{{"kind", NULL, NULL, NULL}, 1, PPI_STATS}};

	(void) self;
	return fn (&all[0], arg) || fn (&all[1], arg);
}

static const struct ppi_names names = {.each = each,
				       .metric = metric,
				       .site = site,
				       .composite = composite,
				       .statistic = statistic,
				       .aggregates = aggregates};

static double load (const struct ppi_ref *ref, void *arg)
{
	(void) arg;
	switch (ref->kind) {
	case PPI_REF_KNOB:
		return 4;
	case PPI_REF_ASSERTION:
		return ref->property == PPI_ASSERTION_SHARE        ? 0.25
		       : ref->property == PPI_ASSERTION_VIOLATIONS ? 5
								   : 20;
	case PPI_REF_SITE:
		return ref->property == PPI_SITE_OPEN_AGE ? 1.5 : 3;
	case PPI_REF_METRIC_SITE:
		return 7;
	case PPI_REF_STATIC:
		return ref->property == PPI_STATIC_CALLS   ? NAN
		       : ref->property == PPI_STATIC_LOADS ? 64
							   : 1000;
	case PPI_REF_ALL:
		return 8;
	default:
		if (strcmp (ref->name, "unknown") == 0)
			return NAN;
		return strcmp (ref->name, "time") == 0   ? 0.5
		       : strcmp (ref->name, "heap") == 0 ? 4096
							 : 10;
	}
}

struct told {
	char text[4][512];
	size_t offset[4], n;
};

static void note (void *arg, size_t offset, const char *message)
{
	struct told *told = arg;

	ck_assert_uint_lt (told->n, 4);
	told->offset[told->n] = offset;
	snprintf (told->text[told->n++], sizeof told->text[0], "%s", message);
}

static struct ppi_program *compile (const char *text, enum ppi_expr_place place, struct told *told)
{
	/* n, by which the rest is known, is set before anything reads */
	/* cppcheck-suppress ctuuninitvar */
	struct ppi_expr_errors errors = {note, told, NULL};
	struct ppi_program *program;

	told->n = 0;
	ppi_program_create (text, place, &names, &errors, &program);
	return program;
}

static struct ppi_verdict run (const char *text)
{
	struct told told = {.n = 0};
	struct ppi_program *program = compile (text, PPI_EXPR_MERGED, &told);
	struct ppi_verdict verdict;

	ck_assert_msg (program, "%s: %s", text, told.n ? told.text[0] : "not compiled");
	verdict = ppi_program_run (program, load, NULL);
	ppi_program_destroy (program);
	return verdict;
}

struct truth {
	const char *text;
	int value; /* 2: unknown */
};

static void check_truths (const struct truth *table, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		double value = run (table[i].text).value;
		int is = isnan (value) ? 2 : (int) value;

		ck_assert_msg (is == table[i].value, "%s is %d, not %d", table[i].text, is,
			       table[i].value);
	}
}

#define CHECK_TRUTHS(table) check_truths (table, sizeof table / sizeof *table)

struct wrong {
	const char *text;
	size_t offset;
	const char *part; /* of the message */
};

static void check_wrongs (const struct wrong *table, size_t n, enum ppi_expr_place place)
{
	for (size_t i = 0; i < n; i++) {
		struct told told = {.n = 0};
		struct ppi_program *program = compile (table[i].text, place, &told);

		ck_assert_msg (!program, "%s was compiled", table[i].text);
		ck_assert_msg (told.n >= 1, "%s: no error", table[i].text);
		ck_assert_msg (strstr (told.text[0], table[i].part), "%s: '%s' does not say '%s'",
			       table[i].text, told.text[0], table[i].part);
		ck_assert_msg (told.offset[0] == table[i].offset, "%s: at %zu, not %zu: %s",
			       table[i].text, told.offset[0], table[i].offset, told.text[0]);
	}
}

#define CHECK_WRONGS(table, place) check_wrongs (table, sizeof table / sizeof *table, place)

/* ---- values ---------------------------------------------------------------------------------- */

START_TEST (arithmetic_has_the_usual_precedence)
{
	static const struct truth table[] = {
		{"1 + 2 * 3 == 7", 1},  {"(1 + 2) * 3 == 9", 1}, {"10 - 4 - 3 == 3", 1},
		{"16 / 4 / 2 == 2", 1}, {"-2 * -3 == 6", 1},     {"2 - -2 == 4", 1},
		{"- (1 + 2) == -3", 1}, {"1 - 2 * 3 < 0", 1},    {"7 / 2 == 3.5", 1},
	};

	CHECK_TRUTHS (table);
}
END_TEST

START_TEST (every_comparison_decides)
{
	static const struct truth table[] = {
		{"1 < 2", 1},  {"2 < 2", 0},  {"2 <= 2", 1}, {"3 <= 2", 0},
		{"3 > 2", 1},  {"2 > 2", 0},  {"2 >= 2", 1}, {"1 >= 2", 0},
		{"2 == 2", 1}, {"1 == 2", 0}, {"1 != 2", 1}, {"2 != 2", 0},
	};

	CHECK_TRUTHS (table);
}
END_TEST

START_TEST (functions_min_max_abs_count)
{
	static const struct truth table[] = {
		{"min (3, 2) == 2", 1},
		{"max(3, 2) == 3", 1},
		{"abs (-4) == 4", 1},
		{"abs (4) == 4", 1},
		{"min (1s, 2 s) == 1s", 1},
		{"max (0, -1) == 0", 1},
		{"max (min (5, 3), 4) == 4", 1},
	};

	CHECK_TRUTHS (table);
}
END_TEST

START_TEST (units_are_seconds_bytes_and_parts)
{
	static const struct truth table[] = {
		{"1000 ns == 1us", 1},   {"5 \xc2\xb5s == 5us", 1}, {"5\xce\xbcs == 5us", 1},
		{"1000us == 1 ms", 1},   {"1000ms == 1s", 1},       {"60 s == 1min", 1},
		{"60 min == 1 h", 1},    {"1000 B == 1kB", 1},      {"1000 kB == 1 MB", 1},
		{"1000MB == 1GB", 1},    {"1024B == 1KiB", 1},      {"1024 KiB == 1 MiB", 1},
		{"1024MiB == 1GiB", 1},  {"5% == 0.05", 1},         {"1KiB > 1kB", 1},
		{"2.5e3 ms == 2.5s", 1}, {"time.avg == 500ms", 1},  {"heap.sum == 4KiB", 1},
		{"1e-3s == 1ms", 1},
	};

	CHECK_TRUTHS (table);
}
END_TEST

START_TEST (numbers_are_read_the_same_in_a_locale_with_commas)
{
	if (!setlocale (LC_ALL, "de_DE.UTF-8") && !setlocale (LC_ALL, "fr_FR.UTF-8"))
		ppcheck_skip ("no locale with decimal commas is installed");
	ck_assert_double_eq (run ("1.5 * 2 == 3").value, 1.0);
}
END_TEST

START_TEST (logic_binds_not_before_and_before_or)
{
	static const struct truth table[] = {
		{"1 < 2 or 1 > 2 and 1 > 2", 1},
		{"(1 < 2 or 1 > 2) and 1 > 2", 0},
		{"not 1 > 2 and 1 < 2", 1},
		{"not (1 < 2 and 1 < 2)", 0},
		{"not not 1 < 2", 1},
		{"not 1 < 2 or 1 < 2", 1},
	};

	CHECK_TRUTHS (table);
}
END_TEST

START_TEST (names_of_every_sort_are_read)
{
	static const struct truth table[] = {
		{"rays.sum == 10", 1},
		{"all(rays.avg) == 8", 1},
		{"all (rays).avg == 8", 1},
		{"rays@trace_pixel/i1.avg == 7", 1},
		{"rays@render.c:trace_pixel/i1.avg / 7 == 1", 1},
		{"rays@'operator<<(x)/i 1'.avg == 7", 1},
		{"rays@`a*b`.avg == 7", 1},
		{"rays@i1.avg/7 == 1", 1},
		{"request.open_age == 1.5s", 1},
		{"serve/request.open_age > 1s", 1},
		{"server.c:serve/request.in_flight == 3", 1},
		{"'ns::C<int>::f/x'.in_flight == 3", 1},
		{"\"a b\".open_age < 2s", 1},
		{"slow.violations == 5", 1},
		{"slow.checks == 20", 1},
		{"slow.fired == 20", 1},
		{"slow.violations.share == 25%", 1},
		{"knob(antialias) == 4", 1},
		{"knob ( antialias ) - 1 == 3", 1},
		{"rays.avg/rays.sum == 1", 1},
		{"static.flops@i1 == 1000", 1},
		{"static.flops@serve.c:serve/i1 / 2 == 500", 1},
		{"static.loads@'a b' == 64B", 1},
		{"static.calls@i1 >= 0", 2},
		{"static.flops@i1 * rays.n / time.sum > 1 / 1s", 1},
	};

	CHECK_TRUTHS (table);
}
END_TEST

START_TEST (a_scalar_alone_is_its_last_and_a_count_alone_its_n)
{
	struct told told = {.n = 0};
	struct ppi_program *program = compile ("depth < runs", PPI_EXPR_MERGED, &told);

	ck_assert_ptr_nonnull (program);
	ck_assert_uint_eq (program->n_references, 2);
	ck_assert_int_eq (program->references[0].property, PP_STAT_LAST);
	ck_assert_int_eq (program->references[1].property, PP_STAT_N);
	ppi_program_destroy (program);
}
END_TEST

/* ---- three values ---------------------------------------------------------------------------- */

/* u: unknown comparison, t: true, f: false */
#define U "unknown.avg < 1"
#define T "1 < 2"
#define F "2 < 1"

START_TEST (conjunction_follows_kleene)
{
	static const struct truth table[] = {
		{T " and " T, 1}, {T " and " F, 0}, {T " and " U, 2},
		{F " and " T, 0}, {F " and " F, 0}, {F " and " U, 0},
		{U " and " T, 2}, {U " and " F, 0}, {U " and " U, 2},
	};

	CHECK_TRUTHS (table);
}
END_TEST

START_TEST (disjunction_follows_kleene)
{
	static const struct truth table[] = {
		{T " or " T, 1}, {T " or " F, 1}, {T " or " U, 1}, {F " or " T, 1}, {F " or " F, 0},
		{F " or " U, 2}, {U " or " T, 1}, {U " or " F, 2}, {U " or " U, 2},
	};

	CHECK_TRUTHS (table);
}
END_TEST

START_TEST (not_unknown_is_unknown)
{
	static const struct truth table[] = {
		{"not " T, 0}, {"not " F, 1}, {"not " U, 2}, {"not not " U, 2}};

	CHECK_TRUTHS (table);
}
END_TEST

START_TEST (an_unknown_number_makes_every_comparison_unknown)
{
	static const struct truth table[] = {
		{"unknown.avg < 1", 2},
		{"unknown.avg <= 1", 2},
		{"unknown.avg > 1", 2},
		{"unknown.avg >= 1", 2},
		{"unknown.avg == 1", 2},
		{"unknown.avg != 1", 2},
		{"1 < unknown.avg", 2},
		{"0/0 < 1", 2},
		{"0 / 0 != 1", 2},
		{"min (unknown.avg, 1) < 2", 2},
		{"max (1, unknown.avg) < 2", 2},
		{"abs (unknown.avg) < 2", 2},
		{"unknown.avg - unknown.avg == 0", 2},
	};

	CHECK_TRUTHS (table);
}
END_TEST

START_TEST (division_of_something_by_zero_is_infinite)
{
	static const struct truth table[] = {{"1 / 0 > 1e300", 1}, {"-1 / 0 < 0", 1}};

	CHECK_TRUTHS (table);
}
END_TEST

/* ---- sides ----------------------------------------------------------------------------------- */

START_TEST (verdict_has_the_sides_of_the_comparison_that_failed)
{
	struct ppi_verdict verdict = run ("time.avg > 600ms and heap.sum < 1MiB");

	ck_assert_double_eq (verdict.value, 0.0);
	ck_assert_double_eq (verdict.left, 0.5);
	ck_assert_double_eq_tol (verdict.right, 0.6, 1e-12);
	ck_assert_int_eq (verdict.dimension.seconds, 1);
	ck_assert_int_eq (verdict.dimension.bytes, 0);
}
END_TEST

START_TEST (verdict_has_the_sides_of_the_last_comparison_when_all_hold)
{
	struct ppi_verdict verdict = run ("time.avg < 600ms and heap.sum < 1MiB");

	ck_assert_double_eq (verdict.value, 1.0);
	ck_assert_double_eq (verdict.left, 4096);
	ck_assert_int_eq (verdict.dimension.bytes, 1);
}
END_TEST

/* ---- errors ---------------------------------------------------------------------------------- */

START_TEST (different_dimensions_are_not_mixed)
{
	static const struct wrong table[] = {
		{"time.avg + 64KiB < 1s", 9, "can't add 'time.avg' (a time) and '64KiB' (bytes)"},
		{"time.avg < 64KiB", 9, "can't compare 'time.avg' (a time) and '64KiB' (bytes)"},
		{"time.avg < 5", 9, "(a plain number)"},
		{"time.avg - heap.sum < 1s", 9, "can't subtract"},
		{"min (time.avg, 3) < 1s", 0, "can't compare 'time.avg' (a time) and '3'"},
		{"time.avg * time.avg < 1s", 20, "'time.avg * time.avg' (s^2)"},
		{"heap.sum / time.avg < 1MB", 20, "(B/s) and '1MB' (bytes)"},
		{"time.variance < 1s", 14, "(s^2)"},
		{"heap.count < 1kB", 11, "(a plain number) and '1kB' (bytes)"},
		{"request.open_age < 5", 17, "(a time) and '5'"},
		{"time.avg < 5%", 9, "(a time) and '5%'"},
		{"static.loads@i1 < 5", 16, "(bytes) and '5'"},
	};

	CHECK_WRONGS (table, PPI_EXPR_MERGED);
}
END_TEST

START_TEST (dimensions_multiply_and_divide_out)
{
	static const struct truth table[] = {
		{"time.avg * time.avg == time.avg * 500ms", 1},
		{"heap.sum / time.avg > 1kB / 1s", 1},
		{"time.avg / 1s == 0.5", 1},
		{"1.25 * time.avg > 600ms", 1},
		{"1 / time.avg > 1 / 1s", 1},
		{"heap.sum / 1KiB == 4", 1},
	};

	CHECK_TRUTHS (table);
}
END_TEST

START_TEST (a_literal_zero_has_any_dimension)
{
	static const struct truth table[] = {{"time.avg > 0", 1},
					     {"0 < heap.sum", 1},
					     {"max (time.avg, 0) > 0", 1},
					     {"-0 < time.avg", 1},
					     {"time.avg + 0 > 1ms", 1}};
	static const struct wrong wrong[] = {{"time.avg > 0 B", 9, "bytes"}};

	CHECK_TRUTHS (table);
	CHECK_WRONGS (wrong, PPI_EXPR_MERGED);
}
END_TEST

START_TEST (syntax_errors_stand_where_they_are)
{
	static const struct wrong table[] = {
		{"", 0, "empty"},
		{"   ", 0, "empty"},
		{"1 <", 3, "expected a number, a metric or '(', found the end"},
		{"(1 < 2", 6, "expected ')' to close '('"},
		{"1 < 2)", 5, "found ')'"},
		{"1 < 2 < 3", 6, "comparisons don't chain"},
		{"1 = 2", 2, "did you mean '=='"},
		{"1 < 2 3", 6, "expected an operator or the end"},
		{"1 < 2 @@ 1 < 3", 6, "found '@'"},
		{"min (1) < 2", 6, "expected ','"},
		{"min (1, 2, 3) < 2", 9, "expected ')'"},
		{"sqrt (4) < 2", 0, "there is no function 'sqrt'"},
		{"and 1 < 2", 0, "found 'and'"},
		{"1 < not 2", 4, "found 'not'"},
		{"rays. < 2", 5, "expected a statistic"},
		{"rays@ < 2", 5, "expected a site's name"},
		{"rays@'i1 < 2", 5, "closing '"},
		{"knob() < 2", 5, "expected a knob's name"},
		{"all(rays < 2", 9, "expected ')'"},
		{"'i1' < 2", 4, ".open_age or .in_flight"},
		{"1 < 2 @", 6, "found '@'"},
		{"#", 0, "found '#'"},
	};

	CHECK_WRONGS (table, PPI_EXPR_MERGED);
}
END_TEST

START_TEST (operators_of_other_languages_get_a_suggestion)
{
	static const struct wrong table[] = {
		{"1 < 2 && 2 < 3", 6, "there is no operator '&&'; did you mean 'and'?"},
		{"1 < 2 || 2 < 3", 6, "there is no operator '||'; did you mean 'or'?"},
		{"1 < 2 & 2 < 3", 6, "did you mean 'and'?"},
		{"(1 < 2 | 2 < 3)", 7, "did you mean 'or'?"},
		{"!(1 < 2)", 0, "there is no operator '!'; did you mean 'not'?"},
		{"1 < 2 and ! 1 < 2", 10, "did you mean 'not'?"},
		{"time.avg = 1s", 9, "'=' is no comparison; did you mean '=='?"},
		{"time.avg === 1s", 9, "did you mean '=='?"},
		{"time.avg !== 1s", 9, "did you mean '!='?"},
		{"time.avg <> 1s", 9, "did you mean '!='?"},
		{"time.avg =< 1s", 9, "did you mean '<='?"},
		{"time.avg => 1s", 9, "did you mean '>='?"},
		{"time.avg \xe2\x89\xa4 1s", 9, "did you mean '<='?"},
		{"1 < 2 AND 2 < 3", 6, "did you mean 'and'?"},
		{"2 \xc3\x97 time.avg < 1s", 2, "did you mean '*'?"},
	};

	CHECK_WRONGS (table, PPI_EXPR_MERGED);
}
END_TEST

START_TEST (unknown_units_get_a_suggestion)
{
	static const struct wrong table[] = {
		{"time.avg < 5sec", 12, "there is no unit 'sec'; did you mean 's'?"},
		{"time.avg < 5sek", 12, "there is no unit 'sek'"},
		{"heap.sum < 5KB", 12, "did you mean 'kB'?"},
		{"heap.sum < 5M", 12, "did you mean 'MiB'?"},
		{"time.avg < 2 millis", 13, "there is no unit 'millis'; did you mean 'ms'?"},
		{"time.avg < 2 seconds and 1 < 2", 13,
		 "there is no unit 'seconds'; did you mean 's'?"},
		{"(time.avg < 2 minutes)", 14, "did you mean 'min'?"},
	};

	CHECK_WRONGS (table, PPI_EXPR_MERGED);
}
END_TEST

START_TEST (unknown_names_get_a_suggestion)
{
	static const struct wrong table[] = {
		{"tim.avg < 1s", 0, "there is no metric 'tim'; did you mean 'time'?"},
		{"1s < seris.avg", 5, "did you mean 'series'?"},
		{"time.avrg < 1s", 5, "there is no statistic 'avrg'; did you mean 'avg'?"},
		{"zzzzzz.avg < 1s", 0, "there is no metric 'zzzzzz'"},
		{"slwo.violations < 5", 0, "there is no assertion 'slwo'"},
		{"slov.violations < 5", 0, "did you mean 'slow'?"},
		{"knob(antialas) < 5", 5, "there is no knob 'antialas'; did you mean 'antialias'?"},
		{"time@twice.avg < 5s", 5, "means 2 sites"},
		{"twice.open_age < 5s", 0, "means 2 sites"},
		{"slow.violations.shape < 5", 16, "expected 'share'"},
		{"static.flop@i1 < 5", 7, "did you mean 'flops'?"},
		{"static. < 5", 7, "after 'static.' comes coverage, ops, flops"},
		{"static.flops@twice < 5", 13, "means 2 sites"},
		{"static.flops@ < 5", 13, "expected a site's name"},
		{"static.flops < 5", 0,
		 "only an assertion with 'at:' is at a site; say which one, like "
		 "static.flops@SITE"},
	};

	CHECK_WRONGS (table, PPI_EXPR_MERGED);
}
END_TEST

START_TEST (statistics_that_are_not_kept_are_refused_with_those_that_are)
{
	static const struct wrong table[] = {
		{"heap.max < 1kB", 5, "a sumcount has no max; 'heap' has "},
		{"depth.avg < 1", 6, "a scalar has no avg"},
		{"runs.max < 1", 5, "a count has no max"},
	};

	CHECK_WRONGS (table, PPI_EXPR_MERGED);
}
END_TEST

START_TEST (a_metric_alone_must_say_its_statistic)
{
	static const struct wrong table[] = {{"time < 1s", 0, "say which statistic, like time.avg"},
					     {"all(rays) < 1", 4, "say which statistic"}};

	CHECK_WRONGS (table, PPI_EXPR_MERGED);
}
END_TEST

START_TEST (windows_are_of_statistics_that_can_have_them)
{
	static const struct wrong table[] = {
		{"time.total[10s] < 1s", 5,
		 "a stats has no total over a window of time; 'time' has count, sum, avg, min"},
		{"time.p99[10s] < 1s", 5, "a stats has no p99 over a window of time"},
		{"time.n[1s] < 5", 5, "has no n over a window"},
		{"time.avg[10] < 1s", 9, "expected a time with its unit after '['"},
		{"time.avg[10KiB] < 1s", 9, "expected a time with its unit"},
		{"time.avg[] < 1s", 9, "expected a time with its unit"},
		{"time.avg[10s < 1s", 13, "expected ']' after the window's time"},
		{"time.avg[10us] < 1s", 9, "a window must be from 1 ms to 1000 days"},
		{"time.avg[1001 h] < time.rate[1s]", 17, "can't compare"},
		{"time.rate < 5", 10, "can't compare 'time.rate' (1/s) and '5'"},
		{"slow.violations.rate < 5", 20, "a rate is one over recent time"},
		{"wait.in_flight[1s] < 5", 14,
		 "only statistics of metrics and counts of assertions have a window"},
	};
	static const char *const good[] = {"time.avg[10s] < 1s",        "time.avg[ 10 s ] < 1s",
					   "time.rate[1s] < 5 / 1s",    "all(time.max[250ms]) < 1s",
					   "all(time).max[1min] < 1s",  "series.min[10s] < 1s",
					   "time@serve/i1.max[2h] < 1s"};
	struct told told = {.n = 0};

	CHECK_WRONGS (table, PPI_EXPR_MERGED);
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		for (int place = 0; place < 2; place++) {
			struct ppi_program *program = compile (
				good[i], place ? PPI_EXPR_AT_SITE : PPI_EXPR_MERGED, &told);

			ck_assert_msg (program, "%s: %s", good[i], told.n ? told.text[0] : "");
			ck_assert_uint_ge (program->references[0].window_ns, 250000000);
			ppi_program_destroy (program);
		}
}
END_TEST

START_TEST (statistics_of_the_programs_own_are_read_by_name)
{
	static const char *const good[] = {"time.gini <= 0.5",      "time.worst <= 1s",
					   "all(time.gini) <= 5 %", "all(time).worst <= 1s",
					   "time@f/i.worst < 1s",   "time.any > 0"};
	static const char *const bad[][2] = {
		{"time.gini <= 1s", "can't compare"},
		{"time.worst <= 1", "can't compare"},
		{"time.ginny <= 1", "there is no statistic 'ginny'"},
		{"time.gini[10s] <= 1",
		 "'gini' is a statistic of the program's own: it has no window of time"},
	};
	struct told told;
	struct ppi_program *program;

	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		program = compile (good[i], PPI_EXPR_MERGED, &told);
		ck_assert_msg (program, "%s: %s", good[i], told.n ? told.text[0] : "not compiled");
		ck_assert_int_ge (program->references[0].property, PP_STATISTICS);
		ppi_program_destroy (program);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		program = compile (bad[i][0], PPI_EXPR_MERGED, &told);
		ck_assert_ptr_null (program);
		ck_assert_msg (strstr (told.text[0], bad[i][1]), "%s: %s", bad[i][0], told.text[0]);
	}
	program = compile ("time.gini <= 1", PPI_EXPR_AT_SITE, &told);
	ck_assert_ptr_null (program);
	ck_assert_msg (strstr (told.text[0], "too dear at a site; use all(time"), "%s",
		       told.text[0]);
}
END_TEST

START_TEST (a_composite_metric_is_its_expression)
{
	static const struct wrong table[] = {
		{"per_ray < 5", 8, "can't compare 'per_ray' (a time) and '5' (a plain number)"},
		{"1 + per_ray < 5s", 2, "can't add '1' (a plain number) and 'per_ray' (a time)"},
		{"per_ray.avg < 5s", 7,
		 "'per_ray' is computed from other metrics: it has no statistics, write per_ray "
		 "alone"},
		{"per_ray[10s] < 5s", 7, "it has no statistics"},
		{"per_ray@serve/i1 < 5s", 7, "it has no statistics"},
		{"1s < loop", 5, "'loop' is computed from itself: loop → pool → loop"},
		{"1s < self", 5, "'self' is computed from itself: self → self"},
		{"1s < wrong", 5, "expected a number, a metric or '('"},
		{"1s < condition", 5, "is true or false; a number is needed here"},
		{"1s < quantile", 5, "a stats has no p99"},
	};
	static const char *const good[] = {"per_ray < 5s", "twice <= 3 * per_ray",
					   "-per_ray * 2 < twice + 1s",
					   "min (per_ray, twice) < 1s and per_ray > 0"};
	struct told told = {.n = 0};

	CHECK_WRONGS (table, PPI_EXPR_MERGED);
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		struct ppi_program *program = compile (good[i], PPI_EXPR_AT_SITE, &told);

		ck_assert_msg (program, "%s: %s", good[i], told.n ? told.text[0] : "");
		ck_assert_uint_ge (program->n_references, 2);
		ppi_program_destroy (program);
	}
}
END_TEST

START_TEST (an_expectation_is_a_condition)
{
	static const struct wrong table[] = {
		{"time.avg", 0, "'time.avg' is a number; a condition is needed here"},
		{"1 < 2 and 3", 10, "'3' is a number"},
		{"not 3", 4, "'3' is a number"},
		{"(1 < 2) + 1 < 3", 1, "'1 < 2' is true or false; a number is needed here"},
		{"abs (1 < 2) < 3", 5, "a number is needed here"},
		{"(1 < 2) == (2 < 3)", 1, "a number is needed here"},
	};

	CHECK_WRONGS (table, PPI_EXPR_MERGED);
}
END_TEST

START_TEST (several_wrong_names_are_all_told)
{
	struct told told = {.n = 0};

	ck_assert_ptr_null (
		compile ("tim.avg < 1s and heap.max < 1kB or knob(x) < 1", PPI_EXPR_MERGED, &told));
	ck_assert_uint_eq (told.n, 3);
	ck_assert_uint_eq (told.offset[0], 0);
	ck_assert_uint_eq (told.offset[1], 22);
	ck_assert_uint_eq (told.offset[2], 40);
}
END_TEST

START_TEST (dear_statistics_at_a_site_need_all)
{
	enum ppi_accumulator kinds[] = {PPI_BOUNDED_SERIES, PPI_STATS};
	const char *const of[] = {"series", "time"};
	struct told told = {.n = 0};

	for (size_t k = 0; k < 2; k++)
		for (int s = 0; s < PP_STATISTICS; s++) {
			const char *name = ppi_statistic_name ((enum pp_statistic) s);
			struct ppi_program *program;
			char text[64];

			if (!ppi_statistic_exists (kinds[k], (enum pp_statistic) s))
				continue;
			snprintf (text, sizeof text, "%s.%s > 0", of[k], name);
			program = compile (text, PPI_EXPR_AT_SITE, &told);
			ck_assert_msg (!program == !ppi_statistic_is_cheap (kinds[k],
									    (enum pp_statistic) s),
				       "%s", text);
			ppi_program_destroy (program);
			snprintf (text, sizeof text, "all(%s.%s) > 0", of[k], name);
			program = compile (text, PPI_EXPR_AT_SITE, &told);
			ck_assert_msg (program, "%s", text);
			ppi_program_destroy (program);
		}
}
END_TEST

START_TEST (groups_are_told_by_values_of_dimensions)
{
	static const struct truth table[] = {
		{"time{command=\"a\", cached=true}.p99[10s] < 1s", 1},
		{"time{ cached = -1 , command = none }.avg > 1 s", 0},
		{"all(time{kind=1.5}.avg) > 1s", 0},
		{"all (time{kind='x'}).avg <= 500 ms", 1},
		{"any(time by command).p99 <= 2 * any (time by command).p50", 1},
		{"any(time by cached, command).avg[1min] > 1s", 0}};

	CHECK_TRUTHS (table);
}
END_TEST

START_TEST (groups_that_no_aggregate_tells_apart_are_errors)
{
	static const struct wrong table[] = {
		{"time{comand=\"a\"}.avg < 1s", 5, "did you mean 'command'"},
		{"time{command=1, kind=2}.avg < 1s", 5, "no aggregate is by command, kind"},
		{"time{kind=1}.p99 < 1s", 13, "keep: histogram"},
		{"time{kind=1}.max[10s] < 1s", 13, "groups have no max over a window"},
		{"time{command=\"a}.avg < 1s", 13, "closing"},
		{"time{command=a}.avg < 1s", 13, "texts stand in quotes"},
		{"time{command=1, command=2}.avg < 1s", 16, "said twice"},
		{"time{}.avg < 1s", 5, "expected a dimension"},
		{"time{command=1}@here.avg < 1s", 15, "leave out the site"},
		{"heap{command=1}.avg < 1", 0, "whole times"},
		{"time{command=1} < 1s", 0, "say which statistic"},
		{"any (time command).avg < 1s", 10, "expected 'by'"},
		{"any (time by command).avg < any (time by cached).avg", 33, "same dimensions"}};
	static const struct wrong at_site[] = {
		{"time{command=1}.avg < 1s", 5, "all(time{…}) needs only some"},
		{"time{command=1, cached=1}.p99 < 1s", 26, "too dear at a site"},
		{"time{command=1, cached=1}.avg[1s] < 1s", 26, "over a window is too dear"},
		{"any (time by command).avg < 1s", 5, "checked by time"}};

	check_wrongs (table, sizeof table / sizeof *table, PPI_EXPR_MERGED);
	check_wrongs (at_site, sizeof at_site / sizeof *at_site, PPI_EXPR_AT_SITE);
}
END_TEST

/* As `capture` of a policy takes it. */
static struct ppi_program *compile_figure (const char *text, enum ppi_expr_place place,
					   struct told *told, struct ppi_dimension *dimension)
{
	/* cppcheck-suppress ctuuninitvar */
	struct ppi_expr_errors errors = {note, told, NULL};
	struct ppi_program *program;

	told->n = 0;
	ppi_program_create_figure (text, place, &names, &errors, dimension, &program);
	return program;
}

START_TEST (a_figure_is_one_reference_to_groups_in_its_unit)
{
	static const struct {
		const char *text;
		enum ppi_expr_place place;
		int seconds;
		bool any;
	} good[] = {{"time{command=\"a\"}.p99[10s]", PPI_EXPR_MERGED, 1, false},
		    {"time{command=\"a\", cached=1}.count", PPI_EXPR_MERGED, 0, false},
		    {"time{command=\"a\", cached=1}.avg", PPI_EXPR_AT_SITE, 1, false},
		    {"all(time{cached=1}).p50", PPI_EXPR_AT_SITE, 1, false},
		    {"any (time by command).rate[1s]", PPI_EXPR_MERGED, -1, true}};
	static const struct wrong bad[] = {
		{"time.avg", 0, "'time.avg' is no figure of a group, like m{key=\"value\"}.p99"},
		{"all(time).p99", 0, "is no figure of a group"},
		{"time{kind=1}.avg < 1s", 0, "'time{kind=1}.avg < 1s' is no figure of a group"},
		{"2 * time{kind=1}.avg", 0, "is no figure of a group"},
		{"time{comand=\"a\"}.avg", 5, "did you mean 'command'"},
		{"time{kind=1}.p99", 13, "keep: histogram"},
		{"time{kind=1}", 0, "say which statistic"}};
	struct ppi_dimension dimension;
	struct told told;

	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		struct ppi_program *program =
			compile_figure (good[i].text, good[i].place, &told, &dimension);

		ck_assert_msg (program, "%s: %s", good[i].text, told.n ? told.text[0] : "");
		ck_assert_uint_eq (program->n_references, 1);
		ck_assert_int_eq (dimension.seconds, good[i].seconds);
		ck_assert_ptr_eq (ppi_program_any (program),
				  good[i].any ? program->references : NULL);
		ppi_program_destroy (program);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		ck_assert_msg (!compile_figure (bad[i].text, PPI_EXPR_MERGED, &told, &dimension),
			       "%s was compiled", bad[i].text);
		ck_assert_msg (strstr (told.text[0], bad[i].part), "%s: %s", bad[i].text,
			       told.text[0]);
		ck_assert_uint_eq (told.offset[0], bad[i].offset);
	}
	ck_assert_ptr_null (compile_figure ("time{command=1, cached=1}.p99", PPI_EXPR_AT_SITE,
					    &told, &dimension));
	ck_assert_msg (strstr (told.text[0], "too dear at a site"), "%s", told.text[0]);
}
END_TEST

START_TEST (expressions_are_bounded)
{
	static char text[PPI_EXPR_BYTES + 16];
	struct told told = {.n = 0};

	memset (text, '(', 100);
	strcpy (text + 100, "1");
	ck_assert_ptr_null (compile (text, PPI_EXPR_MERGED, &told));
	ck_assert_ptr_nonnull (strstr (told.text[0], "nested"));
	memset (text, '-', 3000);
	strcpy (text + 3000, "1 < 2");
	ck_assert_ptr_null (compile (text, PPI_EXPR_MERGED, &told));
	strcpy (text, "1");
	for (int i = 0; i < 200; i++)
		strcat (text, " + 1");
	strcat (text, " < 2");
	ck_assert_ptr_null (compile (text, PPI_EXPR_MERGED, &told));
	ck_assert_ptr_nonnull (strstr (told.text[0], "too large"));
	memset (text, ' ', PPI_EXPR_BYTES + 1);
	text[PPI_EXPR_BYTES + 1] = '\0';
	ck_assert_ptr_null (compile (text, PPI_EXPR_MERGED, &told));
	ck_assert_ptr_nonnull (strstr (told.text[0], "longer than"));
}
END_TEST

START_TEST (the_deepest_expression_fits_its_stack)
{
	char text[2048] = "";

	for (int i = 0; i < 60; i++)
		strcat (text, "1 + (");
	strcat (text, "1");
	for (int i = 0; i < 60; i++)
		strcat (text, ")");
	strcat (text, " == 61");
	ck_assert_double_eq (run (text).value, 1.0);
}
END_TEST

static Suite *expressions (void)
{
	Suite *suite = suite_create ("expressions");
	TCase *tests = tcase_create ("expressions");

	tcase_add_test (tests, arithmetic_has_the_usual_precedence);
	tcase_add_test (tests, every_comparison_decides);
	tcase_add_test (tests, functions_min_max_abs_count);
	tcase_add_test (tests, units_are_seconds_bytes_and_parts);
	tcase_add_test (tests, numbers_are_read_the_same_in_a_locale_with_commas);
	tcase_add_test (tests, logic_binds_not_before_and_before_or);
	tcase_add_test (tests, names_of_every_sort_are_read);
	tcase_add_test (tests, a_scalar_alone_is_its_last_and_a_count_alone_its_n);
	tcase_add_test (tests, conjunction_follows_kleene);
	tcase_add_test (tests, disjunction_follows_kleene);
	tcase_add_test (tests, not_unknown_is_unknown);
	tcase_add_test (tests, an_unknown_number_makes_every_comparison_unknown);
	tcase_add_test (tests, division_of_something_by_zero_is_infinite);
	tcase_add_test (tests, verdict_has_the_sides_of_the_comparison_that_failed);
	tcase_add_test (tests, verdict_has_the_sides_of_the_last_comparison_when_all_hold);
	tcase_add_test (tests, different_dimensions_are_not_mixed);
	tcase_add_test (tests, dimensions_multiply_and_divide_out);
	tcase_add_test (tests, a_literal_zero_has_any_dimension);
	tcase_add_test (tests, syntax_errors_stand_where_they_are);
	tcase_add_test (tests, operators_of_other_languages_get_a_suggestion);
	tcase_add_test (tests, unknown_units_get_a_suggestion);
	tcase_add_test (tests, unknown_names_get_a_suggestion);
	tcase_add_test (tests, statistics_that_are_not_kept_are_refused_with_those_that_are);
	tcase_add_test (tests, a_metric_alone_must_say_its_statistic);
	tcase_add_test (tests, windows_are_of_statistics_that_can_have_them);
	tcase_add_test (tests, statistics_of_the_programs_own_are_read_by_name);
	tcase_add_test (tests, a_composite_metric_is_its_expression);
	tcase_add_test (tests, an_expectation_is_a_condition);
	tcase_add_test (tests, several_wrong_names_are_all_told);
	tcase_add_test (tests, dear_statistics_at_a_site_need_all);
	tcase_add_test (tests, groups_are_told_by_values_of_dimensions);
	tcase_add_test (tests, groups_that_no_aggregate_tells_apart_are_errors);
	tcase_add_test (tests, a_figure_is_one_reference_to_groups_in_its_unit);
	tcase_add_test (tests, expressions_are_bounded);
	tcase_add_test (tests, the_deepest_expression_fits_its_stack);
	suite_add_tcase (suite, tests);
	return suite;
}

int main (void)
{
	static Suite *(*const suites[]) (void) = {expressions};

	return ppcheck_main (suites, 1);
}
