/* SPDX-License-Identifier: MIT */
/*
 * adapted.c: a program with three ways to do its work, of which the policy chooses the cheapest by
 * the program's own count of steps; then that one gets dear. How long anything takes decides
 * nothing here.
 */
#include "check.h"

#include <time.h>

PP_KNOB_ENUM (way, 0, (slow, quick, middling))

static int64_t steps[3] = {300, 100, 200};

NOIPA static void work (void)
{
	int64_t n = steps[pp_knob_int (way)];

#pragma pp point done value(n)
	__asm__ volatile("" ::"r"(n));
}

/* Works until the adaptation has settled on BEST for the N-th time, at most for a minute */
static int settles (uint64_t n, double best)
{
	struct pp_adapt_info info = {.state = PP_ADAPT_EXPLORING};
	struct timespec pause = {0, 1000000};

	for (int i = 0; i < 60000; i++) {
		for (int k = 0; k < 10; k++)
			work ();
		if (pp_adapt_state ("way", &info) == PP_OK && info.state == PP_ADAPT_SETTLED &&
		    info.settled >= n && info.best == best)
			return 1;
		nanosleep (&pause, NULL);
	}
	note ("state %s, settled %llu times, %llu windows, %llu empty",
	      pp_adapt_state_name (info.state), (unsigned long long) info.settled,
	      (unsigned long long) info.windows, (unsigned long long) info.empty);
	return 0;
}

int main (void)
{
	struct pp_adapt_variant variant[3];
	struct pp_adapt_info info;

	ok (load_policy ("version: 1\n"
			 "metrics:\n"
			 "  cost: {point: value, keep: sumcount}\n"
			 "bind:\n"
			 "  - {metric: cost, sites: work/done}\n"
			 "adapt: {choose: way, minimise: cost.avg, every: 20ms, samples: 5, "
			 "explore: 20%}\n") == PP_OK,
	    "a policy may choose the value of a knob");
	ok (settles (1, 1), "it settles on the cheapest way");
	same ((double) pp_adapt_variants ("way", variant, 3), 3, "all ways are known");
	/*
	 * nearly: who read the knob before it was turned may sample after it. A way whose windows
	 * were all empty, where the program hardly runs, has no mean.
	 */
	ok (fabs (variant[1].mean - 100) < 30 && !(fabs (variant[0].mean - 300) >= 30),
	    "with what each of them costs, and hardly anything of another one in it");
	steps[1] = 5000;
	ok (settles (2, 2), "when that way gets dear it settles on another");
	/* whichever is seen first, where the program hardly runs */
	ok (pp_adapt_state ("way", &info) == PP_OK && info.degraded + info.better >= 1,
	    "because it degraded, or the other one was better");
	steps[0] = 10;
	ok (settles (3, 0), "when a third gets cheaper than it, that one is found");
	ok (pp_adapt_state ("nothing", &info) == PP_ENOENT,
	    "a knob that no policy chooses has no adaptation");
	return checked ();
}
