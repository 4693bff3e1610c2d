/* SPDX-License-Identifier: MIT */
/*
 * compile.c: what the plugin costs the compiler. The sources have no pragmas and are preprocessed,
 * so nothing but compiling and assembling is measured. A round compiles each source in every way,
 * one way right after the other; its ratio is that of the sums over real files, as a build would
 * see it. A generated file has rows of its own: its 300 functions are unlike those of the others,
 * and would outweigh them.
 */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS_MIN = 5, ROUNDS_MAX = 25, ARGUMENTS = 24, ARGUMENTS_OURS = 10 };

/* The ways, and the plugin's option. The first is without the plugin. */
enum { WITHOUT, PLAIN, CALLS, INTERVAL, WAYS };

/* Real files, and the last source, which is generated. */
enum { REAL, GENERATED, KINDS };

static const struct row compile_rows[KINDS][WAYS] = {
	{{"compile.without", "ms", NULL, 0},
	 {"compile.plain", "ms", "compile.without", 1.03},
	 {"compile.calls", "ms", "compile.without", 1.08},
	 {"compile.calls.interval", "ms", "compile.without", 1.08}},
	{{"compile.300.without", "ms", NULL, 0},
	 {"compile.300.plain", "ms", "compile.300.without", 1.03},
	 {"compile.300.calls", "ms", "compile.300.without", 1.08},
	 {"compile.300.calls.interval", "ms", "compile.300.without", 1.08}},
};
static const char *const way_option[WAYS] = {
	[CALLS] = "-fplugin-arg-ppgcc-calls",
	[INTERVAL] = "-fplugin-arg-ppgcc-calls=interval",
};

/*
 * Puts the words of TEXT, which it cuts up, into ARGUMENTS; how many, or 0 where there is no room
 * or no word.
 */
static size_t split (char *text, char **arguments, size_t room)
{
	size_t count = 0;

	for (char *word = strtok (text, " "); word != NULL; word = strtok (NULL, " ")) {
		if (count == room)
			return 0;
		arguments[count++] = word;
	}
	return count;
}

/*
 * CPU time in ms of compiling SOURCE that way and assembling it, into SOURCE.o; negative where it
 * failed.
 */
static double compile_ms (const struct compile *c, int way, const char *source)
{
	static char optimise[] = "-O2", quiet[] = "-w", object[] = "-c", into[] = "-o";
	char compiler[1024], plugin[1024], output[1024], *arguments[ARGUMENTS];
	size_t n;

	if (snprintf (compiler, sizeof compiler, "%s", c->compiler) >= (int) sizeof compiler ||
	    snprintf (plugin, sizeof plugin, "-fplugin=%s", c->plugin) >= (int) sizeof plugin ||
	    snprintf (output, sizeof output, "%s.o", source) >= (int) sizeof output ||
	    (n = split (compiler, arguments, ARGUMENTS - ARGUMENTS_OURS)) == 0) {
		fprintf (stderr, "bench: no compiler, or a name is too long: %s, %s, %s\n",
			 c->compiler, c->plugin, source);
		return -1;
	}
	arguments[n++] = optimise;
	arguments[n++] = quiet;
	arguments[n++] = object;
	arguments[n++] = into;
	arguments[n++] = output;
	if (way != WITHOUT)
		arguments[n++] = plugin;
	if (way_option[way] != NULL)
		arguments[n++] = (char *) way_option[way];
	arguments[n++] = (char *) source;
	arguments[n] = NULL;
	return process_ms (arguments);
}

/* MS has KINDS x WAYS x ROUNDS sums over the sources of a kind. */
static double *sum_of (double *ms, size_t rounds, int kind, int way)
{
	return &ms[(size_t) (kind * WAYS + way) * rounds];
}

static int measure (const struct compile *c, double *ms, size_t rounds)
{
	for (size_t round = 0; round < rounds; round++)
		for (size_t s = 0; s < c->sources_count; s++)
			for (size_t i = 0; i < WAYS; i++) {
				int way = (int) ((i + round + s) % WAYS),
				    kind = s + 1 < c->sources_count ? REAL : GENERATED;
				double one_ms = compile_ms (c, way, c->sources[s]);

				if (one_ms < 0)
					return -1;
				sum_of (ms, rounds, kind, way)[round] += one_ms;
			}
	return 0;
}

int bench_compile (size_t rounds, const struct compile *c)
{
	double *ms;
	int error;

	/* a round takes seconds */
	rounds = rounds / 5 < ROUNDS_MAX ? rounds / 5 : ROUNDS_MAX;
	if (rounds < ROUNDS_MIN)
		rounds = ROUNDS_MIN;
	ms = calloc (KINDS * WAYS * rounds, sizeof *ms);
	error = ms == NULL ? -1 : measure (c, ms, rounds);
	for (int kind = 0; kind < KINDS && error == 0; kind++)
		for (int way = 0; way < WAYS; way++)
			result_add (&compile_rows[kind][way], sum_of (ms, rounds, kind, way),
				    way == WITHOUT ? NULL : sum_of (ms, rounds, kind, WITHOUT),
				    rounds);
	free (ms);
	return error;
}
