/* SPDX-License-Identifier: MIT */
/* named.c: two threads, "worker-1" and "helper", are busy for as long as each other: `named MS`. */
#define _GNU_SOURCE
#include <pp.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

static long ms;
static volatile unsigned long sink;

static double cpu_ms (void)
{
	struct timespec t;

	clock_gettime (CLOCK_THREAD_CPUTIME_ID, &t);
	return (double) t.tv_sec * 1e3 + (double) t.tv_nsec * 1e-6;
}

static void *work (void *name)
{
	/* before anybody looks at it: a profile has the name that it saw first */
	pthread_setname_np (pthread_self (), name);
#pragma pp interval work
	for (double begin = cpu_ms (); cpu_ms () - begin < (double) ms;)
		for (int i = 0; i < 1000; i++)
			sink++;
	return name;
}

int main (int argc, char **argv)
{
	static char *names[] = {"worker-1", "helper"};
	pthread_t thread[2];

	ms = argc > 1 ? atol (argv[1]) : 100;
	for (int i = 0; i < 2; i++)
		pthread_create (&thread[i], NULL, work, names[i]);
	for (int i = 0; i < 2; i++)
		pthread_join (thread[i], NULL);
	return 0;
}
