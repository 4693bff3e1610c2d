/* SPDX-License-Identifier: MIT */
/*
 * figures.c: what the compiler counted in an interval's body is there in policies, at the site and
 * elsewhere.
 */
#include "check.h"

#define N 1000

static double x[N], y[N];

NOIPA static void saxpy (double a)
{
#pragma pp interval saxpy
	for (int i = 0; i < N; i++)
		y[i] = a * x[i] + y[i];
}

NOIPA static void any (double a, int n)
{
#pragma pp interval any
	for (int i = 0; i < n; i++)
		y[i] = a * x[i] + y[i];
}

static const char policy[] =
	"version: 1\n"
	"metrics:\n"
	"  work: {interval: elapsed, keep: sumcount}\n"
	"bind:\n"
	"  - {metric: work, sites: [saxpy/saxpy, any/any]}\n"
	"assertions:\n"
	"  flops: {at: saxpy/saxpy, expect: static.flops == 2000}\n"
	"  bytes: {at: saxpy/saxpy, expect: \"static.loads == 16kB and static.stores == 8kB\"}\n"
	"  all: {at: saxpy/saxpy, expect: \"static.calls == 0 and static.branches == 1001 and "
	"static.ops == 4001 and static.coverage >= 98%\"}\n"
	"  wrong: {at: saxpy/saxpy, expect: static.flops == 2001}\n"
	"  rate: {every: 20ms, expect: \"static.flops@saxpy/saxpy * work@saxpy/saxpy.count / "
	"work@saxpy/saxpy.sum >= 1 / 1s\"}\n"
	"  unknown: {at: any/any, expect: static.flops == 2000}\n"
	"  unknown_rate: {every: 20ms, expect: \"static.flops@any/any * work.count >= 0\"}\n";

static struct pp_assertion_info state_of (const char *name)
{
	struct pp_assertion_info info = {.checks = 0};

	pp_assertion_state (name, &info);
	return info;
}

/* Waits, a minute at most, until the timed assertion was looked at. */
static struct pp_assertion_info wait_for (const char *name)
{
	for (int i = 0; i < 6000; i++) {
		struct pp_assertion_info info = state_of (name);

		if (info.passes || info.violations || info.unknowns > 2)
			return info;
		usleep (10000);
	}
	return state_of (name);
}

int main (void)
{
	if (*SANITIZER) {
		puts ("1..0 # SKIP a sanitizer adds to what is counted");
		return 0;
	}
	setenv ("PP_THREADS", "1", 1);
	ok (load_policy (policy) == 0, "a policy that names static figures is loaded");
	for (int i = 0; i < N; i++)
		x[i] = i; /* else the compiler knows that it holds zeros */
	for (int i = 0; i < 10; i++) {
		saxpy (i);
		any (i, N);
	}
	same ((double) state_of ("flops").passes, 10,
	      "static.flops at a site is that of its interval");
	same ((double) state_of ("bytes").passes, 10, "static.loads and static.stores are bytes");
	same ((double) state_of ("all").passes, 10,
	      "operations, branches, calls and the coverage are there");
	same ((double) state_of ("wrong").violations, 10,
	      "what is asserted of them can be violated");
	ok (wait_for ("rate").passes > 0,
	    "elsewhere static.flops@site gives the achieved flops per second");
	same ((double) state_of ("unknown").unknowns, 10,
	      "where the number of rounds is not known the value is unknown");
	ok (wait_for ("unknown_rate").unknowns > 0, "... elsewhere too");
	return checked ();
}
