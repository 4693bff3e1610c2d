/* SPDX-License-Identifier: MIT */
/* quantity.c: numbers with units as text; see quantity.h. */
#include "report/quantity.h"

#include <math.h>
#include <stdio.h>

struct prefix {
	double factor;
	const char *text;
};

/* 1.5e-3 → "1.50 ms"; the last prefix also takes what is smaller than all */
static const struct prefix times[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}, {0, NULL}};
static const struct prefix sizes[] = {{0x1p40, "TiB"}, {0x1p30, "GiB"}, {0x1p20, "MiB"},
				      {0x1p10, "KiB"}, {1, "B"},        {0, NULL}};

/* Three digits, more only where an integer has them. */
static void put_number (double value, char *out, size_t room)
{
	double size = fabs (value);

	if (size >= 1e15 || (size > 0 && size < 1e-3))
		snprintf (out, room, "%.3g", value);
	else if (value == floor (value) || size >= 100)
		snprintf (out, room, "%.0f", value);
	else
		snprintf (out, room, "%.*f", size >= 10 ? 1 : size >= 1 ? 2 : 3, value);
}

static void put_prefixed (double value, const struct prefix *prefix, char *out, size_t room)
{
	/* 0.9995 of a prefix is rounded up to 1 of it */
	while (prefix[1].text && fabs (value) < prefix->factor * 0.9995)
		prefix++;
	value /= prefix->factor;
	/* nothing of the kind was measured, but nobody wants three hundred digits of it */
	if (fabs (value) >= 1e9)
		snprintf (out, room, "%.3g %s", value, prefix->text);
	else if (fabs (value) >= 100)
		snprintf (out, room, "%.0f %s", value, prefix->text);
	else
		snprintf (out, room, "%.*f %s", fabs (value) >= 10 ? 1 : 2, value, prefix->text);
}

const char *ppi_report_quantity (double value, enum ppi_unit unit, int power, char *out, size_t room)
{
	if (isnan (value))
		snprintf (out, room, "-");
	else if (isinf (value))
		snprintf (out, room, "%s", value > 0 ? "inf" : "-inf");
	else if (value == 0 && power == 1 && unit != PPI_UNIT_PLAIN)
		snprintf (out, room, "0 %s", ppi_unit_symbol (unit));
	else if (power == 1 && unit == PPI_UNIT_SECONDS)
		put_prefixed (value, times, out, room);
	else if (power == 1 && unit == PPI_UNIT_BYTES)
		put_prefixed (value, sizes, out, room);
	else
		put_number (value, out, room);
	return out;
}

const char *ppi_report_dimensioned (double value, int seconds, int bytes, double resolution, char *out, size_t room)
{
	char limit[40];
	size_t used;

	if (seconds == 1 && !bytes && value >= 0 && value < resolution) {
		if (resolution < 1e-6)
			snprintf (out, room, "< %.0f ns", ceil (resolution * 1e9 - 1e-6));
		else
			snprintf (out, room, "< %s",
				  ppi_report_quantity (resolution, PPI_UNIT_SECONDS, 1, limit, sizeof limit));
		return out;
	}
	if (isnan (value) || isinf (value) || (!seconds && !bytes))
		return ppi_report_quantity (value, PPI_UNIT_PLAIN, 1, out, room);
	if (seconds == 1 && !bytes)
		return ppi_report_quantity (value, PPI_UNIT_SECONDS, 1, out, room);
	if (bytes == 1 && !seconds)
		return ppi_report_quantity (value, PPI_UNIT_BYTES, 1, out, room);
	used = (size_t) snprintf (out, room, "%.4g", value);
	if (bytes && used < room)
		used += (size_t) snprintf (out + used, room - used, bytes == 1 ? " B" : " B^%d", bytes);
	if (seconds && used < room)
		used += (size_t) snprintf (out + used, room - used, seconds == -1 ? "%s/s" : "%ss",
					   bytes && seconds == -1 ? "" : " ");
	if (seconds && seconds != 1 && seconds != -1 && used < room)
		snprintf (out + used, room - used, "^%d", seconds);
	return out;
}
