/* SPDX-License-Identifier: MIT */
/*
 * overhead.c: what the library says that it costs, and that it keeps to a budget: in a real
 * program, with a budget that any machine exceeds. How much, and how soon, is the benchmark's; here
 * it is that nothing of it is seen in what is measured.
 */
#include "check.h"

#include <pthread.h>
#include <time.h>

long begin_mine (void);
long end_mine (const long *begin);

/* clang-format off */
#pragma pp metric sum     interval sumcount(elapsed)
#pragma pp metric other   interval sumcount(elapsed)
#pragma pp metric mine    interval sumcount(begin_mine, end_mine)
#pragma pp metric values  point    stats(value)
/* clang-format on */

enum { TIMES = 1000, MOST_S = 100 };

static volatile long sink;
static long called;

long begin_mine (void)
{
	return ++called;
}

long end_mine (const long *begin)
{
	called++;
	return *begin;
}

NOIPA static void first (void)
{
#pragma pp interval first(sum)
	sink++;
}

NOIPA static void second (void)
{
#pragma pp interval second(other)
	sink++;
}

NOIPA static void third (void)
{
#pragma pp interval third(mine)
	sink++;
}

NOIPA static void free_one (void)
{
#pragma pp interval free_one
	sink++;
}

NOIPA static void point (long x)
{
#pragma pp point here(values) value(x)
	sink += x;
}

static int count_self (pp_site *site, void *arg)
{
	*(int *) arg += strstr (pp_site_name (site), "self") != NULL;
	return 0;
}

static void test_self_cost (void)
{
	struct pp_self_cost a, b, c;
	int selves = 0;

	for (int i = 0; i < TIMES; i++) {
		first ();
		second ();
		third ();
		free_one ();
		point (i);
	}
	ok (pp_self_cost ("first", &a) == PP_OK, "what an interval costs is known");
	ok (a.inside > 0 && a.inside < 1e-3 && a.sampled > 0 && a.skipped <= a.sampled &&
		    a.sampled < 1e-3,
	    "so is what lies inside the sample, and less is left when it is not sampled");
	note ("inside %.3g ns, sampled %.3g ns, skipped %.3g ns", a.inside * 1e9, a.sampled * 1e9,
	      a.skipped * 1e9);
	ok (pp_self_cost ("second", &b) == PP_OK && memcmp (&a, &b, sizeof a) == 0,
	    "another site with the same kind of binding costs the same: it is measured once");
	ok (pp_self_cost ("here", &c) == PP_OK && isnan (c.inside) && c.sampled > 0,
	    "nothing of a point lies between two readings of the clock");
	ok (pp_self_cost ("third", &c) == PP_OK,
	    "a site with functions of the user's own has a cost");
	same ((double) called, 2 * TIMES, "but they are not called for it");
	same (pp_count (sum), TIMES, "what was executed to find it out is no sample");
	same (pp_count (values), TIMES, "nor a value");
	pp_site_each (NULL, count_self, &selves);
	same (selves, 0, "and the sites for it are nobody's");
	ok (pp_self_cost ("free_one", &c) == PP_EUNAVAILABLE,
	    "where nothing is bound there is no cost");
	ok (pp_self_cost ("nowhere", &c) == PP_ENOENT && pp_self_cost (NULL, &c) == PP_EINVAL &&
		    pp_self_cost ("first", NULL) == PP_EINVAL,
	    "what can't be asked is an error");
}

/* Both metrics see the same executions, by the same readings of the clock. */
static void test_corrected (void)
{
	pp_metric *raw = NULL, *corrected = NULL, *wrong = NULL;
	struct pp_self_cost cost;
	double less, tick = 2e-9;

	ok (pp_metric_new (&raw, "raw", "interval stats(elapsed)") == PP_OK &&
		    pp_metric_new (&corrected, "corrected", "interval stats(elapsed, corrected)") ==
			    PP_OK,
	    "a metric may be corrected");
	ok (pp_metric_new (&wrong, "wrong", "interval stats(cpu_time, corrected)") == PP_EINVAL,
	    "but not one of another clock");
	ok (pp_bind (raw, "free_one", 0) == 1 && pp_bind (corrected, "free_one", 0) == 1,
	    "both are bound");
	for (int i = 0; i < TIMES; i++)
		free_one ();
	same (pp_count (corrected), TIMES, "each execution has a corrected sample");
	ok (pp_self_cost ("free_one", &cost) == PP_OK && cost.inside > 0,
	    "what is taken off is known");
	less = pp_sum (raw) - pp_sum (corrected);
	note ("inside %.3g ns, on average %.3g ns less", cost.inside * 1e9, less / TIMES * 1e9);
	ok (less > 0 && less <= TIMES * (cost.inside + tick),
	    "no sample has more taken off than that");
	ok (fabs (pp_max (raw) - pp_max (corrected) - cost.inside) <= tick,
	    "one that is long enough has all of it");
	ok (pp_min (corrected) >= 0, "none is below 0");
	pp_unbind (raw, "free_one");
	pp_unbind (corrected, "free_one");
}

static void run (int times)
{
	for (int i = 0; i < times; i++) {
		first ();
		second ();
	}
}

static double executions (pp_metric *m)
{
	return pp_stat (m, NULL, PP_STAT_ESTIMATED_COUNT);
}

static void test_budget (void)
{
	char path[128];
	struct pp_overhead o;
	time_t end = time (NULL) + MOST_S;
	double run_through = 0, e;

	pp_reset (sum);
	pp_reset (other);
	ok (!write_file (path, ".yaml", "version: 1\noverhead: {budget: 0.01%}\n"),
	    "a policy is written");
	ok (pp_overhead (&o) == PP_OK && isnan (o.budget) && isnan (o.share),
	    "without a budget there is none");
	ok (pp_policy_load (path) == PP_OK, "a policy may say nothing but a budget");
	ok (pp_overhead (&o) == PP_OK && o.budget == 0.0001, "it is told");
	do {
		run (TIMES);
		run_through += TIMES;
		pp_overhead (&o);
	} while (o.seldom + o.unbound < 2 && time (NULL) < end);
	ok (o.seldom + o.unbound >= 2, "what costs too much is sampled more seldom, or not at all");
	ok (o.raised + o.taken >= 2 && o.looks > 0, "and what was done is counted");
	run (TIMES);
	run_through += TIMES;
	/* one sample in 1,024, twice: what is left out at the end is not known yet */
	e = executions (sum);
	ok (pp_count (sum) < run_through && (isnan (e) || e <= run_through + 2 * 1024),
	    "executions are estimated, or unknown where it was unbound");
	ok (pp_policy_unload (path) == PP_OK, "the budget goes");
	pp_overhead (&o);
	ok (o.seldom + o.unbound == 0 && isnan (o.budget), "and with it what was done for it");
	run (1024); /* a sample that was to be left out still is */
	pp_reset (sum);
	run (TIMES);
	same (pp_count (sum), TIMES, "then everything is sampled again");
	same (executions (sum), TIMES, "and estimated as often as it is sampled");
	unlink (path);
}

int main (void)
{
	test_self_cost ();
	test_corrected ();
	test_budget ();
	return checked ();
}
