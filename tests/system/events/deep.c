/* SPDX-License-Identifier: MIT */
/*
 * deep.c: for tests/system/events.sh: 1,500 executions inside each other, of which a thread keeps
 * 1,024; "open": six that are open when their thread or the process ends; "types": 2,000 sites, each
 * of which comes when there is a policy.
 */
#include <pp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int deep (int n)
{
#pragma pp interval deep dim(n = n)
	return n < 1500 ? deep (n + 1) + 1 : 0;
}

static void *leaves (void *unused)
{
	pp_event_begin ("left", PP_DIM ("n", 1));
	pp_event_begin ("left", PP_DIM ("n", 2));
	return unused;
}

static void *waits (void *here)
{
	pp_event_begin ("waiting");
	pthread_barrier_wait (here);
	while (1)
		pause ();
	return NULL;
}

static void ends (void)
{
	pthread_barrier_t here;
	pthread_t thread;

	pp_event_end (pp_event_begin ("done", PP_DIM ("n", 1)));
	pthread_create (&thread, NULL, leaves, NULL);
	pthread_join (thread, NULL);
	pthread_barrier_init (&here, NULL, 2);
	pthread_create (&thread, NULL, waits, &here);
	pthread_barrier_wait (&here);
	pp_span_begin (pp_span_site ("span"));
	{
#pragma pp interval around
		pp_event_begin ("request", PP_DIM ("n", 1));
		exit (0);
	}
}

static int types (void)
{
	char type[32];

	for (int i = 0; i < 2000; i++) {
		snprintf (type, sizeof type, "%s%d", i % 2 ? "odd" : "even", i);
		pp_event_end (pp_event_begin (type, PP_DIM ("n", i % 10)));
	}
	return 0;
}

int main (int argc, char **argv)
{
	if (argc > 1 && strcmp (argv[1], "types") == 0)
		return types ();
	if (argc > 1)
		ends ();
	return deep (1) != 1499;
}
