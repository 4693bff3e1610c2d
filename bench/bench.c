/* SPDX-License-Identifier: MIT */
/*
 * bench.c: the program of `make bench`. It measures and prints; it judges nothing, because a busy
 * machine is not a bug. It fails only where a row could not be measured, or where a metric did not
 * count what was executed.
 */
#include "bench.h"

#include <getopt.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS_FAST = 31, ROUNDS_FULL = 151 };
#define PATIENCE_S 1.0 /* a round */

struct options {
	size_t rounds;
	const char *self, *json, *marked, *many, *unmarked, *toggled, *valgrind, *table, *policies,
		*policy, *growth, *budget, *recording, *control, *sampling, *events, *query,
		*accuracy, *calls, *features, *samples;
	struct compile compile;
	struct peers peers;
};

static void usage (FILE *out)
{
	fputs ("usage: bench [--fast | --rounds N] [--json FILE] [--startup MARKED [--many "
	       "PROGRAM] UNMARKED]\n"
	       "             [--valgrind PROGRAM] [--plugin FILE --compiler COMMAND SOURCE...]\n"
	       "       bench --run LOOP N\n",
	       out);
}

/* Their rows have many first names. */
static int loops_wanted (void)
{
	static const char *const first[] = {
		"loop",      "two_rdtsc",          "interval",        "point",
		"peer.hand", "peer.clock_gettime", "assertion.check", "assertion.often_violated"};

	for (size_t i = 0; i < sizeof first / sizeof *first; i++)
		if (result_wanted (first[i]))
			return 1;
	return 0;
}

/* Those of a program of their own, which has no peers. */
static int events_wanted (void)
{
	return result_wanted ("events") &&
	       (!result_named ("events.peer") || result_wanted ("events.recorded"));
}

/* What took how long, for whoever waits for it. */
static char took[512];
static double group_ns, all_ns;

static void group_took (const char *what)
{
	double now_ns = wall_ns (), s = (now_ns - group_ns) / 1e9;
	size_t used = strlen (took);

	if (s >= 1)
		snprintf (took + used, sizeof took - used, "%s%s %.0f", used > 0 ? ", " : "", what,
			  s);
	all_ns += now_ns - group_ns;
	group_ns = now_ns;
}

static int bench_all (const struct options *o)
{
	int error = 0;

	result_head ();
	group_ns = wall_ns ();
	rest_patience ((double) o->rounds * PATIENCE_S);
	if (o->valgrind != NULL && (result_wanted ("instructions") || loops_wanted ()))
		error |= bench_instructions (o->valgrind);
	if (loops_wanted ())
		error |= bench_loops (o->rounds);
	error |= bench_settings (o->rounds, o->self);
	if (result_wanted ("assertion.elsewhere"))
		error |= bench_elsewhere (o->rounds);
	group_took ("loops");
	rest_add_row ();
	if (o->budget != NULL && result_wanted ("budget"))
		error |= bench_budget (o->rounds, o->budget);
	group_took ("budget");
	if (o->recording != NULL &&
	    (result_wanted ("stream") || result_wanted ("record") || result_wanted ("report")))
		error |= bench_recording (o->recording);
	group_took ("recordings");
	if (o->control != NULL && (result_wanted ("idle") || result_wanted ("control")))
		error |= bench_control (o->control);
	group_took ("control");
	if (o->sampling != NULL && (result_wanted ("watche") || result_wanted ("flight") ||
				    result_wanted ("interrupter") || result_wanted ("peer.perf") ||
				    result_wanted ("peer.gperftools")))
		error |= bench_sampling (o->sampling);
	group_took ("sampling");
	if (o->events != NULL && events_wanted ())
		error |= bench_events (o->events);
	if (o->peers.script != NULL && result_wanted ("events.peer"))
		error |= bench_event_peers (o->rounds, &o->peers);
	group_took ("events");
	if (o->query != NULL && result_wanted ("query"))
		error |= bench_query (o->query);
	group_took ("query");
	if (o->accuracy != NULL &&
	    (result_wanted ("sampling") || result_wanted ("unwind") || result_wanted ("eintr")))
		error |= bench_accuracy (o->accuracy);
	group_took ("accuracy");
	if (o->calls != NULL && result_wanted ("calls"))
		error |= bench_calls (o->calls);
	group_took ("calls");
	/* they take minutes: in a fast run only where they are named */
	if (o->features != NULL && (result_wanted ("features") || result_wanted ("repair")) &&
	    (o->rounds != ROUNDS_FAST || result_named ("features") || result_named ("repair")))
		error |= bench_features (o->rounds, o->features, o->samples);
	group_took ("features");
	if (o->policy != NULL && result_wanted ("policy.load"))
		error |= bench_policy_load (o->rounds, o->policy);
	if (o->growth != NULL && result_wanted ("growth"))
		error |= bench_growth (o->growth);
	group_took ("policy and growth");
	if (o->peers.script != NULL && result_wanted ("peer"))
		error |= bench_peers (o->rounds, &o->peers);
	group_took ("peers");
	if (o->table != NULL && result_wanted ("table51"))
		error |= bench_table (o->rounds, o->table, o->policies, o->valgrind);
	group_took ("table51");
	if (result_wanted ("vector"))
		error |= bench_vector (o->rounds);
	if (result_wanted ("threads") || result_wanted ("toggle"))
		error |= bench_threads (o->rounds);
	if (o->marked != NULL && result_wanted ("startup"))
		error |= bench_startup (o->rounds, o->marked, o->unmarked);
	if (o->many != NULL && result_wanted ("startup"))
		error |= bench_startup_many (o->rounds, o->many, o->unmarked);
	if (o->toggled != NULL && (result_wanted ("toggle") || result_wanted ("memory")))
		error |= bench_many (o->rounds, o->toggled);
	group_took ("vector, threads, start-up and toggling");
	if (o->compile.plugin != NULL && result_wanted ("compile"))
		error |= bench_compile (o->rounds, &o->compile);
	group_took ("compile");
	result_notes ();
	printf ("took %.0f s: %s\n", all_ns / 1e9, took);
	if (o->json != NULL && result_write (o->json) != 0)
		error = 1;
	return error != 0;
}

/* Options that say where something is, and where that goes. */
static const struct {
	const char *name;
	size_t at; /* of a const char * in struct options */
} places[] = {
	{"json", offsetof (struct options, json)},
	{"startup", offsetof (struct options, marked)},
	{"valgrind", offsetof (struct options, valgrind)},
	{"many", offsetof (struct options, many)},
	{"toggle", offsetof (struct options, toggled)},
	{"plugin", offsetof (struct options, compile.plugin)},
	{"compiler", offsetof (struct options, compile.compiler)},
	{"peers", offsetof (struct options, peers.found)},
	{"peer-script", offsetof (struct options, peers.script)},
	{"peer-folder", offsetof (struct options, peers.folder)},
	{"table", offsetof (struct options, table)},
	{"policies", offsetof (struct options, policies)},
	{"policy", offsetof (struct options, policy)},
	{"growth", offsetof (struct options, growth)},
	{"budget", offsetof (struct options, budget)},
	{"recording", offsetof (struct options, recording)},
	{"control", offsetof (struct options, control)},
	{"sampling", offsetof (struct options, sampling)},
	{"events", offsetof (struct options, events)},
	{"query", offsetof (struct options, query)},
	{"accuracy", offsetof (struct options, accuracy)},
	{"calls", offsetof (struct options, calls)},
	{"features", offsetof (struct options, features)},
	{"samples", offsetof (struct options, samples)},
};

enum { PLACES = sizeof places / sizeof places[0] };
enum { FIRST_PLACE = 256 }; /* options of one letter are below that */

/* -1: go on; else the exit status. */
static int read_options (int argc, char **argv, struct options *o)
{
	static const struct option others[] = {
		{"fast", no_argument, NULL, 'f'},          {"rounds", required_argument, NULL, 'n'},
		{"count", no_argument, NULL, 'r'},         {"only", required_argument, NULL, 'o'},
		{"setting", required_argument, NULL, 's'}, {"help", no_argument, NULL, 'h'}};
	enum { OTHERS = sizeof others / sizeof others[0] };
	struct option all[PLACES + OTHERS + 1];
	int c;

	memset (all, 0, sizeof all);
	memcpy (all, others, sizeof others);
	for (int i = 0; i < PLACES; i++)
		all[OTHERS + i] =
			(struct option){places[i].name, required_argument, NULL, FIRST_PLACE + i};
	while ((c = getopt_long (argc, argv, "", all, NULL)) != -1) {
		switch (c) {
		case 'f':
			o->rounds = ROUNDS_FAST;
			break;
		case 'n':
			o->rounds = (size_t) strtoul (optarg, NULL, 10);
			break;
		case 'r':
			return run_counted () == 0 ? 0 : 1;
		case 'o':
			result_only (optarg);
			break;
		case 's':
			return setting_child (o->rounds, (size_t) strtoul (optarg, NULL, 10)) == 0
				       ? 0
				       : 1;
		case 'h':
			usage (stdout);
			return 0;
		case '?':
			usage (stderr);
			return 2;
		default:
			memcpy ((char *) o + places[c - FIRST_PLACE].at, &optarg, sizeof optarg);
			break;
		}
	}
	return -1;
}

int main (int argc, char **argv)
{
	struct options o = {.self = argv[0],
			    .rounds = ROUNDS_FULL,
			    .samples = ".",
			    .peers = {.found = "", .folder = "bench"}};
	int status = read_options (argc, argv, &o);

	if (status >= 0)
		return status;
	/* what programs say of thousands of assertions that fire is no row */
	setenv ("PP_LOG", "/dev/null", 0);
	/* the second word of --startup comes behind the options, and then the sources */
	if (o.marked != NULL && optind < argc)
		o.unmarked = argv[optind++];
	if (o.compile.plugin != NULL && o.compile.compiler != NULL) {
		o.compile.sources = argv + optind;
		o.compile.sources_count = (size_t) (argc - optind);
		optind = argc;
	}
	if ((o.compile.plugin != NULL || o.compile.compiler != NULL) &&
	    o.compile.sources_count < 2) {
		usage (stderr);
		return 2;
	}
	if (optind != argc || ((o.marked != NULL || o.many != NULL) && o.unmarked == NULL) ||
	    o.rounds < 15 || o.rounds > 100000) {
		usage (stderr);
		return 2;
	}
	return bench_all (&o);
}
