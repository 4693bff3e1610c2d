/* SPDX-License-Identifier: MIT */
/*
 * series.c: each of two threads adds its numbers 0, 1, 2 ... to a series that keeps a thousand of
 * them, 200,000 unless it is told how many; then it says so. Where it is told a second number, it
 * waits until what is full is written, adds so many to another, and kills itself.
 */
#include <pp.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#pragma pp metric all point unbounded_series(value, maxSize = 1000)

static long most = 200000;

static void *add (void *arg)
{
	for (long i = 0; i < most; i++) {
#pragma pp point given(all) value(i)
		if (i % 2000 == 0)
			usleep (1000);
	}
	return arg;
}

static void add_more_and_die (long more)
{
	usleep (300000);
	for (long i = 0; i < more; i++) {
#pragma pp point more(all) value(i)
	}
	kill (getpid (), SIGKILL);
}

int main (int argc, char **argv)
{
	pthread_t other;

	if (argc > 1)
		most = atol (argv[1]);
	pthread_create (&other, NULL, add, NULL);
	add (NULL);
	if (argc > 2)
		add_more_and_die (atol (argv[2]));
	pthread_join (other, NULL);
	printf ("n %.0f lost %.0f\n", pp_stat_named (all, NULL, "n"),
		pp_stat_named (all, NULL, "lost"));
	fflush (stdout);
	return 0;
}
