/* SPDX-License-Identifier: MIT */
/*
 * forks.c: children by fork, _Fork, raw clone and vfork. A child starts with nothing and never
 * writes into its parent's data; the parent notices nothing.
 */
#include "check.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* clang-format off */
#pragma pp metric work_time interval stats(elapsed)
#pragma pp metric values    point    sumcount(value)
#pragma pp metric later     interval stats(elapsed)
/* clang-format on */

static __thread volatile long sink;

NOIPA static void work (long value)
{
#pragma pp interval work(work_time)
#pragma pp point given(values) value(value)
	sink++;
}

static void work_often (int n)
{
	for (int i = 0; i < n; i++)
		work (2);
}

static double or_0 (double x)
{
	return isnan (x) ? 0 : x;
}

/* What a child finds, in memory shared with it. */
static struct report {
	double at_start, after_10, sum_after_10, dropped, in_interval;
	int bound_anew, done;
} * report;

/*
 * A child that binds first: from then on it has data of its own, also where no handler of fork has
 * told the library of it.
 */
static void child_asks (void)
{
	report->at_start = or_0 (pp_count (work_time));
	report->bound_anew = pp_bind (later, "work/work", 0);
	work_often (10);
	report->after_10 = pp_count (work_time);
	report->sum_after_10 = pp_sum (values);
	report->dropped = (double) pp_dropped (PP_DROP_FORK);
	report->in_interval = pp_count (later);
	report->done = 1;
}

/* A child that runs through its sites before anything else. */
static void child_runs (void)
{
	work_often (10);
	report->after_10 = or_0 (pp_count (work_time));
	report->dropped = (double) pp_dropped (PP_DROP_FORK);
	report->bound_anew = pp_bind (later, "work/work", 0);
	work_often (10);
	report->in_interval = or_0 (pp_count (work_time));
	report->done = 1;
}

static int seen_fires; /* atomic */

static void fires (const struct pp_violation *violation, void *arg)
{
	(void) arg;
	__atomic_fetch_add (&seen_fires, !violation->clears, __ATOMIC_RELAXED);
}

/* A child that asks for nothing of assertions, and has them all the same. */
static void child_expects (void)
{
	struct pp_assertion_info info;

	report->dropped = (double) pp_dropped (PP_DROP_SPAN);
	work_often (5);
	/* those by time look as long as it takes */
	for (int i = 0; i < 2000 && __atomic_load_n (&seen_fires, __ATOMIC_RELAXED) < 2; i++)
		usleep (10000);
	report->in_interval = __atomic_load_n (&seen_fires, __ATOMIC_RELAXED);
	report->after_10 =
		pp_assertion_state ("given_is_small", &info) ? -1 : (double) info.violations;
	report->done = 1;
}

static pid_t raw_clone (void)
{
	return (pid_t) syscall (SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

static int in_child (pid_t (*make) (void), void (*run) (void))
{
	int status = -1;
	pid_t pid;

	memset (report, 0, sizeof (*report));
	fflush (stdout);
	pid = make ();
	if (pid == 0) {
		run ();
		_exit (0);
	}
	waitpid (pid, &status, 0);
	return pid > 0 && WIFEXITED (status) && WEXITSTATUS (status) == 0 && report->done;
}

static void test_child (const char *name, pid_t (*make) (void))
{
	double before = pp_count (work_time), sum = pp_sum (values);

	ok (in_child (make, child_asks), "a child of %s runs to its end", name);
	ok (report->at_start == 0, "a child of %s starts with no sample", name);
	ok (report->after_10 == 10 && report->sum_after_10 == 20,
	    "a child of %s measures its own executions", name);
	ok (report->bound_anew == 1 && report->in_interval == 10, "a child of %s binds metrics",
	    name);
	ok (pp_count (work_time) == before && pp_sum (values) == sum,
	    "the parent's data stay as they are, with %s", name);
	work_often (10);
	ok (pp_count (work_time) == before + 10, "the parent measures on, with %s", name);
	ok (isnan (pp_count (later)) || pp_count (later) == 0,
	    "what a child of %s binds is not bound in the parent", name);
}

static void test_assertions (const char *name, pid_t (*make) (void))
{
	ok (in_child (make, child_expects), "a child of %s has assertions", name);
	same (report->after_10, 5, "... those at sites are checked");
	same (report->in_interval, 2, "... and callbacks called, those by time too");
}

static void test_child_that_runs (const char *name, pid_t (*make) (void))
{
	double before = pp_count (work_time), sum = pp_sum (values);

	ok (in_child (make, child_runs),
	    "a child of %s that runs through sites at once comes to its end", name);
	/* each execution runs through three markers */
	ok (report->after_10 == 10 || report->dropped == 30,
	    "what a child of %s runs is measured or counted as dropped", name);
	ok (report->in_interval == report->after_10 + 10,
	    "once it has bound a metric a child of %s is measured", name);
	ok (pp_count (work_time) == before && pp_sum (values) == sum,
	    "the parent's data stay as they are when a child of %s runs at once", name);
}

/* ---- inside an interval ---------------------------------------------------------------------- */

NOIPA static pid_t fork_inside (pid_t (*make) (void))
{
	pid_t pid;
#pragma pp interval fork_inside(work_time)

	pid = make ();
	sink++;
	return pid;
}

static void test_inside (const char *name, pid_t (*make) (void))
{
	double before = pp_count (work_time);
	int status = -1;
	pid_t pid;

	memset (report, 0, sizeof (*report));
	fflush (stdout);
	pid = fork_inside (make);
	if (pid == 0) {
		child_runs ();
		_exit (0);
	}
	waitpid (pid, &status, 0);
	ok (WIFEXITED (status) && WEXITSTATUS (status) == 0,
	    "a child of %s inside an interval runs to its end", name);
	ok (pp_count (work_time) == before + 1,
	    "%s inside an interval leaves it one sample of the parent", name);
	ok (report->in_interval == report->after_10 + 10, "and the child of %s is measured", name);
}

/* ---- while other threads run ----------------------------------------------------------------- */

static int stop;

static void *busy (void *arg)
{
	double *n = arg;

	while (!__atomic_load_n (&stop, __ATOMIC_RELAXED)) {
		work_often (100);
		*n += 100;
	}
	return NULL;
}

static void test_threads (void)
{
	enum { N = 4, CHILDREN = 60 };
	pid_t (*const makes[]) (void) = {fork, _Fork, raw_clone};
	pthread_t threads[N];
	double run[N] = {0}, sum = 0, before = pp_count (work_time);
	int good = 1;

	for (int i = 0; i < N; i++)
		pthread_create (&threads[i], NULL, busy, &run[i]);
	for (int i = 0; i < CHILDREN; i++) {
		/*
		 * _Fork and clone copy locks that other threads hold: such a child may not ask for
		 * anything
		 */
		pid_t pid = makes[i % 3]();

		if (pid == 0) {
			work_often (100);
			if (i % 3 == 0 && or_0 (pp_count (work_time)) != 100)
				_exit (1);
			_exit (0);
		}
		int status = -1;
		waitpid (pid, &status, 0);
		if (!WIFEXITED (status) || WEXITSTATUS (status)) {
			note ("child %d: status %#x", i, status);
			good = 0;
		}
	}
	__atomic_store_n (&stop, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < N; i++) {
		pthread_join (threads[i], NULL);
		sum += run[i];
	}
	ok (good, "children made while other threads measure come to their ends, each with its own "
		  "samples");
	same (pp_count (work_time), before + sum, "and the threads lose and gain nothing");
}

/* ---- vfork ----------------------------------------------------------------------------------- */

NOIPA static pid_t vfork_and_run (void)
{
	pid_t pid = vfork ();

	if (pid == 0) {
		work_often (10);
		_exit (0);
	}
	return pid;
}

/*
 * Its memory is the parent's: what it runs cannot be told from what the parent's thread runs, so it
 * may only be counted as that.
 */
static void test_vfork (void)
{
	double before = pp_count (work_time), after;
	int status = -1;

	waitpid (vfork_and_run (), &status, 0);
	after = pp_count (work_time);
	ok (WIFEXITED (status) && WEXITSTATUS (status) == 0,
	    "a child of vfork runs through sites to its end");
	note ("vfork's child left %g samples", after - before);
	work_often (100);
	same (pp_count (work_time), after + 100, "the parent measures on after vfork");
}

/* ---- grandchildren --------------------------------------------------------------------------- */

static void child_forks (void)
{
	int status = -1;
	pid_t pid;

	work_often (7);
	pid = fork ();
	if (pid == 0) {
		work_often (3);
		_exit (pp_count (work_time) == 3 ? 0 : 1);
	}
	waitpid (pid, &status, 0);
	report->done = WIFEXITED (status) && WEXITSTATUS (status) == 0 && pp_count (work_time) == 7;
}

/* ---- what the parent had bound once ---------------------------------------------------------- */

/*
 * The parent's region is left: what a binding had there must be forgotten although nothing was
 * bound at the fork, else its samples are in no report.
 */
static void child_binds_again (void)
{
	char path[64], *shown = NULL;
	size_t bytes = 0;
	FILE *text;

	snprintf (path, sizeof (path), "/tmp/pp-forks-%d.pprec", (int) getpid ());
	pp_record (path);
	unlink (path);
	report->bound_anew = pp_bind (later, "work/work", 0);
	report->at_start = or_0 (pp_count (later));
	work_often (10);
	report->in_interval = pp_count (later);
	text = open_memstream (&shown, &bytes);
	report->done = text && pp_report (text) == PP_OK && fclose (text) == 0 &&
		       strstr (shown, "later") && strstr (shown, "work/work");
}

static void test_bound_once (void)
{
	pp_bind (later, "work/work", 0);
	work_often (1000);
	ok (pp_unbind (later, "work/work") == 1 && pp_unbind (work_time, "*/*") == 2 &&
		    pp_unbind (values, "work/given") == 1,
	    "nothing is bound any more");
	for (int i = 0; i < 8; i++) {
		ok (in_child (fork, child_binds_again) && report->bound_anew == 1 &&
			    report->at_start == 0 && report->in_interval == 10,
		    "child %d binds what its parent had unbound", i);
	}
	same (pp_count (later), 1000, "which the parent does not notice");
}

int main (void)
{
	report = mmap (NULL, sizeof (*report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	work_often (1000);
	same (pp_count (work_time), 1000, "the parent measures");
	test_child ("fork", fork);
	test_child ("_Fork", _Fork);
	test_child ("clone", raw_clone);
	test_child_that_runs ("fork", fork);
	test_child_that_runs ("_Fork", _Fork);
	test_child_that_runs ("clone", raw_clone);
	test_inside ("fork", fork);
	test_inside ("_Fork", _Fork);
	test_inside ("clone", raw_clone);
	ok (in_child (fork, child_forks), "a child's child has its own samples too");
	if (UNDER_TSAN)
		skipped ("children of a program with threads", "ThreadSanitizer dies in them");
	else
		test_threads ();
	if (UNDER_TSAN)
		skipped ("vfork",
			 "ThreadSanitizer keeps a state of its own that a child of vfork destroys");
	else
		test_vfork ();
	test_bound_once ();
	pp_bind (values, "work/given", 0);
	pp_policy_load_text ("expects",
			     "version: 1\n"
			     "assertions:\n"
			     "  given_is_small: {at: work/given, expect: values.last <= 1}\n"
			     "  values_are_small: {every: 10ms, expect: values.avg <= 1}\n");
	pp_on_assertion ("given_is_small", fires, NULL);
	pp_on_assertion ("values_are_small", fires, NULL);
	pp_reset (NULL);
	if (UNDER_TSAN) {
		skipped ("assertions in children", "ThreadSanitizer starts no threads in them");
	} else {
		test_assertions ("fork", fork);
		test_assertions ("_Fork", _Fork);
		test_assertions ("clone", raw_clone);
	}
	pp_policy_unload ("expects");
	note_drops ();
	return checked ();
}
