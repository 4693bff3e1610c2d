/* SPDX-License-Identifier: MIT */
/*
 * quantity.c: see quantity.h. Reading does not depend on the host program's locale: a policy means the same in every
 * country.
 */
#include "assertions/language/quantity.h"

#include "libmetrics/c_locale.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct unit {
	const char *name;
	double factor, divisor;
	struct ppi_dimension dimension;
} units[] = {
#define X(name, factor, divisor, seconds, bytes) {name, factor, divisor, {seconds, bytes}},
	PPI_QUANTITY_UNITS (X)
#undef X
};

#define N_UNITS (sizeof units / sizeof *units)
#define NUMBER_BYTES 64

static bool is_digit (char c)
{
	return c >= '0' && c <= '9';
}

static bool is_word (char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit (c);
}

static const char *skip_digits (const char *p)
{
	while (is_digit (*p))
		p++;
	return p;
}

/* Behind the longest decimal number at P: digits, fraction, exponent (so that "1e" is 1 and then a word) */
static const char *number_end (const char *p)
{
	p = skip_digits (p);
	if (*p == '.' && is_digit (p[1]))
		p = skip_digits (p + 1);
	if (*p == 'e' || *p == 'E') {
		const char *digits = p + 1;

		if (*digits == '+' || *digits == '-')
			digits++;
		if (is_digit (*digits))
			p = skip_digits (digits);
	}
	return p;
}

static bool convert (const char *text, size_t bytes, double *value)
{
	char copy[NUMBER_BYTES];
	PPI_C_LOCALE;
	char *end;
	int saved = errno;

	if (bytes >= sizeof copy)
		return false;
	memcpy (copy, text, bytes);
	copy[bytes] = '\0';
	*value = strtod (copy, &end);
	errno = saved;
	return *end == '\0' && isfinite (*value);
}

/* Reports print the micro sign (U+00B5), other people's keyboards have the letter (U+03BC). */
static size_t micro_bytes (const char *p)
{
	return strncmp (p, "\xc2\xb5", 2) == 0 || strncmp (p, "\xce\xbc", 2) == 0 ? 2 : 0;
}

static const struct unit *find_unit (const char *word, size_t bytes)
{
	if (micro_bytes (word))
		return bytes == 3 && word[2] == 's' ? find_unit ("us", 2) : NULL;
	for (size_t i = 0; i < N_UNITS; i++)
		if (strlen (units[i].name) == bytes && memcmp (units[i].name, word, bytes) == 0)
			return &units[i];
	return NULL;
}

static size_t word_bytes (const char *p)
{
	size_t n = micro_bytes (p);

	if (*p == '%')
		return 1;
	while (is_word (p[n]))
		n++;
	return n;
}

enum ppi_quantity_result ppi_quantity_scan (const char *text, double *value, struct ppi_dimension *dimension,
					    const char **unit, const char **end)
{
	const char *stop, *word;
	const struct unit *found;
	size_t bytes;

	*dimension = (struct ppi_dimension){0, 0};
	*unit = *end = text;
	if (!is_digit (*text))
		return PPI_QUANTITY_NO_NUMBER;
	stop = number_end (text);
	*unit = *end = stop;
	if (!convert (text, (size_t) (stop - text), value))
		return PPI_QUANTITY_BAD_NUMBER;
	for (word = stop; *word == ' ' || *word == '\t'; word++)
		;
	bytes = word_bytes (word);
	found = bytes ? find_unit (word, bytes) : NULL;
	if (!found) {
		if (!bytes || word != stop)
			return PPI_QUANTITY_OK;
		*end = word + bytes;
		return PPI_QUANTITY_UNKNOWN_UNIT;
	}
	*value = *value * found->factor / found->divisor;
	*dimension = found->dimension;
	*unit = word;
	*end = word + bytes;
	return PPI_QUANTITY_OK;
}

const char *ppi_quantity_nearest_unit (const char *word)
{
	static const struct {
		const char *wrong, *right;
	} common[] = {
		{"sec", "s"},
		{"secs", "s"},
		{"second", "s"},
		{"seconds", "s"},
		{"S", "s"},
		{"msec", "ms"},
		{"msecs", "ms"},
		{"millis", "ms"},
		{"milli", "ms"},
		{"millisec", "ms"},
		{"millisecs", "ms"},
		{"millisecond", "ms"},
		{"milliseconds", "ms"},
		{"MS", "ms"},
		{"usec", "us"},
		{"usecs", "us"},
		{"micros", "us"},
		{"micro", "us"},
		{"microsec", "us"},
		{"microsecs", "us"},
		{"microsecond", "us"},
		{"microseconds", "us"},
		{"nsec", "ns"},
		{"nsecs", "ns"},
		{"nanos", "ns"},
		{"nano", "ns"},
		{"nanosec", "ns"},
		{"nanosecs", "ns"},
		{"nanosecond", "ns"},
		{"nanoseconds", "ns"},
		{"m", "min"},
		{"mins", "min"},
		{"minute", "min"},
		{"minutes", "min"},
		{"hour", "h"},
		{"hours", "h"},
		{"hr", "h"},
		{"hrs", "h"},
		{"KB", "kB"},
		{"kb", "kB"},
		{"mb", "MB"},
		{"gb", "GB"},
		{"kib", "KiB"},
		{"mib", "MiB"},
		{"gib", "GiB"},
		{"K", "KiB"},
		{"k", "kB"},
		{"M", "MiB"},
		{"G", "GiB"},
		{"bytes", "B"},
		{"byte", "B"},
		{"b", "B"},
		{"percent", "%"},
		{"pct", "%"},
		{"d", "h"},
		{"day", "h"},
		{"days", "h"},
	};
	const char *names[N_UNITS + 1];

	for (size_t i = 0; i < sizeof common / sizeof *common; i++)
		if (strcmp (common[i].wrong, word) == 0)
			return common[i].right;
	for (size_t i = 0; i < N_UNITS; i++)
		names[i] = units[i].name;
	names[N_UNITS] = NULL;
	return ppi_nearest (word, names);
}

bool ppi_dimension_equal (struct ppi_dimension a, struct ppi_dimension b)
{
	return a.seconds == b.seconds && a.bytes == b.bytes;
}

struct ppi_dimension ppi_dimension_of (enum ppi_unit unit, int power)
{
	struct ppi_dimension d = {0, 0};

	if (unit == PPI_UNIT_SECONDS)
		d.seconds = (int8_t) power;
	else if (unit == PPI_UNIT_BYTES)
		d.bytes = (int8_t) power;
	return d;
}

static const char *symbol (struct ppi_dimension d, char *out, size_t room)
{
	int n = 0;

	out[0] = '\0';
	if (d.seconds == -1 && d.bytes == 1) {
		snprintf (out, room, "B/s");
		return out;
	}
	if (d.bytes)
		n = d.bytes == 1 ? snprintf (out, room, "B") : snprintf (out, room, "B^%d", d.bytes);
	if (d.seconds && n >= 0 && (size_t) n < room) {
		const char *gap = n ? " " : "";

		if (d.seconds == 1)
			snprintf (out + n, room - (size_t) n, "%ss", gap);
		else if (d.seconds == -1)
			snprintf (out + n, room - (size_t) n, "%s1/s", gap);
		else
			snprintf (out + n, room - (size_t) n, "%ss^%d", gap, d.seconds);
	}
	return out;
}

const char *ppi_dimension_name (struct ppi_dimension d, char *out, size_t room)
{
	if (!d.seconds && !d.bytes)
		snprintf (out, room, "a plain number");
	else if (d.seconds == 1 && !d.bytes)
		snprintf (out, room, "a time");
	else if (!d.seconds && d.bytes == 1)
		snprintf (out, room, "bytes");
	else
		symbol (d, out, room);
	return out;
}

static const char *scaled (double value, const struct ppi_dimension *d, double *out)
{
	static const struct {
		double factor;
		const char *name;
	} times[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}},
	  sizes[] = {{1073741824.0, "GiB"}, {1048576.0, "MiB"}, {1024.0, "KiB"}, {1, "B"}};
	const bool time = d->seconds == 1;
	double size = fabs (value);

	for (size_t i = 0; i < 4; i++) {
		double factor = time ? times[i].factor : sizes[i].factor;

		if (size >= factor || i == 3) {
			*out = value / factor;
			return time ? times[i].name : sizes[i].name;
		}
	}
	return "";
}

const char *ppi_quantity_format (double value, struct ppi_dimension d, char *out, size_t room)
{
	PPI_C_LOCALE;
	char unit[PPI_DIMENSION_BYTES];
	const char *name;

	if (isnan (value)) {
		snprintf (out, room, "unknown");
		return out;
	}
	if (isinf (value) || value == 0 || (!d.seconds && !d.bytes) ||
	    !((d.seconds == 1 && !d.bytes) || (!d.seconds && d.bytes == 1)))
		name = symbol (d, unit, sizeof unit);
	else
		name = scaled (value, &d, &value);
	snprintf (out, room, fabs (value) >= 1000 && fabs (value) < 1e6 ? "%.0f%s%s" : "%.4g%s%s", value,
		  *name ? " " : "", name);
	return out;
}
