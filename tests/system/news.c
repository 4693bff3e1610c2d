/* SPDX-License-Identifier: MIT */
/*
 * news.c: an assertion at a site is checked at each execution in which something that it reads was
 * sampled, whatever it is sampled by, and at no other.
 */
#include "check.h"

#include <stdbool.h>

#define RUNS 100

static int64_t steps;

PP_FAST int64_t fast_count (void)
{
	return steps;
}

PP_FAST int64_t fast_end (const int64_t *begin)
{
	return steps - *begin;
}

static int64_t count (void)
{
	return steps;
}

static int64_t count_end (const int64_t *begin)
{
	return steps - *begin;
}

static double amount (void)
{
	return (double) steps;
}

static double amount_end (const double *begin)
{
	return (double) steps - *begin;
}

PP_SOURCE_INTERVAL_INT (int_steps, count, count_end, "")
PP_SOURCE_INTERVAL_DOUBLE (double_steps, amount, amount_end, "")
PP_FAST_SOURCE_INTERVAL (fast_steps, fast_count, fast_end, "")
PP_SOURCE_POINT_INT (int_at, count, "")
PP_SOURCE_POINT_DOUBLE (double_at, amount, "")
PP_FAST_SOURCE (fast_at, fast_count, "")

NOIPA static void interval (void)
{
#pragma pp interval interval
	steps++;
}

NOIPA static void spot (void)
{
#pragma pp point spot value(steps)
	steps++;
}

NOIPA static void called (void)
{
	pp_begin ("called");
	steps++;
	pp_end ("called");
}

NOIPA static void span (void)
{
	pp_span s = pp_span_begin (pp_span_site ("span"));

	steps++;
	pp_span_end (s);
}

static const struct place {
	const char *name;
	void (*run) (void);
	bool is_point;
} places[] = {{"interval", interval, false},
	      {"spot", spot, true},
	      {"called", called, false},
	      {"span", span, false}};

static const struct measured {
	const char *source;
	bool at_points;
} sources[] = {{"elapsed", false},    {"int_steps", false}, {"double_steps", false},
	       {"fast_steps", false}, {"cpu_time", false},  {"int_at", true},
	       {"double_at", true},   {"fast_at", true},    {"value", true}};

static uint64_t checks (void)
{
	struct pp_assertion_info info;

	return pp_assertion_state ("never", &info) == PP_OK ? info.checks : 0;
}

/* BESIDE: another metric there, that is sampled each time. */
static void test_source (const struct place *place, const struct measured *m, int every,
			 const char *beside)
{
	const char *kind = m->at_points ? "point" : "interval";
	char text[1024], more[256] = "", bound[128] = "";
	uint64_t before;

	if (beside) {
		snprintf (more, sizeof more, "  other: {%s: %s, keep: stats}\n", kind, beside);
		snprintf (bound, sizeof bound, "  - {metric: other, sites: %s}\n", place->name);
	}
	snprintf (text, sizeof text,
		  "version: 1\nmetrics:\n  read: {%s: %s, keep: stats}\n%sbind:\n  - {metric: "
		  "read, sites: %s, every: "
		  "%d}\n%s"
		  "assertions:\n  never: {at: %s, expect: read.n < 0, on_fire: []}\n",
		  kind, m->source, more, place->name, every, bound, place->name);
	if (pp_policy_load_text ("news", text) != PP_OK) {
		ok (false, "%s at %s can be loaded", m->source, place->name);
		return;
	}
	before = checks ();
	for (int i = 0; i < RUNS; i++)
		place->run ();
	if (!ok (checks () - before == (uint64_t) (RUNS / every),
		 "%s at %s %s, one in %d%s%s: checked as often as sampled", m->source, kind,
		 place->name, every, beside ? " beside " : "", beside ? beside : ""))
		note ("%llu checks", (unsigned long long) (checks () - before));
	pp_policy_unload ("news");
}

/* A count has one more with each execution, however seldom the other is sampled. */
static void test_counts (void)
{
	uint64_t before;

	pp_policy_load_text ("news", "version: 1\nmetrics:\n  runs: {interval: count, keep: "
				     "count}\n  read: {interval: elapsed, "
				     "keep: stats}\nbind:\n"
				     "  - {metric: runs, sites: interval}\n  - {metric: read, "
				     "sites: interval, every: 4}\n"
				     "assertions:\n  never: {at: interval, expect: runs.count < 0 "
				     "and read.n < 0, on_fire: []}\n");
	before = checks ();
	for (int i = 0; i < RUNS; i++)
		interval ();
	same ((double) (checks () - before), RUNS, "what reads a count is checked each time");
	pp_policy_unload ("news");
}

int main (void)
{
	for (size_t p = 0; p < sizeof places / sizeof places[0]; p++)
		for (size_t s = 0; s < sizeof sources / sizeof sources[0]; s++) {
			if (sources[s].at_points != places[p].is_point)
				continue;
			for (int every = 1; every <= 4; every += 3) {
				test_source (&places[p], &sources[s], every, NULL);
				test_source (&places[p], &sources[s], every,
					     places[p].is_point ? "int_at" : "int_steps");
				test_source (&places[p], &sources[s], every,
					     places[p].is_point ? "fast_at" : "elapsed");
			}
		}
	test_counts ();
	return checked ();
}
