/* SPDX-License-Identifier: MIT */
/*
 * baseline.c: expectations against an earlier run's recording, and against a model of a site's
 * dimensions. The earlier run is this program's own first half; costs are captured values, so that
 * nothing depends on the machine.
 */
#include "check.h"

static char recording[64], policy[2048];
static char messages[4096];

NOIPA static void request (double cost)
{
#pragma pp point request value(cost)
	(void) cost;
}

NOIPA static void other (double cost)
{
#pragma pp point other value(cost)
	(void) cost;
}

NOIPA static void work (long n, double cost)
{
#pragma pp point work value(cost) dim(n = n)
	(void) n;
	(void) cost;
}

/* What the library says while TEXT is loaded goes to MESSAGES. */
static int load_and_hear (const char *text)
{
	int r;

	library_said ();
	r = load_policy (text);
	snprintf (messages, sizeof (messages), "%s", library_said ());
	return r;
}

static struct pp_assertion_info state (const char *name)
{
	struct pp_assertion_info info = {0};

	pp_poll ();
	pp_assertion_state (name, &info);
	return info;
}

static void record_before (void)
{
	snprintf (recording, sizeof (recording), "baseline.%d.pprec", (int) getpid ());
	same (load_policy ("version: 1\n"
			   "metrics:\n"
			   "  cost: {point: value, keep: stats}\n"
			   "bind:\n"
			   "  - {metric: cost, sites: [request/request, other/other]}\n"),
	      PP_OK, "the first run is measured");
	for (int i = 0; i < 100; i++) {
		request (10);
		other (1000);
	}
	same (pp_record (recording), PP_OK, "and recorded");
	pp_reset (pp_metric_find ("cost"));
}

int main (int argc, char **argv)
{
	struct pp_assertion_info info;

	(void) argc;
	listen_to_library (argv);

	record_before ();
	snprintf (policy, sizeof (policy),
		  "version: 1\n"
		  "baseline: %s\n"
		  "metrics:\n"
		  "  cost: {point: value, keep: stats}\n"
		  "bind:\n"
		  "  - {metric: cost, sites: [request/request, other/other]}\n"
		  "assertions:\n"
		  "  here: {at: request/request, expect: cost.last <= 1.1 * baseline (cost.avg)}\n"
		  "  there: {at: request/request, expect: cost.last <= baseline "
		  "(cost@other/other.max)}\n"
		  "  all_of_it: {at: request/request, expect: all(cost).avg < baseline "
		  "(cost@'*'.avg)}\n",
		  recording);
	same (load_policy (policy), PP_OK, "a policy with a baseline is loaded");
	request (10.5);
	info = state ("here");
	ok (info.passes == 1 && info.right == 11,
	    "a bare metric is compared with the baseline's same site");
	request (12);
	info = state ("here");
	ok (info.fired == 1 && info.violations == 1, "what is slower than the baseline fires");
	info = state ("there");
	ok (info.right == 1000 && info.fired == 0, "and with another site's where that is named");

	snprintf (policy, sizeof (policy),
		  "version: 1\nbaseline: %s\nassertions:\n  a: {every: 1s, expect: baseline "
		  "(cots.avg) > 0}\n",
		  recording);
	ok (load_and_hear (policy) == PP_EPOLICY && strstr (messages, "did you mean 'cost'?"),
	    "a metric that the baseline lacks is an error");
	snprintf (policy, sizeof (policy),
		  "version: 1\nbaseline: %s\nassertions:\n  a: {every: 1s, expect: baseline "
		  "(cost@nowhere.avg) > 0}\n",
		  recording);
	ok (load_and_hear (policy) == PP_EPOLICY && strstr (messages, "no site 'nowhere'"),
	    "so is a site");
	snprintf (policy, sizeof (policy),
		  "version: 1\nbaseline: %s\nassertions:\n  a: {every: 1s, expect: \"baseline "
		  "(cost.avg[1s]) > 0\"}\n",
		  recording);
	ok (load_and_hear (policy) == PP_EPOLICY && strstr (messages, "no recent time"),
	    "a baseline of recent time is an error");
	ok (load_and_hear ("version: 1\nbaseline: /none\nassertions:\n  a: {every: 1s, expect: "
			   "baseline (m.avg) > 0}\n") == PP_EPOLICY &&
		    strstr (messages, ":2:11: error:") && !strstr (messages, ":4:"),
	    "a baseline that can't be read is one error");
	unlink (recording);

	same (load_policy ("version: 1\n"
			   "metrics:\n"
			   "  price: {point: value, keep: stats}\n"
			   "bind:\n"
			   "  - {metric: price, sites: work/work}\n"
			   "assertions:\n"
			   "  modelled: {at: work/work, model: \"request/request.in_flight < 5 and "
			   "price.last <= 1.2 * (20 + 3 * n)\"}\n"),
	      PP_OK, "a model may speak of a dimension that nobody declared");
	work (10, 59);
	info = state ("modelled");
	ok (info.passes + info.unknowns == 1 && info.left == 59 && info.right == 60,
	    "it is computed with that execution's dimension");
	work (100, 59);
	work (1, 59);
	info = state ("modelled");
	ok (info.violations == 1 && info.right < 28,
	    "a cost that is too high for its size violates");
	return checked ();
}
