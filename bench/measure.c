/* SPDX-License-Identifier: MIT */
/*
 * measure.c: the loops, one thread. Every round runs every loop for some milliseconds, and everything a row is
 * computed from comes from the same round: the machine's frequency and its neighbours change within seconds. Each
 * round begins with another loop, so that none is always behind the same one.
 */
#include "bench.h"

#include <stdlib.h>
#include <time.h>

enum { EXECUTIONS = 100000 };

/* What a row says: loop minus a loop, beside what the yardstick's loop costs more than the plain one. */
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

/* clang-format off */
static const struct loop_row rows[] = {
	{{"loop.throughput", "ns", NULL, 0}, THROUGHPUT, LOOP_plain, LOOPS, LOOPS},
	{{TWO, "ns", NULL, 0}, THROUGHPUT, LOOP_two_rdtsc, LOOP_plain, LOOPS},
	{{"interval.disabled.throughput", "ns", TWO, 0}, THROUGHPUT, LOOP_disabled, LOOP_plain, LOOP_two_rdtsc},
	{{OURS, "ns", TWO, 2.5}, THROUGHPUT, LOOP_sumcount, LOOP_plain, LOOP_two_rdtsc},
	{{OURS_STATS, "ns", TWO, 0}, THROUGHPUT, LOOP_stats, LOOP_plain, LOOP_two_rdtsc},
	{{SERIES ".throughput", "ns", TWO, 0}, THROUGHPUT, LOOP_series, LOOP_plain, LOOP_two_rdtsc},
	{{"interval.every16", "ns", TWO, 0}, THROUGHPUT, LOOP_every16, LOOP_plain, LOOP_two_rdtsc},
	{{"interval.four_metrics", "ns", OURS, 0}, THROUGHPUT, LOOP_four, LOOP_plain, LOOP_sumcount},
	{{"interval.user_function.general", "ns", TWO, 0}, THROUGHPUT, LOOP_user, LOOP_user_called, LOOP_two_rdtsc},
	{{"point.count", "ns", TWO, 0}, THROUGHPUT, LOOP_point, LOOP_plain, LOOP_two_rdtsc},
	{{"point.value.stats", "ns", TWO, 0}, THROUGHPUT, LOOP_value, LOOP_plain, LOOP_two_rdtsc},
	{{"peer.hand", "ns", OURS_STATS, 0}, THROUGHPUT, LOOP_hand, LOOP_plain, LOOP_stats},
	{{"peer.clock_gettime", "ns", OURS, 0}, THROUGHPUT, LOOP_clock, LOOP_plain, LOOP_sumcount},
	{{"loop.rdtsc_bound", "ns", NULL, 0}, RDTSC_BOUND, LOOP_plain, LOOPS, LOOPS},
	{{TWO_BOUND, "ns", NULL, 0}, RDTSC_BOUND, LOOP_two_rdtsc, LOOP_plain, LOOPS},
	{{"interval.elapsed.sumcount.rdtsc_bound", "ns", TWO_BOUND, 0},
	 RDTSC_BOUND, LOOP_sumcount, LOOP_plain, LOOP_two_rdtsc},
	{{"interval.elapsed.stats.rdtsc_bound", "ns", TWO_BOUND, 0},
	 RDTSC_BOUND, LOOP_stats, LOOP_plain, LOOP_two_rdtsc},
	{{SERIES ".rdtsc_bound", "ns", TWO_BOUND, 0},
	 RDTSC_BOUND, LOOP_series, LOOP_plain, LOOP_two_rdtsc},
};
/* clang-format on */
enum { ROWS = sizeof rows / sizeof *rows };

double cpu_ns (void)
{
	struct timespec t;

	clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
	return (double) t.tv_sec * 1e9 + (double) t.tv_nsec;
}

double wall_ns (void)
{
	struct timespec t;

	clock_gettime (CLOCK_MONOTONIC, &t);
	return (double) t.tv_sec * 1e9 + (double) t.tv_nsec;
}

double loop_cost_ns (const struct loop *loop, enum regime regime, long n)
{
	double begin_ns = cpu_ns ();

	loop_run (loop, regime, n);
	return (cpu_ns () - begin_ns) / (double) n;
}

/* cost_ns[(round × REGIMES + regime) × LOOPS + loop] */
static double *cost_of (double *cost_ns, size_t round, enum regime regime, enum loop_id loop)
{
	return &cost_ns[(round * REGIMES + regime) * LOOPS + loop];
}

static int needed (enum regime regime, enum loop_id loop)
{
	for (size_t i = 0; i < ROWS; i++)
		if (rows[i].regime == regime &&
		    (rows[i].loop == loop || rows[i].minus == loop || rows[i].yardstick == loop))
			return 1;
	return 0;
}

static void measure_round (double *cost_ns, size_t round)
{
	for (enum regime regime = THROUGHPUT; regime < REGIMES; regime++)
		for (size_t i = 0; i < LOOPS; i++) {
			enum loop_id loop = (enum loop_id) ((i + round) % LOOPS);

			if (!needed (regime, loop))
				continue;
			*cost_of (cost_ns, round, regime, loop) = loop_cost_ns (&loops[loop], regime, EXECUTIONS);
			loops[loop].executions += EXECUTIONS;
		}
}

/* Neither markers nor peers that did not count are compared. */
static int counted (enum loop_id id)
{
	const struct loop *loop = &loops[id];
	double got = id == LOOP_hand ? loops_hand_count () : id == LOOP_clock ? loops_clock_count () : loop->executions;

	if (got == loop->executions)
		return loop_counted (loop) == 0;
	fprintf (stderr, "bench: loop %s was executed %.0f times and counted %.0f\n", loop->name, loop->executions,
		 got);
	return 0;
}

static int add_row (const struct loop_row *r, double *cost_ns, size_t rounds, double *values, double *yardsticks)
{
	if (!counted (r->loop) || (r->yardstick != LOOPS && !counted (r->yardstick)))
		return -1;
	for (size_t i = 0; i < rounds; i++) {
		values[i] = *cost_of (cost_ns, i, r->regime, r->loop);
		if (r->minus != LOOPS)
			values[i] -= *cost_of (cost_ns, i, r->regime, r->minus);
		if (r->yardstick != LOOPS)
			yardsticks[i] = *cost_of (cost_ns, i, r->regime, r->yardstick) -
					*cost_of (cost_ns, i, r->regime, LOOP_plain);
	}
	result_add (&r->row, values, r->yardstick != LOOPS ? yardsticks : NULL, rounds);
	return 0;
}

int bench_loops (size_t rounds)
{
	double *cost_ns = calloc (rounds * REGIMES * LOOPS, sizeof *cost_ns);
	double *values = calloc (rounds, sizeof *values), *yardsticks = calloc (rounds, sizeof *yardsticks);
	int error = 0;

	if (cost_ns == NULL || values == NULL || yardsticks == NULL) {
		fprintf (stderr, "bench: no memory for %zu rounds\n", rounds);
		error = -1;
	} else {
		measure_round (cost_ns, 0); /* first executions make shards and page tables; overwritten */
		for (size_t i = 0; i < rounds; i++)
			measure_round (cost_ns, i);
		for (size_t i = 0; i < ROWS; i++)
			if (add_row (&rows[i], cost_ns, rounds, values, yardsticks) != 0)
				error = -1;
	}
	free (cost_ns);
	free (values);
	free (yardsticks);
	return error;
}
