/* SPDX-License-Identifier: MIT */
/*
 * review_core.c: what a hostile reading of the runtime found: threads that come and go without a
 * thread of the library's, children that only call pp_sample, cancellation, intervals that are
 * toggled for ever, handlers that jump into the function they interrupted, types of values in
 * recordings.
 */
#include "check.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/wait.h>

static int jump_once;

static long read_or_jump (void)
{
	if (jump_once) {
		jump_once = 0;
		raise (SIGUSR1);
	}
	return 0;
}

static long always_one (const long *begun)
{
	return *begun + 1;
}

/* clang-format off */
#pragma pp metric thread_time interval stats(elapsed)
#pragma pp metric toggled     interval stats(elapsed)
#pragma pp metric jumps       interval bounded_series(read_or_jump, always_one, size=100)
/* clang-format on */

static double half = 0.5;

NOIPA static void in_thread (void)
{
#pragma pp interval in_thread(thread_time)
	__asm__ volatile("");
}

static void *run (void *arg)
{
	in_thread ();
	return arg;
}

static void threads_come_and_go (void)
{
	enum { THREADS = 3000 };
	pthread_t t;
	int n = 0;

	for (int i = 0; i < THREADS; i++)
		if (pthread_create (&t, NULL, run, NULL) == 0) {
			pthread_join (t, NULL);
			n++;
		}
	same (pp_count (thread_time), n, "every thread that came and went is counted");
	same ((double) pp_dropped (PP_DROP_POOL), 0,
	      "threads that have ended make room for others without a thread of the library's");
}

NOIPA static void value_site (void)
{
#pragma pp point value_site value(half)
	__asm__ volatile("");
}

static void values_in_reports (void)
{
	char line[256];
	pp_metric *m;
	FILE *f = tmpfile ();
	int found = 0;

	ok (pp_metric_new (&m, "halves", "point sumcount(value)") == 0 &&
		    pp_bind (m, "value_site/value_site", 0) == 1,
	    "a metric of values is bound to a site of doubles by call");
	for (int i = 0; i < 10; i++)
		value_site ();
	same (pp_avg (m), 0.5, "its average is that of the doubles");
	pp_report (f);
	rewind (f);
	while (fgets (line, sizeof (line), f))
		found |= strstr (line, "value_site/value_site") &&
			 (strstr (line, "0.500") || strstr (line, " 0.5"));
	fclose (f);
	ok (found, "and the report, which reads the region, says the same");
}

static void samples_of_children (void)
{
	int status = -1;
	pp_metric *m;
	pid_t child;

	ok (pp_metric_new (&m, "fractions", "point stats(value)") == 0 &&
		    pp_sample (m, 0.25) == 0 && pp_avg (m) == 0.25,
	    "where no site asks for integers, pp_sample keeps fractions");
	child = fork ();
	if (!child)
		_exit (pp_sample (m, 0.5) == 0 && pp_count (m) == 1 && pp_avg (m) == 0.5 ? 0 : 1);
	waitpid (child, &status, 0);
	ok (status == 0, "pp_sample in a child counts from nothing");
}

static void *cancelled (void *arg)
{
	pthread_cancel (pthread_self ());
	/* several: a message, and writing it is a cancellation point */
	pp_site_find ("**", (pp_site **) arg);
	return NULL;
}

static void cancellation (void)
{
	pp_site *site;
	pthread_t t;

	pthread_create (&t, NULL, cancelled, &site);
	pthread_join (t, NULL);
	alarm (20);
	ok (pp_metric_find ("toggled") != NULL,
	    "a thread that is cancelled amid a call leaves the lock free");
	alarm (0);
}

NOIPA static void inner (void)
{
#pragma pp interval inner(toggled)
	__asm__ volatile("");
}

NOIPA static void toggle (pp_metric *m)
{
	for (int i = 0; i < 2500; i++) {
		pp_bind (m, "toggle/around", 0);
		{
#pragma pp interval around
			pp_unbind (m, "toggle/around");
		}
	}
	for (int i = 0; i < 100; i++)
		inner ();
}

static void toggling (void)
{
	pp_metric *m;

	pp_metric_new (&m, "around_time", "interval stats(elapsed)");
	toggle (m);
	same (pp_count (toggled), 100,
	      "a loop whose interval is enabled outside and disabled inside leaves room for "
	      "others");
	same ((double) pp_dropped (PP_DROP_DEPTH), 0, "and reaches no depth");
}

static sigjmp_buf landing;

static void on_signal (int signal)
{
	(void) signal;
	siglongjmp (landing, 1);
}

NOIPA static void jump_within (void)
{
	double own[100];

	signal (SIGUSR1, on_signal);
	jump_once = 1;
	if (!sigsetjmp (landing, 1)) {
#pragma pp interval left(jumps)
		__asm__ volatile("");
	}
	for (int i = 0; i < 10; i++) {
#pragma pp interval after(jumps)
		__asm__ volatile("");
	}
	same ((double) pp_series_copy (jumps, own, 100), 10,
	      "a handler that jumps out of a marker into the same function leaves the thread its "
	      "own series");
}

int main (int n, char **args)
{
	(void) n;
	/* a small region, so that threads that are not noticed to have ended do not fit */
	if (!getenv ("PP_REGION_MAX") && setenv ("PP_REGION_MAX", "4M", 1) == 0)
		execv ("/proc/self/exe", args);
	threads_come_and_go ();
	values_in_reports ();
	samples_of_children ();
	cancellation ();
	toggling ();
	jump_within ();
	return checked ();
}
