/* SPDX-License-Identifier: MIT */
/*
 * jumped.c: metrics that keep what a longjmp ended, and fibres that say when they are suspended:
 * clocks stop where the program says.
 */
#include "check.h"

#include <setjmp.h>
#include <stdbool.h>
#include <time.h>
#include <ucontext.h>

/* clang-format off */
#pragma pp metric times   interval sumcount(elapsed, jumped)
#pragma pp metric runs    interval count(count, jumped)
#pragma pp metric whole   interval stats(elapsed, scope=outermost, jumped)
#pragma pp metric some    interval sumcount(elapsed, every=2, jumped)
#pragma pp metric ended   interval sumcount(elapsed)
#pragma pp metric own     interval sumcount(elapsed, scope=self)
#pragma pp metric stepped interval stats(elapsed)
#pragma pp metric called  interval stats(elapsed)
/* clang-format on */

static jmp_buf back;
static volatile long sink;

static double now (void)
{
	struct timespec t;

	clock_gettime (CLOCK_MONOTONIC, &t);
	return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

static void spin (double seconds)
{
	for (double end = now () + seconds; now () < end;)
		sink++;
}

/* ---- longjmp --------------------------------------------------------------------------------- */

NOIPA static void dive (int depth, bool jumps)
{
#pragma pp interval dive(times, runs, whole)
	if (depth)
		dive (depth - 1, jumps);
	else if (jumps)
		longjmp (back, 1);
	sink++;
}

NOIPA static void around (int depth, bool jumps)
{
#pragma pp interval around(own)
	if (setjmp (back) == 0)
		dive (depth, jumps);
}

static void what_is_jumped_over_has_samples (void)
{
	double begun = 0, before = now (), took;

	for (int depth = 0; depth < 40; depth++) {
		around (depth, depth % 3);
		begun += depth + 1;
	}
	took = now () - before;
	same (pp_count (times), begun, "each execution has a sample, whatever ended it");
	same (pp_count (runs), begun, "and is counted");
	same (pp_count (whole), 40, "of a recursion the outermost has one");
	ok (pp_sum (whole) > 0 && pp_sum (whole) <= took, "none is timed twice: %g s of %g",
	    pp_sum (whole), took);
	same (pp_count (own), 40, "what is around is measured");
	same (newly_dropped (PP_DROP_LONGJMP), 0, "nothing was lost");
}

NOIPA static void mixed (void)
{
#pragma pp interval mixed(some, ended)
	longjmp (back, 1);
}

NOIPA static void mixed_once (void)
{
	if (setjmp (back) == 0)
		mixed ();
}

/* A marker above them all. */
static inline __attribute__ ((always_inline)) void notice (void)
{
#pragma pp interval notice(stepped)
	sink++;
}

NOIPA static void others_have_none (void)
{
	for (int i = 0; i < 100; i++)
		mixed_once ();
	notice ();
	same (pp_count (some), 50, "every second execution is sampled");
	same (pp_count (ended), 0, "a metric that does not ask for them has no samples");
	same (newly_dropped (PP_DROP_LONGJMP), 100, "which are counted as dropped");
}

static void what_can_not_be_told_is_refused (void)
{
	static const char *const wrong[] = {"interval stats(cpu_time, jumped)",
					    "point count(count, jumped)",
					    "interval stats(elapsed, scope=self, jumped)",
					    "interval stats(elapsed, operator=max, jumped)",
					    "interval stats(elapsed, jumped=1)"};
	pp_metric *m = NULL;

	for (int i = 0; i < 5; i++)
		same (pp_metric_new (&m, "wrong", wrong[i]), PP_EINVAL, wrong[i]);
}

/* ---- fibres ---------------------------------------------------------------------------------- */

static ucontext_t scheduler, fibre;
static char stack[65536];
static bool tells;
/* no literal, of which the plugin would make a marker */
static const char *volatile by_call = "called_step";

NOIPA static void step (void)
{
#pragma pp interval step(stepped)
	uint64_t since;

	pp_begin (by_call);
	since = tells ? pp_fibre_suspend () : 0;
	swapcontext (&fibre, &scheduler);
	pp_fibre_resume (since);
	spin (0.001);
	pp_end (by_call);
}

static void run_fibre (void)
{
	step ();
}

/* s that a step is said to take whose fibre is suspended for 50 ms, of some 1 ms of its own */
static double stepped_for (bool told)
{
	tells = told;
	pp_reset (stepped);
	pp_reset (called);
	getcontext (&fibre);
	fibre.uc_stack.ss_sp = stack;
	fibre.uc_stack.ss_size = sizeof stack;
	fibre.uc_link = &scheduler;
	makecontext (&fibre, run_fibre, 0);
	swapcontext (&scheduler, &fibre);
	spin (0.05);
	swapcontext (&scheduler, &fibre);
	return pp_sum (stepped);
}

static void a_suspended_fibre_s_clock_stands_still (void)
{
	double before, all, told, took;

	/* now there is such a site */
	pp_begin (by_call);
	pp_end (by_call);
	pp_bind (called, by_call, 0);
	before = now ();
	all = stepped_for (false);
	took = now () - before;
	same (pp_count (stepped), 1, "an interval is open while its fibre is suspended");
	ok (all >= 0.051 && all <= took, "it has what others took: %g s", all);
	before = now ();
	told = stepped_for (true);
	took = now () - before;
	same (pp_count (stepped), 1, "and where the program tells of it");
	ok (told >= 0.001 && told <= took - 0.05, "it has its own time: %g s", told);
	ok (pp_sum (called) >= 0.001 && pp_sum (called) <= told,
	    "so has what pp_begin began on it: %g s", pp_sum (called));
	pp_fibre_resume (0);
	pp_fibre_resume (UINT64_MAX);
	same (pp_count (stepped), 1, "what is no token does nothing");
}

int main (void)
{
	forget_drops ();
	what_is_jumped_over_has_samples ();
	others_have_none ();
	what_can_not_be_told_is_refused ();
	if (UNDER_TSAN || UNDER_ASAN)
		skipped ("fibres", "the sanitizer does not know swapcontext's stacks");
	else
		a_suspended_fibre_s_clock_stands_still ();
	return checked ();
}
