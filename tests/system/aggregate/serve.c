/* SPDX-License-Identifier: MIT */
/*
 * serve.c: executions whose dimensions are known to who counts them: commands in several threads,
 * intervals in intervals of their own kind, events whose status comes late. `serve N`: N a thread;
 * `serve N fork`: a child has half as many, and its number is told; `serve N x8`: in so many threads;
 * `serve 0`: until it is killed.
 */
#include <pp.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 16

static _Thread_local volatile long sink;
static long n;
static int threads = 4;

/* one that is missing, one that is called as if it were, and one that is called as what is beyond */
static const char *const commands[] = {"GET", "SET", "DEL", NULL, "(none)", "other"};
#define COMMANDS (sizeof commands / sizeof *commands)

static __attribute__ ((noinline)) void lookup (const char *command, long depth)
{
#pragma pp interval lookup dim(command = command, depth = depth)
	sink++;
	if (depth > 1)
		lookup (depth % 2 ? command : "GET", depth - 1);
}

static __attribute__ ((noinline)) void serve (const char *command, long i)
{
	/* a zero with a sign is a zero */
	double ratio = i % 4 == 2 ? -0.0 : (double) (i % 2) / 2;
	/* it may be overwritten as soon as the interval has begun */
	char text[16];

	snprintf (text, sizeof text, "%s", command ? command : "");
	{
#pragma pp interval serve dim(command = command ? text : NULL, cached = i % 3 == 0, ratio = ratio, \
			      place = &commands[i % COMMANDS], id = i)
		memset (text, 'x', sizeof text - 1);
		lookup (command, 1 + i % 3);
	}
}

static __attribute__ ((noinline)) void reply (const char *command, long i)
{
	int64_t id = pp_event_begin ("reply", PP_DIM ("command", command));

	pp_dim ("status", 0);
	pp_event_end (id, PP_DIM ("status", i % 10 ? 200 : 404));
}

/* An interval that is left without its end is none, and what ran in it ran in what is around. */
static __attribute__ ((noinline)) void leaps (jmp_buf to)
{
	char room[4096];

	__asm__ volatile("" ::"r"(room) : "memory");
#pragma pp interval serve_left dim(command = "left")
	lookup ("SET", 1);
	longjmp (to, 1);
}

static __attribute__ ((noinline)) void leap (void)
{
	jmp_buf to;
#pragma pp interval serve_leap dim(command = "leap")
	if (!setjmp (to))
		leaps (to);
	lookup ("DEL", 1);
}

static void *run (void *arg)
{
	for (long i = 0; i < n || !n; i++) {
		const char *command = commands[(size_t) i % COMMANDS];

		serve (command, i);
		reply (command, i);
		if (i % 100 == 0)
			leap ();
	}
	return arg;
}

static void all (void)
{
	pthread_t thread[THREADS];

	for (int i = 0; i < threads; i++)
		pthread_create (&thread[i], NULL, run, NULL);
	for (int i = 0; i < threads; i++)
		pthread_join (thread[i], NULL);
}

int main (int argc, char **argv)
{
	n = atol (argv[1]);
	if (argc > 2 && *argv[2] == 'x')
		threads = atoi (argv[2] + 1) % THREADS;
	all ();
	if (argc > 2 && *argv[2] == 'f') {
		pid_t child = fork ();

		if (!child) {
			n /= 2;
			all ();
			return 0;
		}
		printf ("%d\n", (int) child);
		waitpid (child, NULL, 0);
	}
	return 0;
}
