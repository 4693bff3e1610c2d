/* SPDX-License-Identifier: MIT */
/*
 * signals.c: handlers that run through the sites that they interrupt, on the normal stack and on an
 * alternate one, and handlers that leave by siglongjmp. Timers interrupt at every instruction
 * sooner or later; the sums are compared with what both sides counted.
 */
#include "check.h"

#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>

int64_t begin_unit (void);
int64_t end_unit (const int64_t *begin);

/* clang-format off */
#pragma pp metric pairs   interval stats(elapsed)
#pragma pp metric series  interval bounded_series(elapsed, size=8)
#pragma pp metric values  point    stats(value)
#pragma pp metric doubles point    stats(value)
#pragma pp metric units   interval stats(begin_unit, end_unit)
#pragma pp metric handled interval sumcount(elapsed)
#pragma pp metric asserted point    stats(value)
/* clang-format on */

int64_t begin_unit (void)
{
	return 7;
}

int64_t end_unit (const int64_t *begin)
{
	return *begin;
}

static volatile long executed, in_handler; /* by the program and by the handler */
static volatile double value_sum;
static long value_sum_handler;
static __thread volatile long sink;

NOIPA static void deep (int n)
{
#pragma pp interval deep(pairs, series)
	if (n)
		deep (n - 1);
	sink++;
}

/* 4 intervals, 1 interval with functions, 1 point of each type */
NOIPA static void work (long value)
{
#pragma pp interval work(pairs)
	deep (2);
#pragma pp point given(values) value(value)
	{
#pragma pp interval unit(units)
		sink++;
	}
	double half = (double) value / 2;
#pragma pp point half(doubles) value(half)
}

static void handler (int signal)
{
#pragma pp interval handler(handled)
	(void) signal;
	/* another handler may come in between the reading and the writing of ++ */
	__atomic_fetch_add (&in_handler, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add (&value_sum_handler, 3, __ATOMIC_RELAXED);
	work (3);
}

static void arm (int on_alternate, int nested)
{
	static char stack[1 << 16];
	stack_t alternate = {.ss_sp = stack,
			     .ss_size = sizeof (stack),
			     .ss_flags = on_alternate ? 0 : SS_DISABLE};
	struct sigaction action = {.sa_handler = handler,
				   .sa_flags = on_alternate ? SA_ONSTACK : 0};

	sigaltstack (&alternate, NULL);
	if (!nested) {
		sigaddset (&action.sa_mask, SIGALRM);
		sigaddset (&action.sa_mask, SIGVTALRM);
	}
	sigaction (SIGALRM, &action, NULL);
	sigaction (SIGVTALRM, &action, NULL);
}

static void timers (int microseconds)
{
	struct itimerval real = {{0, microseconds}, {0, microseconds}};
	struct itimerval virtual = {{0, microseconds * 3}, {0, microseconds * 3}};

	setitimer (ITIMER_REAL, &real, NULL);
	setitimer (ITIMER_VIRTUAL, &virtual, NULL);
}

static double seconds (void)
{
	struct timespec t;

	clock_gettime (CLOCK_MONOTONIC, &t);
	return (double) t.tv_sec + (double) t.tv_nsec * 1e-9;
}

/* Until the handler ran often enough, or it has become too late for that. */
static void hammer (long times)
{
	double end = seconds () + 6;

	executed = in_handler = 0;
	value_sum = 0;
	value_sum_handler = 0;
	timers (97);
	while (in_handler < times && (executed % 1024 || seconds () < end)) {
		long value = executed % 11;

		work (value);
		value_sum += (double) value;
		executed++;
	}
	timers (0);
}

static void check_sums (const char *where)
{
	double n = (double) (executed + in_handler), sum = value_sum + (double) value_sum_handler;

	note ("%s: %ld executions, %ld in handlers", where, executed, in_handler);
#ifdef __SANITIZE_THREAD__
	/* it keeps signals to itself now and then, for good; what came is compared all the same */
	if (in_handler <= 100)
		skipped ("signals come", "ThreadSanitizer handed on none any more");
	else
#endif
		ok (in_handler > 100, "signals come, %s", where);
	ok (pp_count (pairs) == n * 4, "intervals of program and handler are all measured, %s",
	    where);
	ok (pp_stat (series, NULL, PP_STAT_N) == n * 3, "series too, %s", where);
	ok (pp_count (units) == n && pp_sum (units) == n * 7, "functions of the user's own too, %s",
	    where);
	ok (pp_count (values) == n && pp_sum (values) == sum, "values add up to the unit, %s",
	    where);
	ok (pp_count (doubles) == n && fabs (pp_sum (doubles) - sum / 2) < 1e-9 * sum,
	    "doubles add up, %s", where);
	ok (pp_count (handled) == (double) in_handler, "the handler's own interval is measured, %s",
	    where);
	ok (newly_dropped_in_all () == 0, "nothing is dropped, %s", where);
}

static void test_alternate (void)
{
	arm (1, 0);
	hammer (4000);
	check_sums ("on an alternate stack");
}

static void test_normal (void)
{
	pp_reset (NULL);
	arm (0, 0);
	hammer (4000);
	check_sums ("on the normal stack");
}

/*
 * A handler that interrupts a handler that interrupted a marker has no state to go to: it is
 * dropped and counted.
 */
static void test_nested (void)
{
	double n, got;

	pp_reset (NULL);
	/* two signals that do not mask each other: the second may interrupt the first's markers */
	arm (1, 1);
	hammer (4000);
	n = (double) (executed + in_handler);
	got = pp_count (values);
	ok (got <= n && got + pp_dropped (PP_DROP_SIGNAL) >= n,
	    "what nested handlers measure and what they drop covers what ran");
	ok (pp_sum (values) <= value_sum + (double) value_sum_handler, "nothing is counted twice");
}

/* ---- siglongjmp out of handlers -------------------------------------------------------------- */

static sigjmp_buf out;
static volatile sig_atomic_t may_leave;
static volatile long left;

static void leaver (int signal)
{
#pragma pp interval leaver(handled)
	(void) signal;
	if (may_leave) {
		may_leave = 0;
		left++;
		siglongjmp (out, 1);
	}
	sink++;
}

NOIPA static void run_until_left (void)
{
	if (sigsetjmp (out, 1) == 0) {
		double end = seconds () + 5;

		may_leave = 1;
		while (may_leave && (executed % 1024 || seconds () < end)) {
			work (executed);
			executed++;
		}
	}
}

NOIPA static void run_inside (void)
{
#pragma pp interval run_inside(series)
	run_until_left ();
}

static void test_siglongjmp (int on_alternate)
{
	static char stack[1 << 16];
	stack_t alternate = {.ss_sp = stack,
			     .ss_size = sizeof (stack),
			     .ss_flags = on_alternate ? 0 : SS_DISABLE};
	struct sigaction action = {.sa_handler = leaver, .sa_flags = on_alternate ? SA_ONSTACK : 0};
	const char *where = on_alternate ? "an alternate" : "the normal";
	double end = seconds () + 5, rounds = 0;

	pp_reset (NULL);
	sigaltstack (&alternate, NULL);
	sigaction (SIGALRM, &action, NULL);
	signal (SIGVTALRM, SIG_IGN);
	executed = left = 0;
	timers (211);
	while (left < 3000 && seconds () < end) {
		run_inside ();
		rounds++;
	}
	timers (0);
	signal (SIGALRM, SIG_IGN);
	note ("%ld jumps, %ld executions, %g pairs", left, executed, pp_count (pairs));
	ok (left > 100, "handlers on %s stack leave by siglongjmp", where);
	/*
	 * an execution that was left is not finished: it may or may not have been measured by then,
	 * and is no more than one each time
	 */
	ok (pp_count (values) >= (double) executed &&
		    pp_count (values) <= (double) (executed + left),
	    "executions that finished are all measured, with jumps from %s stack", where);
	ok (pp_count (units) >= (double) executed && pp_count (units) <= (double) (executed + left),
	    "functions of the user's own too, with jumps from %s stack", where);
	/* the jump goes past the ends of work and what it calls, never past run_inside's */
	ok (pp_stat (series, NULL, PP_STAT_N) >= (double) executed * 3 + rounds,
	    "the interval around is measured every time, with jumps from %s stack", where);
	pp_reset (NULL);
	forget_drops ();
	for (int i = 0; i < 1000; i++)
		work (1);
	ok (pp_count (pairs) == 4000 && pp_count (values) == 1000,
	    "after jumps from %s stack everything is measured", where);
}

/* ---- inline callables ------------------------------------------------------------------------ */

static int inside, called_inside, called; /* atomic */

static void at_once (const struct pp_violation *violation, void *arg)
{
	(void) violation;
	(void) arg;
	__atomic_fetch_add (&called_inside, __atomic_load_n (&inside, __ATOMIC_RELAXED),
			    __ATOMIC_RELAXED);
	__atomic_fetch_add (&called, 1, __ATOMIC_RELAXED);
}
PP_CALLABLE_INLINE (at_once)

NOIPA static void checked_point (long value)
{
#pragma pp point checked_point(asserted) value(value)
	sink++;
}

static void violate (int number)
{
	(void) number;
	__atomic_store_n (&inside, 1, __ATOMIC_RELAXED);
	checked_point (1000);
	checked_point (0);
	__atomic_store_n (&inside, 0, __ATOMIC_RELAXED);
}

NOIPA static void raise_below (int depth)
{
	volatile char room[512];

	room[0] = (char) depth;
	if (depth)
		raise_below (depth - 1);
	else
		raise (SIGUSR2);
	room[1] = room[0];
}

static void test_inline (void)
{
	stack_t stack = {.ss_size = 65536};
	struct sigaction action = {.sa_handler = violate}, before;
	int seen = 0;

	pp_policy_load_text (
		"inline", "version: 1\n"
			  "assertions:\n"
			  "  small: {at: checked_point/checked_point, expect: asserted.last <= 10, "
			  "on_fire: [{call: at_once}]}\n");
	/* callbacks, deferred ones too, are pp_poll's from now on */
	pp_poll_fd ();
	checked_point (1000);
	checked_point (0);
	same (called, 1, "inline callables are called at once");
	sigaction (SIGUSR2, &action, &before);
	for (int depth = 0; depth < 60; depth += 7) {
		raise_below (depth);
		seen += called;
		while (pp_poll () <= 0)
			usleep (1000);
	}
	same (called_inside, 0, "... never in a handler");
	same (seen, 1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9, "... that comes anywhere");
	same (called, 10, "... but behind it");
	stack.ss_sp = malloc (stack.ss_size);
	sigaltstack (&stack, NULL);
	action.sa_flags = SA_ONSTACK;
	sigaction (SIGUSR2, &action, NULL);
	raise_below (1);
	same (called, 10, "... nor on the signal stack");
	sigaction (SIGUSR2, &before, NULL);
	stack.ss_flags = SS_DISABLE;
	sigaltstack (&stack, NULL);
	free (stack.ss_sp);
	checked_point (1000);
	same (called, 11, "... and at once again in ordinary code");
	pp_policy_unload ("inline");
}

int main (void)
{
	test_inline ();
	forget_drops ();
	test_alternate ();
	test_normal ();
	test_nested ();
	if (UNDER_TSAN) {
		skipped ("handlers leave by siglongjmp",
			 "ThreadSanitizer keeps signals blocked when a handler that interrupted it "
			 "leaves so");
	} else {
		test_siglongjmp (0);
		test_siglongjmp (1);
	}
	note_drops ();
	return checked ();
}
