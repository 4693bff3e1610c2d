/* SPDX-License-Identifier: MIT */
/*
 * slowdown.c: what events make of a program that does little else: the attribute grammars of
 * samples/attributes, whose evaluations take 50 ns each, every one of them an event with six
 * dimensions. The same program without the plugin is what it is compared with, in the same round;
 * of both the time is that of LOADS programs more, so that starting and ending is not in it.
 *
 * Off: nothing is bound; instructions, as callgrind counts them, since the difference is below what
 * times show. Aggregated: in groups by two dimensions. Recorded: each. CPU time of the process,
 * with the library's thread. Each as a ratio, the median of the rounds.
 */
#include "slowdown.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { ROUNDS = 7, FEW = 8, LOADS = 32, COUNTED = 2 };

static const char aggregated[] = "version: 1\n"
				 "events: {aggregate: [{by: [name, cached], sites: \"**\"}]}\n"
				 "record: {file: slowdown.pprec, overwrite: true}\n",
		  recorded[] = "version: 1\nevents: {records: \"**\"}\n"
			       "record: {file: slowdown.pprec, overwrite: true}\n";

static int write_policy (const char *policy)
{
	FILE *out = policy ? fopen ("slowdown.yaml", "w") : NULL;
	int ok = !policy || (out && fputs (policy, out) >= 0);

	if (out)
		ok = fclose (out) == 0 && ok;
	if (policy)
		setenv ("PP_POLICY", "slowdown.yaml", 1);
	else
		unsetenv ("PP_POLICY");
	return ok;
}

/* The program LOADS times in one process: " load load ..." */
static void put_loads (char *command, size_t room, const char *program, int loads)
{
	size_t n = (size_t) snprintf (command, room, "%s", program);

	for (int i = 0; i < loads && n < room; i++)
		n += (size_t) snprintf (command + n, room - n, " load");
}

static double cpu_s (void)
{
	struct rusage used;

	getrusage (RUSAGE_CHILDREN, &used);
	return (double) (used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
	       (double) (used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e-6;
}

/* CPU seconds of LOADS of them; NaN: it failed. */
static double run (const char *program, int loads)
{
	char command[1024], whole[1200];
	double before = cpu_s ();

	put_loads (command, sizeof command, program, loads);
	snprintf (whole, sizeof whole, "exec %s >/dev/null", command);
	return system (whole) == 0 ? cpu_s () - before : (double) NAN;
}

static double seconds (const char *program, const char *policy)
{
	return write_policy (policy) ? run (program, FEW + LOADS) - run (program, FEW)
				     : (double) NAN;
}

/* Instructions of LOADS of them; NaN: valgrind is missing. */
static double instructions (const char *valgrind, const char *program, int loads)
{
	char command[1024], whole[1400], line[256];
	double count = NAN;
	FILE *out;

	put_loads (command, sizeof command, program, loads);
	snprintf (whole, sizeof whole,
		  "PP_THREADS=0 '%s' --tool=callgrind --callgrind-out-file=/dev/null %s 2>&1 "
		  ">/dev/null",
		  valgrind, command);
	out = popen (whole, "r");
	if (!out)
		return NAN;
	while (fgets (line, sizeof line, out)) {
		const char *found = strstr (line, "Collected : ");

		if (found)
			count = strtod (found + strlen ("Collected : "), NULL);
	}
	return pclose (out) == 0 ? count : NAN;
}

static double counted (const char *valgrind, const char *program)
{
	return instructions (valgrind, program, 1 + COUNTED) - instructions (valgrind, program, 1);
}

static int compare (const void *a, const void *b)
{
	double x = *(const double *) a, y = *(const double *) b;

	return (x > y) - (x < y);
}

static double median (double *list)
{
	qsort (list, ROUNDS, sizeof list[0], compare);
	return list[ROUNDS / 2];
}

int slowdown (const char *plain, const char *marked, const char *valgrind)
{
	double of_aggregated[ROUNDS], of_recorded[ROUNDS], off = NAN;

	write_policy (NULL);
	if (valgrind)
		off = counted (valgrind, marked) / counted (valgrind, plain);
	for (int i = 0; i < ROUNDS; i++) {
		double without = seconds (plain, NULL);

		of_aggregated[i] = seconds (marked, aggregated) / without;
		of_recorded[i] = seconds (marked, recorded) / without;
		if (!(of_aggregated[i] > 0 && of_recorded[i] > 0))
			return -1;
	}
	printf ("events.slowdown.off %g\nevents.slowdown.aggregated %g\n"
		"events.slowdown.recorded %g\n",
		off, median (of_aggregated), median (of_recorded));
	return 0;
}
