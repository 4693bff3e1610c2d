/* SPDX-License-Identifier: MIT */
/* plugged.c: what modules.c loads and unloads. Compiled twice (NUMBER), so that two modules with sites of the same names come and go. */
#include <pp.h>

#pragma pp metric plugged_static interval sumcount(elapsed)

static long plugged_length (void)
{
	return 3;
}

#pragma pp metric plugged_queue point sumcount(plugged_length)

#ifdef PLUGGED_SOURCE
static int64_t plugged_weight (void)
{
	return 7;
}

PP_SOURCE_POINT_INT (plugged_weighs, plugged_weight, "")
#endif

void plugged_run (int times);

static volatile long sink;

void plugged_run (int times)
{
	for (int i = 0; i < times; i++) {
#pragma pp interval work(plugged_static)
		{
#pragma pp interval inner
			sink++;
		}
#pragma pp point dot value(i)
#pragma pp point queue(plugged_queue)
	}
}
