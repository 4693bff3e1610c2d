/* SPDX-License-Identifier: MIT */
/*
 * many.c: 100,000 sites bound and unbound at once while a thread runs through them, and the memory
 * that markers and threads take, both told by toggle_100k.c, a process of its own.
 */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

static const struct row toggle_row = {"toggle.100k", "ms", NULL, 60};
static const struct row first_row = {"toggle.100k.first", "ms", NULL, 150};
static const struct row marker_row = {"memory.per_marker", "bytes", NULL, 64};
static const struct row known_row = {"memory.per_marker.known", "bytes", NULL, 0};
static const struct row bound_row = {"memory.per_marker.bound", "bytes", NULL, 0};
static const struct row thread_row = {"memory.per_thread", "bytes", NULL, 4096};

/* "PROGRAM WHAT"; NULL with a message. */
static FILE *run (const char *program, const char *what)
{
	char command[1024];
	FILE *out;

	snprintf (command, sizeof command, "'%s' %s", program, what);
	out = popen (command, "r");
	if (out == NULL)
		fprintf (stderr, "bench: cannot run %s\n", command);
	return out;
}

static int done (FILE *out, int read_all, const char *program)
{
	if (pclose (out) == 0 && read_all)
		return 0;
	fprintf (stderr, "bench: %s failed\n", program);
	return -1;
}

/* The first bind of a process, in ms: as many processes as samples. */
static int first_binds (const char *program)
{
	enum { PROCESSES = 7 };
	double ms[PROCESSES];

	for (size_t i = 0; i < PROCESSES; i++) {
		FILE *out = run (program, "0");
		int read_all = out != NULL && fscanf (out, "%lf", &ms[i]) == 1;

		if (out == NULL || done (out, read_all, program) != 0)
			return -1;
	}
	result_add (&first_row, ms, NULL, PROCESSES);
	return 0;
}

static int toggle_many (size_t rounds, const char *program)
{
	double *ms = calloc (rounds, sizeof *ms), first_ms = 0, bind_ms, unbind_ms;
	char what[32];
	size_t counted = 0;
	int read_all;
	FILE *out;

	snprintf (what, sizeof what, "%zu", rounds);
	out = ms == NULL ? NULL : run (program, what);
	if (out == NULL) {
		free (ms);
		return -1;
	}
	read_all = fscanf (out, "%lf", &first_ms) == 1;
	while (counted < rounds && fscanf (out, "%lf %lf", &bind_ms, &unbind_ms) == 2)
		ms[counted++] = (bind_ms + unbind_ms) / 2;
	if (done (out, read_all, program) != 0) {
		free (ms);
		return -1;
	}
	if (counted > 0)
		result_add (&toggle_row, ms, NULL, counted);
	else
		fprintf (stderr,
			 "bench: nobody ran through the sites meanwhile: no rows toggle.100k\n");
	free (ms);
	return 0;
}

static int memory (const char *program)
{
	double marker, known, bound, thread;
	FILE *out = run (program, "memory");
	int read_all;

	if (out == NULL)
		return -1;
	read_all = fscanf (out, "%lf %lf %lf %lf", &marker, &known, &bound, &thread) == 4;
	if (done (out, read_all, program) != 0)
		return -1;
	result_add (&marker_row, &marker, NULL, 1);
	result_add (&known_row, &known, NULL, 1);
	result_add (&bound_row, &bound, NULL, 1);
	result_add (&thread_row, &thread, NULL, 1);
	return 0;
}

int bench_many (size_t rounds, const char *program)
{
	/* half a second for the program to begin, and a tenth for a round */
	int toggled = toggle_many (rounds < 51 ? rounds : 51, program),
	    first = first_binds (program), told = memory (program);

	return toggled != 0 || first != 0 || told != 0 ? -1 : 0;
}
