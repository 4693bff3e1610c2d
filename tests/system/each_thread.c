/* SPDX-License-Identifier: MIT */
/*
 * each_thread.c: assertions with a state for each thread, and sweeps, under real threads: counts
 * are exact, a thread's outcomes keep their order whoever steps them, and what a thread left firing
 * clears when it ends.
 */
#include "check.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <time.h>

enum { THREADS = 4, CYCLES = 200, SWEEPERS = 8, TIMES = 20000 };

static pthread_barrier_t together, start;
static int read_own;

NOIPA static void step (long value)
{
#pragma pp point stepping value(value)
	__asm__ volatile("" ::"r"(value));
}

NOIPA static void roam (long value)
{
#pragma pp point roaming value(value)
	__asm__ volatile("" ::"r"(value));
}

static const char policy[] =
	"version: 1\n"
	"metrics:\n"
	"  v: {point: value, keep: stats}\n"
	"  base: {point: \"constant:100\", keep: stats}\n"
	"  newest: {point: value, keep: bounded_series, size: 8}\n"
	"bind:\n"
	"  - {metric: v, sites: [step/stepping, roam/roaming]}\n"
	"  - {metric: base, sites: [step/stepping, roam/roaming]}\n"
	"  - {metric: newest, sites: [step/stepping]}\n"
	"assertions:\n"
	"  each: {at: step/stepping, expect: v.last <= 100, scope: thread, for: 3, clear: 2}\n"
	"  all: {at: step/stepping, expect: v.last <= 100}\n"
	"  crowd: {at: roam/roaming, expect: v.last <= 100, scope: thread}\n"
	"  swept:\n"
	"    at: roam/roaming\n"
	"    expect: v.last <= 1.5 * base.avg\n"
	"    capture: [v]\n"
	"    sweep: [1.05, 1.5, 2, 3]\n";

/*
 * The next cycle begins when those that fired have cleared: 64 outcomes have room, and who holds the
 * state machine may have lost its processor. Asking steps what waits.
 */
static void let_step (unsigned cycles)
{
	static bool given_up;
	struct pp_assertion_info info;

	for (int i = 0; i < 10000 && !given_up; i++) {
		pp_assertion_state ("each", &info);
		if (info.cleared >= cycles * THREADS / 2)
			return;
		nanosleep (&(struct timespec){0, 1000000}, NULL);
	}
	given_up = true;
}

/*
 * Threads with even numbers fail three times in a row in each cycle, the others twice: only the
 * first fire, once in each cycle, and clear.
 */
static void *walk (void *arg)
{
	const pp_metric *newest = pp_metric_find ("newest");
	long self = (long) (intptr_t) arg;
	double sample[16];

	for (int cycle = 0; cycle < CYCLES; cycle++) {
		pthread_barrier_wait (&together);
		for (int i = 0; i < 5; i++)
			step (i < (self % 2 ? 2 : 3) ? 200 : 1);
		pthread_barrier_wait (&together);
		if (self == 0)
			let_step ((unsigned) cycle + 1);
	}
	if (self == 0)
		for (int i = 0; i < 3; i++)
			step (500); /* and ends like that */
	/* the last that it does with its state: nobody takes that away before */
	if (pp_series_copy (newest, sample, 16) == 8 && sample[7] == (self ? 1 : 500) &&
	    pp_thread_stat (newest, NULL, PP_STAT_N) == CYCLES * 5 + (self ? 0 : 3))
		__atomic_fetch_add (&read_own, 1, __ATOMIC_RELAXED);
	return NULL;
}

static void each_has_its_own_state (void)
{
	pthread_t thread[THREADS];
	struct pp_assertion_info info;
	double violations = (THREADS / 2) * CYCLES * (3 + 2), checks = THREADS * CYCLES * 5;

	pthread_barrier_init (&together, NULL, THREADS);
	for (intptr_t i = 0; i < THREADS; i++)
		pthread_create (&thread[i], NULL, walk, (void *) i);
	for (int i = 0; i < THREADS; i++)
		pthread_join (thread[i], NULL);
	same (read_own, THREADS, "each thread has its own series, and its own statistics");
	pp_assertion_state ("each", &info);
	same (info.per_thread, 1, "scope: thread has a state for each thread");
	same ((double) info.checks, checks + 3, "every execution was checked");
	same ((double) info.violations, violations + 3, "every violation was counted");
	same ((double) info.fired, (THREADS / 2) * CYCLES + 1,
	      "three failures in a row of one thread fire");
	for (int i = 0; i < 60000 && info.cleared < info.fired; i++) {
		nanosleep (&(struct timespec){0, 1000000}, NULL);
		pp_assertion_state ("each", &info);
	}
	same ((double) info.cleared, (double) info.fired,
	      "what a thread left firing clears when it has ended");
	same ((double) info.threads, 0, "no thread fires any more");
	same (info.state, PP_STATE_OK, "and all of it is ok");
	pp_assertion_state ("all", &info);
	same ((double) info.checks, checks + 3, "scope: process beside it checks as often");
	same (info.per_thread, 0, "with one state");
}

static void *rove (void *arg)
{
	(void) arg;
	pthread_barrier_wait (&start);
	for (int i = 0; i < TIMES; i++)
		roam (i % 100 == 0 ? 250 : i % 10 == 0 ? 120 : i % 2);
	return NULL;
}

/* The violations that the report's sweep tells for THRESHOLD, -1: none */
static double swept_at (const char *report, const char *threshold)
{
	const char *line = strstr (report, "  threshold  violations");

	while (line && (line = strchr (line, '\n'))) {
		line += 1 + strspn (line + 1, " ");
		if (strncmp (line, threshold, strlen (threshold)) == 0 &&
		    line[strlen (threshold)] == ' ')
			return atof (line + strlen (threshold));
	}
	return -1;
}

static void sweeps_add_up (void)
{
	const double all = SWEEPERS * TIMES;
	pthread_t thread[SWEEPERS];
	struct pp_assertion_info info;
	char *report = NULL;
	size_t bytes;
	FILE *out;

	pthread_barrier_init (&start, NULL, SWEEPERS);
	for (int i = 0; i < SWEEPERS; i++)
		pthread_create (&thread[i], NULL, rove, NULL);
	for (int i = 0; i < 200; i++) { /* reads while they write */
		out = open_memstream (&report, &bytes);
		if (out && pp_report (out) == PP_OK)
			sched_yield ();
		if (out)
			fclose (out);
		free (report);
		report = NULL;
		pp_assertion_state ("crowd", &info);
		if (info.checks >= all)
			break;
	}
	for (int i = 0; i < SWEEPERS; i++)
		pthread_join (thread[i], NULL);
	pp_assertion_state ("crowd", &info);
	same ((double) info.checks, all, "eight threads at once: every execution is checked");
	same ((double) info.violations, all / 10,
	      "and every violation counted, also where there are too many to step");
	pp_assertion_state ("swept", &info);
	same ((double) info.violations, all / 100, "a sweep leaves its own assertion alone");
	out = open_memstream (&report, &bytes);
	if (!ok (out && pp_report (out) == PP_OK && fclose (out) == 0, "the report"))
		return;
	same (swept_at (report, "1.05"), all / 10,
	      "a sweep's lowest threshold, all threads added up");
	same (swept_at (report, "1.5"), all / 100, "its own threshold");
	same (swept_at (report, "2"), all / 100, "a higher one");
	same (swept_at (report, "3"), 0, "and one that nothing violates");
	free (report);
}

int main (void)
{
	if (!ok (load_policy (policy) == PP_OK,
		 "a policy with states for each thread, and a sweep"))
		return checked ();
	each_has_its_own_state ();
	sweeps_add_up ();
	return checked ();
}
