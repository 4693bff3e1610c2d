/* SPDX-License-Identifier: MIT */
/* suggest_text.c: see suggest_text.h. */
#include "ppctl/suggest_text.h"

#include "base/utf8.h"

#include <math.h>
#include <string.h>

#define NUMBER_ROOM 48

/*
 * The bytes of the character at TEXT, in UTF-8, 0 where YAML can't have it: no such character, or
 * one of control.
 */
static size_t character (const char *text)
{
	uint32_t code;
	size_t n = ppi_utf8 (text, &code);

	return code == 0xfeff || code == 0xfffe || code == 0xffff || !ppi_utf8_shown (text) ? 0 : n;
}

bool suggest_is_clean (const char *text)
{
	size_t n;

	while ((n = character (text)) > 0)
		text += n;
	return !*text;
}

void suggest_put_clean (FILE *out, const char *text)
{
	while (*text) {
		size_t n = character (text);

		fwrite (n ? text : "?", 1, n ? n : 1, out);
		text += n ? n : 1;
	}
}

/*
 * VALUE > 0 with three digits, rounded UP or down so that what is expected holds for what it was
 * taken from.
 */
static void put_rounded (double value, bool up, char *out, size_t room)
{
	double step = pow (10, floor (log10 (value)) - 2);
	double rounded = (up ? ceil (value / step - 1e-9) : floor (value / step + 1e-9)) * step;
	int digits = (int) fmax (0, 2 - floor (log10 (value)));

	if (!isfinite (rounded)) /* beyond what doubles hold three digits of */
		rounded = value;
	if (digits > 8 || rounded >= 1e15)
		snprintf (out, room, "%.2e", rounded);
	else
		snprintf (out, room, "%.*f", digits, rounded);
	if (strchr (out, '.') && !strchr (out, 'e')) {
		size_t n = strlen (out);

		while (out[n - 1] == '0')
			out[--n] = '\0';
		if (out[n - 1] == '.')
			out[n - 1] = '\0';
	}
}

const char *suggest_put_constant (double signed_value, enum ppi_unit unit, char *out, size_t room)
{
	static const struct {
		enum ppi_unit unit;
		double factor;
		const char *name;
	} units[] = {{PPI_UNIT_SECONDS, 1, "s"},      {PPI_UNIT_SECONDS, 1e-3, "ms"},
		     {PPI_UNIT_SECONDS, 1e-6, "us"},  {PPI_UNIT_SECONDS, 1e-9, "ns"},
		     {PPI_UNIT_BYTES, 0x1p30, "GiB"}, {PPI_UNIT_BYTES, 0x1p20, "MiB"},
		     {PPI_UNIT_BYTES, 0x1p10, "KiB"}, {PPI_UNIT_BYTES, 1, "B"},
		     {PPI_UNIT_PLAIN, 0, ""}};
	double value = fabs (signed_value);
	size_t i = 0;
	char number[NUMBER_ROOM];

	while (units[i].unit != unit || (value < units[i].factor && units[i + 1].unit == unit))
		i++;
	put_rounded (unit == PPI_UNIT_PLAIN ? value : value / units[i].factor, signed_value > 0,
		     number, sizeof number);
	snprintf (out, room, "%.40s%s", number, units[i].name);
	return out;
}

const char *suggest_put_duration (uint64_t ns, char *out, size_t room)
{
	static const struct {
		uint64_t ns;
		const char *name;
	} units[] = {{UINT64_C (1000000000), "s"}, {1000000, "ms"}, {1000, "us"}, {1, "ns"}};
	size_t i = 0;

	while (ns % units[i].ns)
		i++;
	snprintf (out, room, "%llu%s", (unsigned long long) (ns / units[i].ns), units[i].name);
	return out;
}

bool suggest_is_word_character (char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

bool suggest_is_name (const char *text)
{
	if (!*text || (*text >= '0' && *text <= '9'))
		return false;
	while (suggest_is_word_character (*text))
		text++;
	return !*text;
}

bool suggest_make_pattern (const char *suffix, char *out, size_t room)
{
	size_t used = 0;

	for (; *suffix; suffix++) {
		if (used + 3 > room)
			return false;
		if (strchr ("*?\\", *suffix))
			out[used++] = '\\';
		out[used++] = *suffix;
	}
	out[used] = '\0';
	return true;
}

void suggest_put_quoted (FILE *out, const char *text)
{
	fputc ('"', out);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc ('\\', out);
		fputc (*text, out);
	}
	fputc ('"', out);
}

void suggest_put_doubled (FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputc ('\'', out);
		fputc (*text, out);
	}
}

char suggest_quote_for (const char *pattern)
{
	for (const char *q = "\"`'"; *q; q++)
		if (!strchr (pattern, *q))
			return *q;
	return '\0';
}
