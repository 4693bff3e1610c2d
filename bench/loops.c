/* SPDX-License-Identifier: MIT */
/*
 * loops.c: one loop in many versions, which differ in what stands in the middle of it.
 *
 *      for (i = 0; i < n; i++) {
 *              work, w steps
 *              {
 *                      OPEN            an interval, a point, a read of the clock, nothing
 *                      work, w steps
 *                      CLOSE
 *              }
 *      }
 *
 * The work is eight independent chains of additions that live in registers. With w = 20 the
 * processor is busy with them, and all that is executed in addition costs throughput. Each version
 * has a second loop without any work: there the processor waits for the clock anyway, and much that
 * is executed beside it is hidden. (Nor is w = 0 the same: with nothing between the halves the
 * compiler tests w once for both, so the plain loop would be shorter.)
 *
 * How long a loop takes depends on where its instructions lie, by as much as two reads of the
 * clock. Every version comes therefore in several layouts, and the median over them is its time.
 */
#include "bench.h"

#include <math.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <pp.h>

int64_t user_begin (void);
int64_t user_end (const int64_t *begin);
PP_FAST int64_t fast_begin (void);
PP_FAST int64_t fast_end (const int64_t *begin);

/* clang-format off */
PP_METRIC (m_sumcount, interval, sumcount (elapsed))
PP_METRIC (m_stats, interval, stats (elapsed))
PP_METRIC (m_series, interval, bounded_series (elapsed, size = 100))
PP_METRIC (m_histogram, interval, histogram (elapsed))
PP_METRIC (m_point, point, count (count))
PP_METRIC (m_value, point, stats (value))
PP_METRIC (m_user, interval, sumcount (user_begin, user_end))
PP_METRIC (m_fast, interval, sumcount (fast_begin, fast_end))
PP_METRIC (m_four_sumcount, interval, sumcount (elapsed))
PP_METRIC (m_four_stats, interval, stats (elapsed))
PP_METRIC (m_four_series, interval, bounded_series (elapsed, size = 100))
PP_METRIC (m_four_count, interval, count (count))
PP_METRIC (m_every16, interval, sumcount (elapsed, every = 16))
PP_METRIC (m_toggled, interval, sumcount (elapsed))
PP_METRIC (m_checked, interval, stats (elapsed))
PP_METRIC (m_violated, interval, stats (elapsed))
/* clang-format on */

/* What a careful programmer keeps by hand; of each thread its own. */
static __thread struct {
	uint64_t n, sum, min, max;
} hand = {.min = UINT64_MAX};
static __thread struct {
	uint64_t n;
	int64_t sum_ns;
} clocked;

static int64_t user_state;

static inline uint64_t ticks (void)
{
	return __builtin_ia32_rdtsc ();
}

static inline int64_t monotonic_ns (void)
{
	struct timespec now;

	clock_gettime (CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C (1000000000) + now.tv_nsec;
}

/* Functions that a compiler may not look into: what the library must assume of any. */
NOIPA int64_t user_begin (void)
{
	return user_state;
}

NOIPA int64_t user_end (const int64_t *begin)
{
	return user_state - *begin + 1;
}

/* The same, and the compiler answers for it that they use general registers only. */
PP_FAST NOIPA int64_t fast_begin (void)
{
	return user_state;
}

PP_FAST NOIPA int64_t fast_end (const int64_t *begin)
{
	return user_state - *begin + 1;
}

static inline void hand_add (uint64_t sample)
{
	hand.n++;
	hand.sum += sample;
	hand.min = sample < hand.min ? sample : hand.min;
	hand.max = sample > hand.max ? sample : hand.max;
}

static inline void clocked_add (int64_t sample_ns)
{
	clocked.n++;
	clocked.sum_ns += sample_ns;
}

LOOP (plain, , )
LOOP (two_rdtsc, uint64_t begin = ticks (), sum += (long) (ticks () - begin))
LOOP (disabled, PP_INTERVAL (disabled), )
LOOP (sumcount, PP_INTERVAL (sumcount, m_sumcount), )
LOOP (stats, PP_INTERVAL (stats, m_stats), )
LOOP (series, PP_INTERVAL (series, m_series), )
LOOP (histogram, PP_INTERVAL (histogram, m_histogram), )
LOOP (point, PP_POINT (point, m_point), )
LOOP (value, PP_POINT_VALUE (captured, i, m_value), )
LOOP (user, PP_INTERVAL (user, m_user), )
LOOP (fast, PP_INTERVAL (fast, m_fast), )
LOOP (user_called, int64_t begin = user_begin (), sum += user_end (&begin))
LOOP (four, PP_INTERVAL (four, m_four_sumcount, m_four_stats, m_four_series, m_four_count), )
LOOP (every16, PP_INTERVAL (every16, m_every16), )
LOOP (hand, uint64_t begin = ticks (), hand_add (ticks () - begin))
LOOP (clock, int64_t begin_ns = monotonic_ns (), clocked_add (monotonic_ns () - begin_ns))
LOOP (toggled, PP_INTERVAL (toggled), )
LOOP (checked, PP_INTERVAL (checked, m_checked), )
LOOP (violated, PP_INTERVAL (violated, m_violated), )

#define LOOP_ENTRY(NAME, METRICS, EVERY)                                                           \
	{#NAME, EACH_LAYOUT (busy_##NAME), EACH_LAYOUT (bare_##NAME), METRICS, EVERY, 0, NAN},
struct loop loops[LOOPS] = {BENCH_LOOPS (LOOP_ENTRY)};

void loop_run (const struct loop *loop, enum regime regime, size_t layout, long n)
{
	if (regime == THROUGHPUT)
		loop->busy[layout](n, STEPS);
	else
		loop->bare[layout](n);
}

double loops_hand_count (void)
{
	return (double) hand.n;
}

double loops_clock_count (void)
{
	return (double) clocked.n;
}

static int metric_counted (const struct loop *loop, const char *name)
{
	const pp_metric *metric = pp_metric_find (name);
	double got;

	if (metric == NULL) {
		fprintf (stderr,
			 "bench: the metric %s of loop %s does not exist: were the loops compiled "
			 "with the plugin?\n",
			 name, loop->name);
		return -1;
	}
	/* since the start, not in a window; the last ones of `every` may still be on their way */
	got = pp_stat (metric, NULL, PP_STAT_ESTIMATED_COUNT);
	if (!(fabs (got - loop->executions) < loop->every)) {
		fprintf (stderr,
			 "bench: loop %s was executed %.0f times, but %s stands for %.0f "
			 "executions: its rows are left "
			 "out\n",
			 loop->name, loop->executions, name, got);
		return -1;
	}
	return 0;
}

/* A loop whose interval the compiler has dropped would be the cheapest of all. */
static int sites_there (void)
{
	pp_site *site;

	if (pp_site_find ("busy_disabled_0/disabled", &site) == 0 &&
	    pp_site_find ("bare_disabled_0/disabled", &site) == 0)
		return 0;
	fprintf (stderr,
		 "bench: loop disabled has no interval: was it compiled with the plugin?\n");
	return -1;
}

int loop_counted (const struct loop *loop)
{
	const char *next = loop->metrics;
	int error = loop == &loops[LOOP_disabled] ? sites_there () : 0;

	while (next != NULL && *next != 0) {
		char name[64];
		size_t length = strcspn (next, " ");

		snprintf (name, sizeof name, "%.*s", (int) length, next);
		if (metric_counted (loop, name) != 0)
			error = -1;
		next += length;
		next += strspn (next, " ");
	}
	return error;
}
