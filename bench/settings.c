/* SPDX-License-Identifier: MIT */
/*
 * settings.c: the sumcount interval where the environment asks for another way: each in a process
 * of its own, which says what it measured.
 *
 *      noblocks    markers have no code made for them (PP_BLOCKS=0)
 *      vdso        the time is CLOCK_MONOTONIC (PP_CLOCK=monotonic), as where the kernel distrusts the
 *                  processor's counter
 */
#include "bench.h"

#include <stdlib.h>

enum { EXECUTIONS = 16000 };

static const struct setting {
	const char *environment;
	struct row row;
	enum loop_id yardstick;
} settings[] = {
	{"PP_BLOCKS=0",
	 {"interval.elapsed.sumcount.noblocks", "ns", "two_rdtsc.throughput", 0},
	 LOOP_two_rdtsc},
	{"PP_CLOCK=monotonic",
	 {"interval.elapsed.sumcount.vdso", "ns", "peer.clock_gettime", 0},
	 LOOP_clock},
};

enum { SETTINGS = sizeof settings / sizeof settings[0] };

/* A loop's cost, the median over the layouts. */
static double loop_ns (enum loop_id id)
{
	double ns[LAYOUTS];

	for (size_t layout = 0; layout < LAYOUTS; layout++)
		ns[layout] = loop_rested_ns (&loops[id], THROUGHPUT, layout, EXECUTIONS);
	return quantile (ns, LAYOUTS, 0.5);
}

int setting_child (size_t rounds, size_t setting)
{
	if (setting >= SETTINGS)
		return -1;
	loop_ns (LOOP_sumcount); /* first executions make shards */
	for (size_t i = 0; i < rounds; i++) {
		double plain_ns = loop_ns (LOOP_plain);
		double yardstick_ns = loop_ns (settings[setting].yardstick);

		printf ("%.17g %.17g\n", loop_ns (LOOP_sumcount) - plain_ns,
			yardstick_ns - plain_ns);
	}
	return loop_counted (&loops[LOOP_sumcount]);
}

static int measure (size_t rounds, const char *program, size_t setting)
{
	double *room = calloc (2 * rounds, sizeof *room);
	char command[4096];
	size_t n = 0;
	FILE *child;

	snprintf (command, sizeof command, "%s '%s' --rounds %zu --setting %zu",
		  settings[setting].environment, program, rounds, setting);
	child = room != NULL ? popen (command, "r") : NULL;
	while (child != NULL && n < rounds &&
	       fscanf (child, "%lf %lf", &room[n], &room[rounds + n]) == 2)
		n++;
	if (child == NULL || pclose (child) != 0 || n < rounds) {
		fprintf (stderr, "bench: cannot measure markers with %s\n",
			 settings[setting].environment);
		free (room);
		return -1;
	}
	result_add (&settings[setting].row, room, room + rounds, rounds);
	free (room);
	return 0;
}

int bench_settings (size_t rounds, const char *program)
{
	int error = 0;

	for (size_t i = 0; i < SETTINGS; i++)
		if (result_wanted (settings[i].row.name))
			error |= measure (rounds, program, i);
	return error;
}
