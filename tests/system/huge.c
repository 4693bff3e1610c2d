/* SPDX-License-Identifier: MIT */
/*
 * huge.c: samples as large and as small as doubles are, of every accumulator: a report has room for
 * them.
 */
#include "check.h"

static double level;

static double get (void)
{
	return level;
}

PP_SOURCE_POINT_DOUBLE (wait_time, get, "s")
PP_SOURCE_POINT_DOUBLE (wait_bytes, get, "B")
PP_SOURCE_POINT_DOUBLE (wait_number, get, "")
#pragma pp metric time_histogram point histogram(wait_time)
#pragma pp metric byte_histogram point histogram(wait_bytes)
#pragma pp metric number_histogram point histogram(wait_number)
#pragma pp metric time_stats point stats(wait_time)
#pragma pp metric time_series point bounded_series(wait_time, size = 8)

NOIPA static void work (void)
{
#pragma pp point work(time_histogram, byte_histogram, number_histogram, time_stats, time_series)
	__asm__ volatile("");
}

/* The longest number's digits in one go: what is cut off for want of room has very many. */
static size_t most_digits (const char *text)
{
	size_t most = 0;

	for (; *text; text++) {
		size_t n = strspn (text, "0123456789");

		most = n > most ? n : most;
		text += n && text[n] ? n - 1 : 0;
	}
	return most;
}

static void report (double value)
{
	char *text = NULL, *row;
	size_t bytes;
	FILE *out = open_memstream (&text, &bytes);

	pp_reset (time_histogram);
	pp_reset (byte_histogram);
	pp_reset (number_histogram);
	pp_reset (time_stats);
	pp_reset (time_series);
	level = value;
	for (int i = 0; i < 100; i++)
		work ();
	pp_report (out);
	fclose (out);
	row = strstr (text, "time_histogram");
	row = row ? strstr (row, "p999 ") : NULL;
	ok (row && strcspn (row, ")\n") < 40,
	    "a report on samples of %g has room for their quantiles", value);
	ok (most_digits (text) < 20, "and tells them in a few digits");
	free (text);
}

int main (void)
{
	report (1e60);
	report (1e200);
	report (1.7e308);
	report (-1.7e308);
	report (5e-324);
	report (0);
	return checked ();
}
