/* SPDX-License-Identifier: MIT */
/*
 * recordings.c: what is recorded is what was measured: at exit, on demand, while running, and by
 * children, each in a file of its own.
 */
#include "check.h"

#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* clang-format off */
#pragma pp metric pairs   interval stats(elapsed)
#pragma pp metric values  point    stats(value)
#pragma pp metric doubles point    stats(value)
/* clang-format on */

static char base[64];
static __thread volatile long sink;

NOIPA static void work (int i)
{
	double third = i / 3.0;
	{
#pragma pp interval work(pairs)
		sink++;
	}
#pragma pp point given(values) value(i)
#pragma pp point third(doubles) value(third)
}

static void work_often (int n)
{
	for (int i = 0; i < n; i++)
		work (i % 10 - 5);
}

static const char *path_of (pid_t pid)
{
	static char path[128];

	snprintf (path, sizeof (path), "%s.%d.pprec", base, (int) pid);
	return path;
}

static int record (void)
{
	char policy[256];

	snprintf (policy, sizeof (policy), "version: 1\nrecord: {file: \"%s.%%p.pprec\"}\n", base);
	return load_policy (policy);
}

/* ppctl writes fifteen digits */
static int is_near (double a, double b)
{
	return fabs (a - b) <= 1e-14 * fmax (fabs (a), fabs (b));
}

static int equal (const char *json, const pp_metric *m, const char *name)
{
	return figure_of (json, name, "n") == pp_stat (m, NULL, PP_STAT_N) &&
	       is_near (figure_of (json, name, "min"), pp_min (m)) &&
	       is_near (figure_of (json, name, "max"), pp_max (m)) &&
	       is_near (figure_of (json, name, "avg"), pp_avg (m)) &&
	       is_near (figure_of (json, name, "stddev"), pp_stddev (m)) &&
	       is_near (figure_of (json, name, "last"), pp_last (m));
}

static void test_on_demand (void)
{
	char path[128];
	const char *json;

	snprintf (path, sizeof (path), "%s.demand.pprec", base);
	work_often (5000);
	same (pp_record (path), PP_OK, "a recording is written on demand");
	json = report_of (path);
	ok (equal (json, values, "values"), "its integers are those of the program");
	ok (equal (json, doubles, "doubles"), "its doubles too");
	ok (figure_of (json, "pairs", "n") == 5000, "and its intervals");
	unlink (path);
	same (pp_record ("/nowhere/at/all"), PP_EIO, "where it cannot be written that is an error");
	same (pp_record (""), PP_EINVAL, "without a path too");
}

/* A child that runs N rounds, and ends as it is told. */
static void child (int n, int by_exit)
{
	work_often (n);
	if (by_exit)
		exit (0);
	_exit (0);
}

static double recorded_by (pid_t (*make) (void), int n, int by_exit)
{
	int status = -1;
	double got;
	pid_t pid;

	fflush (stdout);
	pid = make ();
	if (pid == 0) {
		/*
		 * where no handler has told the library, a policy is what gives the child data of
		 * its own
		 */
		if (make != fork && record () < 0)
			_exit (1);
		child (n, by_exit);
	}
	waitpid (pid, &status, 0);
	if (status)
		note ("the child's status is %#x", status);
	got = figure_of (report_of (path_of (pid)), "values", "n");
	unlink (path_of (pid));
	return got;
}

static pid_t raw_clone (void)
{
	return (pid_t) syscall (SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

static void test_children (void)
{
	double before = pp_count (values);
	const char *json;
	int status = -1;
	pid_t pid;

	same (record (), PP_OK, "a policy says where to record, with the process id in the name");
	same (recorded_by (fork, 70, 1), 70,
	      "a child of fork that exits records its own samples in a file of its own");
	same (recorded_by (fork, 71, 0), 71, "one that ends by _exit leaves them to the report");
	same (recorded_by (_Fork, 72, 1), 72,
	      "a child of _Fork that loads a policy records its own");
	same (recorded_by (raw_clone, 73, 0), 73, "a child of clone too");
	pid = _Fork ();
	if (pid == 0)
		exit (0);
	waitpid (pid, &status, 0);
	same (status, 0, "a child of _Fork that has nothing to record ends");
	same (pp_count (values), before, "the parent's are what they were");
	json = report_of (path_of (getpid ()));
	ok (*json && !strstr (json, "\"complete\": true"),
	    "and its recording is not ended by a child's end");
	unlink (path_of (pid));
}

static void *thread (void *arg)
{
	work_often (1000);
	return arg;
}

/* Threads that have ended are in it, at any time. */
static void test_threads (void)
{
	double before = pp_count (values);
	pthread_t threads[8];
	char path[128];

	for (int round = 0; round < 5; round++) {
		for (int i = 0; i < 8; i++)
			pthread_create (&threads[i], NULL, thread, NULL);
		for (int i = 0; i < 8; i++)
			pthread_join (threads[i], NULL);
	}
	snprintf (path, sizeof (path), "%s.threads.pprec", base);
	pp_record (path);
	same (figure_of (report_of (path), "values", "n"), before + 40000,
	      "threads that have ended are recorded");
	same (pp_count (values), before + 40000, "as they are counted in the program");
	unlink (path);
}

/* Files that are none, or damaged, are errors and not crashes. */
static void test_damaged (void)
{
	char path[128], command[512];
	int status, crashed = 0, silent = 0;
	long size;
	FILE *f;

	snprintf (path, sizeof (path), "%s.damaged.pprec", base);
	pp_record (path);
	f = fopen (path, "r+");
	if (!f)
		abort ();
	fseek (f, 0, SEEK_END);
	size = ftell (f);
	for (int i = 0; i < 40; i++) {
		/* cut off, from the end to the beginning */
		fflush (f);
		if (ftruncate (fileno (f), size - size * i / 40 - (i ? 1 : 0)))
			abort ();
		snprintf (command, sizeof (command), "%s report %s >/dev/null 2>%s.err",
			  getenv ("PPCTL") ? getenv ("PPCTL") : "ppctl", path, path);
		status = system (command);
		crashed += !WIFEXITED (status) || WEXITSTATUS (status) > 2;
		if (status) {
			snprintf (command, sizeof (command), "%s.err", path);
			int fd = open (command, O_RDONLY);

			silent += fd < 0 || lseek (fd, 0, SEEK_END) == 0;
			close (fd);
		}
	}
	fclose (f);
	snprintf (command, sizeof (command), "%s.err", path);
	unlink (command);
	unlink (path);
	same (crashed, 0, "a recording that was cut off is reported on or refused");
	same (silent, 0, "and refused with a message");
}

/* The tests run in a process of their own: what it records when it ends is removed after that. */
static int run_in (const char *directory)
{
	char command[128];
	int status = -1;
	pid_t pid;

	pid = fork ();
	if (pid == 0) {
		execl ("/proc/self/exe", "recordings", directory, (char *) NULL);
		_exit (127);
	}
	waitpid (pid, &status, 0);
	snprintf (command, sizeof (command), "rm -rf %s", directory);
	return system (command) || !WIFEXITED (status) ? 1 : WEXITSTATUS (status);
}

int main (int argc, char **argv)
{
	char directory[] = "/tmp/pp-recordings-XXXXXX";

	if (argc < 2)
		return mkdtemp (directory) ? run_in (directory) : 1;
	snprintf (base, sizeof (base), "%s/of", argv[1]);
	test_on_demand ();
	if (UNDER_TSAN)
		skipped ("children record their own samples",
			 "ThreadSanitizer dies in children of a program with threads");
	else
		test_children ();
	test_threads ();
	test_damaged ();
	return checked ();
}
