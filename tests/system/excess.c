/* SPDX-License-Identifier: MIT */
/*
 * excess.c: the action `sample` asks for what was measured inside of what was slow: points, which
 * can't be bound to the interval itself.
 */
#include "check.h"

#include <pthread.h>

NOIPA static void pixel (int rays, int cost)
{
#pragma pp interval pixel dim(cost = cost)
	for (int i = 0; i < rays; i++) {
#pragma pp point ray value(i)
		__asm__ volatile("");
	}
#pragma pp point rays value(rays)
	__asm__ volatile("");
}

/* Its own pixels have more rays, which are nobody else's. */
static void *other (void *arg)
{
	for (int i = 0; i < 20; i++)
		pixel (1000, 1);
	return arg;
}

int main (void)
{
	pthread_t thread;

	same (pp_policy_load_text ("excess",
				   "version: 1\n"
				   "metrics:\n"
				   "  cost: {interval: \"dim:cost\", keep: stats}\n"
				   "  n: {point: value, keep: stats}\n"
				   "  none: {point: value, keep: stats}\n"
				   "  al2: {point: value, keep: stats}\n"
				   "  both: {point: value, keep: stats}\n"
				   "  silent: {point: value, keep: stats}\n"
				   "bind:\n"
				   "  - {metric: cost, sites: pixel}\n"
				   "  - {metric: n, sites: rays}\n"
				   "assertions:\n"
				   "  slow:\n"
				   "    at: pixel\n"
				   "    expect: cost.last <= 10\n"
				   "    on_fire:\n"
				   "      - sample: {metric: al2, value: n.last / n.avg}\n"
				   "      - sample: {metric: both, value: cost.last * n.last}\n"
				   "      - sample: {metric: silent, value: none.last}\n"),
	      0, "a policy samples what was unusual");
	pthread_create (&thread, NULL, other, NULL);
	pthread_join (thread, NULL);
	for (int i = 0; i < 9; i++)
		pixel (10, 1);
	same (pp_count (pp_metric_find ("al2")), 0, "while nothing violates there are no samples");
	pixel (110, 100);
	same (pp_count (pp_metric_find ("al2")), 1, "a violation is one");
	near (pp_last (pp_metric_find ("al2")), 5.5, 1e-12,
	      "of the points inside the interval, and of this thread alone");
	same (pp_last (pp_metric_find ("both")), 11000,
	      "with what is measured at the interval itself");
	same (pp_count (pp_metric_find ("silent")), 0, "what was never measured is no sample");
	return checked ();
}
