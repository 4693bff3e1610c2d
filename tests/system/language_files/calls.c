/* SPDX-License-Identifier: MIT */
/* calls.c: what the program language.c marks by calls. */
#include "shared.h"

#define TURN "turn"

__attribute__ ((noipa)) int turns (int n)
{
	pp_begin (TURN "s");
	for (int i = 0; i < n; i++) {
		pp_begin (TURN);
		pp_point_int ("an int", called (i));
		pp_point_double ("a double", i * 0.25);
		pp_point ("a point");
		pp_end (TURN);
	}
	pp_end (TURN "s");
	return n;
}

__attribute__ ((noipa)) void any_name (const char *name, const char *dot)
{
	pp_begin (name);
	pp_point (dot);
	pp_end (name);
}

/* begin and end in different functions */
__attribute__ ((noipa)) void from_here (void)
{
	pp_begin ("across");
}

__attribute__ ((noipa)) void to_there (void)
{
	pp_end ("across");
}
