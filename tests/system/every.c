/* SPDX-License-Identifier: MIT */
/*
 * every.c: `every: N` where N changes: what was left to count of a larger N is forgotten at the
 * site's next execution. With and without generated code.
 */
#include "check.h"

/* clang-format off */
#pragma pp metric m_sum    interval sumcount(elapsed)
#pragma pp metric m_beside interval stats(elapsed)
#pragma pp metric m_count  interval count(count)
#pragma pp metric m_value  point    stats(value)
#pragma pp metric m_points point    count(count)
/* clang-format on */

static volatile long sink;

NOIPA static void interval (void)
{
#pragma pp interval interval
	sink++;
}

NOIPA static void spot (void)
{
#pragma pp point spot value(sink)
	sink++;
}

static void (*const run[]) (void) = {interval, spot};
static const char *const sites[] = {"interval", "spot"};

static double samples (const pp_metric *m)
{
	double n = pp_stat (m, NULL, PP_STAT_N);

	return isnan (n) ? 0 : n;
}

/* METRIC at the site with every: LARGE, some executions, then every: SMALL (0: each one). */
static void test_smaller (const char *what, pp_metric *metric, int site, unsigned large,
			  unsigned small)
{
	double n, expected = small > 1 ? 1000.0 / small : 1000;

	pp_bind (metric, sites[site], large);
	for (int i = 0; i < 10; i++)
		run[site]();
	pp_unbind (metric, sites[site]);
	n = samples (metric);
	pp_bind (metric, sites[site], small);
	for (int i = 0; i < 1000; i++)
		run[site]();
	n = samples (metric) - n;
	if (!ok (fabs (n - expected) <= 1, "%s: one in %u, and at once one in %u", what, large,
		 small ? small : 1))
		note ("%g samples of 1000", n);
	pp_unbind (metric, sites[site]);
}

static void test_all (const char *beside)
{
	static const unsigned pairs[][2] = {
		{1000000, 10}, {1000000, 0}, {100, 99}, {20, 2}, {5, 1}};
	char what[64];

	for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
		snprintf (what, sizeof what, "elapsed%s", beside);
		test_smaller (what, m_sum, 0, pairs[i][0], pairs[i][1]);
		snprintf (what, sizeof what, "counted%s", beside);
		test_smaller (what, m_count, 0, pairs[i][0], pairs[i][1]);
		snprintf (what, sizeof what, "a value%s", beside);
		test_smaller (what, m_value, 1, pairs[i][0], pairs[i][1]);
		snprintf (what, sizeof what, "points%s", beside);
		test_smaller (what, m_points, 1, pairs[i][0], pairs[i][1]);
	}
}

static void test_other (int argc)
{
	char self[400], command[512];
	ssize_t n = readlink ("/proc/self/exe", self, sizeof self - 1);

	if (argc > 1)
		return;
	self[n < 0 ? 0 : n] = 0;
	snprintf (command, sizeof command, "PP_BLOCKS=0 '%s' other | grep '^not ok'", self);
	ok (system (command) != 0, "all of it without generated code, too");
}

int main (int argc, char **argv)
{
	(void) argv;
	test_all ("");
	pp_bind (m_beside, "interval", 0);
	pp_bind (m_beside, "interval", 7);
	test_all (" with others at the site");
	test_other (argc);
	return checked ();
}
