/* SPDX-License-Identifier: MIT */
/*
 * table.c: a table of the kind of 5.1 in J. Stanley, "Language Extensions for Performance-Oriented
 * Programming" (2003): what markers cost five whole programs (table51/). A run is a process of its
 * own, for where the system lays out its memory changes its time; a round runs a program in all its
 * ways, beginning with another one; the program says itself how long its work took.
 */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * The ways to run a program: without markers; with them, nothing bound; `count` bound everywhere;
 * `elapsed` bound everywhere.
 */
enum way { ORIG, MARK, COUNT, ELAPSED, WAYS };

struct run {
	double ns, result, samples;
};

/*
 * At least so many rounds, and not many more: each takes 0.2 s. Many short runs rather than few
 * long ones: a neighbour on the core spoils fewer of them, and where each run's memory lies is
 * drawn anew. Two do their whole work, with fewer rounds: health, whose queues, and with them the
 * work of an interval, grow as time passes, and the worst case, which is to be called millions of
 * times.
 */
enum { ROUNDS_LEAST = 91, ROUNDS_MOST = 301, A_FIFTH = 20, WHOLE = 100 };

/* What is executed, and its rows; without a name there is no such row. */
static const struct program {
	const char *name, *orig, *mark;
	int percent;   /* of its work */
	double rounds; /* of those asked for */
	struct row orig_row, percent_row[WAYS], instructions_row, call_row;
} programs[] = {
#define PROGRAM(NAME, PERCENT, ROUNDS)                                                             \
	{                                                                                          \
		.name = "table51." NAME, .orig = NAME "_orig", .mark = NAME "_mark",               \
		.percent = PERCENT, .rounds = ROUNDS,                                              \
		.orig_row = {"table51." NAME ".orig", "ms", NULL, 0},                              \
		.percent_row = {[MARK] = {"table51." NAME ".mark", "%", NULL, 0},                  \
				[COUNT] = {"table51." NAME ".count", "%", NULL, 0},                \
				[ELAPSED] = {"table51." NAME ".all", "%", NULL, 1}},               \
		.instructions_row = {                                                              \
			"table51." NAME ".mark.instructions",                                      \
			"%",                                                                       \
			NULL,                                                                      \
			0.3                                                                        \
		}                                                                                  \
	}
	PROGRAM ("em3d", A_FIFTH, 1),
	PROGRAM ("tsp", A_FIFTH, 1),
	PROGRAM ("health", WHOLE, 0.6),
	PROGRAM ("voronoi", A_FIFTH, 1),
	PROGRAM ("power", A_FIFTH, 1),
	{.name = "table51.worst",
	 .orig = "voronoi_orig",
	 .mark = "worst_mark",
	 .percent = WHOLE,
	 .rounds = 0.33,
	 .percent_row = {[MARK] = {"table51.worst.mark", "%", NULL, 0},
			 [COUNT] = {"table51.worst.count", "%", NULL, 4},
			 [ELAPSED] = {"table51.worst.elapsed", "%", NULL, 0}},
	 .instructions_row = {"table51.worst.mark.instructions", "%", NULL, 0},
	 .call_row = {"table51.worst.elapsed.call", "ns", NULL, 0}},
};
enum { PROGRAMS = sizeof programs / sizeof *programs };

static const char *const metric_of[WAYS] = {[COUNT] = "count", [ELAPSED] = "elapsed"};

/* Where the programs and the policies are. */
static const char *program_folder, *policy_folder;

static int run_once (const struct program *program, enum way way, struct run *run)
{
	char command[1024];
	const char *metric = metric_of[way];
	int length = 0, got;
	FILE *out;

	if (metric != NULL)
		length = snprintf (command, sizeof command,
				   "PP_POLICY='%s/%s.yaml' TABLE51_METRIC=%s ", policy_folder,
				   metric, metric);
	snprintf (command + length, sizeof command - (size_t) length, "exec '%s/table51_%s' %d",
		  program_folder, way == ORIG ? program->orig : program->mark, program->percent);
	out = popen (command, "r");
	if (out == NULL)
		return -1;
	got = fscanf (out, "%lf %lf %lf", &run->ns, &run->result, &run->samples);
	if (pclose (out) == 0 && got == 3)
		return 0;
	fprintf (stderr, "bench: this failed: %s\n", command);
	return -1;
}

/*
 * All ways must come to the same result, and those with a metric must have had samples, the same
 * number.
 */
static int same_work (const struct program *program, const struct run runs[WAYS])
{
	for (enum way way = MARK; way < WAYS; way++)
		if (runs[way].result != runs[ORIG].result) {
			fprintf (stderr, "bench: %s comes to %.15g, %s to %.15g: no rows\n",
				 program->orig, runs[ORIG].result, program->mark, runs[way].result);
			return -1;
		}
	if (runs[COUNT].samples > 0 && runs[COUNT].samples == runs[ELAPSED].samples)
		return 0;
	fprintf (stderr, "bench: %s has %.0f samples of count and %.0f of elapsed: no rows\n",
		 program->mark, runs[COUNT].samples, runs[ELAPSED].samples);
	return -1;
}

static int measure (const struct program *program, size_t rounds, struct run (*runs)[WAYS])
{
	for (size_t i = 0; i < rounds; i++) {
		for (size_t k = 0; k < WAYS; k++) {
			enum way way = (enum way) ((i + k) % WAYS);

			if (run_once (program, way, &runs[i][way]) != 0)
				return -1;
		}
		if (same_work (program, runs[i]) != 0)
			return -1;
	}
	return 0;
}

static void add_rows (const struct program *program, size_t rounds, struct run (*runs)[WAYS],
		      double *room)
{
	if (program->orig_row.name != NULL) {
		for (size_t i = 0; i < rounds; i++)
			room[i] = runs[i][ORIG].ns / 1e6;
		result_add (&program->orig_row, room, NULL, rounds);
	}
	for (enum way way = MARK; way < WAYS; way++) {
		for (size_t i = 0; i < rounds; i++)
			room[i] = (runs[i][way].ns / runs[i][ORIG].ns - 1) * 100;
		result_add (&program->percent_row[way], room, NULL, rounds);
	}
	if (program->call_row.name != NULL) {
		for (size_t i = 0; i < rounds; i++)
			room[i] =
				(runs[i][ELAPSED].ns - runs[i][ORIG].ns) / runs[i][ELAPSED].samples;
		result_add (&program->call_row, room, NULL, rounds);
	}
}

/* Instructions of the work alone, NaN where there is no figure. */
static double count_instructions (const char *valgrind, const char *program)
{
	char command[1024], line[256];
	double count = NAN;
	FILE *out;

	snprintf (command, sizeof command,
		  "PP_THREADS=0 '%s' --tool=callgrind --callgrind-out-file=/dev/null "
		  "--toggle-collect=table51_work '%s/table51_%s' %d 2>&1",
		  valgrind, program_folder, program, A_FIFTH);
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

static int add_instructions (const struct program *program, const char *valgrind)
{
	double percent = (count_instructions (valgrind, program->mark) /
				  count_instructions (valgrind, program->orig) -
			  1) *
			 100;

	if (isnan (percent)) {
		fprintf (stderr, "bench: %s gave no instruction count: no row %s\n", valgrind,
			 program->instructions_row.name);
		return -1;
	}
	result_add (&program->instructions_row, &percent, NULL, 1);
	return 0;
}

int bench_table (size_t rounds, const char *programs_in, const char *policies_in,
		 const char *valgrind)
{
	struct run (*runs)[WAYS];
	double *room;
	size_t program_rounds;
	int error = 0;

	rounds = rounds < ROUNDS_LEAST ? ROUNDS_LEAST : rounds > ROUNDS_MOST ? ROUNDS_MOST : rounds;
	runs = calloc (rounds, sizeof *runs);
	room = calloc (rounds, sizeof *room);
	program_folder = programs_in;
	policy_folder = policies_in;
	if (runs == NULL || room == NULL)
		error = -1;
	for (size_t i = 0; i < PROGRAMS && runs != NULL && room != NULL; i++) {
		if (!result_wanted (programs[i].name))
			continue;
		program_rounds = (size_t) (programs[i].rounds * (double) rounds);
		if (measure (&programs[i], program_rounds, runs) == 0)
			add_rows (&programs[i], program_rounds, runs, room);
		else
			error = -1;
		if (valgrind != NULL && add_instructions (&programs[i], valgrind) != 0)
			error = -1;
	}
	free (runs);
	free (room);
	return error;
}
