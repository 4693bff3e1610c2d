/* SPDX-License-Identifier: MIT */
/* shared.h: metrics that the files of the program language.c share. */
#ifndef SHARED_H
#define SHARED_H

#include <pp.h>

/* clang-format off */
#pragma pp metric shared_values point    stats(value)
#pragma pp metric shared_n      interval sumcount(dim:n)
#pragma pp metric shared_time   interval count(count)
/* clang-format on */

/*
 * The other file's sites, for the sites of the first: N times a point with value I, and an interval
 * with n = 10 I.
 */
void more_work (int n);

/* Calls with literal names: the intervals "turns" and, N times, "turn" with points in it. */
int turns (int n);
/* Calls with names that are computed: an interval and a point. */
void any_name (const char *name, const char *dot);
/* The begin and the end of one interval. */
void from_here (void);
void to_there (void);
/* X + 1; counts that it was called. */
int called (int x);

#endif
