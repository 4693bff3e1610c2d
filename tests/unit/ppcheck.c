/* SPDX-License-Identifier: MIT */
/*
 * ppcheck.c: runs check's suites and prints TAP itself. check's own TAP names a test
 * "FILE:CASE:FUNCTION: MESSAGE" and breaks lines where messages do; a result must read as a
 * sentence. check tells the names of suites and functions only in what it prints, so its log is
 * written to memory and read back for them; verdicts and messages come from its results, which are
 * in the same order.
 */
#include "tests/unit/ppcheck.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SKIP "# SKIP "
#define RUNNING "Running suite "

struct run {
	FILE *out; /* the real standard output */
	unsigned number;
	unsigned failed;
};

/* A result as check's log has it: FILE:LINE:P:CASE:FUNCTION:ITERATION: MESSAGE */
struct entry {
	const char *function;
	int length;
	int iteration;
};

/* Parses LINE if it is the log's entry for a result of test case CASE. */
static bool parse (const char *line, const char *test_case, struct entry *entry)
{
	size_t n = strlen (test_case);
	const char *p = strchr (line, ':'); /* after the file's name */

	p = p ? strchr (p + 1, ':') : NULL; /* after the line */
	if (!p || !p[1] || !strchr ("PFES", p[1]) || p[2] != ':' ||
	    strncmp (p + 3, test_case, n) != 0 || p[3 + n] != ':')
		return false;
	entry->function = p + n + 4;
	entry->length = (int) strcspn (entry->function, ":\n");
	entry->iteration = entry->function[entry->length] == ':'
				   ? atoi (entry->function + entry->length + 1)
				   : 0;
	return true;
}

/* Prints MESSAGE as comments, however many lines it has. */
static void explain (FILE *out, const TestResult *result, const char *message)
{
	TestResult *r = (TestResult *) (uintptr_t) result; /* check's readers take no const */

	fprintf (out, "# %s:%d:\n", tr_lfile (r), tr_lno (r));
	while (*message) {
		size_t n = strcspn (message, "\n");

		fprintf (out, "#   %.*s\n", (int) n, message);
		message += n + (message[n] == '\n');
	}
}

static void print_name (FILE *out, const struct entry *entry)
{
	for (int i = 0; i < entry->length; i++)
		fputc (entry->function[i] == '_' ? ' ' : entry->function[i], out);
	if (entry->iteration > 0)
		fprintf (out, " (%d)", entry->iteration);
}

static void print_result (struct run *run, const char *suite, const struct entry *entry,
			  TestResult *result)
{
	const char *message = tr_msg (result) ? tr_msg (result) : "";
	bool skipped =
		tr_rtype (result) == CK_FAILURE && strncmp (message, SKIP, strlen (SKIP)) == 0;
	bool passed = tr_rtype (result) == CK_PASS || skipped;

	fprintf (run->out, "%s %u - %.*s: ", passed ? "ok" : "not ok", ++run->number,
		 (int) strcspn (suite, "\n"), suite);
	print_name (run->out, entry);
	fprintf (run->out, "%s%s\n", skipped ? " " : "", skipped ? message : "");
	if (!passed) {
		run->failed++;
		explain (run->out, result, message);
	}
	fflush (run->out);
}

/* All of FD as text. The caller frees it. */
static char *read_back (int fd)
{
	off_t size = lseek (fd, 0, SEEK_END);
	char *text = size < 0 ? NULL : malloc ((size_t) size + 1);

	if (!text)
		return NULL;
	ssize_t n = pread (fd, text, (size_t) size, 0);
	text[n < 0 ? 0 : n] = 0;
	return text;
}

/* Prints the results of one suite under the names in LOG. false: the log is not as expected. */
static bool print_suite (struct run *run, SRunner *runner, const char *log)
{
	TestResult **results = srunner_results (runner);
	int n = srunner_ntests_run (runner), i = 0;
	const char *suite = strstr (log, RUNNING);
	const char *line = suite;

	for (; i < n && line; i++) {
		struct entry entry;

		while (line && !parse (line, tr_tcname (results[i]), &entry))
			if ((line = strchr (line, '\n')))
				line++;
		if (line) {
			print_result (run, suite + strlen (RUNNING), &entry, results[i]);
			line = entry.function;
		}
	}
	free (results);
	return suite && line && i == n;
}

static bool run_suite (struct run *run, Suite *suite)
{
	SRunner *runner = srunner_create (suite);
	int fd = memfd_create ("log", MFD_CLOEXEC);
	char path[32], *log = NULL;

	if (fd >= 0) {
		snprintf (path, sizeof path, "/proc/self/fd/%d", fd);
		srunner_set_log (runner, path);
		srunner_run_all (runner, CK_SILENT);
		log = read_back (fd);
		close (fd);
	}
	bool ok = log && print_suite (run, runner, log);
	free (log);
	srunner_free (runner);
	return ok;
}

int ppcheck_main (Suite *(*const suites[]) (void), size_t n)
{
	struct run run = {0};
	int fd = fcntl (STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);

	if (fd < 0 || !(run.out = fdopen (fd, "w")) || dup2 (STDERR_FILENO, STDOUT_FILENO) < 0) {
		perror ("ppcheck: standard output");
		return 99;
	}
	setenv ("CK_DEFAULT_TIMEOUT", "300", 0); /* a hang, however busy the machine is */
	for (size_t i = 0; i < n; i++)
		if (!run_suite (&run, suites[i]())) {
			fprintf (run.out, "Bail out! check's log of suite %zu can't be read\n",
				 i + 1);
			fclose (run.out);
			return 99;
		}
	fprintf (run.out, "1..%u\n", run.number);
	if (fclose (run.out) != 0)
		return 99;
	return run.failed ? 1 : 0;
}
