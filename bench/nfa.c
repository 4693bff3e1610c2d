/* SPDX-License-Identifier: MIT */
/*
 * nfa.c: what exact calls and times of every function cost (ppctl run --calls), on functions that
 * do next to nothing: "nfa" prints a line "ROW VALUE" for each row, a ratio to the same code
 * without.
 *
 * They are done in turns, and compared by CPU time; a row is the median over the turns.
 */
#include "turns.h"

#include <pp.h>

#include <stdbool.h>
#include <string.h>

enum { TURNS = 5, LETTERS = 133 };

#define SETTLE_S 0.1
#define TURN_S 0.3

const char *nfa_plain (const char *text);
const char *nfa_points (const char *text);
const char *nfa_intervals (const char *text);
const char *nfa_counted (const char *text);
const char *nfa_timed (const char *text);

static char text[LETTERS + 3];
static volatile bool is_wrong;

static void plain (void)
{
	is_wrong |= nfa_plain (text) == NULL;
}

static void points (void)
{
	is_wrong |= nfa_points (text) == NULL;
}

static void intervals (void)
{
	is_wrong |= nfa_intervals (text) == NULL;
}

static void counted_by_hand (void)
{
	is_wrong |= nfa_counted (text) == NULL;
}

static void timed_by_hand (void)
{
	is_wrong |= nfa_timed (text) == NULL;
}

/* As ppctl run --calls has it. */
static const char policy[] = "version: 1\n"
			     "metrics:\n"
			     "  calls: {point: count, keep: count}\n"
			     "  runs: {interval: count, keep: count}\n"
			     "  time: {interval: elapsed, keep: sumcount, scope: outermost}\n"
			     "bind:\n"
			     "  - {metric: calls, sites: [\"**/calls\"]}\n"
			     "  - {metric: runs, sites: [\"**/body\"]}\n"
			     "  - {metric: time, sites: [\"**/body\"]}\n";

static void compare_with (const char *row, void (*work) (void))
{
	double ratio[TURNS];

	for (int i = 0; i < TURNS; i++) {
		double without, with;

		take (plain, SETTLE_S);
		without = take (plain, TURN_S);
		take (work, SETTLE_S);
		with = take (work, TURN_S);
		ratio[i] = with / without;
	}
	printf ("%s %.3f\n", row, median (ratio, TURNS));
}

/* State 1 is called once for each letter and once behind them, each time. */
static bool counted (const char *site, const char *metric, double before, double times)
{
	pp_site *s;
	double now = pp_site_find (site, &s) == PP_OK
			     ? pp_stat (pp_metric_find (metric), s, PP_STAT_COUNT)
			     : 0;

	return now - before == times * (LETTERS + 1);
}

int main (void)
{
	memset (text, 'a', LETTERS);
	memcpy (text + LETTERS, "bc", 3);
	if (pp_policy_load_text ("nfa", policy) != PP_OK)
		return 1;
	for (int i = 0; i < 10; i++) {
		points ();
		intervals ();
	}
	if (!counted ("state1/calls", "calls", 0, 10) || !counted ("state1/body", "runs", 0, 10))
		return 1;
	compare_with ("calls.nfa.points", points);
	compare_with ("calls.nfa.intervals", intervals);
	compare_with ("calls.nfa.counter", counted_by_hand);
	compare_with ("calls.nfa.two_rdtsc", timed_by_hand);
	return is_wrong;
}
