/* SPDX-License-Identifier: MIT */
/*
 * features.c: what profiles of features cost whole programs, and what the programs gain that were
 * repaired by one. Each round runs all builds of a program, one after the other; a row is what a
 * round's took more CPU time than the build without the plugin in the same round.
 *
 * The paper of feature-specific profiling has these in its figure 20, of the same eleven programs:
 * without marks, with those that are there by default (here: the pragmas in the source), with all
 * that are latent (calls of the C library, too), and while samples are taken; here also while marks
 * are measured.
 */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS_MAX = 30 };

enum kind { PLAIN, NONE, DEFAULT, LATENT, SAMPLED, EXACT, KINDS };

/* Which build, and under which policy, NULL: none. PLAIN is what the others are compared with. */
static const struct {
	const char *build, *profile;
} kinds[KINDS] = {
	[PLAIN] = {"none", NULL}, [NONE] = {"none", NULL},        [DEFAULT] = {"source", NULL},
	[LATENT] = {"all", NULL}, [SAMPLED] = {"all", "sampled"}, [EXACT] = {"all", "exact"},
};

#define PROGRAM(NAME, ARGUMENTS)                                                                   \
	{                                                                                          \
		NAME, ARGUMENTS,                                                                   \
		{                                                                                  \
			[NONE] = {"features." NAME ".none", "percent", NULL, 0},                   \
			[DEFAULT] = {"features." NAME ".default", "percent", NULL, 0},             \
			[LATENT] = {"features." NAME ".latent", "percent", NULL, 0},               \
			[SAMPLED] = {"features." NAME ".sampled", "percent", NULL, 3},             \
			[EXACT] = {"features." NAME ".exact", "percent", NULL, 6},                 \
		}                                                                                  \
	}
static const struct program {
	const char *name, *arguments;
	struct row rows[KINDS];
} programs[] = {
	PROGRAM ("synth", "100"),
	PROGRAM ("maze", "500 501 1"),
	PROGRAM ("server", "8000"),
	PROGRAM ("lazy", "1300"),
	PROGRAM ("ode", "400000"),
	PROGRAM ("chameneos", "400000"),
	PROGRAM ("meteor", "3500000"),
	PROGRAM ("nbody", "8000000"),
	PROGRAM ("knucleotide", "250000000"),
	PROGRAM ("regexmatch", "700000"),
	PROGRAM ("reversefile", "6000000"),
};

/* CPU time of PROGRAM's BUILD in FOLDER, in ms, under a policy in AT; negative where it failed. */
static double run_build (const struct program *program, const char *folder, const char *build,
			 const char *profile, const char *at)
{
	char command[1024], policy[256] = "";
	char sh[] = "sh", option[] = "-c";
	char *arguments[] = {sh, option, command, NULL};

	if (profile != NULL)
		snprintf (policy, sizeof policy, "PP_POLICY='%s/%s.yaml' ", at, profile);
	snprintf (command, sizeof command,
		  "%sPP_LOG=/dev/null exec '%s/features_%s_%s' %s >/dev/null", policy, folder,
		  program->name, build, program->arguments);
	return process_ms (arguments);
}

/* A policy for each profile, which has its recording beside it. */
static int write_policies (const char *at)
{
	char path[256];
	FILE *out;
	int failed = 0;

	for (int i = 0; i < KINDS; i++) {
		if (kinds[i].profile == NULL)
			continue;
		snprintf (path, sizeof path, "%s/%s.yaml", at, kinds[i].profile);
		out = fopen (path, "w");
		if (out == NULL)
			return -1;
		fprintf (out, "version: 1\nprofile: {features: %s}\nrecord: {file: %s/%%p.pprec}\n",
			 kinds[i].profile, at);
		failed |= fclose (out);
	}
	return failed ? -1 : 0;
}

static int measure_program (const struct program *program, size_t rounds, const char *folder,
			    const char *at)
{
	double percent[KINDS][ROUNDS_MAX], ms, plain = 0;

	for (size_t i = 0; i < rounds; i++)
		for (int k = 0; k < KINDS; k++) {
			ms = run_build (program, folder, kinds[k].build, kinds[k].profile, at);
			if (ms <= 0)
				return -1;
			if (k == PLAIN)
				plain = ms;
			percent[k][i] = 100 * (ms / plain - 1);
		}
	for (int k = NONE; k < KINDS; k++)
		result_add (&program->rows[k], percent[k], NULL, rounds);
	return 0;
}

/* ---- what the repaired programs gain --------------------------------------------------------- */

static const struct {
	const char *program;
	struct row row;
} repairs[] = {
	{"maze", {"repair.maze", "percent", NULL, -27}},
	{"synth", {"repair.synth", "percent", NULL, -48}},
	{"server", {"repair.server", "percent", NULL, -71}},
};

static int measure_repair (size_t repair, size_t rounds, const char *folder)
{
	const struct program *program = programs;
	double gained[ROUNDS_MAX], before, after;

	while (strcmp (program->name, repairs[repair].program) != 0)
		program++;
	for (size_t i = 0; i < rounds; i++) {
		before = run_build (program, folder, "none", NULL, "");
		after = run_build (program, folder, "repaired", NULL, "");
		if (before <= 0 || after <= 0)
			return -1;
		gained[i] = 100 * (1 - after / before);
	}
	result_add (&repairs[repair].row, gained, NULL, rounds);
	return 0;
}

/* ---- how many lines a feature takes ---------------------------------------------------------- */

#define LINES(NAME)                                                                                \
	{                                                                                          \
		"features.loc." NAME, "lines", NULL, 0                                             \
	}
static const struct row lines_rows[] = {
	LINES ("contracts"),
	LINES ("output"),
	LINES ("sequences"),
	LINES ("casts"),
	LINES ("tasks"),
	LINES ("matching"),
	LINES ("dispatch"),
	LINES ("formatting"),
	/* those that the paper has not: C's and C++'s own */
	LINES ("allocation"),
	LINES ("locks"),
	LINES ("strings"),
	LINES ("memory"),
	LINES ("exceptions"),
	LINES ("shared_ptr"),
	LINES ("copies"),
	LINES ("random"),
	/* what plug-ins say beyond the table */
	LINES ("analysis.contracts"),
	LINES ("analysis.tasks"),
};

/*
 * A line of that file that has that text in it is a rule or a mark of the row; "": all but blank
 * ones.
 */
static const struct {
	const char *row, *file, *text;
} lines_of[] = {
	{"features.loc.contracts", "synth/contract.c", "PP_FEATURE_PAYLOAD (array.contract"},
	{"features.loc.contracts", "messages/contract.c", "PP_FEATURE_PAYLOAD (bus.contract"},
	{"features.loc.contracts", "marked/assert.h", "PP_FEATURE (libc.assertions)"},
	{"features.loc.output", "libc.yaml", "libc.output"},
	{"features.loc.output", "libstdcxx.yaml", "libstdcxx.iostreams"},
	{"features.loc.sequences", "libc.yaml", "feature: libc.sorting}"},
	{"features.loc.sequences", "libstdcxx.yaml", "feature: libstdcxx.sorting}"},
	{"features.loc.casts", "libstdcxx.yaml", "libstdcxx.casts"},
	{"features.loc.casts", "rows.cc", "PP_FEATURE (rows.casts)"},
	{"features.loc.tasks", "messages/bus.c", "PP_FEATURE_PAYLOAD (bus.task"},
	{"features.loc.matching", "libc.yaml", "libc.matching"},
	{"features.loc.matching", "libstdcxx.yaml", "libstdcxx.matching"},
	{"features.loc.dispatch", "rows.cc", "(rows.dispatch)"},
	{"features.loc.dispatch", "dispatch.features.yaml", ": true"},
	{"features.loc.formatting", "libc.yaml", "libc.formatting"},
	{"features.loc.formatting", "libstdcxx.yaml", "libstdcxx.formatting"},
	{"features.loc.allocation", "libc.yaml", "libc.allocation"},
	{"features.loc.allocation", "libstdcxx.yaml", "libstdcxx.allocation"},
	{"features.loc.locks", "libc.yaml", "libc.locking"},
	{"features.loc.locks", "libc.yaml", "libc.waiting"},
	{"features.loc.locks", "libstdcxx.yaml", "libstdcxx.locking"},
	{"features.loc.locks", "libstdcxx.yaml", "libstdcxx.waiting"},
	{"features.loc.strings", "libc.yaml", "libc.strings"},
	{"features.loc.strings", "libstdcxx.yaml", "libstdcxx.strings"},
	{"features.loc.memory", "libc.yaml", "libc.memory"},
	{"features.loc.exceptions", "libstdcxx.yaml", "libstdcxx.exceptions"},
	{"features.loc.exceptions", "rows.cc", "PP_FEATURE (rows.exceptions)"},
	{"features.loc.shared_ptr", "libstdcxx.yaml", "libstdcxx.shared_ptr"},
	{"features.loc.copies", "libstdcxx.yaml", "libstdcxx.copies"},
	{"features.loc.copies", "rows.cc", "PP_FEATURE_PAYLOAD (rows.copies"},
	{"features.loc.random", "libc.yaml", "libc.random"},
	{"features.loc.analysis.contracts", "contract_graph.c", ""},
	{"features.loc.analysis.tasks", "process_table.c", ""},
};

/* -1: no such file. */
static int lines_with (const char *samples, const char *file, const char *text)
{
	char path[1024], line[1024];
	FILE *in;
	int n = 0;

	snprintf (path, sizeof path, "%s/%s", samples, file);
	in = fopen (path, "r");
	if (in == NULL) {
		fprintf (stderr, "bench: cannot read %s\n", path);
		return -1;
	}
	while (fgets (line, sizeof line, in) != NULL)
		n += line[0] != '\n' && (*text == '\0' || line[0] != '#') &&
		     strstr (line, text) != NULL;
	fclose (in);
	return n;
}

static int count_lines (const struct row *row, const char *samples)
{
	double all = 0;
	int n;

	for (size_t i = 0; i < sizeof lines_of / sizeof *lines_of; i++) {
		if (strcmp (lines_of[i].row, row->name) != 0)
			continue;
		n = lines_with (samples, lines_of[i].file, lines_of[i].text);
		if (n < 0)
			return -1;
		all += n;
	}
	result_add (row, &all, NULL, 1);
	return 0;
}

/* ---- all ------------------------------------------------------------------------------------- */

static int measure_all (size_t rounds, const char *folder, const char *at)
{
	int error = 0;

	if (write_policies (at) < 0) {
		fprintf (stderr, "bench: cannot write policies into %s\n", at);
		return -1;
	}
	for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
		if (result_wanted (programs[i].rows[NONE].name) ||
		    result_wanted (programs[i].rows[DEFAULT].name) ||
		    result_wanted (programs[i].rows[LATENT].name) ||
		    result_wanted (programs[i].rows[SAMPLED].name) ||
		    result_wanted (programs[i].rows[EXACT].name))
			error |= measure_program (&programs[i], rounds, folder, at);
	for (size_t i = 0; i < sizeof repairs / sizeof *repairs; i++)
		if (result_wanted (repairs[i].row.name))
			error |= measure_repair (i, rounds, folder);
	return error;
}

int bench_features (size_t rounds, const char *folder, const char *samples)
{
	char at[] = "/tmp/ppgcc-features-XXXXXX", command[64];
	int error;

	if (mkdtemp (at) == NULL) {
		fprintf (stderr, "bench: cannot make a directory like %s\n", at);
		return -1;
	}
	error = measure_all (rounds < ROUNDS_MAX ? rounds : ROUNDS_MAX, folder, at);
	snprintf (command, sizeof command, "rm -r %s", at);
	error |= system (command) != 0;
	for (size_t i = 0; i < sizeof lines_rows / sizeof *lines_rows; i++)
		error |= count_lines (&lines_rows[i], samples);
	return error ? -1 : 0;
}
