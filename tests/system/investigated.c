/* SPDX-License-Identifier: MIT */
/*
 * investigated.c: where a slowdown comes from, in a program with threads and nested functions. What
 * is measured is the program's own count of steps: how long anything takes decides nothing.
 */
#include "check.h"

#include <pthread.h>
#include <time.h>

static __thread int64_t steps;
static int stop; /* atomic */

static int64_t steps_begin (void)
{
	return steps;
}

static int64_t steps_end (const int64_t *begin)
{
	return steps - *begin;
}
PP_SOURCE_INTERVAL_INT (steps_taken, steps_begin, steps_end, "")

NOIPA static void decode (int n)
{
#pragma pp interval decode
	steps += n;
}

NOIPA static void blend (int n)
{
#pragma pp interval blend
	steps += n;
}

NOIPA static void draw (int bad)
{
#pragma pp interval draw
	for (int i = 0; i < 3; i++)
		blend (bad ? 40 : 2);
	decode (5);
	steps++;
}

NOIPA static void answer (int bad)
{
#pragma pp interval answer
	decode (50);
	draw (bad);
	steps += 2;
}

/* Runs outside of what is investigated, and takes more than all of it */
NOIPA static void housekeeping (void)
{
#pragma pp interval housekeeping
	steps += 10000;
	blend (7777);
}

static void *server (void *arg)
{
	(void) arg;
	for (int i = 0; !__atomic_load_n (&stop, __ATOMIC_RELAXED); i++) {
		answer (i % 3 == 0);
		housekeeping ();
		if (i % 50 == 0)
			nanosleep (&(struct timespec){0, 1000000}, NULL);
	}
	return NULL;
}

static int results;
static char from_callback[256];

static void listen (const struct pp_violation *v, void *arg)
{
	(void) arg;
	if (!v->investigated || results)
		return;
	snprintf (from_callback, sizeof from_callback, "%s", v->detail);
	__atomic_store_n (&results, 1, __ATOMIC_RELEASE);
}

static int count_bound (pp_site *site, void *arg)
{
	pp_metric *probe = pp_metric_find ("investigate_slow");

	*(double *) arg += probe ? pp_stat (probe, site, PP_STAT_N) > 0 : 0;
	return 0;
}

int main (void)
{
	pthread_t thread[2];
	char culprit[256] = "";
	double share = 0, sampled = 0;
	FILE *report;
	char *text = NULL;
	size_t bytes;

	ok (load_policy ("version: 1\n"
			 "metrics:\n"
			 "  cost: {interval: steps_taken, keep: stats}\n"
			 "bind:\n"
			 "  - {metric: cost, sites: answer/answer}\n"
			 "assertions:\n"
			 "  slow:\n"
			 "    at: answer/answer\n"
			 "    expect: cost.last <= 100\n"
			 "    on_fire: [{investigate: {for: 60s}}]\n") == PP_OK,
	    "an assertion at an interval may be investigated");
	pp_on_assertion ("slow", listen, NULL);
	for (int i = 0; i < 2; i++)
		pthread_create (&thread[i], NULL, server, NULL);
	for (int i = 0; i < 60000 && !__atomic_load_n (&results, __ATOMIC_ACQUIRE); i++)
		nanosleep (&(struct timespec){0, 1000000}, NULL);
	ok (__atomic_load_n (&results, __ATOMIC_ACQUIRE), "the result comes as a callback");
	ok (pp_assertion_culprit ("slow", culprit, sizeof culprit, &share) == PP_OK &&
		    strstr (culprit, ":blend/blend") != NULL,
	    "it is the innermost interval that is slower when the outermost is");
	near (share, 1, 1e-9, "with all of what is too slow");
	ok (strstr (from_callback, "100 % of what is too much is in ") != NULL &&
		    strstr (from_callback, "inside ") != NULL &&
		    strstr (from_callback, ":draw/draw (100 %)") != NULL,
	    "and the way there");
	note ("%s", from_callback);
	__atomic_store_n (&stop, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < 2; i++)
		pthread_join (thread[i], NULL);

	/* bound still, it would have more samples now */
	pp_site_each ("**", count_bound, &sampled);
	pp_reset (pp_metric_find ("investigate_slow"));
	answer (0);
	housekeeping ();
	sampled = 0;
	pp_site_each ("**", count_bound, &sampled);
	same (sampled, 0, "what was bound for it is unbound");
	report = open_memstream (&text, &bytes);
	ok (report && pp_report (report) == PP_OK && fclose (report) == 0 &&
		    strstr (text, "    investigated at ") &&
		    strstr (text, "100 % of what is too much is in "),
	    "the report tells it");
	free (text);
	return checked ();
}
