/* SPDX-License-Identifier: MIT */
/*
 * shares.c: features whose shares of the time are known, since all work is done in pieces of the
 * same number of steps. Of each hundred pieces, of a thread:
 *
 *     20  mark lib.a at this place          lib.a 40, of which 20 are here and 20 in nested ()
 *     10  antimark lib.a inside that mark
 *     20  mark lib.a in that antimark, and mark lib.b around it all: lib.b 50
 *     15  mark lib.text with a text as payload: "one" 5, "two" 10
 *     15  mark lib.number, by 1, 2 and 3: 5 each
 *     20  nothing
 *
 * and lib.never is never begun. Two threads do it; the order in which a round's pieces come is the
 * same, so rounds are short.
 */
#include <pp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define STEPS 400

static __thread volatile unsigned long sink;

/* A chain of multiplications takes as long wherever its code lies. */
__attribute__ ((noipa)) static void work (int pieces)
{
	unsigned long x = sink | 1;

	for (int i = 0; i < pieces * STEPS; i++)
		x = x * 3 * (x | 5) * (x | 9) * (x | 17) * (x | 33) * (x | 65);
	sink = x;
}

/* As a comparator would: user code, which uses the feature itself. */
__attribute__ ((noipa)) static void nested (void)
{
	PP_ANTIMARK (lib.a)
	work (10);
	{
		PP_FEATURE (lib.a)
		work (20);
	}
}

__attribute__ ((noipa)) static void outer (void)
{
	PP_FEATURE (lib.b)
	{
		PP_FEATURE (lib.a)
		work (20);
		nested ();
	}
}

__attribute__ ((noipa)) static void texts (const char *text, int pieces)
{
	char copy[16];

	/* nobody may rely on where it lies */
	strcpy (copy, text);
	PP_FEATURE_PAYLOAD (lib.text, (const char *) copy)
	work (pieces);
	memset (copy, 'x', sizeof copy - 1);
}

__attribute__ ((noipa)) static void numbers (int number)
{
	PP_FEATURE_PAYLOAD (lib.number, number)
	work (5);
}

__attribute__ ((noipa)) static void never (void)
{
	PP_FEATURE (lib.never)
	work (1);
}

static long rounds;

static void *run (void *arg)
{
	PP_INTERVAL (whole)
	if (rounds < 0)
		never ();
	for (long i = 0; i < rounds; i++) {
		outer ();
		texts ("one", 5);
		texts ("two", 10);
		for (int n = 1; n <= 3; n++)
			numbers (n);
		work (20);
	}
	return arg;
}

/* A child runs 70 rounds of its own, and the parent waits. */
static int forks (void)
{
	int status = 1;
	pid_t child = fork ();

	if (!child) {
		rounds = 70;
		run (NULL);
		exit (0);
	}
	printf ("%d\n", (int) child);
	waitpid (child, &status, 0);
	return status;
}

int main (int argc, char **argv)
{
	pthread_t other;

	rounds = argc > 1 ? atol (argv[1]) : 1000;
	pthread_create (&other, NULL, run, NULL);
	run (NULL);
	pthread_join (other, NULL);
	return argc > 2 ? forks () : 0;
}
