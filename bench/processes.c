/* SPDX-License-Identifier: MIT */
/*
 * processes.c: what is measured of whole processes: their start, and the instructions that valgrind's callgrind
 * counts. Instructions are exact and the same on every machine with the same compiler; they say what changed when a
 * time did.
 */
#include "bench.h"

#include <errno.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ---- start-up ------------------------------------------------------------------------------------------------ */

static const struct row startup_row = {"startup.unbound", "ms", NULL, 0};
static const struct row many_unbound_row = {"startup.100k.unbound", "ms", NULL, 0};
static const struct row many_row = {"startup.100k", "ms", NULL, 0};

double process_ms (char *const arguments[])
{
	struct rusage usage;
	int status;
	pid_t child;
	int error = posix_spawnp (&child, arguments[0], NULL, NULL, arguments, environ);

	if (error != 0) {
		fprintf (stderr, "bench: cannot run %s: %s\n", arguments[0], strerror (error));
		return -1;
	}
	while (wait4 (child, &status, 0, &usage) < 0)
		if (errno != EINTR)
			return -1;
	if (status != 0) {
		fprintf (stderr, "bench: %s failed with wait status %d\n", arguments[0], status);
		return -1;
	}
	return (double) (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3 +
	       (double) (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3;
}

/* Of PROGRAM with ARGUMENT, which may be NULL. Its elapsed time would be the other processes'. */
static double run_ms (const char *program, const char *argument)
{
	char *arguments[] = {(char *) program, (char *) argument, NULL};

	return process_ms (arguments);
}

/* What PROGRAM needs more than UNMARKED. */
static int difference (const struct row *row, size_t rounds, const char *program, const char *argument,
		       const char *unmarked)
{
	double *ms = calloc (rounds, sizeof *ms);
	int error = ms == NULL ? -1 : 0;

	for (size_t i = 0; i < rounds && error == 0; i++) {
		double without_ms = run_ms (unmarked, NULL), with_ms = run_ms (program, argument);

		ms[i] = with_ms - without_ms;
		if (without_ms < 0 || with_ms < 0)
			error = -1;
	}
	if (error == 0)
		result_add (row, ms, NULL, rounds);
	free (ms);
	return error;
}

int bench_startup (size_t rounds, const char *marked, const char *unmarked)
{
	return difference (&startup_row, rounds, marked, NULL, unmarked);
}

int bench_startup_many (size_t rounds, const char *many, const char *unmarked)
{
	int error = difference (&many_unbound_row, rounds, many, NULL, unmarked);

	return error != 0 ? error : difference (&many_row, rounds, many, "one", unmarked);
}

/* ---- instructions -------------------------------------------------------------------------------------------- */

enum { COUNT_FEW = 1000, COUNT_MANY = 21000 };

static const struct {
	struct row row;
	enum loop_id loop;
} counted[] = {
	{{"instructions.two_rdtsc", "instructions", NULL, 0}, LOOP_two_rdtsc},
	{{"instructions.interval.disabled", "instructions", NULL, 2}, LOOP_disabled},
	{{"instructions.interval.sumcount", "instructions", NULL, 0}, LOOP_sumcount},
	{{"instructions.interval.stats", "instructions", NULL, 0}, LOOP_stats},
	{{"instructions.interval.bounded_series", "instructions", NULL, 0}, LOOP_series},
	{{"instructions.interval.four_metrics", "instructions", NULL, 0}, LOOP_four},
	{{"instructions.interval.every16", "instructions", NULL, 0}, LOOP_every16},
	{{"instructions.point.count", "instructions", NULL, 0}, LOOP_point},
	{{"instructions.point.value.stats", "instructions", NULL, 0}, LOOP_value},
};

/* Instructions of a process that runs through LOOP N times, from exec to exit; NaN where there is no figure. */
static double count_instructions (const char *valgrind, enum loop_id loop, long n)
{
	char command[1024], line[256], self[512];
	double count = NAN;
	ssize_t length = readlink ("/proc/self/exe", self, sizeof self - 1);
	FILE *out;

	if (length < 0)
		return NAN;
	self[length] = 0;
	/* no thread of the library's: what it does depends on time. Code changes: valgrind must look at it again. */
	snprintf (command, sizeof command,
		  "PP_THREADS=0 '%s' --tool=callgrind --callgrind-out-file=/dev/null --smc-check=all '%s' --run %s %ld "
		  "2>&1",
		  valgrind, self, loops[loop].name, n);
	out = popen (command, "r");
	if (out == NULL)
		return NAN;
	while (fgets (line, sizeof line, out) != NULL) {
		const char *found = strstr (line, "Collected : ");

		if (found != NULL)
			count = strtod (found + strlen ("Collected : "), NULL);
	}
	return pclose (out) == 0 ? count : NAN;
}

static double instructions_each (const char *valgrind, enum loop_id loop)
{
	double few = count_instructions (valgrind, loop, COUNT_FEW),
	       many = count_instructions (valgrind, loop, COUNT_MANY);

	return (many - few) / (COUNT_MANY - COUNT_FEW);
}

int bench_instructions (const char *valgrind)
{
	double plain = instructions_each (valgrind, LOOP_plain);
	int error = 0;

	for (size_t i = 0; i < sizeof counted / sizeof *counted; i++) {
		double more = instructions_each (valgrind, counted[i].loop) - plain;

		if (isnan (more)) {
			fprintf (stderr, "bench: %s gave no instruction count: no row %s\n", valgrind,
				 counted[i].row.name);
			error = -1;
		} else {
			result_add (&counted[i].row, &more, NULL, 1);
		}
	}
	return error;
}
