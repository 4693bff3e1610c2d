/* SPDX-License-Identifier: MIT */
/*
 * open.c: executions in one of their own group. `open end`: that ends; `open exit`, `open kill`: the
 * program ends first; `open thread`: an event that stays open in a thread, and three threads after it.
 */
#include <pp.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define N 50

static volatile long sink;

static __attribute__ ((noinline)) void work (void)
{
#pragma pp interval work
	for (int i = 0; i < 2000; i++)
		sink++;
}

static __attribute__ ((noinline)) void evaluate (int depth, const char *how)
{
#pragma pp interval evaluate
	work ();
	for (int i = 0; depth && i < N; i++)
		evaluate (depth - 1, how);
	if (depth && !strcmp (how, "exit"))
		exit (0);
	if (depth && !strcmp (how, "kill"))
		kill (getpid (), SIGKILL);
}

static void *run (void *arg)
{
	if (arg)
		(void) pp_event_begin ("evaluate");
	evaluate (0, "");
	return NULL;
}

int main (int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	for (int i = 0; i < 4 && !strcmp (how, "thread"); i++) {
		pthread_t thread;

		pthread_create (&thread, NULL, run, i ? NULL : &thread);
		pthread_join (thread, NULL);
	}
	if (strcmp (how, "thread") != 0)
		evaluate (1, how);
	return 0;
}
