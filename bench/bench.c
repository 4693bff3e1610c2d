/* SPDX-License-Identifier: MIT */
/*
 * bench.c: the program of `make bench`. It measures and prints; it judges nothing, because a busy machine is not a
 * bug. It fails only where a row could not be measured, or where a metric did not count what was executed.
 */
#include "bench.h"

#include <getopt.h>
#include <stdlib.h>

enum { ROUNDS_FAST = 31, ROUNDS_FULL = 151 };

struct options {
	size_t rounds;
	const char *json, *marked, *many, *unmarked, *valgrind;
	struct compile compile;
	struct peers peers;
};

static void usage (FILE *out)
{
	fputs ("usage: bench [--fast | --rounds N] [--json FILE] [--startup MARKED [--many PROGRAM] UNMARKED]\n"
	       "             [--valgrind PROGRAM] [--plugin FILE --compiler COMMAND SOURCE...]\n"
	       "       bench --run LOOP N\n",
	       out);
}

static int bench_all (const struct options *o)
{
	int error = 0;

	result_head ();
	if (o->valgrind != NULL && bench_instructions (o->valgrind) != 0)
		error = 1;
	if (bench_loops (o->rounds) != 0)
		error = 1;
	if (o->peers.script != NULL && bench_peers (o->rounds, &o->peers) != 0)
		error = 1;
	if (bench_vector (o->rounds) != 0)
		error = 1;
	if (bench_threads (o->rounds) != 0)
		error = 1;
	if (o->marked != NULL && bench_startup (o->rounds, o->marked, o->unmarked) != 0)
		error = 1;
	if (o->many != NULL && bench_startup_many (o->rounds, o->many, o->unmarked) != 0)
		error = 1;
	if (o->compile.plugin != NULL && bench_compile (o->rounds, &o->compile) != 0)
		error = 1;
	result_notes ();
	if (o->json != NULL && result_write (o->json) != 0)
		error = 1;
	return error;
}

int main (int argc, char **argv)
{
	static const struct option long_options[] = {
		{"fast", no_argument, NULL, 'f'},
		{"rounds", required_argument, NULL, 'n'},
		{"json", required_argument, NULL, 'j'},
		{"startup", required_argument, NULL, 's'},
		{"valgrind", required_argument, NULL, 'v'},
		{"count", no_argument, NULL, 'r'},
		{"many", required_argument, NULL, 'm'},
		{"plugin", required_argument, NULL, 'p'},
		{"compiler", required_argument, NULL, 'c'},
		{"peers", required_argument, NULL, 'P'},
		{"peer-script", required_argument, NULL, 'S'},
		{"peer-folder", required_argument, NULL, 'F'},
		{"help", no_argument, NULL, 'h'},
		{NULL, 0, NULL, 0},
	};
	struct options o = {.rounds = ROUNDS_FULL, .peers = {.found = "", .folder = "bench"}};
	int c;

	while ((c = getopt_long (argc, argv, "", long_options, NULL)) != -1) {
		switch (c) {
		case 'f':
			o.rounds = ROUNDS_FAST;
			break;
		case 'n':
			o.rounds = (size_t) strtoul (optarg, NULL, 10);
			break;
		case 'j':
			o.json = optarg;
			break;
		case 's':
			o.marked = optarg;
			break;
		case 'm':
			o.many = optarg;
			break;
		case 'v':
			o.valgrind = optarg;
			break;
		case 'r':
			return run_counted () == 0 ? 0 : 1;
		case 'p':
			o.compile.plugin = optarg;
			break;
		case 'c':
			o.compile.compiler = optarg;
			break;
		case 'P':
			o.peers.found = optarg;
			break;
		case 'S':
			o.peers.script = optarg;
			break;
		case 'F':
			o.peers.folder = optarg;
			break;
		case 'h':
			usage (stdout);
			return 0;
		default:
			usage (stderr);
			return 2;
		}
	}
	/* the second word of --startup comes behind the options, and then the sources */
	if (o.marked != NULL && optind < argc)
		o.unmarked = argv[optind++];
	if (o.compile.plugin != NULL && o.compile.compiler != NULL) {
		o.compile.sources = argv + optind;
		o.compile.sources_count = (size_t) (argc - optind);
		optind = argc;
	}
	if ((o.compile.plugin != NULL || o.compile.compiler != NULL) && o.compile.sources_count < 2) {
		usage (stderr);
		return 2;
	}
	if (optind != argc || ((o.marked != NULL || o.many != NULL) && o.unmarked == NULL) || o.rounds < 15 ||
	    o.rounds > 100000) {
		usage (stderr);
		return 2;
	}
	return bench_all (&o);
}
