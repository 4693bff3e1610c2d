/* SPDX-License-Identifier: MIT */
/*
 * noblocks.c: the sumcount interval where markers have no code made for them (PP_BLOCKS=0; beyond
 * 4,096 markers that are bound in one go): a process of its own, which says what it measured.
 */
#include "bench.h"

#include <stdlib.h>

enum { EXECUTIONS = 16000 };

static const struct row noblocks_row = {"interval.elapsed.sumcount.noblocks", "ns",
					"two_rdtsc.throughput", 0};

/* A loop's cost, the median over the layouts. */
static double loop_ns (enum loop_id id)
{
	double ns[LAYOUTS];

	for (size_t layout = 0; layout < LAYOUTS; layout++)
		ns[layout] = loop_rested_ns (&loops[id], THROUGHPUT, layout, EXECUTIONS);
	return quantile (ns, LAYOUTS, 0.5);
}

int noblocks_child (size_t rounds)
{
	loop_ns (LOOP_sumcount); /* first executions make shards */
	for (size_t i = 0; i < rounds; i++) {
		double plain_ns = loop_ns (LOOP_plain), two_ns = loop_ns (LOOP_two_rdtsc);

		printf ("%.17g %.17g\n", loop_ns (LOOP_sumcount) - plain_ns, two_ns - plain_ns);
	}
	return loop_counted (&loops[LOOP_sumcount]);
}

int bench_noblocks (size_t rounds, const char *program)
{
	double *room = calloc (2 * rounds, sizeof *room);
	char command[4096];
	size_t n = 0;
	FILE *child;

	snprintf (command, sizeof command, "PP_BLOCKS=0 '%s' --rounds %zu --noblocks", program,
		  rounds);
	child = room != NULL ? popen (command, "r") : NULL;
	while (child != NULL && n < rounds &&
	       fscanf (child, "%lf %lf", &room[n], &room[rounds + n]) == 2)
		n++;
	if (child == NULL || pclose (child) != 0 || n < rounds) {
		fprintf (stderr, "bench: cannot measure markers without blocks\n");
		free (room);
		return -1;
	}
	result_add (&noblocks_row, room, room + rounds, rounds);
	free (room);
	return 0;
}
