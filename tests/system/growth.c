/* SPDX-License-Identifier: MIT */
/*
 * growth.c: assertions about how a cost grows with a size. Costs are captured values that the
 * program makes up, with a fifth of noise, so that nothing depends on the machine.
 */
#include "../../bench/random.h"
#include "check.h"

#include <time.h>

static char detail[256];
static int told; /* in the sentence, too */

static double noise (void)
{
	return 1 + 0.2 * normal ();
}

NOIPA static void linear (long n, double cost)
{
#pragma pp point linear value(cost) dim(n = n)
	(void) n;
	(void) cost;
}

NOIPA static void quadratic (long n, double cost)
{
#pragma pp point quadratic value(cost) dim(n = n)
	(void) n;
	(void) cost;
}

NOIPA static void timed (long n)
{
#pragma pp interval timed dim(n = n)
	for (volatile long i = 0; i < n; i = i + 1)
		;
}

static void run (int times)
{
	for (int i = 0; i < times; i++) {
		long n = (long) exp (uniform () * log (1e6));

		linear (n, (100 + 3 * (double) n) * fmax (0.1, noise ()));
		quadratic (n, (double) n * (double) n * fmax (0.1, noise ()));
	}
}

static void notice (const struct pp_violation *v, void *arg)
{
	(void) arg;
	if (!v->clears && v->detail)
		snprintf (detail, sizeof (detail), "%s", v->detail);
	if (!v->clears && v->detail && v->text)
		told = strstr (v->text, v->detail) != NULL;
}

/*
 * Waits, a minute at most, until NAME was checked, or found unknown, MORE times; what it is then.
 */
static struct pp_assertion_info after_checks (const char *name, uint64_t more)
{
	struct timespec pause = {0, 5000000};
	struct pp_assertion_info before, now;

	pp_assertion_state (name, &before);
	now = before;
	for (int i = 0;
	     i < 12000 && now.checks + now.unknowns < before.checks + before.unknowns + more; i++) {
		nanosleep (&pause, NULL);
		pp_assertion_state (name, &now);
	}
	return now;
}

int main (void)
{
	struct pp_assertion_info info;

	pp_on_assertion ("too_steep", notice, NULL);
	same (load_policy ("version: 1\n"
			   "metrics:\n"
			   "  cost: {point: value, keep: stats}\n"
			   "  size: {point: \"dim:n\", keep: scalar}\n"
			   "bind:\n"
			   "  - {metric: cost, sites: [linear/linear, quadratic/quadratic]}\n"
			   "  - {metric: size, sites: [linear/linear, quadratic/quadratic]}\n"
			   "assertions:\n"
			   "  flat_enough:\n"
			   "    at: linear/linear\n"
			   "    growth: {of: cost, with: size, at_most: n, every: 10ms}\n"
			   "  too_steep:\n"
			   "    at: quadratic/quadratic\n"
			   "    growth: {of: cost, with: size, at_most: n log n, every: 10ms}\n"
			   "  itself:\n"
			   "    at: quadratic/quadratic\n"
			   "    growth: {of: cost, with: size, at_most: n², every: 10ms}\n"
			   "  implied:\n"
			   "    at: timed/timed\n"
			   "    growth: {of: elapsed, with: n, at_most: n, every: 10ms}\n"),
	      PP_OK, "a policy with growth classes is loaded");
	info = after_checks ("flat_enough", 2);
	ok (info.checks == 0 && info.unknowns >= 2 && info.state == PP_STATE_UNKNOWN,
	    "without data the growth is unknown");
	run (400);
	info = after_checks ("flat_enough", 3);
	ok (info.state == PP_STATE_OK && info.checks > 0 && info.fired == 0,
	    "a linear cost grows at most as n");
	ok (info.left == 2 && info.right == 2, "both sides are the classes' numbers");
	info = after_checks ("too_steep", 3);
	ok (info.state == PP_STATE_FIRING && info.fired == 1,
	    "a quadratic cost grows faster than n log n");
	ok (info.left == 4 && info.right == 3, "n^2 is told where n log n was allowed");
	ok (strncmp (detail, "n^2 fits best: ", 15) == 0, "the violation has the fit: %s", detail);
	ok (told, "and tells it in its sentence");
	info = after_checks ("itself", 1);
	ok (info.state == PP_STATE_OK, "and no faster than n^2");
	for (int i = 0; i < 200; i++)
		timed ((long) exp (uniform () * log (1e5)));
	info = after_checks ("implied", 3);
	ok (info.checks > 0, "names that are no metrics are sources and dimensions");
	ok (pp_metric_find ("n") && pp_count (pp_metric_find ("elapsed")) == 200,
	    "and are measured at the assertion's site");
	/* the same path: the version before had those metrics, but its bindings go with it */
	same (load_policy ("version: 1\n"
			   "assertions:\n"
			   "  implied:\n"
			   "    at: timed/timed\n"
			   "    growth: {of: elapsed, with: n, at_most: n^2, every: 10ms}\n"
			   "  modelled:\n"
			   "    at: timed/timed\n"
			   "    model: elapsed.last <= 1h * n\n"),
	      PP_OK, "the policy is loaded again");
	for (int i = 0; i < 200; i++)
		timed ((long) exp (uniform () * log (1e5)));
	info = after_checks ("implied", 3);
	ok (info.checks > 0, "names that are no metrics are measured for the new version too");
	same (pp_stat (pp_metric_find ("n"), NULL, PP_STAT_N), 400,
	      "each execution of both versions is a sample");
	pp_assertion_state ("modelled", &info);
	same ((double) info.checks, 200, "and each of the new one was checked");
	return checked ();
}
