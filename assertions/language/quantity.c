/* SPDX-License-Identifier: MIT */
/*
 * quantity.c: see quantity.h. Reading does not depend on the host program's locale: a policy means
 * the same in every country.
 */
#include "assertions/language/quantity.h"

#include "base/c_locale.h"
#include "base/types.h"

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

/*
 * Behind the longest decimal number at P: digits, fraction, exponent (so that "1e" is 1 and then a
 * word)
 */
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

enum ppi_quantity_result ppi_quantity_scan (const char *text, double *value,
					    struct ppi_dimension *dimension, const char **unit,
					    const char **end)
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

const char *ppi_dimension_name (struct ppi_dimension d, char *out, size_t room)
{
	if (!d.seconds && !d.bytes)
		snprintf (out, room, "a plain number");
	else if (d.seconds == 1 && !d.bytes)
		snprintf (out, room, "a time");
	else if (!d.seconds && d.bytes == 1)
		snprintf (out, room, "bytes");
	else if (d.seconds == -1 && !d.bytes)
		snprintf (out, room, "1/s");
	else
		ppi_dimension_symbol (d, out, room);
	return out;
}
