/* SPDX-License-Identifier: MIT */
/* The library's functions, which say what they were called for as recorder.c does. */
#include <pp.h>

void pp_begin (const char *name)
{
	printf ("B %s\n", name);
}

void pp_end (const char *name)
{
	printf ("E %s\n", name);
}

void (pp_feature_begin) (const char *name, const char *payload)
{
	printf ("B %s %s\n", name, payload);
}

void pp_feature_begin_int (const char *name, int64_t payload)
{
	printf ("B %s %lld\n", name, (long long) payload);
}

void pp_feature_end (const char *name)
{
	printf ("E %s\n", name);
}

void pp_antimark_begin (const char *name)
{
	printf ("B %s\n", name);
}

void pp_antimark_end (const char *name)
{
	printf ("E %s\n", name);
}

void pp_point (const char *name)
{
	printf ("P %s\n", name);
}

void pp_point_int (const char *name, int64_t value)
{
	printf ("P %s %lld\n", name, (long long) value);
}

void pp_point_double (const char *name, double value)
{
	printf ("P %s %g\n", name, value);
}
