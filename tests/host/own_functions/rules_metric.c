/* SPDX-License-Identifier: MIT */
/* rules_metric.c: the metric that the rule of own_functions.sh names. */
#include <pp.h>

extern int shared_depth;

static int begin_depth (void)
{
	return shared_depth;
}
static int end_depth (const int *was)
{
	return ++shared_depth - *was;
}
#pragma pp metric by_rule interval sumcount(begin_depth, end_depth)
