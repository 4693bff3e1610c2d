/* SPDX-License-Identifier: MIT */
/*
 * fortran.c: what module pp calls in the build without the plugin: the calls of Fortran say what
 * they are.
 */
#include <stdio.h>
#include <string.h>

void pp_begin_ (const char *name, size_t length);
void pp_end_ (const char *name, size_t length);
void pp_point_ (const char *name, size_t length);
void pp_point_int_ (const char *name, long long value, size_t length);
void pp_point_double_ (const char *name, double value, size_t length);

void pp_begin_ (const char *name, size_t length)
{
	printf ("B %.*s\n", (int) length, name);
}

void pp_end_ (const char *name, size_t length)
{
	printf ("E %.*s\n", (int) length, name);
}

void pp_point_ (const char *name, size_t length)
{
	printf ("P %.*s\n", (int) length, name);
}

void pp_point_int_ (const char *name, long long value, size_t length)
{
	printf ("P %.*s %lld\n", (int) length, name, value);
}

void pp_point_double_ (const char *name, double value, size_t length)
{
	printf ("P %.*s %g\n", (int) length, name, value);
}
