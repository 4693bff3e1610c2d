/* SPDX-License-Identifier: MIT */
/*
 * processes.c: what is measured of whole processes: their start, and the instructions that
 * valgrind's callgrind counts. Instructions are exact and the same on every machine with the same
 * compiler; they say what changed when a time did.
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

/* ---- start-up -------------------------------------------------------------------------------- */

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
static int difference (const struct row *row, size_t rounds, const char *program,
		       const char *argument, const char *unmarked)
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

/* ---- the loading of a policy ----------------------------------------------------------------- */

static const struct row policy_row = {"policy.load", "ms", NULL, 150};

/* What PROGRAM says; negative where it failed. */
static double said_ms (const char *program)
{
	double ms = -1;
	FILE *out = popen (program, "r");

	if (out == NULL)
		return -1;
	if (fscanf (out, "%lf", &ms) != 1)
		ms = -1;
	return pclose (out) == 0 ? ms : -1;
}

int bench_policy_load (size_t rounds, const char *program)
{
	double *ms = calloc (rounds, sizeof *ms);
	int error = ms == NULL ? -1 : 0;

	for (size_t i = 0; i < rounds && error == 0; i++) {
		ms[i] = said_ms (program);
		if (ms[i] < 0)
			error = -1;
	}
	if (error == 0)
		result_add (&policy_row, ms, NULL, rounds);
	else
		fprintf (stderr, "bench: %s failed: no row policy.load\n", program);
	free (ms);
	return error;
}

/* ---- a budget -------------------------------------------------------------------------------- */

static const struct row before_row = {"budget.before", "percent", NULL, 0};
static const struct row settled_row = {"budget.settled", "percent", NULL, 1.2};
static const struct row time_row = {"budget.time", "s", NULL, 2};

/* Each process has five runs, which take half a minute. */
enum { BUDGET_RUNS = 5, BUDGET_PROCESSES = 3 };

/* What PROGRAM says of its runs; false: it failed, or says anything else. */
static int read_budget (const char *program, double *before, double *settled, double *seconds)
{
	FILE *out = popen (program, "r");
	int n = 0;

	if (out == NULL)
		return 0;
	while (n < BUDGET_RUNS &&
	       fscanf (out, "%lf %lf %lf", &before[n], &settled[n], &seconds[n]) == 3)
		n++;
	return pclose (out) == 0 && n == BUDGET_RUNS;
}

int bench_budget (size_t rounds, const char *program)
{
	double before[BUDGET_PROCESSES * BUDGET_RUNS], settled[BUDGET_PROCESSES * BUDGET_RUNS],
		seconds[BUDGET_PROCESSES * BUDGET_RUNS];
	size_t processes = rounds < 50 ? 1 : rounds / 50, n = BUDGET_RUNS;

	n *= processes < BUDGET_PROCESSES ? processes : BUDGET_PROCESSES;

	for (size_t i = 0; i < n; i += BUDGET_RUNS)
		if (!read_budget (program, &before[i], &settled[i], &seconds[i])) {
			fprintf (stderr, "bench: %s failed: no rows budget\n", program);
			return -1;
		}
	result_add (&before_row, before, NULL, n);
	result_add (&settled_row, settled, NULL, n);
	result_add (&time_row, seconds, NULL, n);
	return 0;
}

/* ---- recordings ------------------------------------------------------------------------------ */

static const struct row recording_rows[] = {
	{"stream.mib_s", "MiB/s", NULL, -300},    {"stream.disk", "of a plain file", NULL, -0.7},
	{"record.stall", "waits", NULL, 0},       {"record.copy_ms", "ms", NULL, 0.2},
	{"report.1gib", "s", NULL, 10},           {"report.1gib.mib", "MiB", NULL, 256},
	{"report.first_screen", "ms", NULL, 150},
};

static const struct row control_rows[] = {
	{"idle.wakeups", "a second", NULL, 2},
	{"control.latency", "ms", NULL, 10},
	{"control.latency.p99", "ms", NULL, 10},
};

static const struct row sampling_rows[] = {
	{"watcher.1khz", "percent", NULL, 0.5},
	{"watcher.1khz.own", "percent", NULL, 0},
	{"watcher.10khz", "percent", NULL, 0.5},
	{"watcher.10khz.own", "percent", NULL, 0},
	{"watcher.1khz.crowded", "percent", NULL, 0.5},
	{"watcher.10khz.crowded", "percent", NULL, 0.5},
	{"watched.frame", "ns", NULL, 3},
	{"flight.ns", "ns", NULL, 3},
	{"features.exact.ns", "ns", NULL, 0},
	{"interrupter.100hz", "percent", NULL, 0.5},
	{"interrupter.1khz", "percent", NULL, 0},
	{"interrupter.empty", "percent", NULL, 0},
	{"peer.perf", "percent", NULL, 0},
	{"peer.gperftools", "percent", NULL, 0},
};

static const struct row events_rows[] = {
	{"events.recorded", "M pairs/s", NULL, -8},
	{"events.bytes", "B", NULL, 8},
	{"events.aggregated", "M pairs/s", NULL, -15},
	{"events.groups.assertion", "ns", NULL, 10},
	{"events.slowdown.off", "ratio", NULL, 1.01},
	{"events.slowdown.aggregated", "ratio", NULL, 1.05},
	{"events.slowdown.recorded", "ratio", NULL, 1.10},
};

static const struct row accuracy_rows[] = {
	{"sampling.worst_share_error", "points", NULL, 2},
	{"sampling.worst_share_error.10khz", "points", NULL, 0.7},
	{"sampling.aliasing", "points", NULL, 2},
	{"unwind.us", "us", NULL, 30},
	{"eintr.per_million", "sleeps", NULL, 10},
};

static const struct row calls_rows[] = {
	{"calls.nfa.points", "ratio", NULL, 1.2},
	{"calls.nfa.intervals", "ratio", NULL, 2},
	{"calls.nfa.counter", "ratio", NULL, 0},
	{"calls.nfa.two_rdtsc", "ratio", NULL, 0},
};

/*
 * A line "NAME VALUE" of PROGRAM's for each of the N ROWS, in their order; NaN: that can't be
 * measured here, and the row is left out.
 */
static int read_rows (const char *program, const struct row *rows, int n, const char *what)
{
	char name[64];
	double value;
	FILE *out = popen (program, "r");
	int i = 0;

	while (out != NULL && i < n && fscanf (out, "%63s %lf", name, &value) == 2 &&
	       strcmp (name, rows[i].name) == 0) {
		if (isnan (value))
			fprintf (stderr, "bench: %s can't be measured here\n", name);
		else
			result_add (&rows[i], &value, NULL, 1);
		i++;
	}
	if (out == NULL || pclose (out) != 0 || i != n) {
		fprintf (stderr, "bench: %s failed: not all rows of %s\n", program, what);
		return -1;
	}
	return 0;
}

int bench_recording (const char *program)
{
	return read_rows (program, recording_rows, sizeof recording_rows / sizeof *recording_rows,
			  "recordings");
}

int bench_control (const char *program)
{
	return read_rows (program, control_rows, sizeof control_rows / sizeof *control_rows,
			  "control");
}

int bench_sampling (const char *program)
{
	return read_rows (program, sampling_rows, sizeof sampling_rows / sizeof *sampling_rows,
			  "sampling");
}

int bench_events (const char *program)
{
	return read_rows (program, events_rows, sizeof events_rows / sizeof *events_rows, "events");
}

int bench_accuracy (const char *program)
{
	return read_rows (program, accuracy_rows, sizeof accuracy_rows / sizeof *accuracy_rows,
			  "accuracy");
}

int bench_calls (const char *program)
{
	return read_rows (program, calls_rows, sizeof calls_rows / sizeof *calls_rows, "calls");
}

/* ---- instructions ---------------------------------------------------------------------------- */

enum { COUNT_FIRST = 160, COUNT_FEW = 1600, COUNT_MANY = 9600 };

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

/*
 * What callgrind counts: it writes a file of its own each time that this returns. It is known by
 * its name.
 */
void count_this (const struct loop *loop, long n);
__attribute__ ((noinline, noclone)) void count_this (const struct loop *loop, long n)
{
	loop_run (loop, RDTSC_BOUND, 0, n);
	__asm__ volatile(""); /* no tail call */
}

int run_counted (void)
{
	int error = 0;

	for (size_t i = 0; i < LOOPS; i++) {
		loop_run (&loops[i], RDTSC_BOUND, 0, COUNT_FIRST); /* makes shards */
		count_this (&loops[i], COUNT_FEW);
		count_this (&loops[i], COUNT_MANY);
		loops[i].executions += COUNT_FIRST + COUNT_FEW + COUNT_MANY;
		if (loop_counted (&loops[i]) != 0)
			error = -1;
	}
	return error;
}

/*
 * The instructions in the file that callgrind wrote as its NUMBER-th into FOLDER; NaN where there
 * is none. Removes it.
 */
static double read_count (const char *folder, size_t number)
{
	char path[128], line[256];
	double count = NAN;
	FILE *in;

	snprintf (path, sizeof path, "%s/out.%zu", folder, number);
	in = fopen (path, "r");
	if (in == NULL)
		return NAN;
	while (fgets (line, sizeof line, in) != NULL)
		if (strncmp (line, "totals: ", strlen ("totals: ")) == 0)
			count = strtod (line + strlen ("totals: "), NULL);
	fclose (in);
	unlink (path);
	return count;
}

static void count_into (const char *valgrind, const char *folder)
{
	char command[1024], self[512];
	ssize_t length = readlink ("/proc/self/exe", self, sizeof self - 1);

	if (length < 0)
		return;
	self[length] = 0;
	/*
	 * no thread of the library's: what it does depends on time. Code changes: valgrind must
	 * look at it again.
	 */
	snprintf (command, sizeof command,
		  "PP_THREADS=0 '%s' -q --tool=callgrind --callgrind-out-file='%s/out' "
		  "--smc-check=all --toggle-collect=count_this --dump-after=count_this '%s' "
		  "--count 2>'%s/errors'",
		  valgrind, folder, self, folder);
	if (system (command) != 0)
		fprintf (stderr, "bench: this failed: %s\n", command);
	for (size_t i = 0; i < LOOPS; i++) {
		double few = read_count (folder, 2 * i + 1), many = read_count (folder, 2 * i + 2);

		loops[i].instructions = (many - few) / (COUNT_MANY - COUNT_FEW);
	}
	read_count (folder, 2 * (size_t) LOOPS + 1); /* the rest of the process */
	snprintf (command, sizeof command, "%s/out", folder);
	unlink (command);
	snprintf (command, sizeof command, "%s/errors",
		  folder); /* warnings on debug information that it does not know */
	unlink (command);
}

int bench_instructions (const char *valgrind)
{
	char folder[] = "/tmp/ppgcc-bench-XXXXXX";
	int error = 0;

	if (mkdtemp (folder) == NULL) {
		fprintf (stderr, "bench: cannot make %s: %s\n", folder, strerror (errno));
		return -1;
	}
	count_into (valgrind, folder);
	rmdir (folder);
	for (size_t i = 0; i < sizeof counted / sizeof *counted; i++) {
		double more = loops[counted[i].loop].instructions - loops[LOOP_plain].instructions;

		if (isnan (more)) {
			fprintf (stderr, "bench: %s gave no instruction count: no row %s\n",
				 valgrind, counted[i].row.name);
			error = -1;
		} else {
			result_add (&counted[i].row, &more, NULL, 1);
		}
	}
	return error;
}

static const struct row query_rows[] = {
	{"query.10m", "s", NULL, 0.5},
	{"query.memory", "MiB", NULL, 64},
	{"sql.10m", "s", NULL, 12},
};

int bench_query (const char *program)
{
	return read_rows (program, query_rows, sizeof query_rows / sizeof *query_rows, "query");
}
