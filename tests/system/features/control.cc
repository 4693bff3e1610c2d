/* SPDX-License-Identifier: MIT */
/*
 * control.cc: features that take marks off the stack, and features that nobody can interrupt: a throw
 * to a handler that is near and to one that is far, longjmp, malloc and random. What they are in goes
 * on: ctl.outer is entered once a round and has all of them.
 *
 *     control ROUNDS
 */
#include <pp.h>
#include <csetjmp>
#include <cstdlib>

static volatile long sink;
static jmp_buf back;

static void work (int n)
{
	for (int i = 0; i < n; i++)
		sink = sink + 1;
}

__attribute__ ((noinline)) static void refuse (const char *far)
{
	PP_FEATURE_PAYLOAD (ctl.throw, far)
	throw 1;
}

/* DEPTH frames between the throw and its handler, each with a mark that it takes off. */
__attribute__ ((noinline)) static long deeper (int depth, const char *far)
{
	PP_ANTIMARK (ctl.handling)
	if (depth == 0)
		refuse (far);
	return deeper (depth - 1, far) + 1;
}

static void caught (int depth, const char *far)
{
	PP_FEATURE (ctl.handling)
	try {
		sink = sink + deeper (depth, far);
	} catch (int) {
		work (10);
	}
}

__attribute__ ((noinline)) static void jump ()
{
	PP_FEATURE (ctl.longjmp)
	work (6000);
	longjmp (back, 1);
}

static void jumped ()
{
	if (setjmp (back) == 0)
		jump ();
	PP_FEATURE (ctl.landed) /* the first marker behind the jump */
	work (2000);
}

static void uninterrupted ()
{
	void *room;

	for (int i = 0; i < 50; i++) {
		room = malloc (5000 + (size_t) i);
		sink = sink + (room != NULL) + random ();
		free (room);
	}
}

int main (int argc, char **argv)
{
	long rounds = argc > 1 ? atol (argv[1]) : 1000;

	for (long i = 0; i < rounds; i++) {
		PP_FEATURE (ctl.outer)
		caught (0, "near");
		caught (30, "far");
		jumped ();
		uninterrupted ();
	}
	return 0;
}
