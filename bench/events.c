/* SPDX-License-Identifier: MIT */
/*
 * events.c: what recording executions one by one costs: "events" prints a line "ROW VALUE" for each
 * row. An interval with two dimensions, a number of 12 random bits and one of 200 texts, is
 * recorded a million times a turn; what a turn writes fits into the chunks, so none waits for the
 * disk.
 *
 * events.recorded is pairs a second of the thread's CPU time, the median of the turns; events.bytes
 * what the whole file takes, by the records in it. events.aggregated is the same for executions
 * that are counted in groups instead, by a number of 1 bit and one of 200 texts.
 * events.groups.assertion is what such a pair takes longer where a timed assertion is on each of
 * the 200 texts' groups, and not on all together. A turn that dropped anything is no measurement.
 *
 * "events PLAIN MARKED [VALGRIND]": the program of the rows events.slowdown.*, slowdown.c.
 */
#include "slowdown.h"

#include <pp.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { TURNS = 5, PAIRS = 1000000, COMMANDS = 200 };

#define DRAIN_US 400000 /* for the library's thread, between turns */
#define NOIPA __attribute__ ((noipa))

static volatile unsigned long sink;
static char command[COMMANDS][16];

NOIPA static void pair (long size, const char *text)
{
	PP_INTERVAL_DIM (pair, size = size, command = text)
	sink++;
}

static double cpu_s (void)
{
	struct timespec t;

	clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
	return (double) t.tv_sec + (double) t.tv_nsec * 1e-9;
}

static uint64_t next (uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* CPU time of a turn's pairs; MASK: how many different numbers they have, less 1. */
static double turn (uint64_t *state, uint64_t mask)
{
	double begin = cpu_s ();

	for (int i = 0; i < PAIRS; i++) {
		uint64_t x = next (state);

		pair ((long) (x & mask), command[(x >> 12) % COMMANDS]);
	}
	return cpu_s () - begin;
}

static int compare (const void *a, const void *b)
{
	double x = *(const double *) a, y = *(const double *) b;

	return (x > y) - (x < y);
}

/* Pairs a second under a policy with those events, and MORE. */
static int measure (const char *events, const char *more, uint64_t mask, unsigned drain_us,
		    double *rate)
{
	double list[TURNS], plain;
	uint64_t state = 88172645463325252u;
	char policy[512];

	snprintf (policy, sizeof policy,
		  "version: 1\nevents: {%s}\nrecord: {file: events.pprec}\n%s", events, more);
	plain = turn (&state, mask);
	if (pp_policy_load_text ("events", policy) < 0)
		return -1;
	for (int i = 0; i < TURNS; i++) {
		/* without the loop's own */
		list[i] = PAIRS / (turn (&state, mask) - plain) * 1e-6;
		usleep (drain_us);
	}
	qsort (list, TURNS, sizeof list[0], compare);
	*rate = list[TURNS / 2];
	return pp_policy_unload ("events") < 0 || pp_dropped (PP_DROP_STREAM) ||
			       pp_dropped (PP_DROP_POOL)
		       ? -1
		       : 0;
}

/* Nanoseconds that a pair takes with an assertion on groups, less those of one without. */
static int measure_assertion (double *ns)
{
#define ASSERTION(condition)                                                                       \
	"metrics: {took: {interval: elapsed, keep: stats}}\n"                                      \
	"bind: [{metric: took, sites: pair}]\n"                                                    \
	"assertions: {quick: {every: 100ms, expect: '" condition " <= 100 s'}}\n"
	static const char *const groups = "aggregate: [{by: command, sites: pair}]";
	double list[TURNS];

	for (int i = 0; i < TURNS; i++) {
		double one, each;

		if (measure (groups, ASSERTION ("took.max"), 1, 0, &one) < 0 ||
		    measure (groups, ASSERTION ("any(took by command).max"), 1, 0, &each) < 0)
			return -1;
		list[i] = 1e3 / each - 1e3 / one;
	}
	qsort (list, TURNS, sizeof list[0], compare);
	*ns = list[TURNS / 2];
	return 0;
}

/* In a directory of its own, for the records. */
int main (int argc, char **argv)
{
	char directory[] = "/tmp/ppgcc-events-XXXXXX", remove[64];
	char *plain = argc > 2 ? realpath (argv[1], NULL) : NULL,
	     *marked = argc > 2 ? realpath (argv[2], NULL) : NULL;
	struct stat st = {0};
	double rate = 0, aggregated = 0, groups_ns = 0;
	int failed;

	for (int i = 0; i < COMMANDS; i++)
		snprintf (command[i], sizeof command[i], "command %d", i);
	setenv ("PP_LOG", "/dev/null", 1);
	if (!plain || !marked || mkdtemp (directory) == NULL || chdir (directory) != 0)
		return 1;
	failed = measure ("records: pair", "", 4095, DRAIN_US, &rate) < 0 ||
		 stat ("events.pprec", &st) != 0 ||
		 measure ("aggregate: [{by: [size, command], sites: pair}]", "", 1, 0,
			  &aggregated) < 0 ||
		 measure_assertion (&groups_ns) < 0;
	if (!failed)
		printf ("events.recorded %g\nevents.bytes %g\nevents.aggregated %g\n"
			"events.groups.assertion %g\n",
			rate, (double) st.st_blocks * 512 / ((double) TURNS * PAIRS), aggregated,
			groups_ns);
	fflush (stdout);
	failed = failed || slowdown (plain, marked, argc > 3 ? argv[3] : NULL) < 0;
	free (plain);
	free (marked);
	snprintf (remove, sizeof remove, "rm -r %s", directory);
	return system (remove) != 0 || failed;
}
