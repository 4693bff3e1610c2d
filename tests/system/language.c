/* SPDX-License-Identifier: MIT */
/*
 * language.c: every form that a source may say, measured. What the metrics hold at the end is
 * computed beforehand: sums and counts to the unit.
 */
#include "check.h"
#include "language_files/shared.h"

#include <stddef.h>

/* ---- metrics --------------------------------------------------------------------------------- */

static int64_t add_begin (int64_t a, double b);
static int64_t add_end (const int64_t *begun, int64_t c);
static double area (double width, double height);
struct place {
	int64_t x, y;
	char name[40];
};
static struct place place_begin (void);
static double place_end (const struct place *from);
static int64_t next_ticket (void);

/* clang-format off */
#pragma pp metric values      point    stats(value)
#pragma pp metric ratios      point    stats(value)
#pragma pp metric newest      point    scalar(value)
#pragma pp metric words       point    count(value)
#pragma pp metric dim_n       interval stats(dim:n)
#pragma pp metric dim_ratio   interval sumcount(dim:ratio)
#pragma pp metric dim_node    interval scalar(dim:node)
#pragma pp metric dim_name    interval count(dim:name)
#pragma pp metric dim_series  interval bounded_series(dim:n, size=4)
#pragma pp metric some_n      interval stats(dim:n, every=4)
#pragma pp metric point_dims  point    stats(dim:n)
#pragma pp metric runs        interval count(count)
#pragma pp metric payloads    interval stats(value)
#pragma pp metric added       interval stats(add_begin, add_end)
#pragma pp metric areas       point    stats(area)
#pragma pp metric given       point    stats(value)
#pragma pp metric timed       interval stats(elapsed)
#pragma pp metric moved       interval stats(place_begin, place_end)
#pragma pp metric tickets     point    sumcount(next_ticket)
/* clang-format on */

static int64_t add_begin (int64_t a, double b)
{
	return a + (int64_t) b;
}

static int64_t add_end (const int64_t *begun, int64_t c)
{
	return *begun + c;
}

static double area (double width, double height)
{
	return width * height;
}

static int64_t here, ticket;

static struct place place_begin (void)
{
	return (struct place){here, -here, "a structure of 56 bytes"};
}

static double place_end (const struct place *from)
{
	return (double) (here - from->x) / 4 + (from->x == -from->y ? 0 : 1e9);
}

static int64_t next_ticket (void)
{
	return ++ticket;
}

/* ---- what values may be ---------------------------------------------------------------------- */

struct node {
	struct node *next;
	int key;
	short small[4];
	double weight;
	unsigned flags : 3;
	signed char negative;
	const char *name;
	struct {
		long deep[2][3];
	} inner;
};

static struct node second = {NULL, 20, {1, 2, 3, -4}, 0.25,
			     5,    -3, "second",      {{{1, 2, 3}, {4, 5, 6}}}};
static struct node first = {&second, 10,   {5, 6, 7, -8}, 0.5,
			    7,       -100, "first",       {{{0, 0, 0}, {0, 0, 1L << 40}}}};
static int calls;

NOIPA int called (int x)
{
	calls++;
	return x + 1;
}

NOIPA static double called_with (const struct node *node, double x)
{
	calls++;
	return node->weight * x;
}

NOIPA static const char *name_of (const struct node *node)
{
	calls++;
	return node->name;
}

static inline int inlined (int x)
{
	return x * 2;
}

static const int64_t expected_values[] = {-8, 20, -4, 1LL << 40, 5, -3, 255,
					  7,  42, 41, 84,        1, -2, 6};
static const double expected_ratios[] = {0.5, 0.125, 1.5, 3, 0.75};

NOIPA static void captures (struct node *n, int i, unsigned char byte)
{
#pragma pp point v_member(values) value(n->small[3])
#pragma pp point v_chain(values) value(n->next->key)
#pragma pp point v_element(values) value((*n->next).small[i])
#pragma pp point v_deep(values) value(n->inner.deep[i - 2][2])
#pragma pp point v_bits(values) value(n->next->flags)
#pragma pp point v_char(values) value(n->next->negative)
#pragma pp point v_byte(values) value(byte)
#pragma pp point v_cast(values) value((int) 7.9)
#pragma pp point v_call(values) value(called(41))
#pragma pp point v_nested(values) value(called(called(39)))
#pragma pp point v_inline(values) value(inlined(42))
#pragma pp point v_chosen(values) value(i > 2 && n ? 1 : 2)
#pragma pp point v_unsigned_char(values) value((signed char) (byte - 1))
#pragma pp point v_size(values) value(sizeof(struct node) > 8 ? 6 : 0)
#pragma pp point r_member(ratios) value(n->weight)
#pragma pp point r_call(ratios) value(called_with(n->next, 0.5))
#pragma pp point r_mixed(ratios) value(n->weight *i)
#pragma pp point r_cast(ratios) value((double) i)
#pragma pp point r_float(ratios) value((float) n->weight + 0.25f)
#pragma pp point p_address(newest) value(n->next)
#pragma pp point s_name(words) value(name_of(n))
#pragma pp point s_literal(words) value("a literal")
}

/* The value of the point captures/NAME. */
static double at (pp_metric *metric, const char *name, enum pp_statistic what)
{
	char full[64];
	pp_site *site = NULL;

	snprintf (full, sizeof (full), "captures/%s", name);
	if (pp_site_find (full, &site) < 0)
		return NAN;
	return pp_stat (metric, site, what);
}

static void test_values (void)
{
	static const char *const names[] = {"v_member",        "v_chain",  "v_element", "v_deep",
					    "v_bits",          "v_char",   "v_byte",    "v_cast",
					    "v_call",          "v_nested", "v_inline",  "v_chosen",
					    "v_unsigned_char", "v_size"};
	static const char *const reals[] = {"r_member", "r_call", "r_mixed", "r_cast", "r_float"};
	double sum = 0, reals_sum = 0;
	char title[100];

	for (int i = 0; i < 3; i++)
		captures (&first, 3, 255);
	for (size_t i = 0; i < sizeof (names) / sizeof (*names); i++) {
		snprintf (title, sizeof (title), "captures/%s is the value in the source",
			  names[i]);
		same (at (values, names[i], PP_STAT_LAST), (double) expected_values[i], title);
		sum += 3 * (double) expected_values[i];
	}
	for (size_t i = 0; i < sizeof (reals) / sizeof (*reals); i++) {
		snprintf (title, sizeof (title), "captures/%s is the double in the source",
			  reals[i]);
		same (at (ratios, reals[i], PP_STAT_LAST), expected_ratios[i], title);
		reals_sum += 3 * expected_ratios[i];
	}
	same (pp_sum (values), sum, "integers of all sites add up without an error");
	same (pp_count (values), 42, "each execution of each point counts");
	same (pp_sum (ratios), reals_sum, "doubles of all sites add up");
	same (pp_last (newest), (double) (uintptr_t) &second, "a pointer is its address");
	same (pp_count (words), 6, "strings are counted");
	same (calls, 3 * 4,
	      "each function of an expression that is read is called once each time; a string that "
	      "is only counted is not");
}

/* Functions of the expressions of sites that nothing is bound to are not called. */
static void test_unbound (void)
{
	calls = 0;
	pp_unbind (values, "captures/v_*");
	pp_unbind (ratios, "captures/*");
	pp_unbind (words, "captures/*");
	pp_unbind (newest, "captures/*");
	for (int i = 0; i < 1000; i++)
		captures (&first, 3, 255);
	same (calls, 0, "no function of an expression is called while nothing is bound");
	same (pp_count (values), 42, "nor is anything sampled");
	/* a null pointer would be followed otherwise */
	captures (NULL, 3, 255);
	ok (pp_bind (values, "captures/v_call", 3) == 1, "one of them is bound again, by a call");
	pp_reset (values);
	for (int i = 0; i < 300; i++)
		captures (&first, 3, 255);
	same (pp_sum (values), 42 * 100, "one in three executions is sampled");
	ok (calls == 300 || calls == 100, "its function alone is called");
	pp_unbind (values, "captures/*");
}

/* ---- dimensions ------------------------------------------------------------------------------ */

NOIPA static int solve (struct node *node, int n, int depth)
{
#pragma pp interval solve(dim_n, dim_ratio, dim_node, dim_name, dim_series, some_n, runs)          \
	dim(n = n, ratio = node->weight * n, node = node, name = name_of(node))                    \
		group(solvers, slow)
	if (depth > 0)
		return solve (node->next ? node->next : &first, n + 1, depth - 1) + 1;
	n = -1; /* what is captured is what it was at the begin */
	return n;
}

NOIPA static void tick (int n)
{
#pragma pp point tick(point_dims, given) value(n + 1) dim(n = 2 * n, text = "tick") group(solvers)
}

static void test_dimensions (void)
{
	double series[4] = {0, 0, 0, 0};

	calls = 0;
	/* n = 0..9, then 0..9: the weight is first's where n is even */
	solve (&first, 0, 9);
	solve (&first, 0, 9);
	same (pp_sum (dim_n), 90,
	      "an interval's dimension is what it was at the begin, and sampled at the end");
	same (pp_count (dim_n), 20, "once for each execution");
	same (pp_last (dim_n), 0, "the outermost ends last");
	same (pp_sum (dim_ratio), 2 * (0.5 * 20 + 0.25 * 25), "a dimension may be a double");
	same (pp_last (dim_node), (double) (uintptr_t) &first, "or a pointer");
	same (pp_count (dim_name), 20, "or a text");
	same (pp_series_copy (dim_series, series, 4), 4, "a series keeps as many as it says");
	ok (series[0] == 3 && series[1] == 2 && series[2] == 1 && series[3] == 0,
	    "the last of them, in order");
	same (pp_count (some_n), 5, "a metric with every=4 samples five of twenty");
	same (pp_stat (some_n, NULL, PP_STAT_ESTIMATED_COUNT), 20, "and estimates twenty");
	same (pp_count (runs), 20, "other metrics of the site count as ever");
	same (calls, 0, "a dimension that is only counted is not computed");
	same (pp_stat (dim_n, NULL, PP_STAT_VARIANCE), 8.25, "their variance is exact");
	for (int i = 1; i <= 4; i++)
		tick (i);
	same (pp_sum (point_dims), 20, "a point has dimensions");
	same (pp_sum (given), 14, "beside its value");
}

static void test_groups (void)
{
	ok (pp_unbind (runs, "group:slow") == 1, "a group is unbound by its name");
	ok (pp_bind (runs, "group:solvers", 0) == 1,
	    "a group of points and intervals is bound where the metric fits");
	pp_reset (runs);
	solve (&first, 0, 4);
	same (pp_count (runs), 5, "and measured");
	ok (pp_bind (runs, "group:slw", 0) == PP_ENOENT,
	    "a group that does not exist is not bound");
}

/* ---- features -------------------------------------------------------------------------------- */

NOIPA static int user_code (int x)
{
#pragma pp antimark user
	return x;
}

NOIPA static int parse (const char *text, int length)
{
#pragma pp feature parsing payload(length * 2)
	return user_code (text[0]) + length;
}

NOIPA static int plain_feature (int x)
{
#pragma pp feature plain
	return x;
}

static void test_features (void)
{
	ok (pp_bind (payloads, "feature:parsing", 0) == 1, "a feature is bound by its name");
	ok (pp_bind (payloads, "feature:plain", 0) < 0, "not for a payload that it does not have");
	ok (pp_bind (runs, "feature:p*", 0) == 2, "features are bound by a pattern");
	ok (pp_bind (timed, "user_code/user", 0) == 1, "an antimark is bound as an interval is");
	pp_reset (NULL);
	for (int i = 0; i < 10; i++) {
		parse ("text", i);
		plain_feature (i);
	}
	same (pp_sum (payloads), 90, "the payload is what the source says");
	same (pp_count (runs), 20, "both features run ten times");
	same (pp_count (timed), 10, "and the antimark within one of them");
	pp_unbind (payloads, "feature:*");
	pp_unbind (runs, "feature:*");
	pp_unbind (timed, "user_code/user");
}

/* ---- samples with arguments ------------------------------------------------------------------ */

NOIPA static void sampled (int i)
{
#pragma pp sample_begin added(i, 2.5)
#pragma pp sample_begin timed
	if (i == 3)
		return; /* without an end */
#pragma pp sample_end timed
#pragma pp sample_end added(100)
#pragma pp sample_begin areas(i, 0.5)
#pragma pp sample_begin given(i * 3)
}

static void test_samples (void)
{
	pp_reset (NULL);
	forget_drops ();
	for (int i = 0; i < 10; i++)
		sampled (i);
	same (pp_count (added), 9,
	      "a begin and its end are one sample, a begin without one is none");
	same (pp_sum (added), 42 + 9 * 102,
	      "the functions get the arguments, converted as in a call");
	same (pp_count (timed), 9, "a source of the library's takes none");
	same (pp_sum (areas), 42 * 0.5, "a point's function is called with arguments");
	same (pp_sum (given), 42 * 3, "or what is sampled is given itself");
	same (newly_dropped (PP_DROP_LONGJMP), 2, "what never ended is counted");
	same (newly_dropped_in_all (), 0, "and nothing else");
}

/* ---- inline, fence --------------------------------------------------------------------------- */

NOIPA static void walk (int steps)
{
#pragma pp interval walk(moved) inline
#pragma pp point door(tickets) inline
	if (steps < 0)
		return;
	for (int i = 0; i < steps; i++)
		here++;
}

static volatile int storage;

NOIPA static void fenced (void)
{
#pragma pp interval fenced(runs) fence
	storage++;
}

static void test_inline (void)
{
	pp_site *site = NULL;
	int64_t before = ticket;

	pp_reset (NULL);
	for (int i = -1; i < 10; i++)
		walk (i);
	same (pp_sum (moved), 45 / 4.0,
	      "an inline interval's functions are called on every way out");
	same (pp_count (moved), 11, "each time");
	same (pp_count (tickets), 11, "an inline point samples each time");
	same (pp_sum (tickets), 66 + 11 * (double) before, "what its function returns");
	ok (pp_site_find ("walk/walk", &site) == PP_OK, "it has a name");
	same (pp_stat (moved, site, PP_STAT_COUNT), 11, "and samples of its own");
	ok (pp_bind (timed, "walk/walk", 0) == PP_EKIND, "nothing else can be bound to it");
	pp_bind (runs, "fenced/fenced", 0);
	fenced ();
	same (pp_count (runs), 1, "an interval with fences is measured");
}

/* ---- attributes ------------------------------------------------------------------------------ */

__attribute__ ((pp_interval ("whole", "runs", "wholes"))) NOIPA static int attributed (int n)
{
	if (n < 0)
		return -1;
	return n * 2;
}

__attribute__ ((pp_ignore)) NOIPA static int ignored (int n)
{
	return n;
}

PP_INTERVAL_FUNCTION ("by_macro", "runs") NOIPA static int by_macro (int n)
{
	return n;
}

static void test_attributes (void)
{
	pp_site *site = NULL;

	pp_reset (NULL);
	for (int i = -5; i < 5; i++)
		attributed (ignored (by_macro (i)));
	ok (pp_site_find ("attributed/whole", &site) == PP_OK,
	    "an attribute makes a site of a function");
	same (pp_stat (runs, site, PP_STAT_COUNT), 10, "which is measured on every way out");
	pp_site_find ("by_macro/by_macro", &site);
	same (pp_stat (runs, site, PP_STAT_COUNT), 10, "so does the macro");
	ok (pp_unbind (runs, "group:wholes") == 1, "the attribute gives groups");
}

/* ---- statements ------------------------------------------------------------------------------ */

static int heard;
static double heard_left;
static int heard_again;

static void hear (const struct pp_violation *violation, void *arg)
{
	(void) arg;
	heard++;
	heard_left = violation->left;
}

NOIPA static void binding (int on)
{
	if (on) {
#pragma pp bind values to counted
	} else {
#pragma pp unbind values from counted
	}
	for (int i = 0; i < 100; i++) {
#pragma pp point counted value(i)
	}
}

static void hear_again (const struct pp_violation *violation, void *arg)
{
	(void) violation;
	(void) arg;
	heard_again++;
}

NOIPA static void expecting (int n)
{
#pragma pp point expected(values) value(n)
#pragma pp expect small : values.last <= 5 call(hear)
#pragma pp expect smaller : values.last <= 4 for (2) clear(1) severity(error) repeat(true)         \
						   call(hear_again)
}

static void test_statements (void)
{
	struct pp_assertion_info info;

	pp_reset (NULL);
	binding (0);
	ok (!(pp_count (values) > 0), "before the bind nothing is sampled");
	binding (1);
	same (pp_sum (values), 4950, "after the bind each execution is");
	binding (0);
	same (pp_count (values), 100, "and after the unbind none");
	binding (1);
	same (pp_count (values), 200, "and so on");
	binding (0);
	pp_reset (NULL);
	for (int i = 1; i <= 10; i++)
		expecting (i);
	pp_poll ();
	ok (pp_assertion_state ("small", &info) == PP_OK,
	    "an expectation is an assertion of that name");
	same ((double) info.checks, 10, "checked at each execution");
	same ((double) info.violations, 5, "it sees each sample");
	ok (pp_assertion_state ("smaller", &info) == PP_OK && info.fired == 1 &&
		    info.severity == PP_SEVERITY_ERROR,
	    "one with clauses is as they say");
	ok (heard_again == 5,
	    "with repeat(true) its function is called for each violation from the second on");
	ok (heard == 1 && heard_left == 6,
	    "its function is called when it fires, with the figures of that sample");
}

/* ---- calls ----------------------------------------------------------------------------------- */

static void test_calls (void)
{
	pp_metric *occurred = NULL;
	pp_site *site = NULL;

	pp_metric_new (&occurred, "occurred", "point count(count)");
	ok (pp_site_find ("calls.c:turns/turn", &site) == PP_OK,
	    "a call with a literal name is a site of its function before it runs");
	ok (pp_site_find ("calls.c:turns/turns", &site) == PP_OK,
	    "also where the literal comes out of macros");
	calls = 0;
	turns (10);
	same (calls, 10, "what it captures is an argument of a call, and computed always");
	ok (pp_bind (runs, "turns/turn*", 0) == 2, "intervals of calls are bound by a pattern");
	ok (pp_bind (values, "turns/an int", 0) == 1, "and points");
	ok (pp_bind (ratios, "turns/a double", 0) == 1, "doubles too");
	ok (pp_bind (occurred, "turns/*", 0) == 3, "and whatever takes the metric");
	pp_reset (NULL);
	turns (10);
	turns (3);
	same (pp_count (runs), 15, "each interval is a sample");
	same (pp_sum (values), 55 + 6, "each value is captured");
	same (pp_sum (ratios), (45 + 3) * 0.25, "each double");
	same (pp_count (occurred), 39, "each point counts");
	pp_unbind (occurred, "turns/*");

	ok (pp_site_find ("any", &site) == PP_ENOENT,
	    "a name that is computed is not known before the call");
	any_name ("any", "dot");
	any_name ("other", "dot");
	ok (pp_site_find ("any", &site) == PP_OK, "but after it");
	ok (site && !strchr (pp_site_name (site), '/'), "without a function");
	from_here ();
	to_there ();
	pp_bind (runs, "across", 0);
	pp_bind (runs, "any", 0);
	pp_reset (NULL);
	for (int i = 0; i < 5; i++) {
		from_here ();
		any_name (i % 2 ? "any" : "other", "dot");
		to_there ();
	}
	same (pp_count (runs), 5 + 2,
	      "what begins in one function and ends in another is one interval");
}

/* ---- several files --------------------------------------------------------------------------- */

NOIPA static int tenfold (int i)
{
#pragma pp interval work(shared_n, shared_time) dim(n = i)
#pragma pp point step(shared_values) value(100 * i)
	return i;
}

static void test_files (void)
{
	pp_site *site = NULL;

	pp_reset (NULL);
	for (int i = 0; i < 10; i++)
		tenfold (i);
	more_work (10);
	same (pp_sum (shared_values), 45 * 101, "a metric of several files is one metric");
	same (pp_sum (shared_n), 45 * 11, "with dimensions too");
	ok (pp_metric_find ("shared_time") == shared_time, "under its name");
	ok (pp_site_find ("tenfold/step", &site) == PP_EAMBIGUOUS,
	    "sites of two files are told apart by the file");
	ok (pp_site_find ("more.c:tenfold/step", &site) == PP_OK, "which is enough");
	same (pp_stat (shared_values, site, PP_STAT_SUM), 45, "and each has its own samples");
}

/* ---- a policy -------------------------------------------------------------------------------- */

static void test_policy (void)
{
	struct pp_assertion_info info = {0};

	pp_reset (NULL);
	ok (load_policy ("version: 1\n"
			 "metrics:\n"
			 "  of_policy: {interval: \"dim:n\", keep: stats}\n"
			 "  lengths:   {interval: value, keep: sumcount}\n"
			 "  marks:     {point: \"dim:n\", keep: stats}\n"
			 "bind:\n"
			 "  - {metric: of_policy, sites: [\"solve/*\", \"more.c:tenfold/*\"]}\n"
			 "  - {metric: lengths, sites: \"feature:parsing\"}\n"
			 "  - {metric: marks, sites: \"group:solvers\"}\n"
			 "assertions:\n"
			 "  shallow: {at: solve/solve, expect: of_policy.last <= 6}\n"
			 "  short:   {at: \"feature:parsing\", expect: lengths.last < 10}\n") ==
		    PP_OK,
	    "a policy binds dimensions, features and groups");
	solve (&first, 0, 9);
	more_work (3);
	for (int i = 0; i < 10; i++)
		parse ("x", i);
	tick (21);
	same (pp_sum (pp_metric_find ("of_policy")), 45 + 30,
	      "dimensions are what they are without it");
	same (pp_sum (pp_metric_find ("lengths")), 90, "and so are payloads");
	same (pp_sum (pp_metric_find ("marks")), 42, "and points of a group");
	pp_assertion_state ("shallow", &info);
	ok (info.checks == 10 && info.violations == 3, "a dimension is asserted at its site");
	pp_assertion_state ("short", &info);
	ok (info.checks == 10 && info.violations == 5, "a payload at its feature");
	ok (load_policy (
		    "version: 1\nmetrics:\n  absent: {interval: \"dim:m\", keep: stats}\nbind:\n"
		    "  - {metric: absent, sites: solve/solve}\n") == PP_EPOLICY,
	    "a dimension that a site lacks is an error of the policy");
	ok (load_policy ("version: 1\nbind:\n  - {metric: added, sites: fenced/fenced}\n") ==
		    PP_EPOLICY,
	    "a metric whose functions take arguments is one");
}

/* ---- a policy in the program ----------------------------------------------------------------- */

static void test_text (void)
{
	struct pp_assertion_info info = {0}, rare = {0};

	pp_reset (NULL);
	ok (pp_policy_load_text (
		    "limits", "version: 1\n"
			      "assertions:\n"
			      "  low:  {at: expecting/expected, expect: values.last <= 3, for: 2}\n"
			      "  rare: {every: 1ms, expect: values.n <= 5}\n") == PP_OK,
	    "a policy in the program's own text is loaded");
	for (int i = 1; i <= 10; i++)
		expecting (i);
	ok (pp_assertion_state ("low", &info) == PP_OK && info.checks == 10 &&
		    info.violations == 7 && info.fired == 1,
	    "what it expects at sites is checked there");
	for (int i = 0; i < 6000 && pp_assertion_state ("rare", &rare) == PP_OK && !rare.violations;
	     i++) {
		pp_poll ();
		usleep (10000);
	}
	ok (rare.violations > 0, "and what it expects by time then");
	ok (pp_policy_unload ("limits") == PP_OK, "it goes by its name");
}

int main (void)
{
	test_values ();
	test_unbound ();
	test_dimensions ();
	test_groups ();
	test_features ();
	test_samples ();
	test_inline ();
	test_attributes ();
	test_statements ();
	test_calls ();
	test_files ();
	test_policy ();
	test_text ();
	same (newly_dropped_in_all (), 0, "nothing else is dropped");
	note_drops ();
	return checked ();
}
