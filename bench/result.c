/* SPDX-License-Identifier: MIT */
/*
 * result.c: rounds become rows, rows a table for people and results.json for programs. Medians,
 * because what disturbs a measurement is rare and large; the distance of the quartiles beside them,
 * because a reader must see what a difference of two rows is worth.
 */
#include "bench.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 256 };

static struct result {
	const struct row *row;
	double value, ratio, spread;
	size_t count;
	double value_low, value_high, ratio_low, ratio_high; /* 95 % confidence intervals */
	struct beside beside;
} results[ROWS_MAX];
static size_t result_count;

/*
 * The 95 % confidence interval of the median of COUNT sorted VALUES: order statistics, whatever the
 * distribution.
 */
static void confidence (double *values, size_t count, double *low, double *high)
{
	double half;

	if (count <= 4)
		return;
	half = 0.98 / sqrt ((double) count);
	*low = quantile (values, count, 0.5 - half);
	*high = quantile (values, count, 0.5 + half);
}

static void take_ratio (struct result *result, const double *values, const double *yardsticks,
			size_t count, double *room)
{
	size_t used = 0;

	for (size_t i = 0; i < count; i++)
		if (yardsticks[i] > 0)
			room[used++] = values[i] / yardsticks[i];
	result->ratio = quantile (room, used, 0.5);
	confidence (room, used, &result->ratio_low, &result->ratio_high);
}

static const char *only;

void result_only (const char *prefix)
{
	only = prefix;
}

int result_wanted (const char *prefix)
{
	size_t length = strlen (prefix);

	return only == NULL || strncmp (only, prefix, length) == 0 ||
	       strncmp (only, prefix, strlen (only)) == 0;
}

int result_named (const char *prefix)
{
	return only != NULL && result_wanted (prefix);
}

void result_head (void)
{
	printf ("%-42s %10s %-12s %7s %9s %6s %5s\n", "row", "value", "unit", "ratio", "spread",
		"instr.", "n");
}

void result_add (const struct row *row, const double *values, const double *yardsticks,
		 size_t count)
{
	static const struct beside nothing = {NAN, NAN, NAN};

	result_add_beside (row, values, yardsticks, count, &nothing);
}

static void print_optional (const char *format, int width, double value)
{
	if (isnan (value))
		printf (" %*s", width, "");
	else
		printf (format, width, value);
}

void result_add_beside (const struct row *row, const double *values, const double *yardsticks,
			size_t count, const struct beside *beside)
{
	double *room;
	struct result *result = &results[result_count];

	if (only != NULL && strncmp (only, row->name, strlen (only)) != 0)
		return;
	room = calloc (count, sizeof *room);
	if (room == NULL || result_count == ROWS_MAX) {
		fprintf (stderr, "bench: no room for the row %s\n", row->name);
		free (room);
		return;
	}
	result_count++;
	memcpy (room, values, count * sizeof *room);
	*result = (struct result){
		row, quantile (room, count, 0.5), NAN, 0, count, NAN, NAN, NAN, NAN, *beside};
	result->spread = quantile (room, count, 0.75) - quantile (room, count, 0.25);
	confidence (room, count, &result->value_low, &result->value_high);
	if (yardsticks != NULL)
		take_ratio (result, values, yardsticks, count, room);
	free (room);

	printf ("%-42s %10.2f %-12s", row->name, result->value, row->unit);
	print_optional (" %*.2f", 7, result->ratio);
	printf (" %9.2f", result->spread);
	print_optional (" %*.1f", 6, beside->instructions);
	printf (" %5zu\n", result->count);
	fflush (stdout);
}

void result_notes (void)
{
	for (const struct result *r = results; r < results + result_count; r++) {
		double is = r->row->yardstick != NULL ? r->ratio : r->value;

		int least = r->row->target < 0;

		if (r->row->target != 0 && !(least ? is >= -r->row->target : is <= r->row->target))
			printf ("note: %s is %.2f, the target is at %s %.2f%s%s\n", r->row->name,
				is, least ? "least" : "most", fabs (r->row->target),
				r->row->yardstick != NULL ? " x " : " ",
				r->row->yardstick != NULL ? r->row->yardstick : r->row->unit);
	}
}

/* JSON has no NaN; names and units here need no escapes. */
static void write_number (FILE *out, const char *key, double value)
{
	if (isfinite (value))
		fprintf (out, ", \"%s\": %.6g", key, value);
	else
		fprintf (out, ", \"%s\": null", key);
}

static void write_row (FILE *out, const struct result *r)
{
	fprintf (out, "  {\"name\": \"%s\"", r->row->name);
	write_number (out, "value", r->value);
	write_number (out, "value_low", r->value_low);
	write_number (out, "value_high", r->value_high);
	fprintf (out, ", \"unit\": \"%s\"", r->row->unit);
	if (r->row->yardstick != NULL)
		fprintf (out, ", \"yardstick\": \"%s\"", r->row->yardstick);
	else
		fprintf (out, ", \"yardstick\": null");
	write_number (out, "ratio", r->ratio);
	write_number (out, "ratio_low", r->ratio_low);
	write_number (out, "ratio_high", r->ratio_high);
	write_number (out, "layouts_low", r->beside.layouts_low);
	write_number (out, "layouts_high", r->beside.layouts_high);
	write_number (out, "spread", r->spread);
	write_number (out, "instructions", r->beside.instructions);
	fprintf (out, ", \"n\": %zu}", r->count);
}

int result_write (const char *path)
{
	FILE *out = fopen (path, "w");
	int failed;

	if (out == NULL) {
		fprintf (stderr, "bench: cannot write %s: %s\n", path, strerror (errno));
		return -1;
	}
	fprintf (out, "[\n");
	for (size_t i = 0; i < result_count; i++) {
		write_row (out, &results[i]);
		fprintf (out, i + 1 < result_count ? ",\n" : "\n");
	}
	fprintf (out, "]\n");
	failed = ferror (out);
	if (fclose (out) != 0 || failed) {
		fprintf (stderr, "bench: cannot write %s: %s\n", path, strerror (errno));
		return -1;
	}
	return 0;
}
