/* SPDX-License-Identifier: MIT */
/* quantity.c: see quantity.h. Numbers have a point, whatever locale the host has set. */
#include "base/quantity.h"

#include "base/c_locale.h"
#include "base/environment.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define DIGITS 3
#define MOST_DIGITS 17 /* tell any two doubles apart */

struct prefix {
	double factor;
	const char *text;
};

/* 1.5e-3 → "1.50 ms"; the last prefix also takes what is smaller than all */
static const struct prefix times[] = {
	{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}, {0, NULL}};
static const struct prefix sizes[] = {{0x1p40, "TiB"}, {0x1p30, "GiB"}, {0x1p20, "MiB"},
				      {0x1p10, "KiB"}, {1, "B"},        {0, NULL}};

struct ppi_dimension ppi_dimension_of (enum ppi_unit unit, int power)
{
	struct ppi_dimension d = {0, 0};

	if (unit == PPI_UNIT_SECONDS)
		d.seconds = (int8_t) power;
	else if (unit == PPI_UNIT_BYTES)
		d.bytes = (int8_t) power;
	return d;
}

bool ppi_dimension_equal (struct ppi_dimension a, struct ppi_dimension b)
{
	return a.seconds == b.seconds && a.bytes == b.bytes;
}

/* NAME, its power where that is not 1 */
static int put_power (const char *name, int power, char *out, size_t room)
{
	return power == 1 ? snprintf (out, room, "%s", name)
			  : snprintf (out, room, "%s^%d", name, power);
}

const char *ppi_dimension_symbol (struct ppi_dimension d, char *out, size_t room)
{
	int n = 0;

	out[0] = '\0';
	if (d.bytes)
		n = put_power ("B", d.bytes, out, room);
	if (!d.seconds || n < 0 || (size_t) n >= room)
		return out;
	if (d.seconds == -1) {
		snprintf (out + n, room - (size_t) n, "/s");
		return out;
	}
	if (n)
		n += snprintf (out + n, room - (size_t) n, " ");
	if ((size_t) n < room)
		put_power ("s", d.seconds, out + n, room - (size_t) n);
	return out;
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* Behind the point, so that SIZE has so many digits */
static int decimals (double size, int digits)
{
	int whole = size >= 10 ? (int) floor (log10 (size)) + 1 : 1;

	return whole < digits ? digits - whole : 0;
}

static void put_number (double value, int digits, char *out, size_t room)
{
	double size = fabs (value);

	if (size >= 1e15 || (size > 0 && size < 1e-3))
		snprintf (out, room, "%.*g", digits, value);
	else if (value == floor (value))
		snprintf (out, room, "%.0f", value);
	else /* 0.250 has three digits that tell something */
		snprintf (out, room, "%.*f", decimals (size, digits) + (size < 1), value);
}

/* SUFFIX: what stands behind the unit, "/s" */
static void put_prefixed (double value, const struct prefix *prefix, const char *suffix, int digits,
			  char *out, size_t room)
{
	/* 0.9995 of a prefix is rounded up to 1 of it */
	while (prefix[1].text && fabs (value) < prefix->factor * (1 - 0.5 * pow (10, -digits)))
		prefix++;
	value /= prefix->factor;
	/* nothing of the kind was measured, but nobody wants three hundred digits of it */
	if (fabs (value) >= 1e9)
		snprintf (out, room, "%.*g %s%s", digits, value, prefix->text, suffix);
	else
		snprintf (out, room, "%.*f %s%s", decimals (fabs (value), digits), value,
			  prefix->text, suffix);
}

static const char *format (double value, struct ppi_dimension d, int digits, char *out, size_t room)
{
	PPI_C_LOCALE;
	char number[PPI_QUANTITY_BYTES], unit[PPI_DIMENSION_BYTES];
	bool is_time = d.seconds == 1 && !d.bytes,
	     is_size = d.bytes == 1 && (!d.seconds || d.seconds == -1);

	if (isnan (value)) {
		snprintf (out, room, "unknown");
	} else if (isfinite (value) && value != 0 && is_time) {
		put_prefixed (value, times, "", digits, out, room);
	} else if (isfinite (value) && value != 0 && is_size) {
		put_prefixed (value, sizes, d.seconds ? "/s" : "", digits, out, room);
	} else {
		ppi_dimension_symbol (d, unit, sizeof unit);
		if (isfinite (value))
			put_number (value, digits, number, sizeof number);
		else
			snprintf (number, sizeof number, "%s", value > 0 ? "inf" : "-inf");
		snprintf (out, room, "%s%s%s", number, *unit ? " " : "", unit);
	}
	return out;
}

const char *ppi_quantity_format (double value, struct ppi_dimension dimension, char *out,
				 size_t room)
{
	return format (value, dimension, DIGITS, out, room);
}

const char *ppi_quantity_measured (double value, struct ppi_dimension d, double resolution,
				   char *out, size_t room)
{
	char limit[PPI_QUANTITY_BYTES];

	if (d.seconds != 1 || d.bytes || !(value >= 0 && value < resolution))
		return ppi_quantity_format (value, d, out, room);
	/* rounded up: nothing below it can be told from 0 */
	if (resolution < 1e-6)
		snprintf (out, room, "< %.0f ns", ceil (resolution * 1e9 - 1e-6));
	else
		snprintf (out, room, "< %s",
			  ppi_quantity_format (resolution, d, limit, sizeof limit));
	return out;
}

/* "1" and "1.00" are */
static bool is_same (const char *a, const char *b)
{
	PPI_C_LOCALE;
	char *a_unit, *b_unit;
	int saved = errno;
	double x = strtod (a, &a_unit), y = strtod (b, &b_unit);

	errno = saved;
	return strcmp (a, b) == 0 || (a_unit != a && x == y && strcmp (a_unit, b_unit) == 0);
}

void ppi_quantity_pair (double a, double b, struct ppi_dimension dimension, char *a_out,
			char *b_out, size_t room)
{
	int digits = DIGITS;

	do {
		format (a, dimension, digits, a_out, room);
		format (b, dimension, digits, b_out, room);
	} while (a != b && is_same (a_out, b_out) && digits++ < MOST_DIGITS);
}

const char *ppi_share_format (double share, char *out, size_t room)
{
	PPI_C_LOCALE;
	double percent = 100 * share;

	if (isnan (share))
		snprintf (out, room, "unknown");
	else
		snprintf (out, room,
			  fabs (percent) >= 999.5 && fabs (percent) < 1e6 ? "%.0f %%" : "%.3g %%",
			  percent);
	return out;
}

const char *ppi_knob_format (const char *words, double value, char *out, size_t room)
{
	PPI_C_LOCALE;

	/* what a damaged file has for a value need fit no integer */
	if (!(value >= 0 && value < 1e6) || !ppi_word_at (words, (int64_t) value, out, room))
		snprintf (out, room, "%.10g", value);
	return out;
}

/* ---- characters ------------------------------------------------------------------------------ */

static const struct {
	const char *utf8, *ascii;
} characters[] = {{"µ", "u"},  {"μ", "u"},   {"→", "->"}, {"±", "+-"}, {"×", "x"}, {"≤", "<="},
		  {"≥", ">="}, {"…", "..."}, {"–", "-"},  {"·", "."},  {"²", "2"}, {"³", "3"}};

static enum { UNKNOWN, ASCII, UTF8 } locale; /* atomic */

void ppi_locale_look (void)
{
	const char *name = ppi_environment_locale ();
	const char *codeset = name ? strchr (name, '.') : NULL;
	bool is_utf8 = codeset && (strncasecmp (codeset, ".utf-8", 6) == 0 ||
				   strncasecmp (codeset, ".utf8", 5) == 0);

	__atomic_store_n (&locale, is_utf8 ? UTF8 : ASCII, __ATOMIC_RELAXED);
}

bool ppi_locale_is_utf8 (void)
{
	if (__atomic_load_n (&locale, __ATOMIC_RELAXED) == UNKNOWN)
		ppi_locale_look ();
	return __atomic_load_n (&locale, __ATOMIC_RELAXED) == UTF8;
}

/* The place of the character at TEXT in the table; -1: it is not there */
static int place_of (const char *text)
{
	for (size_t i = 0; i < sizeof characters / sizeof *characters; i++)
		if (strncmp (text, characters[i].utf8, strlen (characters[i].utf8)) == 0)
			return (int) i;
	return -1;
}

const char *ppi_character_ascii (const char *text, size_t *bytes)
{
	int place = place_of (text);

	*bytes = 1;
	if (place >= 0) {
		*bytes = strlen (characters[place].utf8);
		return characters[place].ascii;
	}
	while (((unsigned char) *text & 0xc0) == 0xc0 &&
	       ((unsigned char) text[*bytes] & 0xc0) == 0x80)
		++*bytes;
	return "?";
}

void ppi_text_for_locale (char *text)
{
	char *out = text;

	if (ppi_locale_is_utf8 ())
		return;
	while (*text) {
		size_t bytes = 1;
		/* none is longer than what it stands for */
		const char *ascii =
			place_of (text) >= 0 ? ppi_character_ascii (text, &bytes) : NULL;
		size_t n = ascii ? strlen (ascii) : 1;

		memmove (out, ascii ? ascii : text, n);
		out += n;
		text += bytes;
	}
	*out = '\0';
}
