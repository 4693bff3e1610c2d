/* SPDX-License-Identifier: MIT */
/*
 * fortran.c: pp_begin, pp_end, pp_point ... as Fortran compilers call them: include/pp.f90 declares
 * them.
 *
 * An external procedure NAME is the symbol NAME_; a text comes as its address and, behind all other
 * arguments, its length, without a NUL and perhaps padded with blanks. The plugin makes calls with
 * literal names markers, or at least calls of the functions for C.
 */
#include "base/ticks.h"
#include "libmetrics/calls/call.h"

#include <string.h>

#define NAME_BYTES 256 /* longer names are cut */

/* Not in pp.h: C has no use for them. */
#pragma GCC visibility push(default)
void pp_begin_ (const char *name, size_t length);
void pp_end_ (const char *name, size_t length);
void pp_point_ (const char *name, size_t length);
void pp_point_int_ (const char *name, int64_t value, size_t length);
void pp_point_double_ (const char *name, double value, size_t length);
void pp_feature_begin_ (const char *name, const char *payload, size_t length,
			size_t payload_length);
void pp_feature_begin_int_ (const char *name, int64_t payload, size_t length);
void pp_feature_end_ (const char *name, size_t length);
void pp_antimark_begin_ (const char *name, size_t length);
void pp_antimark_end_ (const char *name, size_t length);
#pragma GCC visibility pop

static const char *terminated (char copy[NAME_BYTES], const char *name, size_t length)
{
	while (length > 0 && name[length - 1] == ' ')
		length--;
	if (length >= NAME_BYTES)
		length = NAME_BYTES - 1;
	memcpy (copy, name, length);
	copy[length] = 0;
	return copy;
}

void pp_begin_ (const char *name, size_t length)
{
	char copy[NAME_BYTES];

	ppi_call_begin (terminated (copy, name, length), PP_ABI_SITE_INTERVAL, PPI_CALLER ());
}

void pp_end_ (const char *name, size_t length)
{
	uint64_t now = ppi_call_mark_end_ticks ();
	char copy[NAME_BYTES];

	ppi_call_end (terminated (copy, name, length), PP_ABI_SITE_INTERVAL, PPI_CALLER_SP (), now);
}

void pp_point_ (const char *name, size_t length)
{
	char copy[NAME_BYTES];

	pp_point (terminated (copy, name, length));
}

void pp_point_int_ (const char *name, int64_t value, size_t length)
{
	char copy[NAME_BYTES];

	pp_point_int (terminated (copy, name, length), value);
}

void pp_point_double_ (const char *name, double value, size_t length)
{
	char copy[NAME_BYTES];

	pp_point_double (terminated (copy, name, length), value);
}

/* A blank payload is none. */
void pp_feature_begin_ (const char *name, const char *payload, size_t length, size_t payload_length)
{
	char copy[NAME_BYTES], text[NAME_BYTES];

	terminated (text, payload, payload_length);
	ppi_call_feature (terminated (copy, name, length),
			  *text ? PP_ABI_VALUE_STRING : PP_ABI_VALUE_NONE,
			  (int64_t) (uintptr_t) text, PPI_CALLER ());
}

void pp_feature_begin_int_ (const char *name, int64_t payload, size_t length)
{
	char copy[NAME_BYTES];

	ppi_call_feature (terminated (copy, name, length), PP_ABI_VALUE_INT, payload,
			  PPI_CALLER ());
}

void pp_feature_end_ (const char *name, size_t length)
{
	uint64_t now = ppi_call_mark_end_ticks ();
	char copy[NAME_BYTES];

	ppi_call_end (terminated (copy, name, length), PP_ABI_SITE_FEATURE, PPI_CALLER_SP (), now);
}

void pp_antimark_begin_ (const char *name, size_t length)
{
	char copy[NAME_BYTES];

	ppi_call_begin (terminated (copy, name, length), PP_ABI_SITE_ANTIMARK, PPI_CALLER ());
}

void pp_antimark_end_ (const char *name, size_t length)
{
	uint64_t now = ppi_ticks ();
	char copy[NAME_BYTES];

	ppi_call_end (terminated (copy, name, length), PP_ABI_SITE_ANTIMARK, PPI_CALLER_SP (), now);
}
