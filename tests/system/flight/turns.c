/* SPDX-License-Identifier: MIT */
/*
 * turns.c: does a fixed number of things, then ends as it is told: turns HOW. For tests/system/flight.sh,
 * which compares what the flight recorder has with what is done here.
 */
#include <pp.h>

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOIPA __attribute__ ((noipa))

/* clang-format off */
#pragma pp metric taken interval stats(elapsed)
/* clang-format on */

static volatile long sink;

NOIPA static void step (int i)
{
#pragma pp interval step
	sink = i;
}

NOIPA static void look (const char *name, int i, double ratio)
{
#pragma pp interval look dim(name = name, i = i, ratio = ratio)
	step (i);
	pp_dim ("found", i % 2);
}

NOIPA static void mark (int i)
{
#pragma pp point mark value(i)
	sink = i;
}

NOIPA static int overflow (int depth)
{
	volatile char page[4096];
#pragma pp interval deep
	page[0] = (char) depth;
	return overflow (depth + 1) + page[0];
}

NOIPA static int nest (int levels)
{
#pragma pp interval level
	if (levels > 1)
		return nest (levels - 1) + 1;
	abort ();
}

/* Types of events are any text, and so are two of them that end alike. */
static void names (void)
{
	int64_t id = pp_event_begin ("GET /users/list", PP_DIM ("at", 1700000123.25));

	pp_dim ("status", 1);
	pp_dim ("status", 2);
	pp_event_end (id);
	id = pp_event_begin ("GET http://orders/list@5", PP_DIM ("at", 1700000124.5));
	pp_event_end (id);
}

static void spans (void)
{
	pp_span span = pp_span_begin (pp_span_site ("held"));

	step (-1);
	pp_span_end (span);
}

static void turn (int i)
{
#pragma pp interval turn dim(number = i)
	look (i % 2 ? "odd" : "even", i, i / 4.0);
	mark (i);
}

static void *run (void *arg)
{
	for (int i = 0; i < 3; i++)
		turn (100 + i);
	return arg;
}

/* As one that waits for what never comes. */
NOIPA static void hang (const char *how)
{
#pragma pp interval hang
	step (7);
	if (strcmp (how, "abort") == 0)
		abort ();
	if (strcmp (how, "kill") == 0)
		kill (getpid (), SIGKILL);
	if (strcmp (how, "overflow") == 0)
		overflow (0);
	if (strcmp (how, "nest") == 0)
		nest (1100);
	if (strcmp (how, "stuck") == 0) {
		/* longer than the library's thread sleeps */
		usleep (1500000);
		kill (getpid (), SIGKILL);
	}
	if (strcmp (how, "exit") == 0) {
		usleep (50000);
		exit (0);
	}
	if (strcmp (how, "wait") == 0) {
		puts ("ready");
		fflush (stdout);
		pause ();
	}
	sink = 0;
}

/* The child does the same turns with other numbers, and is killed. */
static void fork_child (void)
{
	pid_t pid = fork ();

	if (pid == 0) {
		turn (1000);
		hang ("kill");
	}
	waitpid (pid, NULL, 0);
}

static jmp_buf out;

NOIPA static void leave (int i)
{
#pragma pp interval leave dim(i = i)
	sink = i;
	longjmp (out, 1);
}

/* What is left so is told by what begins next, not only by an end around it. */
NOIPA static void jump (void)
{
#pragma pp interval around
	for (volatile int i = 0; i < 3; i++)
		if (!setjmp (out))
			leave (i);
	step (5);
}

NOIPA static void slow (int us)
{
#pragma pp interval slow(taken) dim(us = us)
	usleep ((useconds_t) us);
}

int main (int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "end";
	const struct rlimit small = {1 << 20, 1 << 20};
	pthread_t thread;

	if (strcmp (how, "overflow") == 0)
		setrlimit (RLIMIT_STACK, &small);
	for (int i = 0; i < 4; i++)
		turn (i);
	if (strcmp (how, "threads") == 0) {
		pthread_create (&thread, NULL, run, NULL);
		pthread_join (thread, NULL);
	}
	if (strcmp (how, "spans") == 0)
		spans ();
	if (strcmp (how, "names") == 0)
		names ();
	if (strcmp (how, "jump") == 0)
		jump ();
	if (strcmp (how, "fork") == 0)
		fork_child ();
	if (strcmp (how, "fire") == 0) {
		for (int i = 0; i < 4; i++)
			slow (i == 2 ? 50000 : 10);
		/* the library's thread has time to see it; what follows is not in the dump */
		usleep (300000);
		for (int i = 0; i < 100; i++)
			turn (i);
	}
	hang (how);
	return 0;
}
