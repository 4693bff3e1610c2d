/* SPDX-License-Identifier: MIT */
/*
 * threads.c: what a second thread changes. Two threads that run through the same interval should cost each what one
 * costs alone, for they share nothing; and binding and unbinding must not take long while somebody runs through the
 * site.
 */
#include "bench.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <pp.h>

enum { EXECUTIONS = 100000, TOGGLES = 50 };

/* The loops that both threads run, and where their costs are kept. */
enum { PLAIN, TWO, INTERVAL, SHARED };
static const enum loop_id shared[SHARED] = {LOOP_plain, LOOP_two_rdtsc, LOOP_sumcount};

static const struct row one_row = {"threads.one", "ns", NULL, 0};
static const struct row two_row = {"threads.two", "ns", "threads.one", 0};
static const struct row one_bare_row = {"threads.one.two_rdtsc", "ns", NULL, 0};
static const struct row two_bare_row = {"threads.two.two_rdtsc", "ns", "threads.one.two_rdtsc", 0};
static const struct row toggle_row = {"toggle.one", "us", NULL, 0};

struct pair {
	pthread_barrier_t barrier;
	size_t rounds;
	double cost_ns[SHARED]; /* the helper's, of this round; main reads it behind the barrier */
};

/* The helper of the pair: sleeps at the barrier while main runs alone. */
static void *run_beside (void *arg)
{
	struct pair *pair = arg;

	for (size_t i = 0; i < pair->rounds; i++) {
		for (int k = 0; k < SHARED; k++) {
			pthread_barrier_wait (&pair->barrier);
			pair->cost_ns[k] = loop_cost_ns (&loops[shared[k]], THROUGHPUT, EXECUTIONS);
		}
		pthread_barrier_wait (&pair->barrier);
	}
	return NULL;
}

struct pair_costs {
	double *one, *two, *one_bare, *two_bare;
};

static void pair_round (struct pair *pair, struct pair_costs *costs, size_t round)
{
	double one[SHARED], two[SHARED];

	for (int k = 0; k < SHARED; k++) {
		one[k] = loop_cost_ns (&loops[shared[k]], THROUGHPUT, EXECUTIONS);
		loops[shared[k]].executions += 3.0 * EXECUTIONS; /* alone, and both together below */
	}
	for (int k = 0; k < SHARED; k++) {
		pthread_barrier_wait (&pair->barrier);
		two[k] = loop_cost_ns (&loops[shared[k]], THROUGHPUT, EXECUTIONS);
	}
	pthread_barrier_wait (&pair->barrier);
	for (int k = 0; k < SHARED; k++)
		two[k] = (two[k] + pair->cost_ns[k]) / 2;
	costs->one[round] = one[INTERVAL] - one[PLAIN];
	costs->two[round] = two[INTERVAL] - two[PLAIN];
	costs->one_bare[round] = one[TWO] - one[PLAIN];
	costs->two_bare[round] = two[TWO] - two[PLAIN];
}

static int run_pair (struct pair *pair, struct pair_costs *costs)
{
	pthread_t helper;
	int error;

	error = pthread_barrier_init (&pair->barrier, NULL, 2);
	if (error == 0)
		error = pthread_create (&helper, NULL, run_beside, pair);
	if (error != 0) {
		fprintf (stderr, "bench: no second thread: %s\n", strerror (error));
		return -1;
	}
	for (size_t i = 0; i < pair->rounds; i++)
		pair_round (pair, costs, i);
	pthread_join (helper, NULL);
	pthread_barrier_destroy (&pair->barrier);
	return loop_counted (&loops[LOOP_sumcount]);
}

static int bench_pair (size_t rounds)
{
	struct pair pair = {.rounds = rounds};
	double *costs_ns = calloc (rounds * 4, sizeof *costs_ns);
	struct pair_costs costs;
	int error = -1;

	if (costs_ns == NULL) {
		fprintf (stderr, "bench: no memory for %zu rounds\n", rounds);
		return -1;
	}
	costs = (struct pair_costs){costs_ns, costs_ns + rounds, costs_ns + 2 * rounds, costs_ns + 3 * rounds};
	if (run_pair (&pair, &costs) == 0) {
		result_add (&one_row, costs.one, NULL, rounds);
		result_add (&two_row, costs.two, costs.one, rounds);
		result_add (&one_bare_row, costs.one_bare, NULL, rounds);
		result_add (&two_bare_row, costs.two_bare, costs.one_bare, rounds);
		error = 0;
	}
	free (costs_ns);
	return error;
}

static int stop;

static void *run_through (void *arg)
{
	(void) arg;
	/* relaxed: nothing but the flag is handed over */
	while (!__atomic_load_n (&stop, __ATOMIC_RELAXED))
		loop_run (&loops[LOOP_toggled], THROUGHPUT, 1000);
	return NULL;
}

/* The median of TOGGLES pairs, in µs; negative where one failed. A pair that was interrupted is an outlier. */
static double toggle_us (pp_metric *metric)
{
	double us[TOGGLES];

	for (int i = 0; i < TOGGLES; i++) {
		double begin_ns = wall_ns ();
		int bound = pp_bind (metric, "busy_toggled/toggled", 0);
		int unbound = pp_unbind (metric, "busy_toggled/toggled");

		us[i] = (wall_ns () - begin_ns) / 1000;
		if (bound != 1 || unbound != 1) {
			fprintf (stderr, "bench: bind says %d (%s), unbind %d (%s): no row toggle.one\n", bound,
				 bound < 0 ? pp_strerror (bound) : "sites", unbound,
				 unbound < 0 ? pp_strerror (unbound) : "sites");
			return -1;
		}
	}
	return quantile (us, TOGGLES, 0.5);
}

static int toggle_rounds (double *us, size_t rounds)
{
	pp_metric *metric = pp_metric_find ("m_toggled");

	if (metric == NULL) {
		fprintf (stderr, "bench: there is no metric m_toggled: were the loops compiled with the plugin?\n");
		return -1;
	}
	for (size_t i = 0; i < rounds; i++) {
		us[i] = toggle_us (metric);
		if (us[i] < 0)
			return -1;
	}
	return 0;
}

static int bench_toggle (size_t rounds)
{
	double *us = calloc (rounds, sizeof *us);
	pthread_t helper;
	int error;

	error = us == NULL ? -1 : pthread_create (&helper, NULL, run_through, NULL);
	if (error != 0) {
		fprintf (stderr, "bench: no second thread, no row toggle.one\n");
		free (us);
		return -1;
	}
	error = toggle_rounds (us, rounds);
	__atomic_store_n (&stop, 1, __ATOMIC_RELAXED);
	pthread_join (helper, NULL);
	if (error == 0)
		result_add (&toggle_row, us, NULL, rounds);
	free (us);
	return error;
}

int bench_threads (size_t rounds)
{
	int pair = bench_pair (rounds), toggle = bench_toggle (rounds);

	return pair != 0 || toggle != 0 ? -1 : 0;
}
