/* SPDX-License-Identifier: MIT */
/*
 * killed.c: kill -9 at any moment: the report of what is left has every finished sample. The child
 * counts what it finished in memory that it shares with this program; when it dies it may have
 * finished one more than it could count, in each of its threads.
 */
#include "check.h"

#include <glob.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

/* clang-format off */
#pragma pp metric pairs  interval stats(elapsed)
#pragma pp metric series interval bounded_series(elapsed, size=50)
#pragma pp metric values point    sumcount(value)
/* clang-format on */

enum { THREADS = 3, ROUNDS = 8 };

static struct shared {
	struct {
		volatile double pairs, values, sum;
		char padding[40];
	} of[THREADS];
	volatile int ready;
} * shared;

static __thread volatile long sink;
static time_t began;

NOIPA static void work (int i)
{
#pragma pp interval work(pairs, series)
	sink = i;
}

NOIPA static void point (long value)
{
#pragma pp point given(values) value(value)
	sink = value;
}

static void *run (void *arg)
{
	int me = (int) (intptr_t) arg;

	for (long i = 0;; i++) {
		work (me);
		shared->of[me].pairs++;
		point (i % 10);
		shared->of[me].sum += (double) (i % 10);
		shared->of[me].values++;
		if (i == 10)
			__atomic_fetch_add (&shared->ready, 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

static void child (const char *recording)
{
	char policy[512];
	pthread_t thread;

	snprintf (policy, sizeof (policy), "version: 1\nrecord: {file: %s}\n", recording);
	if (load_policy (policy) < 0)
		_exit (1);
	for (intptr_t i = 1; i < THREADS; i++)
		pthread_create (&thread, NULL, run, (void *) i);
	run (NULL);
}

static int within (double got, double counted)
{
	return got >= counted && got <= counted + THREADS;
}

/*
 * How many files of process PID are there still? Those from before this test are of others that had
 * its number.
 */
static int left_in_tmpfs (pid_t pid)
{
	char pattern[64];
	struct stat st;
	glob_t found;
	int n = 0;

	snprintf (pattern, sizeof (pattern), "/dev/shm/pp.%d.*", (int) pid);
	if (glob (pattern, 0, NULL, &found) == 0)
		for (size_t i = 0; i < found.gl_pathc; i++)
			n += stat (found.gl_pathv[i], &st) == 0 && st.st_mtime >= began;
	globfree (&found);
	return n;
}

static void test_round (int round)
{
	struct timespec life = {0, 1000000L + round * 37000000L};
	double pairs_run = 0, values_run = 0, sum = 0;
	char recording[128];
	const char *json;
	int status, fine;
	pid_t pid;

	memset ((void *) shared, 0, sizeof (*shared));
	snprintf (recording, sizeof (recording), "/tmp/pp-killed-%d-%d.pprec", (int) getpid (),
		  round);
	fflush (stdout);
	pid = fork ();
	if (pid == 0)
		child (recording);
	while (shared->ready < THREADS && waitpid (pid, &status, WNOHANG) == 0)
		usleep (1000);
	nanosleep (&life, NULL);
	kill (pid, SIGKILL);
	waitpid (pid, &status, 0);
	for (int i = 0; i < THREADS; i++) {
		pairs_run += shared->of[i].pairs;
		values_run += shared->of[i].values;
		sum += shared->of[i].sum;
	}
	json = report_of (recording);
	fine = ok (within (figure_of (json, "pairs", "n"), pairs_run),
		   "after kill -9 (%d) the report has every interval that ended", round);
	fine &= ok (within (figure_of (json, "series", "n"), pairs_run),
		    "and counts it in the series too (%d)", round);
	fine &= ok (within (figure_of (json, "values", "n"), values_run),
		    "every value that was captured (%d)", round);
	fine &= ok (figure_of (json, "values", "sum") >= sum &&
			    figure_of (json, "values", "sum") <= sum + 9 * THREADS,
		    "and their sum (%d)", round);
	if (!fine)
		note ("counted: %.0f intervals, %.0f values, sum %.0f; reported %.0f, %.0f, %.0f, "
		      "sum %.0f",
		      pairs_run, values_run, sum, figure_of (json, "pairs", "n"),
		      figure_of (json, "series", "n"), figure_of (json, "values", "n"),
		      figure_of (json, "values", "sum"));
	ok (strcmp (report_of (recording), "") != 0 &&
		    within (figure_of (json, "pairs", "n"), pairs_run),
	    "a second report says the same (%d)", round);
	same (left_in_tmpfs (pid), 0, "nothing of it stays in tmpfs");
	unlink (recording);
}

int main (void)
{
	signal (SIGPIPE, SIG_IGN);
	began = time (NULL);
	shared = mmap (NULL, sizeof (*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	for (int i = 0; i < ROUNDS; i++)
		test_round (i);
	return checked ();
}
