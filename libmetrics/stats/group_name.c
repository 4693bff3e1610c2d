/* SPDX-License-Identifier: MIT */
/* group_name.c: see group_name.h. */
#include "libmetrics/stats/group_name.h"

#include "libmetrics/region/texts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char more[] = "…";

/* Back over the bytes that go on with a character, and its first. */
static size_t whole_characters (const char *text, size_t n)
{
	while (n && ((unsigned char) text[n] & 0xc0) == 0x80)
		n--;
	return n;
}

static void put (struct ppi_group_said *said, const char *text, size_t n)
{
	size_t room = said->room - said->used, most = sizeof more;

	if (n + most > room && room > most) {
		size_t fits = whole_characters (text, room - most);

		memcpy (said->out + said->used, text, fits);
		memcpy (said->out + said->used + fits, more, sizeof more);
		said->used = said->room; /* and nothing behind it */
	} else if (n + most <= room) {
		memcpy (said->out + said->used, text, n);
		said->used += n;
		said->out[said->used] = '\0';
	}
}

static void put_text (struct ppi_group_said *said, const char *text)
{
	put (said, text, strlen (text));
}

static void put_number (struct ppi_group_said *said, uint64_t value, unsigned base)
{
	char digits[24];
	size_t at = sizeof digits;

	do {
		digits[--at] = "0123456789abcdef"[value % base];
		value /= base;
	} while (value);
	put (said, digits + at, sizeof digits - at);
}

static void put_string (struct ppi_group_said *said, uint64_t number)
{
	char text[PPI_TEXT_MOST + 1];
	size_t n = ppi_text_copy ((uint32_t) number, text);

	put_text (said, "\"");
	/* what would break a line, or a terminal */
	for (size_t i = 0; i < n; i++)
		if ((unsigned char) text[i] < ' ' || text[i] == 0x7f)
			text[i] = '?';
	put (said, text, n);
	put_text (said, "\"");
}

/* With as many digits as tell it apart. */
static void put_double (struct ppi_group_said *said, uint64_t bits)
{
	char text[40];
	double value;

	memcpy (&value, &bits, sizeof value);
	for (int digits = 6; digits <= 17; digits++) {
		snprintf (text, sizeof text, "%.*g", digits, value);
		if (digits == 17 || !(strtod (text, NULL) < value || strtod (text, NULL) > value))
			break;
	}
	put_text (said, text);
}

void ppi_group_say (struct ppi_group_said *said, const char *key, unsigned type, uint64_t value)
{
	if (said->used)
		put_text (said, ", ");
	put_text (said, key);
	put_text (said, "=");
	switch (type) {
	case PP_ABI_VALUE_INT:
		if ((int64_t) value < 0)
			put_text (said, "-");
		put_number (said, (int64_t) value < 0 ? -value : value, 10);
		break;
	case PP_ABI_VALUE_BOOL:
		put_text (said, value ? "true" : "false");
		break;
	case PP_ABI_VALUE_UNSIGNED:
		put_number (said, value, 10);
		break;
	case PP_ABI_VALUE_POINTER:
		put_text (said, "0x");
		put_number (said, value, 16);
		break;
	case PP_ABI_VALUE_DOUBLE:
		put_double (said, value);
		break;
	case PP_ABI_VALUE_STRING:
		put_string (said, value);
		break;
	default:
		put_text (said, "(none)");
		break;
	}
}
