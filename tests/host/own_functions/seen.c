/* SPDX-License-Identifier: MIT */
/*
 * seen.c: functions of metrics see what the program wrote, and the program sees what they wrote:
 * where a marker is, and in callers of the function that it is in. Prints what does not hold. The
 * metrics `late` and `elsewhere` are declared behind their sites and in another unit.
 */
#include <pp.h>

#include <stdio.h>

static int depth, overwritten, counted, twice, escaped, caller_wrote, begun, seen_at_end;
static int *const at_escaped = &escaped;

/* a metric's function that only reads */
#define READER(NAME, VARIABLE)                                                                     \
	static int NAME (void)                                                                     \
	{                                                                                          \
		return VARIABLE;                                                                   \
	}

READER (read_depth, depth)
READER (read_overwritten, overwritten)
static int count_up (void)
{
	return ++counted;
}
static int count_twice (void)
{
	return ++twice;
}
static int write_escaped (void)
{
	return ++*at_escaped;
}
READER (read_caller_wrote, caller_wrote)
static int keep_depth (void)
{
	begun++;
	return depth;
}
static int grown (const int *was)
{
	seen_at_end = depth;
	return depth - *was;
}

#pragma pp metric queue point stats(read_depth)
#pragma pp metric last_over point scalar(read_overwritten)
#pragma pp metric counter point scalar(count_up)
#pragma pp metric counter_twice point scalar(count_twice)
#pragma pp metric escapes point scalar(write_escaped)
#pragma pp metric of_caller point scalar(read_caller_wrote)
#pragma pp metric growth interval sumcount(keep_depth, grown)

static int wrong;

static void is (const char *what, double value, double expected)
{
	if (value == expected)
		return;
	printf ("%s: %g instead of %g\n", what, value, expected);
	wrong = 1;
}

__attribute__ ((noinline)) static void store_and_take_back (int n)
{
	overwritten = n;
#pragma pp point taken_back(last_over)
	overwritten = 0;
}

__attribute__ ((noinline)) static void deeper (int n)
{
	for (int i = 0; i < n; i++) {
		depth++;
#pragma pp point deeper(queue)
	}
	depth = 0;
}

__attribute__ ((noinline)) static void grow (int n)
{
	for (int i = 0; i < n; i++) {
#pragma pp interval grow(growth)
		depth++;
	}
}

__attribute__ ((noinline)) static void callee (void)
{
#pragma pp point called(counter)
}

static inline void inner (void)
{
#pragma pp point inner(counter_twice)
}

/* has the marker of another function, inlined early */
__attribute__ ((noinline)) static void outer (void)
{
	inner ();
	inner ();
}

__attribute__ ((noinline)) static void escape (void)
{
#pragma pp point escape(escapes)
}

__attribute__ ((noinline)) static void reader (void)
{
#pragma pp point reader(of_caller)
}

/* the metric comes later */
static int late_depth;
__attribute__ ((noinline)) static void early (int n)
{
	late_depth = n;
#pragma pp point early(late)
	late_depth = 0;
}
READER (read_late, late_depth)
#pragma pp metric late point scalar(read_late)

int of_other_unit;
__attribute__ ((noinline)) static void named_only (int n)
{
	of_other_unit = n;
#pragma pp point named_only(elsewhere)
	of_other_unit = 0;
}

/* nothing is named at the site, but a statement of the unit binds it */
static int stated_depth;
READER (read_stated, stated_depth)
#pragma pp metric stated point scalar(read_stated)
__attribute__ ((noinline)) static void bound_by_statement (int n)
{
	stated_depth = n;
#pragma pp point by_statement group(stated_group)
	stated_depth = 0;
}

static int called_depth;
READER (read_called, called_depth)
#pragma pp metric in_call point scalar(read_called)
__attribute__ ((noinline)) static void by_call (int n)
{
	called_depth = n;
	pp_point ("by_call");
	called_depth = 0;
}

static int fenced_depth;
READER (read_fenced, fenced_depth)
#pragma pp metric in_fence point scalar(read_fenced)
__attribute__ ((noinline)) static void fenced (int n)
{
	fenced_depth = n;
	PP_POINT_FENCE (fenced)
	fenced_depth = 0;
}

static int whole_depth;
static int whole_begin (void)
{
	return whole_depth;
}
static int whole_end (const int *was)
{
	return *was + ++whole_depth;
}
#pragma pp metric whole_metric interval scalar(whole_begin, whole_end)
__attribute__ ((noinline, pp_interval ("whole", "whole_metric"))) static void whole (void)
{
}

static int captured_depth;
READER (read_captured, captured_depth)
#pragma pp metric captured point scalar(read_captured)
#pragma pp metric value_there point scalar(value)
__attribute__ ((noinline)) static void captures (int n)
{
	captured_depth = n;
#pragma pp point captures(captured, value_there) value(captured_depth * 2)
	captured_depth = 0;
}

int main (void)
{
	pp_metric *elsewhere = pp_metric_find ("elsewhere");
	int read;

#pragma pp bind stated to by_statement
	pp_bind (in_call, "by_call", 1);
	pp_bind (in_fence, "fenced", 1);

	store_and_take_back (7);
	is ("a variable that is overwritten behind the marker", pp_last (last_over), 7);
	deeper (10);
	is ("a variable that is raised in a loop", pp_avg (queue), 5.5);
	grow (10);
	is ("what an interval did, between its functions", pp_sum (growth), 10);
	is ("what the begin's function wrote", begun, 10);
	is ("what the end's function wrote", seen_at_end, 10);

	counted = 10;
	callee ();
	read = counted;
	is ("what a callee's metric wrote", read, 11);
	twice = 20;
	outer ();
	read = twice;
	is ("what the metric of an inlined callee wrote", read, 22);
	escaped = 30;
	escape ();
	read = escaped;
	is ("what a callee's metric wrote through a pointer", read, 31);
	caller_wrote = 40;
	reader ();
	caller_wrote = 0;
	is ("what a caller wrote", pp_last (of_caller), 40);

	early (8);
	is ("a metric that is declared behind its site", pp_last (late), 8);
	named_only (9);
	is ("a metric that another unit declares", pp_last (elsewhere), 9);
	bound_by_statement (11);
	is ("a metric that a statement binds", pp_last (stated), 11);
	by_call (12);
	is ("a call that is lowered", pp_last (in_call), 12);
	fenced (13);
	is ("a point with a fence", pp_last (in_fence), 13);
	whole_depth = 14;
	whole ();
	read = whole_depth;
	is ("what the metric of a whole function wrote", read, 15);
	is ("what the metric of a whole function read", pp_last (whole_metric), 29);
	captures (16);
	is ("a metric beside a captured value", pp_last (captured), 16);
	is ("the captured value", pp_last (value_there), 32);
	return wrong;
}
