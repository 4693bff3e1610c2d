/* SPDX-License-Identifier: MIT */
/*
 * operators.c: how the readings at an interval's begin and end combine: the library's operators and
 * the program's own, over counters and functions, integers and doubles, in declarations of the
 * source, of C and of policies.
 */
#include "check.h"

int64_t level (void);
double real_level (void);
double geometric (double begin, double end);
double never (double begin, double end);

PP_OPERATOR (geometric)
PP_OPERATOR (never)
PP_SOURCE_POINT_INT (bytes_used, level, "B")

/* clang-format off */
#pragma pp metric rise      interval stats(level, operator=difference)
#pragma pp metric ratio     interval stats(level, operator=ratio)
#pragma pp metric peak      interval stats(level, operator=max)
#pragma pp metric final     interval stats(level, operator=last)
#pragma pp metric mean      interval stats(level, operator=geometric)
#pragma pp metric none      interval stats(level, operator=never)
#pragma pp metric real_rise interval stats(real_level, operator=difference)
#pragma pp metric real_peak interval stats(real_level, operator=max)
#pragma pp metric real_ratio interval stats(real_level, operator=ratio)
#pragma pp metric own_rise  interval stats(level, operator=difference, scope=self)
#pragma pp metric used      interval histogram(bytes_used, operator=max)
#pragma pp metric memory    interval stats(resident, operator=last)
#pragma pp metric cpu       interval stats(cpu_time, operator=ratio)
#pragma pp metric by_hand   interval stats(level, operator=max)
/* clang-format on */

static volatile int64_t now_level;
static volatile double now_real;

int64_t level (void)
{
	return now_level;
}

double real_level (void)
{
	return now_real;
}

double geometric (double begin, double end)
{
	return sqrt (begin * end);
}

double never (double begin, double end)
{
	(void) begin;
	(void) end;
	return NAN;
}

static double half (double begin, double end)
{
	return (begin + end) / 2;
}

static double backwards (double begin, double end)
{
	return begin - 3 * end;
}

NOIPA static void run (int64_t from, int64_t to)
{
	now_level = from;
	now_real = (double) from / 2;
	{
#pragma pp interval i(rise, ratio, peak, final, mean, none, real_rise, real_peak, real_ratio,      \
		      used, memory, cpu)
		now_level = to;
		now_real = (double) to / 2;
	}
}

NOIPA static void inner (void)
{
#pragma pp interval inner(own_rise)
	now_level = now_level + 5;
}

NOIPA static void outer (void)
{
#pragma pp interval outer(own_rise)
	now_level = now_level + 1;
	inner ();
	now_level = now_level + 2;
}

static void builtin (void)
{
	run (4, 9);
	same (pp_last (rise), 5, "difference is the end less the begin");
	same (pp_last (ratio), 2.25, "ratio is the end by the begin, a double of integers too");
	same (pp_last (peak), 9, "max is the larger");
	same (pp_last (final), 9, "last is the end's");
	same (pp_last (real_rise), 2.5, "the same of doubles: difference");
	same (pp_last (real_peak), 4.5, "... max");
	same (pp_last (real_ratio), 2.25, "... ratio");
	run (9, 4);
	same (pp_last (rise), -5, "a difference may be negative");
	same (pp_last (peak), 9, "the larger may be the begin");
	same (pp_last (real_peak), 4.5, "... of doubles too");
	same (pp_last (final), 4, "last is the end's all the same");
	same (pp_last (used), 9, "a source of points can be read at intervals");
	ok (pp_last (memory) > 4096,
	    "a counter's last reading is what it says now: %g bytes are resident",
	    pp_last (memory));
	ok (pp_last (cpu) >= 1, "a counter's ratio is a plain number: %g", pp_last (cpu));
	outer ();
	same (pp_min (own_rise), 3, "a difference can be what is its own");
	same (pp_max (own_rise), 5, "... of each");
}

static void unknown_ones (void)
{
	double before = pp_count (ratio);

	forget_drops ();
	run (0, 3);
	same (pp_count (ratio), before, "there is no ratio to nothing");
	same (pp_count (none), 0, "an operator that says NaN has no sample");
	same (newly_dropped (PP_DROP_UNKNOWN), 3, "... which is counted: two ratios and that");
	same (pp_last (final), 3, "... and others have theirs");
}

static void users (void)
{
	pp_metric *m = NULL, *bytes = NULL;

	pp_reset (NULL);
	run (4, 9);
	same (pp_last (mean), 6, "the program's own function gets both readings");
	same (pp_operator_new ("half", half), PP_OK, "an operator can be registered by a call");
	same (pp_operator_new ("half", half), PP_OK, "... again");
	same (pp_operator_new ("half", geometric), PP_EEXIST, "... but not as another");
	same (pp_operator_new ("max", half), PP_EEXIST, "the library's own stay as they are");
	same (pp_operator_new ("two words", half), PP_EINVAL, "its name is an identifier");
	same (pp_operator_new (NULL, half), PP_EINVAL, "... and there");
	same (pp_metric_new (&m, "halved", "interval stats(bytes_used, operator=half)"), PP_OK,
	      "... and named in declarations");
	same (pp_bind (m, "run/i", 1), 1, "... which can be bound");
	same (pp_metric_new (&bytes, "memory_half", "interval stats(max_resident, operator=half)"),
	      PP_OK, "... of counters too");
	pp_bind (bytes, "run/i", 1);
	run (4, 9);
	same (pp_last (m), 6.5, "... and says what is sampled");
	ok (pp_last (bytes) > 65536, "what it gets is in the metric's unit: %g bytes",
	    pp_last (bytes));
	pp_unbind (m, "run/i");
	pp_unbind (bytes, "run/i");
	m = NULL;
	pp_operator_new ("backwards", backwards);
	pp_metric_new (&m, "backward", "interval stats(bytes_used, operator=backwards)");
	pp_bind (m, "run/i", 1);
	run (4, 9);
	same (pp_last (m), -23, "... the begin's first, then the end's");
	pp_unbind (m, "run/i");
}

static void wrong (void)
{
	same (pp_metric_new (NULL, "w", "interval stats(elapsed, operator=max)"), PP_EINVAL,
	      "a time has no reading to combine");
	same (pp_metric_new (NULL, "w", "interval stats(cpu_time, operator=mox)"), PP_EINVAL,
	      "an operator must be known");
	same (pp_metric_new (NULL, "w", "point stats(bytes_used, operator=max)"), PP_EINVAL,
	      "points are read once");
	same (pp_metric_new (NULL, "w", "interval stats(cpu_time, operator=max, scope=self)"),
	      PP_EINVAL, "a maximum has no own part");
	same (pp_metric_new (NULL, "w", "interval stats(cpu_time, operator=max, operator=last)"),
	      PP_EINVAL, "there is one operator");
	same (pp_metric_new (NULL, "w",
			     "interval stats(cpu_time, operator=last, fallback=elapsed)"),
	      PP_EINVAL, "a fallback must have readings too");
	same (pp_metric_new (NULL, "w", "interval stats(bytes_used)"), PP_EINVAL,
	      "without an operator a source of points is for points");
	same (pp_metric_new (NULL, "same", "interval stats(cpu_time)"), PP_OK,
	      "a difference is what there is without operator");
	same (pp_metric_new (NULL, "same", "interval stats(cpu_time, operator=difference)"), PP_OK,
	      "... so it is the same declaration");
	same (pp_metric_new (NULL, "same", "interval stats(cpu_time, operator=last)"), PP_EEXIST,
	      "... and another is not");
}

NOIPA static void sampled (void)
{
	now_level = 3;
#pragma pp sample_begin by_hand
	now_level = 7;
#pragma pp sample_end by_hand
}

int main (void)
{
	builtin ();
	unknown_ones ();
	users ();
	wrong ();
	sampled ();
	same (pp_last (by_hand), 7, "samples that the code takes have operators as well");
	note_drops ();
	return checked ();
}
