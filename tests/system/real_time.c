/* SPDX-License-Identifier: MIT */
/* real_time.c: a program with real-time threads: the library's own thread is an ordinary one. */
#include "check.h"

#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>

/* The kernel id of the library's thread; 0: there is none. */
static int library (void)
{
	DIR *d = opendir ("/proc/self/task");
	int found = 0;

	for (struct dirent *e; d && !found && (e = readdir (d));) {
		char path[300], name[32] = "";
		FILE *f;

		snprintf (path, sizeof path, "/proc/self/task/%s/comm", e->d_name);
		f = fopen (path, "r");
		if (f && fgets (name, sizeof name, f) && strcmp (name, "pp-library\n") == 0)
			found = atoi (e->d_name);
		if (f)
			fclose (f);
	}
	if (d)
		closedir (d);
	return found;
}

static int wait_for_library (void)
{
	int tid = 0;

	for (int i = 0; i < 10000 && !(tid = library ()); i++)
		nanosleep (&(struct timespec){0, 1000000}, NULL);
	return tid;
}

static int class;

static void *use_it_first (void *arg)
{
	(void) arg;
	class = sched_getscheduler (0);
	load_policy ("version: 1\nassertions:\n  a: {every: 1s, expect: 1 < 2}\n");
	return NULL;
}

/* A thread of CLASS is the first to need the library's. */
static int start_from (int policy, int priority)
{
	const struct sched_param param = {.sched_priority = priority};
	pthread_attr_t attr;
	pthread_t thread;
	int e;

	pthread_attr_init (&attr);
	pthread_attr_setinheritsched (&attr, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy (&attr, policy);
	pthread_attr_setschedparam (&attr, &param);
	e = pthread_create (&thread, &attr, use_it_first, NULL);
	pthread_attr_destroy (&attr);
	if (!e)
		pthread_join (thread, NULL);
	return e;
}

int main (void)
{
	const char *name = "the library's thread is an ordinary one, also where a real-time thread "
			   "needs it first";
	int tid;

	if (start_from (SCHED_FIFO, 1) != 0) {
		skipped (name, "real-time threads are not allowed here");
		return checked ();
	}
	tid = wait_for_library ();
	ok (class == SCHED_FIFO && tid > 0,
	    "a real-time thread is the first to need the library's");
	same (sched_getscheduler (tid), SCHED_OTHER, name);
	return checked ();
}
