/* SPDX-License-Identifier: MIT */
/*
 * controlled.c: a program to ask for something while it runs: passes through its sites until it is
 * killed, or its standard input ends. With "polled" it polls; with "bare" nothing is bound in it;
 * with "asleep" it only waits for its end.
 */
#include <poll.h>
#include <pp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#pragma pp metric rounds interval sumcount(elapsed)
#pragma pp metric other interval stats(elapsed)
PP_KNOB_INT (depth, 5, 1, 9, 1)
PP_KNOB_ENUM (mode, 0, (fast, slow))

__attribute__ ((noipa)) static void bound (void)
{
#pragma pp interval round(rounds)
	usleep (500);
}

__attribute__ ((noipa)) static void free_one (void)
{
#pragma pp interval work
	usleep (500);
}

int main (int argc, char **argv)
{
	struct pollfd in = {.fd = 0, .events = POLLIN};
	int is_polled = argc > 1 && strcmp (argv[1], "polled") == 0,
	    is_bare = argc > 1 && strcmp (argv[1], "bare") == 0,
	    is_asleep = argc > 1 && strcmp (argv[1], "asleep") == 0;

	if (is_bare)
		pp_unbind (rounds, "round");
	puts ("ready");
	fflush (stdout);
	bound ();
	while (poll (&in, 1, is_asleep ? -1 : 0) == 0) {
		bound ();
		free_one ();
		if (is_polled)
			pp_poll ();
	}
	pp_record (argv[argc - 1]);
	return 0;
}
