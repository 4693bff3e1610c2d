/* SPDX-License-Identifier: MIT */
/*
 * server.c: a server with 200 commands, of which some are slow: those that end in 7, from the first
 * half of the requests on. `server REQUESTS [THREADS [MODE]]`: so many for each thread and command.
 * What functions of the program are told of fires is written to stdout.
 *
 * fast: the first half only. fork: the second half is a child's, which says its number first.
 * reload: halfway it loads the policy again. second: halfway it loads $SECOND and unloads the first.
 * clear: in the end all is fast again.
 */
#include <math.h>
#include <pp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define COMMANDS 200

static long requests = 2;
static const char *mode = "";
static volatile int is_second;

static void fired (const struct pp_violation *v, void *arg)
{
	(void) arg;
	printf ("called %s %s %s %s\n", v->assertion, v->clears ? "clears" : "fires",
		v->group ? v->group : "-", v->text ? "told" : "inline");
	for (size_t i = 0; i < v->captures && v->text; i++)
		printf ("captured %s left %.6g: %s %.6g, %s\n", v->group ? v->group : "-", v->left,
			v->capture[i].metric, v->capture[i].value,
			isnan (v->capture[i].avg) && isnan (v->capture[i].ratio) &&
					isnan (v->capture[i].samples)
				? "nothing else"
				: "more");
	fflush (stdout);
}
PP_CALLABLE (fired);

static void fired_inline (const struct pp_violation *v, void *arg)
{
	fired (v, arg);
}
PP_CALLABLE_INLINE (fired_inline);

static void wait_us (unsigned us)
{
	usleep (us);
}

static __attribute__ ((noinline)) void serve (const char *command, bool cached, unsigned us)
{
#pragma pp interval serve dim(command = command, cached = cached)
	if (us)
		wait_us (us);
}

static void round_of (int turn)
{
	char command[16];

	for (int i = 0; i < COMMANDS; i++) {
		int is_slow = is_second && i % 10 == 7;

		snprintf (command, sizeof command, "cmd%d", i);
		serve (command, turn % 2, is_slow ? 60000 : 0);
	}
	serve (NULL, turn % 2, 0);
}

static pthread_barrier_t begun;

/* No thread ends before all have begun: none goes on where another one was. */
static void *work (void *arg)
{
	for (long turn = 0; turn < requests; turn++) {
		round_of ((int) turn);
		if (!turn)
			pthread_barrier_wait (&begun);
	}
	return arg;
}

static void half (int threads)
{
	pthread_t id[16];

	pthread_barrier_init (&begun, NULL, threads < 16 ? (unsigned) threads : 16);
	for (int i = 0; i < threads && i < 16; i++)
		pthread_create (&id[i], NULL, work, NULL);
	for (int i = 0; i < threads && i < 16; i++)
		pthread_join (id[i], NULL);
	pthread_barrier_destroy (&begun);
}

static void wait_for_ticks (void)
{
	for (int i = 0; i < 30; i++)
		usleep (10000);
}

int main (int argc, char **argv)
{
	int threads = argc > 2 ? atoi (argv[2]) : 1;
	pid_t child = 0;

	requests = argc > 1 ? atol (argv[1]) : requests;
	mode = argc > 3 ? argv[3] : "";
	half (threads);
	wait_for_ticks ();
	if (strcmp (mode, "fast") == 0)
		return 0;
	if (strcmp (mode, "fork") == 0) {
		child = fork ();
		if (child) {
			printf ("child %ld\n", (long) child);
			fflush (stdout);
			waitpid (child, NULL, 0);
			return 0;
		}
	}
	if (strcmp (mode, "reload") == 0)
		printf ("reload %d\n", pp_policy_load (getenv ("PP_POLICY")));
	if (strcmp (mode, "second") == 0) {
		printf ("second %d\n", pp_policy_load (getenv ("SECOND")));
		printf ("unload %d\n", pp_policy_unload (getenv ("PP_POLICY")));
	}
	is_second = 1;
	requests *= 3;
	half (threads);
	wait_for_ticks ();
	if (strcmp (mode, "clear") == 0) {
		is_second = 0;
		requests *= 100;
		half (threads);
		wait_for_ticks ();
	}
	return 0;
}
