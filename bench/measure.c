/* SPDX-License-Identifier: MIT */
/*
 * measure.c: the loops, one thread. Every round runs every loop in all its layouts for some
 * milliseconds, and everything a row is computed from comes from the same round: the machine's
 * frequency and its neighbours change within seconds. Each round begins with another loop, so that
 * none is always behind the same one.
 *
 * A loop's cost in a round is the median over its layouts. It is taken before loops are subtracted
 * and compared, because what a layout does to one loop says nothing of what it does to another one.
 */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { EXECUTIONS = 16000 };

/*
 * What a row says: loop minus a loop, beside what the yardstick's loop costs more than the plain
 * one.
 */
struct loop_row {
	struct row row;
	enum regime regime;
	enum loop_id loop, minus, yardstick;
};

/* The yardsticks are rows themselves. */
#define TWO "two_rdtsc.throughput"
#define TWO_BOUND "two_rdtsc.rdtsc_bound"
#define OURS "interval.elapsed.sumcount.throughput"
#define OURS_STATS "interval.elapsed.stats.throughput"
#define SERIES "interval.elapsed.bounded_series"
#define HISTOGRAM "interval.elapsed.histogram"

/* clang-format off */
static const struct loop_row rows[] = {
	{{"loop.throughput", "ns", NULL, 0}, THROUGHPUT, LOOP_plain, LOOPS, LOOPS},
	{{TWO, "ns", NULL, 0}, THROUGHPUT, LOOP_two_rdtsc, LOOP_plain, LOOPS},
	{{"interval.disabled.throughput", "ns", TWO, 0}, THROUGHPUT, LOOP_disabled, LOOP_plain, LOOP_two_rdtsc},
	{{OURS, "ns", TWO, 1.25}, THROUGHPUT, LOOP_sumcount, LOOP_plain, LOOP_two_rdtsc},
	{{OURS_STATS, "ns", TWO, 1.5}, THROUGHPUT, LOOP_stats, LOOP_plain, LOOP_two_rdtsc},
	{{SERIES ".throughput", "ns", TWO, 1.5}, THROUGHPUT, LOOP_series, LOOP_plain, LOOP_two_rdtsc},
	{{HISTOGRAM ".throughput", "ns", TWO, 1.6}, THROUGHPUT, LOOP_histogram, LOOP_plain, LOOP_two_rdtsc},
	{{"interval.every16", "ns", TWO, 0.25}, THROUGHPUT, LOOP_every16, LOOP_plain, LOOP_two_rdtsc},
	{{"interval.four_metrics", "ns", OURS, 1.6}, THROUGHPUT, LOOP_four, LOOP_plain, LOOP_sumcount},
	{{"interval.user_function.fast", "ns", TWO, 0}, THROUGHPUT, LOOP_fast, LOOP_user_called, LOOP_two_rdtsc},
	{{"interval.user_function.general", "ns", TWO, 0}, THROUGHPUT, LOOP_user, LOOP_user_called, LOOP_two_rdtsc},
	{{"point.count", "ns", TWO, 0.15}, THROUGHPUT, LOOP_point, LOOP_plain, LOOP_two_rdtsc},
	{{"point.value.stats", "ns", TWO, 0.3}, THROUGHPUT, LOOP_value, LOOP_plain, LOOP_two_rdtsc},
	{{"peer.hand", "ns", OURS_STATS, 0}, THROUGHPUT, LOOP_hand, LOOP_plain, LOOP_stats},
	{{"peer.clock_gettime", "ns", OURS, 0}, THROUGHPUT, LOOP_clock, LOOP_plain, LOOP_sumcount},
	{{"assertion.check", "ns", TWO, 0.6}, THROUGHPUT, LOOP_checked, LOOP_stats, LOOP_two_rdtsc},
	{{"assertion.often_violated", "ns", TWO, 0}, THROUGHPUT, LOOP_violated, LOOP_stats, LOOP_two_rdtsc},
	{{"loop.rdtsc_bound", "ns", NULL, 0}, RDTSC_BOUND, LOOP_plain, LOOPS, LOOPS},
	{{TWO_BOUND, "ns", NULL, 0}, RDTSC_BOUND, LOOP_two_rdtsc, LOOP_plain, LOOPS},
	{{"interval.elapsed.sumcount.rdtsc_bound", "ns", TWO_BOUND, 1.03},
	 RDTSC_BOUND, LOOP_sumcount, LOOP_plain, LOOP_two_rdtsc},
	{{"interval.elapsed.stats.rdtsc_bound", "ns", TWO_BOUND, 1.03},
	 RDTSC_BOUND, LOOP_stats, LOOP_plain, LOOP_two_rdtsc},
	{{SERIES ".rdtsc_bound", "ns", TWO_BOUND, 1.03},
	 RDTSC_BOUND, LOOP_series, LOOP_plain, LOOP_two_rdtsc},
	{{HISTOGRAM ".rdtsc_bound", "ns", TWO_BOUND, 1.03},
	 RDTSC_BOUND, LOOP_histogram, LOOP_plain, LOOP_two_rdtsc},
};
/* clang-format on */
enum { ROWS = sizeof rows / sizeof *rows };

double loop_cost_ns (const struct loop *loop, enum regime regime, size_t layout, long n)
{
	double begin_ns = cpu_ns ();

	loop_run (loop, regime, layout, n);
	return (cpu_ns () - begin_ns) / (double) n;
}

/*
 * What all rounds measured: [round][regime][loop][layout], and the medians over the layouts behind
 * the layouts.
 */
enum { MEDIAN = LAYOUTS, COSTS };
typedef double costs_ns[REGIMES][LOOPS][COSTS];

static int needed (enum regime regime, enum loop_id loop)
{
	for (size_t i = 0; i < ROWS; i++)
		if (rows[i].regime == regime &&
		    (rows[i].loop == loop || rows[i].minus == loop || rows[i].yardstick == loop))
			return 1;
	return 0;
}

static void measure_loop (double *cost_ns, enum regime regime, enum loop_id loop)
{
	double room[LAYOUTS];

	for (size_t layout = 0; layout < LAYOUTS; layout++)
		cost_ns[layout] = loop_rested_ns (&loops[loop], regime, layout, EXECUTIONS);
	memcpy (room, cost_ns, sizeof room);
	cost_ns[MEDIAN] = quantile (room, LAYOUTS, 0.5);
}

static void measure_round (costs_ns *costs, size_t round)
{
	for (enum regime regime = THROUGHPUT; regime < REGIMES; regime++)
		for (size_t i = 0; i < LOOPS; i++) {
			enum loop_id loop = (enum loop_id) ((i + round) % LOOPS);

			if (needed (regime, loop))
				measure_loop (costs[round][regime][loop], regime, loop);
		}
}

/* Neither markers nor peers that did not count are compared. */
static int counted (enum loop_id id)
{
	const struct loop *loop = &loops[id];
	double got = id == LOOP_hand    ? loops_hand_count ()
		     : id == LOOP_clock ? loops_clock_count ()
					: loop->executions;

	if (got == loop->executions)
		return loop_counted (loop) == 0;
	fprintf (stderr, "bench: loop %s was executed %.0f times and counted %.0f\n", loop->name,
		 loop->executions, got);
	return 0;
}

/*
 * Fills VALUES and YARDSTICKS, one of each round, with what the row is of the costs in COLUMN: a
 * layout, or MEDIAN.
 */
static void differences (const struct loop_row *r, costs_ns *costs, size_t column, size_t rounds,
			 double *values, double *yardsticks)
{
	for (size_t i = 0; i < rounds; i++) {
		values[i] = costs[i][r->regime][r->loop][column];
		if (r->minus != LOOPS)
			values[i] -= costs[i][r->regime][r->minus][column];
		if (r->yardstick != LOOPS)
			yardsticks[i] = costs[i][r->regime][r->yardstick][column] -
					costs[i][r->regime][LOOP_plain][column];
	}
}

/*
 * How far the layouts, each for itself, are apart: the medians over the rounds. ROOM is for both
 * arrays of a round's values.
 */
static void compare_layouts (const struct loop_row *r, costs_ns *costs, size_t rounds, double *room,
			     struct beside *beside)
{
	for (size_t layout = 0; layout < LAYOUTS; layout++) {
		size_t used = 0;
		double ratio;

		differences (r, costs, layout, rounds, room, room + rounds);
		for (size_t i = 0; i < rounds; i++)
			if (room[rounds + i] > 0)
				room[used++] = room[i] / room[rounds + i];
		ratio = quantile (room, used, 0.5);
		/* of NaN and a number the number */
		beside->layouts_low = fmin (beside->layouts_low, ratio);
		beside->layouts_high = fmax (beside->layouts_high, ratio);
	}
}

static int add_row (const struct loop_row *r, costs_ns *costs, size_t rounds, double *room)
{
	struct beside beside = {loops[r->loop].instructions, NAN, NAN};

	if (!counted (r->loop) || (r->yardstick != LOOPS && !counted (r->yardstick)))
		return -1;
	if (r->minus != LOOPS)
		beside.instructions -= loops[r->minus].instructions;
	if (r->yardstick != LOOPS)
		compare_layouts (r, costs, rounds, room, &beside);
	differences (r, costs, MEDIAN, rounds, room, room + rounds);
	result_add_beside (&r->row, room, r->yardstick != LOOPS ? room + rounds : NULL, rounds,
			   &beside);
	return 0;
}

int bench_loops (size_t rounds)
{
	costs_ns *costs = calloc (rounds, sizeof *costs);
	double *room = calloc (2 * rounds, sizeof *room);
	int error = 0;

	if (costs == NULL || room == NULL) {
		fprintf (stderr, "bench: no memory for %zu rounds\n", rounds);
		error = -1;
	} else {
		/*
		 * 100, so that it holds but for interrupts, and 1.25, which does not; at every copy
		 * of those loops' intervals
		 */
		if (policy_load_text ("version: 1\nassertions:\n"
				      "  checked: {at: \"busy_checked_*/checked\", expect: "
				      "m_checked.last <= 100 * "
				      "m_checked.avg}\n"
				      "  violated: {at: \"busy_violated_*/violated\", expect: "
				      "m_violated.last <= 1.25 * "
				      "m_violated.avg}\n") != 0)
			error = -1;
		/* first executions make shards and page tables; overwritten */
		measure_round (costs, 0);
		for (size_t i = 0; i < rounds; i++)
			measure_round (costs, i);
		for (size_t i = 0; i < ROWS; i++)
			if (add_row (&rows[i], costs, rounds, room) != 0)
				error = -1;
		if (policy_unload_text () != 0)
			error = -1;
	}
	free (costs);
	free (room);
	return error;
}
