/* SPDX-License-Identifier: MIT */
/*
 * span_dims.c: dimensions of spans, said by whatever thread knows them. `span_dims known`: 8 spans
 * with known ones. `span_dims race N`: two threads say them of N spans that end meanwhile; what was
 * said of none, since it had ended, is no error. Prints how many were begun.
 */
#include <pp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SPANS = 8, ADDERS = 2 };

static pp_span spans[SPANS];
static _Atomic pp_span open_now;
static atomic_int done;

static void must (int is, const char *what)
{
	if (!is) {
		printf ("wrong: %s\n", what);
		exit (1);
	}
}

static void *say_known (void *arg)
{
	for (int i = 0; i < SPANS; i++) {
		must (pp_span_dim (spans[i], "status", i % 2 ? "bad" : "good") == PP_OK, "a text");
		must (pp_span_dim (spans[i], "bytes", 1000) == PP_OK, "a number");
		must (pp_span_dim (spans[i], "bytes", 10 * i) == PP_OK, "the same key anew");
		must (pp_span_dim (spans[i], "none", (const char *) NULL) == PP_OK, "no text");
	}
	return arg;
}

static void known (pp_site *request)
{
	pthread_t thread;
	int more = 0;

	for (int i = 0; i < SPANS; i++) {
#pragma pp interval begin dim(method = "GET")
		spans[i] = pp_span_begin (request);
		must (pp_span_dim (spans[i], "method", i < 4 ? "GET" : "PUT") == PP_OK, "its own");
		must (pp_span_dim (spans[i], "", 1) == PP_EINVAL, "a key is needed");
	}
	pthread_create (&thread, NULL, say_known, NULL);
	pthread_join (thread, NULL);
	while (more < 1000 && pp_span_dim (spans[7], "bytes", 70) == PP_OK)
		more++;
	must (more == 64 - 4 && pp_span_dim (spans[7], "bytes", 1) == PP_EINVAL, "64 are said");
	for (int i = SPANS; i-- > 0;)
		must (pp_span_end (spans[i]) == PP_OK, "each ends");
	must (pp_span_dim (spans[0], "late", 1) == PP_ESTATE, "one that has ended");
	must (pp_span_dim (PP_SPAN_NONE, "late", 1) == PP_OK, "none");
	printf ("%d\n", SPANS);
}

/* Nobody measures. */
static void unbound (pp_site *request)
{
	must (pp_span_begin (request) == PP_SPAN_NONE, "nothing is begun");
	must (pp_span_dim (PP_SPAN_NONE, "key", 1) == PP_OK, "nothing is said");
	printf ("0\n");
}

static void *say_often (void *arg)
{
	const char *key = arg;

	while (!done) {
		int e = pp_span_dim (open_now, key, key);

		must (e == PP_OK || e == PP_ESTATE || e == PP_EINVAL, "what is said meanwhile");
	}
	return NULL;
}

static void race (pp_site *request, int n)
{
	static char keys[ADDERS][8] = {"one", "two"};
	pthread_t thread[ADDERS];

	for (int i = 0; i < ADDERS; i++)
		pthread_create (&thread[i], NULL, say_often, keys[i]);
	for (int i = 0; i < n; i++) {
		pp_span one = pp_span_begin (request);

		open_now = one;
		must (pp_span_dim (one, "number", i) != PP_ESTATE, "it is open");
		must (pp_span_end (one) == PP_OK, "it ends once");
	}
	done = 1;
	for (int i = 0; i < ADDERS; i++)
		pthread_join (thread[i], NULL);
	printf ("%d\n", n);
}

int main (int argc, char **argv)
{
	pp_site *request = pp_span_site ("request");

	if (argc > 2 && strcmp (argv[1], "race") == 0)
		race (request, atoi (argv[2]));
	else if (argc > 1 && strcmp (argv[1], "unbound") == 0)
		unbound (request);
	else
		known (request);
	return 0;
}
