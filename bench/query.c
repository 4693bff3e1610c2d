/* SPDX-License-Identifier: MIT */
/*
 * query.c: what asking a recording costs: "query PPCTL" prints a line "ROW VALUE" for each row. It
 * records ten million executions, nested as the nodes of trees are, with two dimensions: one of 20
 * names, and one of two texts.
 *
 * query.10m is the seconds that ppctl query takes for both, the median of the turns, with the file
 * in the page cache; query.memory the most memory that it had. A recording that lacks records is no
 * measurement. sql.10m is one run of ppctl sql with the same question, where it was built with SQL.
 */
#include <pp.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { RECORDS = 10000000, TREE = 40, NAMES = 20, TURNS = 5 };

#define NOIPA __attribute__ ((noipa))

static volatile unsigned long sink;
static char name[NAMES][16];
static unsigned long made;

static void visit (unsigned n, unsigned at);

/* A node of a tree, of N nodes: the first of its two children has two thirds of what is below. */
NOIPA static void node (const char *is, const char *cached, unsigned n, unsigned at)
{
	PP_INTERVAL_DIM (visit, name = is, cached = cached)
	sink++;
	made++;
	if (n > 1) {
		unsigned first = 2 * (n - 1) / 3 + 1;

		visit (first < n - 1 ? first : n - 1, at + 1);
		if (first < n - 1)
			visit (n - 1 - first, at + 7);
	}
}

static void visit (unsigned n, unsigned at)
{
	node (name[at % NAMES], at % 3 ? "false" : "true", n, at);
}

static int record (void)
{
	if (pp_policy_load_text ("query", "version: 1\n"
					  "events: {records: visit, when_full: wait}\n"
					  "record: {file: query.pprec}\n") < 0)
		return -1;
	while (made < RECORDS)
		visit (TREE, (unsigned) made);
	return pp_dropped (PP_DROP_STREAM) ? -1 : 0;
}

static double seconds (void)
{
	struct timespec t;

	clock_gettime (CLOCK_MONOTONIC, &t);
	return (double) t.tv_sec + (double) t.tv_nsec * 1e-9;
}

/* A process of its own records: its file is whole when it has ended. How many; 0: it failed. */
static unsigned long record_apart (void)
{
	unsigned long n = 0;
	int way[2];
	pid_t pid;

	if (pipe (way) < 0)
		return 0;
	pid = fork ();
	if (pid == 0) {
		if (record () < 0 || write (way[1], &made, sizeof made) != sizeof made)
			_exit (1);
		exit (0);
	}
	close (way[1]);
	if (pid < 0 || read (way[0], &n, sizeof n) != sizeof n)
		n = 0;
	close (way[0]);
	return pid > 0 && waitpid (pid, NULL, 0) == pid ? n : 0;
}

/* Does what OUT says begin with as many records as were made? */
static int is_whole (const char *out, unsigned long records)
{
	char line[256], wanted[64];
	FILE *in = fopen (out, "re");
	int is = 0;

	if (!in)
		return 0;
	snprintf (wanted, sizeof wanted, "%lu profile records\n", records);
	while (!is && fgets (line, sizeof line, in))
		is = strcmp (line, wanted) == 0;
	fclose (in);
	return is;
}

/* Is the sum of the numbers at the ends of OUT's lines that of the records that were made? */
static int is_counted (const char *out, unsigned long records)
{
	FILE *in = fopen (out, "re");
	unsigned long sum = 0;
	char line[256];

	if (!in)
		return 0;
	while (fgets (line, sizeof line, in)) {
		const char *last = strrchr (line, ',');

		sum += last ? strtoul (last + 1, NULL, 10) : 0;
	}
	fclose (in);
	return sum == records;
}

/* Seconds; below 0: it failed, 0: this ppctl has no SQL. */
static double ask_sql (const char *ppctl, unsigned long records)
{
	double began = seconds ();
	char line[256] = "";
	int status;
	pid_t pid = fork ();
	FILE *in;

	if (pid == 0) {
		if (freopen ("out", "w", stdout) && freopen ("err", "w", stderr))
			execl (ppctl, ppctl, "sql", "--csv", "query.pprec",
			       "select name, cached, sum(self), count(*) from records "
			       "group by name, cached",
			       (char *) NULL);
		_exit (127);
	}
	if (pid < 0 || waitpid (pid, &status, 0) < 0)
		return -1;
	if (status == 0)
		return is_counted ("out", records) ? seconds () - began : -1;
	in = fopen ("err", "re");
	if (in) {
		if (!fgets (line, sizeof line, in))
			*line = '\0';
		fclose (in);
	}
	return strstr (line, "built without SQL") ? 0 : -1;
}

/* Seconds, or below 0; *MIB: its memory. */
static double ask (const char *ppctl, unsigned long records, double *mib)
{
	double began = seconds ();
	struct rusage used;
	int status;
	pid_t pid = fork ();

	if (pid == 0) {
		if (freopen ("out", "w", stdout))
			execl (ppctl, ppctl, "query", "query.pprec", "name", "cached",
			       (char *) NULL);
		_exit (127);
	}
	if (pid < 0 || wait4 (pid, &status, 0, &used) < 0 || status != 0 ||
	    !is_whole ("out", records))
		return -1;
	*mib = (double) used.ru_maxrss / 1024;
	return seconds () - began;
}

static int compare (const void *a, const void *b)
{
	double x = *(const double *) a, y = *(const double *) b;

	return (x > y) - (x < y);
}

static int measure (const char *ppctl)
{
	unsigned long records = record_apart ();
	double list[TURNS], mib = 0, sql;

	if (!records)
		return 1;
	for (int i = 0; i < TURNS; i++) {
		list[i] = ask (ppctl, records, &mib);
		if (list[i] < 0)
			return 1;
	}
	qsort (list, TURNS, sizeof list[0], compare);
	sql = ask_sql (ppctl, records);
	if (sql < 0)
		return 1;
	printf ("query.10m %g\nquery.memory %g\n", list[TURNS / 2], mib);
	printf ("sql.10m %g\n", sql > 0 ? sql : (double) NAN);
	return 0;
}

/* In a directory of its own, for the records. */
int main (int argc, char **argv)
{
	char directory[] = "/tmp/ppgcc-query-XXXXXX", remove[64];
	char *ppctl = argc == 2 ? realpath (argv[1], NULL) : NULL;
	int failed;

	for (int i = 0; i < NAMES; i++)
		snprintf (name[i], sizeof name[i], "name %d", i);
	setenv ("PP_LOG", "/dev/null", 1);
	if (!ppctl || !mkdtemp (directory) || chdir (directory) != 0)
		return 1;
	failed = measure (ppctl);
	free (ppctl);
	snprintf (remove, sizeof remove, "rm -r %s", directory);
	return system (remove) != 0 || failed;
}
