/* SPDX-License-Identifier: MIT */
/*
 * rest.c: loops measured while nobody else uses their core. On a machine of hardware threads in
 * pairs (and so in a virtual machine, whose neighbours are somebody else's) the other thread takes
 * dispatch slots whenever it runs, within milliseconds and without a trace in this one's clocks.
 * What waits for the time-stamp counter does not notice; what fills its shadow with instructions
 * does: 96 additions between two rdtsc cost 0 to 1 % on an idle core of an AMD EPYC and 7 to 11 %
 * on a shared one.
 *
 * So a probe that nothing measured goes into, a run of no-operations, which is bound by dispatch
 * alone, stands before and behind each measurement: where it is slower than its best, the
 * measurement is made again, and of all tries the one with the fastest probes is taken. What was
 * measured plays no part in that. There is an end to the patience: a machine that never rests is
 * measured as it is, and machine.at_rest says so.
 */
#include "bench.h"

#include <math.h>
#include <time.h>

enum {
	PROBE_RUNS = 500, /* of 96 instructions: some microseconds */
	FIRST_PROBES = 2000,
	TRIES = 16,
	WAIT_NS = 5000000,
};
#define AT_REST 1.12 /* of the best probe: a shared core comes to 1.3 and more */

static double best_ns = INFINITY, patience_ns;
static size_t measured, rested;

void rest_patience (double seconds)
{
	patience_ns = seconds * 1e9;
}

static double probe_ns (void)
{
	double begin_ns = cpu_ns (), ns;

	for (int i = 0; i < PROBE_RUNS; i++)
		__asm__ volatile(".rept 96\n\tnop\n\t.endr");
	ns = (cpu_ns () - begin_ns) / PROBE_RUNS;
	best_ns = fmin (best_ns, ns);
	return ns;
}

static void find_best (void)
{
	if (!isfinite (best_ns))
		for (int i = 0; i < FIRST_PROBES; i++)
			probe_ns ();
}

int rest_wait (void)
{
	find_best ();
	while (probe_ns () > AT_REST * best_ns) {
		if (patience_ns <= 0)
			return 0;
		nanosleep (&(struct timespec){.tv_nsec = WAIT_NS}, NULL);
		patience_ns -= WAIT_NS;
	}
	return 1;
}

double loop_rested_ns (struct loop *loop, enum regime regime, size_t layout, long n)
{
	double cost_ns = NAN, quietest_ns = INFINITY;

	find_best ();
	measured++;
	for (int i = 0; i < TRIES; i++) {
		double begin_ns = wall_ns (), before_ns = probe_ns (),
		       try_ns = loop_cost_ns (loop, regime, layout, n);
		double slower_ns = fmax (before_ns, probe_ns ());

		loop->executions += (double) n;
		if (slower_ns < quietest_ns) {
			quietest_ns = slower_ns;
			cost_ns = try_ns;
		}
		if (quietest_ns <= AT_REST * best_ns) {
			rested++;
			break;
		}
		patience_ns -= wall_ns () - begin_ns;
		if (patience_ns <= 0)
			break;
	}
	return cost_ns;
}

void rest_add_row (void)
{
	static const struct row row = {"machine.at_rest", "percent", NULL, -50};
	double percent = 100.0 * (double) rested / (double) measured;

	if (measured > 0)
		result_add (&row, &percent, NULL, 1);
}
