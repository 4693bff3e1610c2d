/* SPDX-License-Identifier: MIT */
/*
 * visits.h: recursive visits of threads, each with dimensions of all types; every one that ends is a
 * line of the file of its thread, as dump_records.c writes it. For C and C++.
 */
#ifndef TESTS_SYSTEM_EVENTS_VISITS_H
#define TESTS_SYSTEM_EVENTS_VISITS_H

#include <pp.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct visitor {
	FILE *out; /* expected.THREAD */
	long tid, id, leaves;
	int depth;
};

static __attribute__ ((format (printf, 4, 5))) void did (struct visitor *v, int depth,
							 const char *kind, const char *format, ...)
{
	va_list args;

	fprintf (v->out, "%ld %d %s ", v->tid, depth, kind);
	va_start (args, format);
	vfprintf (v->out, format, args);
	va_end (args);
	fputc ('\n', v->out);
}

/* Texts that live only as long as the marker needs them. */
static const char *name_of (char *room, size_t bytes, int n)
{
	snprintf (room, bytes, "node %d", n % 7);
	return room;
}

static void visit_leaf (struct visitor *v)
{
	long which = ++v->leaves;
	{
#pragma pp interval leaf dim(which = which)
		v->depth++;
#pragma pp point touched value(which)
		v->depth--;
	}
	did (v, v->depth + 1, "point", "touched value=%ld", which);
	did (v, v->depth, "interval", "leaf which=%ld", which);
}

static void visit (struct visitor *v, int n)
{
	long id = ++v->id;
	double ratio = n / 3.0 - 1;
	char room[32];
	const char *name = n % 5 == 4 ? NULL : name_of (room, sizeof room, n);
	const void *at = v;
	char named[48] = "";

	if (name)
		snprintf (named, sizeof named, " name=%s", name);
	{
#pragma pp interval visit dim(id = id, ratio = ratio, name = name, at = at)
		v->depth++;
		memset (room, 'x', sizeof room - 1);
		if (n > 1) {
			visit (v, n - 1);
			visit (v, n - 2);
		} else {
			visit_leaf (v);
		}
		v->depth--;
	}
	did (v, v->depth, "interval", "visit id=%ld ratio=%.17g%s at=0x%llx", id, ratio, named,
	     (unsigned long long) (uintptr_t) at);
}

static void visitor_begin (struct visitor *v)
{
	char path[64];

	memset (v, 0, sizeof *v);
	v->tid = (long) gettid ();
	snprintf (path, sizeof path, "expected.%ld", v->tid);
	v->out = fopen (path, "a");
	if (!v->out)
		exit (99);
}

static void *visits (void *arg)
{
	struct visitor v;

	(void) arg;
	visitor_begin (&v);
	for (int i = 0; i < 20; i++)
		visit (&v, 9);
	fclose (v.out);
	return NULL;
}

static void visits_by_threads (void)
{
	pthread_t thread[3];

	for (int i = 0; i < 3; i++)
		if (pthread_create (&thread[i], NULL, visits, NULL) != 0)
			exit (99);
	visits (NULL);
	for (int i = 0; i < 3; i++)
		pthread_join (thread[i], NULL);
}

#endif
