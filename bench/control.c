/* SPDX-License-Identifier: MIT */
/*
 * control.c: what asking a running process takes, and what its library does while nobody asks:
 * "control PPCTL" prints a line "ROW VALUE" for each row. A program of its own, for it counts what
 * the library's thread does.
 */
#include <pp.h>

#include <dirent.h>
#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ASSERTIONS = 100, FALL_ASLEEP_S = 3, ASLEEP_S = 10, ASKED = 200 };

extern char **environ;

/* clang-format off */
#pragma pp metric level point stats(value)
#pragma pp metric other point sumcount(value)
/* clang-format on */

static void work (int value)
{
#pragma pp point work(level) value(value)
	(void) value;
}

static double now_ms (void)
{
	struct timespec t;

	clock_gettime (CLOCK_MONOTONIC, &t);
	return (double) t.tv_sec * 1e3 + (double) t.tv_nsec * 1e-6;
}

/* ---- asleep ---------------------------------------------------------------------------------- */

/* TEXT of /proc/self/task/TASK/NAME; false: there is none. */
static int read_text (const char *task, const char *name, char *text, size_t room)
{
	char path[512];
	FILE *in;
	size_t n;

	snprintf (path, sizeof path, "/proc/self/task/%s/%s", task, name);
	in = fopen (path, "r");
	n = in == NULL ? 0 : fread (text, 1, room - 1, in);
	text[n] = 0;
	if (in != NULL)
		fclose (in);
	return n > 0;
}

/* How often the library's thread has gone to sleep: each sleep is a voluntary switch. */
static long sleeps (void)
{
	static const char key[] = "\nvoluntary_ctxt_switches:";
	DIR *tasks = opendir ("/proc/self/task");
	struct dirent *task;
	char text[8192];
	long n = -1;

	while (tasks != NULL && n < 0 && (task = readdir (tasks)) != NULL)
		if (read_text (task->d_name, "comm", text, sizeof text) &&
		    strcmp (text, "pp-library\n") == 0 &&
		    read_text (task->d_name, "status", text, sizeof text) &&
		    strstr (text, key) != NULL)
			n = atol (strstr (text, key) + strlen (key));
	if (tasks != NULL)
		closedir (tasks);
	return n;
}

static char *make_policy (void)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream (&text, &size);

	if (out == NULL)
		return NULL;
	fputs ("version: 1\nassertions:\n  often: {every: 1s, expect: level.n >= 0}\n", out);
	for (int i = 0; i < ASSERTIONS; i++)
		fprintf (out, "  a%d: {at: work/work, expect: level.last <= 1000}\n", i);
	fclose (out);
	return text;
}

static int asleep (void)
{
	char *policy = make_policy ();
	long before;

	if (policy == NULL || pp_policy_load_text ("asleep", policy) != 0)
		return -1;
	free (policy);
	for (int i = 0; i < ASSERTIONS; i++)
		work (i);
	sleep (FALL_ASLEEP_S);
	before = sleeps ();
	sleep (ASLEEP_S);
	if (before < 0 || pp_count (pp_metric_find ("level")) != ASSERTIONS)
		return -1;
	printf ("idle.wakeups %.2f\n", (double) (sleeps () - before) / ASLEEP_S);
	return pp_policy_unload ("asleep") < 0 ? -1 : 0;
}

/* ---- asked ----------------------------------------------------------------------------------- */

/* How long VERB takes, from the start of the command to its end; negative: it failed. */
static double ask_ms (const char *ppctl, const char *verb)
{
	char pid[32], *const words[] = {(char *) ppctl,   (char *) verb,        pid,
					(char *) "other", (char *) "work/work", NULL};
	posix_spawn_file_actions_t silent;
	double begin_ms;
	int status = -1, error;
	pid_t child;

	snprintf (pid, sizeof pid, "%d", (int) getpid ());
	posix_spawn_file_actions_init (&silent);
	posix_spawn_file_actions_addopen (&silent, 1, "/dev/null", 1, 0);
	begin_ms = now_ms ();
	error = posix_spawn (&child, ppctl, &silent, NULL, words, environ);
	while (error == 0 && waitpid (child, &status, 0) < 0 && errno == EINTR)
		;
	posix_spawn_file_actions_destroy (&silent);
	return error == 0 && status == 0 ? now_ms () - begin_ms : -1;
}

static int compare (const void *a, const void *b)
{
	double x = *(const double *) a, y = *(const double *) b;

	return (x > y) - (x < y);
}

static int asked (const char *ppctl)
{
	double ms[ASKED];

	for (int i = 0; i < ASKED; i++) {
		ms[i] = ask_ms (ppctl, "bind");
		if (ms[i] < 0 || ask_ms (ppctl, "unbind") < 0)
			return -1;
	}
	qsort (ms, ASKED, sizeof *ms, compare);
	printf ("control.latency %.3f\ncontrol.latency.p99 %.3f\n", ms[ASKED / 2],
		ms[ASKED * 99 / 100]);
	return 0;
}

int main (int argc, char **argv)
{
	return argc != 2 || asleep () != 0 || asked (argv[1]) != 0;
}
