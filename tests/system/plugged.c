/* SPDX-License-Identifier: MIT */
/*
 * plugged.c: what modules.c loads and unloads. Compiled twice (NUMBER), so that two modules with
 * sites of the same names come and go.
 */
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

/* names that both modules have, and of which one is the other's new version */
#ifdef PLUGGED_SOURCE
#define VERSION 1
#else
#define VERSION 2
#endif

static int64_t plugged_version (void)
{
	return VERSION;
}

static double plugged_count (const pp_snapshot *snapshot, void *arg)
{
	(void) snapshot;
	(void) arg;
	return VERSION;
}

extern int plugged_called;
int plugged_called;

static void plugged_call (const struct pp_violation *v, void *arg)
{
	(void) v;
	(void) arg;
	/* on the library's thread, while the test looks */
	__atomic_add_fetch (&plugged_called, 1, __ATOMIC_RELAXED);
}

PP_SOURCE_POINT_INT (plugged_versions, plugged_version, "")
PP_STATISTIC (plugged_count, 0)
PP_CALLABLE (plugged_call)
PP_KNOB_INT (plugged_level, VERSION, 1, 10, 1)

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
