/* SPDX-License-Identifier: MIT */
/*
 * returns.c: setjmp's second return is where marks that a longjmp jumped over are left, while
 * features are measured or sampled: before any marker of the program's own is executed.
 */
#include "check.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/wait.h>
#include <ucontext.h>

static jmp_buf back;
static sigjmp_buf signal_back;
static __thread volatile long sink;

/* ---- what is measured ------------------------------------------------------------------------ */

static const char text[] = "version: 1\n"
			   "profile: {features: %s}\n"
			   "record: {file: %s.pprec}\n"
			   "metrics: {arrivals: {point: count, keep: count}, inner: {interval: "
			   "elapsed, keep: stats}}\n"
			   "bind:\n"
			   "- {metric: arrivals, sites: 'counted/setjmp'}\n"
			   "- {metric: inner, sites: 'plain/plain'}\n";
static char policy[128];

static void measure (const char *how)
{
	char filled[sizeof text + sizeof policy + 16];

	write_file (policy, ".yaml", "");
	snprintf (filled, sizeof filled, text, how, policy);
	write_file (policy, ".yaml", filled);
	same (pp_policy_load (policy), PP_OK, how);
	pp_reset (NULL);
	forget_drops ();
}

static void measure_no_more (void)
{
	same (pp_policy_unload (policy), PP_OK, "no more");
	unlink (policy);
	forget_drops ();
}

/* ---- one jump -------------------------------------------------------------------------------- */

NOIPA static void deeper (int depth)
{
	PP_FEATURE (returns.deeper)
	if (depth == 0)
		longjmp (back, 1);
	deeper (depth - 1);
	sink++;
}

/* How many were dropped when setjmp returned for the second time. */
NOIPA static double arrive (int depth)
{
	if (setjmp (back) == 0) {
		deeper (depth);
		return -1;
	}
	return newly_dropped (PP_DROP_LONGJMP);
}

NOIPA static void plain (void)
{
	PP_INTERVAL (plain)
	longjmp (back, 2);
}

NOIPA static double counted (void)
{
	if (setjmp (back) == 0)
		plain ();
	return newly_dropped (PP_DROP_LONGJMP);
}

static int count_points (pp_site *site, void *arg)
{
	const char *name = strrchr (pp_site_name (site), '/');

	*(int *) arg += name && strcmp (name, "/setjmp") == 0;
	return 0;
}

/* How many points behind setjmp PATTERN means. */
static int points (const char *pattern)
{
	int n = 0;

	pp_site_each (pattern, count_points, &n);
	return n;
}

static void test_patterns (void)
{
	same (points ("counted/setjmp"), 1, "a pattern means a point behind setjmp by its name");
	same (points ("*unted/setjmp"), 1, "whatever stands before it");
	same (points (NULL) + points ("*") + points ("counted/*") + points ("fn:counted") +
		      points ("file:returns.c"),
	      0, "and not by what means all that there is");
}

/* What is around the call is as open as before. */
NOIPA static double inside (int depth)
{
	PP_FEATURE (returns.around)
	double dropped = arrive (depth);

	sink++;
	return dropped;
}

/* A call begins a mark, far enough below. */
NOIPA static void call_below (void)
{
	volatile char between[16384];

	between[0] = 1;
	pp_feature_begin (between[0] ? "returns.called" : "returns.never", NULL);
	longjmp (back, 1);
}

NOIPA static double arrive_from_call (void)
{
	if (setjmp (back) == 0)
		call_below ();
	return newly_dropped (PP_DROP_LONGJMP);
}

/* A second return drops nothing where nothing was jumped over, nor does the first. */
NOIPA static void test_nothing (void)
{
	PP_FEATURE (returns.nothing)
	if (setjmp (back) == 0) {
		same (newly_dropped (PP_DROP_LONGJMP), 0, "the first return drops nothing");
		longjmp (back, 1);
	}
	same (newly_dropped (PP_DROP_LONGJMP), 0,
	      "nor does the second where no mark was jumped over");
}

/* ---- out of handlers ------------------------------------------------------------------------- */

static void handle (int number)
{
	PP_FEATURE (returns.handler)
	(void) number;
	siglongjmp (signal_back, 1);
}

NOIPA static void raise_inside (void)
{
	PP_FEATURE (returns.raised)
	raise (SIGUSR1);
	sink++;
}

NOIPA static double arrive_from_handler (void)
{
	if (sigsetjmp (signal_back, 1) == 0) {
		raise_inside ();
		return -1;
	}
	return newly_dropped (PP_DROP_LONGJMP);
}

static void test_handlers (void)
{
	static char stack[65536];
	const stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
	struct sigaction action = {.sa_handler = handle};

	sigaction (SIGUSR1, &action, NULL);
	same (arrive_from_handler (), 2,
	      "siglongjmp out of a handler: its mark and the one that it interrupted are left");
	sigaltstack (&own, NULL);
	action.sa_flags = SA_ONSTACK;
	sigaction (SIGUSR1, &action, NULL);
	same (arrive_from_handler (), 1,
	      "from a stack of its own: the one that it interrupted; what was on that stack is "
	      "noticed there");
	/* more than a thread's may be nested */
	for (int i = 0; i < 1200; i++)
		arrive_from_handler ();
	newly_dropped (PP_DROP_LONGJMP);
	same (newly_dropped (PP_DROP_DEPTH), 0, "and none of them piles up");
}

/* ---- others that return twice ------------------------------------------------------------------ */

NOIPA static int fork_once (void)
{
	int status = -1;
	pid_t child = vfork ();

	if (child == 0)
		_exit (7);
	waitpid (child, &status, 0);
	return WEXITSTATUS (status);
}

NOIPA static void arrive_by_context (void)
{
	static ucontext_t context;
	volatile int times = 0;

	getcontext (&context);
	if (times++ == 0)
		setcontext (&context);
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void test_measured (void)
{
	double dropped = 0;

	same (arrive (0), 1, "a mark that a longjmp jumps over is left when setjmp returns");
	for (int depth = 0; depth < 30; depth++)
		dropped += inside (depth);
	same (dropped, 30 * 31 / 2, "from every depth, each of them");
	same (newly_dropped_in_all (), 0, "and what is around has its end");
	same (arrive_from_call (), 1, "and so is one that a call began");
	same (counted (), 1, "so are intervals");
	same (pp_count (pp_metric_find ("arrivals")), 2, "a policy may count the returns");
	test_nothing ();
	arrive_by_context ();
	same (newly_dropped (PP_DROP_LONGJMP), 0, "a context may be returned to");
	if (UNDER_TSAN)
		skipped ("and a vfork has its child",
			 "the sanitizer keeps a state of its own that the child destroys");
	else
		same (fork_once (), 7, "and a vfork has its child");
	test_handlers ();
}

static int test (void)
{
	test_patterns ();
	arrive (0);
	same (newly_dropped (PP_DROP_LONGJMP), 0, "where nothing is measured nothing is left");
	measure ("exact");
	test_measured ();
	measure_no_more ();
	measure ("sampled");
	test_measured ();
	measure_no_more ();
	arrive (3);
	same (newly_dropped (PP_DROP_LONGJMP), 0, "nor is anything afterwards");
	return checked ();
}

/* In a child: its recording is there once it has ended. */
int main (void)
{
	char recording[sizeof policy + 16];
	int status = -1;
	pid_t pid = fork ();

	if (pid == 0)
		exit (test ());
	waitpid (pid, &status, 0);
	snprintf (recording, sizeof recording, "%s/pp-check-%d.yaml.pprec",
		  getenv ("TMPDIR") ? getenv ("TMPDIR") : "/tmp", (int) pid);
	unlink (recording);
	return WIFEXITED (status) ? WEXITSTATUS (status) : 1;
}
