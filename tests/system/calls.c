/* SPDX-License-Identifier: MIT */
/*
 * calls.c: pp_begin, pp_end and pp_point as functions of the library. Compiled without the plugin,
 * as a program of any compiler would be.
 */
#include "check.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

static pp_metric *m, *times, *values, *ratios, *dots;

static __thread volatile long sink;
static jmp_buf out;

static double or_0 (double x)
{
	return isnan (x) ? 0 : x;
}

static double count (void)
{
	return or_0 (pp_count (m));
}

/* Everything anew, with m bound to PATTERN. */
static void start (const char *pattern)
{
	pp_unbind (m, "*");
	pp_bind (m, pattern, 0);
	pp_reset (NULL);
	forget_drops ();
}

/* ---- names ----------------------------------------------------------------------------------- */

static int other_site (pp_site *site, void *arg)
{
	(void) site;
	++*(int *) arg;
	return 0;
}

static void names (void)
{
	pp_site *site = NULL;
	const char *slash;
	int n = 0;

	ok (pp_site_find ("first", &site) == PP_ENOENT,
	    "before its first call a site is not there");
	pp_begin ("first");
	pp_end ("first");
	ok (pp_site_find ("first", &site) == PP_OK, "it is there after it, without anything bound");
	slash = site ? strchr (pp_site_name (site), '!') : NULL;
	ok (slash && strcmp (slash, "!first") == 0, "its name is its program's and its own");
	for (int i = 0; i < 10; i++)
		pp_end ("first");
	pp_site_each ("first", other_site, &n);
	ok (n == 1, "further calls of the name are the same site");
	same (newly_dropped_in_all (), 0, "while nothing is bound nothing is counted as dropped");
	pp_begin (NULL);
	pp_point (NULL);
	same (newly_dropped_in_all (), 0, "a call without a name does nothing");
	pp_begin ("");
	same (newly_dropped (PP_DROP_POOL), 1, "an empty name is dropped and counted");
}

/* ---- pairing --------------------------------------------------------------------------------- */

NOIPA static void recurse (int depth)
{
	pp_begin ("recursion");
	if (depth > 1)
		recurse (depth - 1);
	pp_end ("recursion");
	sink++;
}

/* frames of different sizes, which have returned when the next is called */
NOIPA static void wrapper_begin (const char *name)
{
	char copy[200];

	snprintf (copy, sizeof (copy), "%s", name);
	pp_begin (copy);
	sink++;
}

NOIPA static void wrapper_end (const char *name)
{
	pp_end (name);
	sink++;
}

NOIPA static void leave (void)
{
	pp_begin ("left");
	sink++;
	longjmp (out, 1);
}

NOIPA static void forget (void)
{
	pp_begin ("left");
	sink++;
}

static void pairing (void)
{
	start ("plain");
	for (int i = 0; i < 1000; i++) {
		pp_begin ("plain");
		pp_end ("plain");
	}
	same (count (), 0, "a metric is bound to a site only from when the site is there");
	start ("plain");
	for (int i = 0; i < 1000; i++) {
		pp_begin ("plain");
		pp_end ("plain");
	}
	same (count (), 1000, "every execution is a sample");
	pp_begin ("recursion");
	pp_end ("recursion");
	start ("recursion");
	recurse (1000);
	same (count (), 1000, "a recursion's intervals are all measured");
	same (newly_dropped_in_all (), 0, "and none is dropped");
	recurse (1500);
	same (count (), 1000 + 1024, "of more than 1,024 open intervals the newest are measured");
	same (newly_dropped (PP_DROP_DEPTH), 1500 - 1024, "the others are counted");
	same (newly_dropped (PP_DROP_UNMATCHED), 1500 - 1024, "and so are their ends");
	recurse (10);
	same (count (), 1000 + 1024 + 10, "and the next intervals are measured again");
}

/* As of functions that were inlined into one. */
static void one_frame (void)
{
	pp_begin ("one");
	pp_end ("one");
	start ("one");
	for (int i = 0; i < 100; i++) {
		pp_begin ("one");
		pp_begin ("one");
		pp_end ("one");
		pp_end ("one");
	}
	same (count (), 200, "two calls of a name in one function begin two intervals");
	same (newly_dropped_in_all (), 0, "and neither is taken for one that was left behind");
	for (volatile int i = 0; i < 100; i++)
		if (!setjmp (out)) {
			pp_begin ("one");
			pp_begin ("one");
			longjmp (out, 1);
		}
	same (newly_dropped (PP_DROP_LONGJMP), 2 * 99,
	      "a call that runs again finds what it began there, and what began since, left "
	      "behind");
}

static void crossing (void)
{
	pp_begin ("a");
	pp_begin ("b");
	start ("a");
	pp_bind (m, "b", 0);
	pp_begin ("a");
	pp_begin ("b");
	pp_end ("a");
	pp_end ("b");
	same (count (), 2, "intervals may cross");
	wrapper_begin ("a");
	wrapper_begin ("b");
	sink++;
	wrapper_end ("a");
	wrapper_end ("b");
	same (count (), 4, "functions that wrap begin and end may have returned");
	same (newly_dropped_in_all (), 0, "and nothing is dropped by that");
}

static void left_behind (void)
{
	pp_begin ("left");
	pp_end ("left");
	start ("left");
	pp_end ("left");
	same (newly_dropped (PP_DROP_UNMATCHED), 1, "an end without a begin is counted");
	for (int i = 0; i < 5000; i++)
		forget ();
	same (newly_dropped (PP_DROP_LONGJMP), 4999,
	      "a begin that is never ended is found at the next and counted");
	pp_end ("left");
	pp_begin ("left");
	for (volatile int i = 0; i < 100; i++)
		if (!setjmp (out))
			leave ();
	pp_end ("left");
	same (count (), 2,
	      "the end of a function that began itself does not take what a longjmp left behind");
	same (newly_dropped (PP_DROP_LONGJMP), 99 + 1, "which is counted");
	for (int i = 0; i < 10; i++) {
		pp_begin ("left");
		pp_unbind (m, "left");
		pp_bind (m, "left", 0);
		pp_end ("left");
	}
	same (count (), 2, "an interval whose site is disabled inside is not measured");
	same (newly_dropped (PP_DROP_DISABLED), 10, "but counted");
}

static double seconds (void)
{
	struct timespec t;

	clock_gettime (CLOCK_MONOTONIC, &t);
	return (double) t.tv_sec + (double) t.tv_nsec * 1e-9;
}

static void times_are_right (void)
{
	struct timespec pause = {.tv_nsec = 20000000};
	double inside, outside;

	pp_begin ("pause");
	pp_end ("pause");
	pp_bind (times, "pause", 0);
	outside = seconds ();
	pp_begin ("pause");
	inside = seconds ();
	nanosleep (&pause, NULL);
	inside = seconds () - inside;
	pp_end ("pause");
	outside = seconds () - outside;
	/* the counter's rate is known to a thousandth at least */
	ok (pp_last (times) >= inside * 0.999 && pp_last (times) <= outside * 1.001,
	    "the time between begin and end is measured");
	pp_unbind (times, "pause");
}

/* ---- points ---------------------------------------------------------------------------------- */

static void points (void)
{
	pp_point ("dot");
	pp_bind (dots, "dot", 0);
	for (int i = 0; i < 10; i++)
		pp_point ("dot");
	same (pp_count (dots), 10, "points are counted");
	ok (pp_bind (values, "dot", 0) == PP_EKIND,
	    "a point that has had no value yet has none to keep");
	pp_point_int ("dot", 7);
	same (pp_count (dots), 11, "the first value at a point is one more execution");
	ok (pp_bind (values, "dot", 0) == 1, "and from then on its values can be kept");
	for (int i = 1; i <= 10; i++)
		pp_point_int ("dot", i);
	same (pp_sum (values), 55, "integers are kept");
	pp_point_double ("ratio", 0.5);
	pp_bind (ratios, "ratio", 0);
	forget_drops ();
	pp_point_double ("ratio", 0.25);
	pp_point_int ("ratio", 2);
	same (pp_sum (ratios), 2.25, "doubles are kept, and integers at a point of doubles");
	pp_point_double ("dot", 1.5);
	pp_point ("dot");
	same (newly_dropped (PP_DROP_UNKNOWN), 2,
	      "a double or no value at a point of integers is counted as unknown");
	pp_unbind (dots, "dot");
	pp_unbind (values, "dot");
	pp_unbind (ratios, "ratio");
}

/* ---- policies -------------------------------------------------------------------------------- */

static void policies (void)
{
	struct pp_assertion_info info;

	load_policy ("version: 1\n"
		     "metrics:\n"
		     "  late_time: {interval: elapsed, keep: stats}\n"
		     "  late_value: {point: value, keep: stats}\n"
		     "bind:\n"
		     "  - {metric: late_time, sites: [late, \"later*\"]}\n"
		     "  - {metric: late_value, sites: [late_point]}\n"
		     "assertions:\n"
		     "  small:\n"
		     "    at: late_point\n"
		     "    expect: late_value.last <= 5\n");
	for (int i = 0; i < 3; i++) {
		pp_begin ("late");
		pp_begin ("later1");
		pp_end ("later1");
		pp_end ("late");
	}
	same (pp_count (pp_metric_find ("late_time")), 6,
	      "a policy's bindings wait for the first call of a name");
	for (int i = 1; i <= 10; i++)
		pp_point_int ("late_point", i);
	ok (pp_assertion_state ("small", &info) == PP_OK && info.violations == 5 &&
		    info.checks == 10,
	    "and so does an assertion at the site");
}

/* ---- threads, handlers, children ------------------------------------------------------------- */

#define THREADS 8
#define ROUNDS 20000

static void *work (void *arg)
{
	char name[32];

	for (int i = 0; i < ROUNDS; i++) {
		snprintf (name, sizeof (name), "shared%d", i % 500);
		pp_begin (name);
		sink++;
		pp_end (name);
	}
	pp_begin ("shared0"); /* it ends with this open */
	return arg;
}

static void threads (void)
{
	pthread_t thread[THREADS];

	load_policy ("version: 1\nmetrics:\n  shared: {interval: count, keep: count}\n"
		     "bind:\n  - {metric: shared, sites: [\"shared*\"]}\n");
	forget_drops ();
	for (int i = 0; i < THREADS; i++)
		pthread_create (&thread[i], NULL, work, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join (thread[i], NULL);
	same (pp_count (pp_metric_find ("shared")) + newly_dropped (PP_DROP_UNMATCHED),
	      THREADS * ROUNDS,
	      "threads that meet a name at the same time make one site, and all their executions "
	      "are told of");
	for (int i = 0; i < 4; i++) {
		pthread_create (&thread[0], NULL, work, NULL);
		pthread_join (thread[0], NULL);
	}
	pp_end ("shared0");
	same (newly_dropped (PP_DROP_UNMATCHED), 1,
	      "what a thread left open when it ended is not another thread's");
}

static volatile sig_atomic_t handled;

static void handler (int signal)
{
	(void) signal;
	pp_begin ("handler");
	pp_end ("handler");
	handled++;
}

static void handlers (void)
{
	struct itimerval timer = {{0, 200}, {0, 200}}, off = {{0, 0}, {0, 0}};
	double n = 0;

	pp_begin ("handler");
	pp_begin ("interrupted");
	start ("handler");
	pp_bind (m, "interrupted", 0);
	signal (SIGALRM, handler);
	setitimer (ITIMER_REAL, &timer, NULL);
	for (; handled < 300; n++) {
		pp_begin ("interrupted");
		pp_end ("interrupted");
	}
	setitimer (ITIMER_REAL, &off, NULL);
	signal (SIGALRM, SIG_DFL);
	same (count (), n + handled,
	      "a handler's intervals and those that it interrupted are all measured");
	same (newly_dropped_in_all (), 0, "and none is dropped");
}

static void children (void)
{
	int status = -1;
	pid_t pid;

	pp_begin ("plain");
	start ("plain");
	pp_begin ("plain");
	pid = fork ();
	if (pid == 0) {
		pp_end ("plain"); /* was the parent's */
		for (int i = 0; i < 10; i++) {
			pp_begin ("plain");
			pp_end ("plain");
		}
		_exit (count () == 10 ? 0 : 1);
	}
	waitpid (pid, &status, 0);
	pp_end ("plain");
	same (status, 0, "a child counts what it does itself");
	same (count (), 1, "and its parent what it did");
}

/* ---- too many -------------------------------------------------------------------------------- */

static void many (void)
{
	char name[2000];
	pp_site *site;

	memset (name, 'x', sizeof (name));
	name[sizeof (name) - 1] = '\0';
	forget_drops ();
	pp_begin (name);
	same (newly_dropped (PP_DROP_POOL), 1, "a name without end is dropped and counted");
	for (int i = 0; i < 66000; i++) {
		snprintf (name, sizeof (name), "made up %d", i);
		pp_point (name);
	}
	ok (newly_dropped (PP_DROP_POOL) >= 66000 - 65536,
	    "from 65,536 names on new ones are dropped and counted");
	ok (pp_site_find ("made up 60000", &site) == PP_OK, "those before are sites");
}

int main (void)
{
	pp_metric_new (&m, "m", "interval count(count)");
	pp_metric_new (&times, "times", "interval stats(elapsed)");
	pp_metric_new (&values, "values", "point stats(value)");
	pp_metric_new (&ratios, "ratios", "point stats(value)");
	pp_metric_new (&dots, "dots", "point count(count)");
	names ();
	pairing ();
	one_frame ();
	crossing ();
	left_behind ();
	times_are_right ();
	points ();
	policies ();
	threads ();
	handlers ();
	children ();
	many ();
	return checked ();
}
