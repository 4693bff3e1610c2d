/* SPDX-License-Identifier: MIT */
/*
 * calls.h: events as calls, in C and in C++: ids, dimensions of all types, and what becomes of broken
 * nesting. Says what went wrong, and how many; what is recorded of it is compared with `calls.dump`.
 */
#ifndef TESTS_SYSTEM_EVENTS_CALLS_H
#define TESTS_SYSTEM_EVENTS_CALLS_H

#include <pp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int wrong;

static void is (const char *what, int64_t got, int64_t expected)
{
	if (got == expected)
		return;
	wrong++;
	printf ("%s: %lld, not %lld\n", what, (long long) got, (long long) expected);
}

static __attribute__ ((noinline)) int ends_elsewhere (int64_t id)
{
	return pp_event_end (id, PP_DIM ("status", 200), PP_DIM ("size", (size_t) 4096));
}

static void values (void)
{
	char path[] = "/index";
	int64_t outer, inner;

	is ("nothing is open", pp_dim ("lost", 1), PP_ENOENT);
	outer = pp_event_begin ("request", PP_DIM ("id", 7), PP_DIM ("path", path));
	memset (path, 'x', sizeof path - 1);
	inner = pp_event_begin ("query", PP_DIM ("n", 3u), PP_DIM ("ratio", 0.5f),
				PP_DIM ("where", (void *) 0x1000), PP_DIM ("none", (char *) 0));
	is ("ids are above 0", outer > 0 && inner > 0 && inner != outer, 1);
	is ("of the inner one", pp_dim ("rows", 12), PP_OK);
	is ("its end", pp_event_end (inner, PP_DIM ("ok", (bool) true), PP_DIM ("c", 'c')), PP_OK);
	is ("of the outer one", pp_dim ("rows", 1), PP_OK);
	is ("... in its place", pp_dim ("rows", "two"), PP_OK);
	is ("in another function", ends_elsewhere (outer), PP_OK);
	is ("twice", pp_event_end (outer), PP_ESTATE);
	is ("none", pp_event_end (0), PP_OK);
	is ("what never was", pp_event_end (123456789), PP_ESTATE);
}

static void among_markers (void)
{
	int64_t around = pp_event_begin ("around"), inside = 0;
	long kind = 1;
	{
#pragma pp interval marker dim(kind = kind, other = kind)
		inside = pp_event_begin ("inside");
		pp_event_end (inside);
		is ("of the marker's", pp_dim ("kind", "late"), PP_OK);
		{
#pragma pp interval deeper
			is ("of the deeper one", pp_dim ("x", -1.5), PP_OK);
		}
	}
	is ("of what is around", pp_dim ("x", -1), PP_OK);
	pp_event_end (around);
}

/* More than a page of places: nothing depends on how many there were. */
static void many (void)
{
	int wrong_ends = 0;

	for (int i = 0; i < 20000; i++)
		wrong_ends += pp_event_end (pp_event_begin ("many", PP_DIM ("n", i))) != PP_OK;
	is ("each of many ends", wrong_ends, 0);
}

static void nesting (void)
{
	uint64_t dropped = pp_dropped (PP_DROP_NESTING);
	int64_t first = pp_event_begin ("first"), second, third;

	second = pp_event_begin ("second"); /* broken: begun here */
	pp_dim ("gone", 1);
	third = pp_event_begin ("third", PP_DIM ("gone", 2));
	third += pp_event_end (first, PP_DIM ("kept", 1)); /* broken: ended here */
	is ("two are dropped", (int64_t) (pp_dropped (PP_DROP_NESTING) - dropped), 2);
	is ("... and can't end", pp_event_end (third), PP_ESTATE);
	is ("... neither", pp_event_end (second), PP_ESTATE);
}

/* Nothing comes behind the call: a compiler would jump there, and who calls these would be told. */
static __attribute__ ((noinline, optimize ("O2"))) int64_t begins (const char *type)
{
	return pp_event_begin (type);
}

static __attribute__ ((noinline, optimize ("O2"))) int ends (int64_t id)
{
	return pp_event_end (id);
}

static void nesting_by_calls (void)
{
	for (int i = 0; i < 2; i++) {
		int64_t outer = begins ("first");

		begins ("second");
		is ("by a call", ends (outer), PP_OK);
	}
}

static void *ends_anothers (void *arg)
{
	is ("of another thread", pp_event_end (*(int64_t *) arg), PP_ESTATE);
	return NULL;
}

static void threads (void)
{
	int64_t id = pp_event_begin ("mine");
	pthread_t thread;

	if (pthread_create (&thread, NULL, ends_anothers, &id) == 0)
		pthread_join (thread, NULL);
	is ("it is still open", pp_event_end (id), PP_OK);
}

static void limits (void)
{
	struct pp_event_dim many[9];
	int64_t id;

	for (int i = 0; i < 9; i++)
		many[i] = PP_DIM ("k", i);
	is ("more than 8", pp_event_begin_dims ("many", 9, many), PP_EINVAL);
	is ("no type", pp_event_begin_dims (NULL, 0, NULL), PP_EINVAL);
	id = pp_event_begin ("many", PP_DIM ("a", 1), PP_DIM ("b", 2), PP_DIM ("c", 3),
			     PP_DIM ("d", 4), PP_DIM ("e", 5), PP_DIM ("f", 6), PP_DIM ("g", 7),
			     PP_DIM ("h", 8));
	is ("no more than 8", pp_dim ("i", 9), PP_EINVAL);
	is ("but another value", pp_dim ("h", 9), PP_OK);
	is ("8 more at the end",
	    pp_event_end (id, PP_DIM ("i", 9), PP_DIM ("j", 10), PP_DIM ("a", 0), PP_DIM ("k", "x"),
			  PP_DIM ("l", 12), PP_DIM ("m", 13), PP_DIM ("n", 14), PP_DIM ("o", 15)),
	    PP_OK);
}

/* One of 63 bytes is the longest: those that are equal so far would be one. */
static void keys (void)
{
	char longer[65] = "", *key = longer + 1;
	pp_span span = pp_span_begin (pp_span_site ("many"));
	int64_t id;

	memset (longer, 'k', 64);
	is ("a key of 64 bytes", pp_event_begin ("many", PP_DIM (longer, 1)), PP_EINVAL);
	is ("... of a span", pp_span_dim (span, longer, 1), PP_EINVAL);
	pp_span_end (span);
	id = pp_event_begin ("many", PP_DIM (key, 1));
	is ("of 63 bytes", id > 0, 1);
	is ("a longer one later", pp_dim (longer, 2), PP_EINVAL);
	is ("... at the end", pp_event_end (id, PP_DIM (longer, 3), PP_DIM ("z", 4)), PP_EINVAL);
	is ("... which it is", pp_event_end (id), PP_ESTATE);
}

/* Deeper than what a thread keeps dimensions for at first, each with its own. */
static void deep (int n)
{
	int64_t id = pp_event_begin ("deep", PP_DIM ("n", n));

	if (n > 1)
		deep (n - 1);
	pp_event_end (id, PP_DIM ("end", -n));
}

static int run (void)
{
	/* the first call of a name makes its site */
	static const char *const types[] = {"request", "query", "around", "inside", "first",
					    "second",  "third", "mine",   "many",   "deep"};

	for (unsigned i = 0; i < sizeof types / sizeof types[0]; i++)
		pp_span_site (types[i]);
	values ();
	among_markers ();
	nesting ();
	nesting_by_calls ();
	many ();
	threads ();
	limits ();
	keys ();
	deep (200);
	printf ("%d wrong\n", wrong);
	return wrong != 0;
}

#endif
