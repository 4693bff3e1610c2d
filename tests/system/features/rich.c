/* SPDX-License-Identifier: MIT */
/*
 * rich.c: marks whose payloads are several values: by pragma, and by calls. Each holds work that is
 * known: of ten parts mixer takes five for "-> array", two for "-> int"; seq takes three.
 *
 *     rich ROUNDS
 */
#include <pp.h>
#include <stdlib.h>

static volatile unsigned long sink;

static void work (int parts)
{
	for (int i = 0; i < parts * 2000; i++)
		sink = sink * 3 + 1;
}

struct contract {
	const char *text, *blamer, *blamed;
};

static void check (const struct contract *c, long value, int parts)
{
#pragma pp feature lib.contract dim(contract = c->text, value = value, blamer = c->blamer,         \
				    blamed = c->blamed)
	work (parts);
}

/* Whoever computes its payload dies: nobody does while nobody looks. */
static void never (const struct contract *none)
{
#pragma pp feature off.contract dim(contract = none->text, blamer = none->blamer)
	work (0);
}

/* Of ten parts ground keeps two, listener takes three, and its connection five. */
static void tasks (void)
{
#pragma pp feature vm.task dim(name = "ground", ancestry = "")
	work (2);
	{
#pragma pp feature vm.task dim(name = "listener", ancestry = "ground")
		work (3);
		{
#pragma pp feature vm.task dim(name = "connection 1", ancestry = "ground/listener")
			work (5);
		}
	}
}

static void by_call (const char *who, int number)
{
	pp_feature_begin_with ("call.request", PP_DIM ("name", who), PP_DIM ("number", number),
			       PP_DIM ("half", number / 2.0));
	work (1);
	pp_feature_end ("call.request");
}

int main (int argc, char **argv)
{
	int rounds = argc > 1 ? atoi (argv[1]) : 1;
	static const struct contract array = {"-> array", "mixer", "array"},
				     integer = {"-> int", "mixer", "array"},
				     seq = {"-> array", "seq", "array"};

	for (int i = 0; i < rounds; i++) {
		check (&array, 1, 5);
		check (&integer, -2, 2);
		check (&seq, 1, 3);
		never (NULL);
		tasks ();
		by_call ("reader", 3);
		by_call ("writer", i % 2 ? 3 : 4);
	}
	return 0;
}
