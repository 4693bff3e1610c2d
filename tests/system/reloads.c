/* SPDX-License-Identifier: MIT */
/*
 * reloads.c: what policies that are loaded again leave as it was: data of metrics that are still
 * the same, everything where the new version is refused, what others asked for. And what calls
 * refuse that would have measured something else.
 */
#include "check.h"

/* clang-format off */
#pragma pp metric latency interval histogram(elapsed)
/* clang-format on */

NOIPA static void executed (int times)
{
	for (int i = 0; i < times; i++) {
#pragma pp point p value(i)
		__asm__ volatile("");
	}
}

static int load (const char *name, const char *text)
{
	char all[1000];

	snprintf (all, sizeof all, "version: 1\n%s", text);
	return pp_policy_load_text (name, all);
}

#define BIND "\nbind: [{metric: m, sites: p}]\n"

/* The metric's declaration changes in what has nothing to do with the samples it has. */
static void test_data_stays (void)
{
	pp_metric *m;

	same (load ("a", "metrics: {m: {point: value, keep: stats}}" BIND), 0,
	      "a policy is loaded");
	m = pp_metric_find ("m");
	executed (16);
	same (load ("a", "metrics: {m: {point: value, keep: stats, every: 4}}" BIND), 0,
	      "and again with every");
	ok (pp_metric_find ("m") == m, "that is the same metric");
	same (pp_count (m), 16, "it keeps its data");
	executed (16);
	same (pp_count (m), 20, "one execution in four is sampled");
	same (pp_stat (m, NULL, PP_STAT_ESTIMATED_COUNT), 32, "all are counted");
	same (load ("a", "metrics: {m: {point: value, keep: stats, window: 1h}}" BIND), 0,
	      "again, with a window");
	same (pp_stat (m, NULL, PP_STAT_N), 20, "it keeps its data");
	executed (16);
	same (pp_stat (m, NULL, PP_STAT_N), 36, "goes on");
	same (pp_count (m), 16, "its statistics are those of the window");
	same (load ("a", "metrics: {m: {point: value, keep: stats, optional: true}}" BIND), 0,
	      "and without it");
	same (pp_count (m), 36, "statistics are of all that it has");
	same (load ("a", "metrics: {m: {point: value, keep: histogram}}" BIND), 0,
	      "what keeps something else");
	ok (pp_metric_find ("m") != m, "is another metric");
	same (pp_policy_unload ("a"), 0, "it is unloaded");
}

/*
 * What an assertion at a site says of recent time is of that: its window begins when it is asked
 * for first.
 */
static void test_recent_at_sites (void)
{
	struct pp_assertion_info info;
	pp_metric *m;

	load ("b", "metrics: {v: {point: value, keep: stats}}\nbind: [{metric: v, sites: p}]\n");
	m = pp_metric_find ("v");
	executed (20);
	same (load ("b",
		    "metrics: {v: {point: value, keep: stats}}\nbind: [{metric: v, sites: p}]\n"
		    "assertions:\n  recent: {at: p, expect: 'v.max[1h] <= 3', on_fire: []}\n"
		    "  ever: {at: p, expect: v.max <= 3, on_fire: []}\n"),
	      0, "assertions at a site are added");
	executed (4);
	ok (pp_assertion_state ("recent", &info) == PP_OK && info.checks == 4 &&
		    info.violations == 0,
	    "one over recent time does not see what was before");
	ok (pp_assertion_state ("ever", &info) == PP_OK && info.violations == 4,
	    "one without a time does");
	executed (6);
	ok (pp_assertion_state ("recent", &info) == PP_OK && info.violations == 2,
	    "and it sees what comes");
	same (pp_max (m), 19, "the metric has all");
	pp_policy_unload ("b");
}

static void test_refused (void)
{
	pp_metric *m;

	load ("other", "metrics: {o: {point: value, keep: stats}}");
	load ("a", "metrics: {m: {point: value, keep: stats, every: 2}, c: {expr: m.avg}}" BIND);
	m = pp_metric_find ("m");
	pp_reset (m);
	executed (16);
	same (pp_count (m), 8, "a metric has data");
	same (load ("a", "metrics: {m: {point: value, keep: histogram}, c: {expr: m.max}, o: "
			 "{point: value, keep: scalar}}" BIND),
	      PP_EPOLICY, "another version clashes with another policy");
	ok (pp_metric_find ("m") == m, "the metric is the one that it was");
	executed (16);
	same (pp_count (m), 16, "and goes on");
	near (pp_get (pp_metric_find ("c")), 7, 0, "and so does a composite one");
	same (load ("a", "metrics: {m: {point: value, keep: stats, window: 1h}, o: {point: value, "
			 "keep: scalar}}" BIND),
	      PP_EPOLICY, "a version with another window is refused, too");
	executed (16);
	same (pp_count (m), 24, "there is no window, and every is what it was");
	pp_policy_unload ("a");
	pp_policy_unload ("other");
}

/* Who is left at a site gets the `every` that it asked for. */
static void test_every_of_the_rest (void)
{
	pp_metric *m;

	load ("a", "metrics: {m: {point: value, keep: sumcount}}" BIND);
	m = pp_metric_find ("m");
	same (pp_bind (m, "p", 8), 1, "the program asks for one in eight");
	executed (16);
	same (pp_count (m), 2, "and gets that");
	same (pp_bind (m, "p", 4), 1, "then for one in four");
	executed (16);
	same (pp_count (m), 6, "and gets that");
	same (pp_stat (m, NULL, PP_STAT_ESTIMATED_COUNT), 32, "all executions are counted");
	same (pp_unbind (m, "p"), 1, "it unbinds");
	executed (16);
	same (pp_count (m), 22, "and the policy has all again");
	pp_policy_unload ("a");
}

static void test_calls (void)
{
	pp_metric *m = NULL;

	same (pp_sample (latency, 1e30), PP_EINVAL, "a sample beyond all integers is none");
	same (pp_sample (latency, -1e30), PP_EINVAL, "nor is one below");
	same (pp_sample (latency, INFINITY), PP_EINVAL,
	      "nor an infinite one, where integers are kept");
	same (pp_count (latency), 0, "and is not kept");
	same (pp_sample (latency, 1.5), 0, "others are");
	near (pp_max (latency), 1.5, 1e-4, "as they are");
	same (pp_metric_new (&m, "a b", "interval stats(elapsed)"), PP_EINVAL,
	      "a metric's name has no blanks");
	same (pp_metric_new (&m, "9a", "interval stats(elapsed)"), PP_EINVAL,
	      "and begins with no digit");
	same (pp_metric_new (&m, "b", "interval stats(elapsed"), PP_EINVAL,
	      "a parenthesis is closed");
	same (pp_metric_new (&m, "b", "interval stats(elapsed) x"), PP_EINVAL, "and the last word");
	ok (!m, "none of that made a metric");
	same (pp_metric_new (&m, "b", " interval\tstats ( elapsed , every=2 ) "), 0,
	      "blanks don't matter");
	ok (!pp_snapshot_metric (NULL) && isnan (pp_snapshot_stat (NULL, PP_STAT_AVG)) &&
		    isnan (pp_snapshot_quantile (NULL, 0.5)) &&
		    pp_snapshot_samples (NULL, NULL) == 0,
	    "a snapshot that is none has nothing");
}

int main (void)
{
	test_data_stays ();
	test_recent_at_sites ();
	test_refused ();
	test_every_of_the_rest ();
	test_calls ();
	return checked ();
}
