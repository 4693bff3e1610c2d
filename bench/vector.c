/* SPDX-License-Identifier: MIT */
/*
 * vector.c: what a marker inside a vectorised loop costs, with nothing bound and with a count. Each
 * round runs the loop without marker and with it, by turns first, and forms their ratio.
 */
#include "bench.h"

#include <pp.h>
#include <stdlib.h>

/* clang-format off */
PP_METRIC (m_vector, interval, count (count))
/* clang-format on */

enum { N = 20000, REPETITIONS = 100, REPETITIONS_BOUND = 2 };

/* ---- rows: of each kernel the loop without marker, with nothing bound, bound */

enum state { UNMARKED, UNBOUND, BOUND, STATES };
static const struct row rows[VECTOR_KERNELS][STATES] = {
	{{"vector.saxpy.unmarked", "ns", NULL, 0},
	 {"vector.saxpy.unbound", "ns", "vector.saxpy.unmarked", 1.02},
	 {"vector.saxpy.bound", "ns", "vector.saxpy.unmarked", 0}},
	{{"vector.dot.unmarked", "ns", NULL, 0},
	 {"vector.dot.unbound", "ns", "vector.dot.unmarked", 1.02},
	 {"vector.dot.bound", "ns", "vector.dot.unmarked", 0}},
	{{"vector.stencil.unmarked", "ns", NULL, 0},
	 {"vector.stencil.unbound", "ns", "vector.stencil.unmarked", 1.02},
	 {"vector.stencil.bound", "ns", "vector.stencil.unmarked", 0}},
};

static float y[N + 2] __attribute__ ((aligned (64))), x[N + 2] __attribute__ ((aligned (64)));

static double cost_ns (vector_loop *loop, int repetitions)
{
	double begin_ns = cpu_ns ();

	for (int i = 0; i < repetitions; i++)
		loop (y, x, 1e-9f, N);
	return (cpu_ns () - begin_ns) / repetitions / N;
}

/* One round, which begins with the loop that the one before ended with. */
static void measure (const struct vector_kernel *k, size_t round, int repetitions, double *unmarked,
		     double *marked)
{
	for (size_t turn = 0; turn < 2; turn++)
		if ((turn ^ round) & 1)
			*marked = cost_ns (k->marked, repetitions);
		else
			*unmarked = cost_ns (k->unmarked, repetitions);
}

static int bench_kernel (size_t kernel, size_t rounds, double *unmarked, double *marked)
{
	const struct vector_kernel *k = &vector_kernels[kernel];
	double before = pp_count (m_vector), counted;

	for (size_t i = 0; i < rounds; i++)
		measure (k, i, REPETITIONS, &unmarked[i], &marked[i]);
	result_add (&rows[kernel][UNMARKED], unmarked, NULL, rounds);
	result_add (&rows[kernel][UNBOUND], marked, unmarked, rounds);

	if (pp_bind (m_vector, k->site, 1) != 1) {
		fprintf (stderr, "bench: there is no site %s\n", k->site);
		return -1;
	}
	for (size_t i = 0; i < rounds; i++)
		measure (k, i, REPETITIONS_BOUND, &unmarked[i], &marked[i]);
	pp_unbind (m_vector, k->site);
	counted = pp_count (m_vector) - (before > 0 ? before : 0);
	if (counted != (double) rounds * REPETITIONS_BOUND * N) {
		fprintf (stderr, "bench: %s was executed %.0f times and counted %.0f\n", k->site,
			 (double) rounds * REPETITIONS_BOUND * N, counted);
		return -1;
	}
	result_add (&rows[kernel][BOUND], marked, unmarked, rounds);
	return 0;
}

int bench_vector (size_t rounds)
{
	double *unmarked = calloc (rounds, sizeof *unmarked),
	       *marked = calloc (rounds, sizeof *marked);
	int error = 0;

	for (size_t i = 0; i < N + 2; i++)
		x[i] = y[i] = (float) (i % 7) * 0.125f;
	if (unmarked == NULL || marked == NULL) {
		fprintf (stderr, "bench: no memory for %zu rounds\n", rounds);
		error = -1;
	} else
		for (size_t k = 0; k < VECTOR_KERNELS; k++)
			if (bench_kernel (k, rounds, unmarked, marked) != 0)
				error = -1;
	free (unmarked);
	free (marked);
	return error;
}
