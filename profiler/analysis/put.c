/* SPDX-License-Identifier: MIT */
/* put.c: see put.h. */
#include "profiler/analysis/put.h"

#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>
#include <wchar.h>

void ppi_put_csv (FILE *out, const char *text)
{
	fputc ('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc ('"', out);
		fputc (*text, out);
	}
	fputc ('"', out);
}

const char *ppi_put_character (FILE *out, const char *text)
{
	size_t n = ppi_utf8_shown (text);

	if (n)
		fwrite (text, 1, n, out);
	else
		fprintf (out, "\\x%02x", (unsigned char) *text);
	return text + (n ? n : 1);
}

void ppi_put_clean (FILE *out, const char *text)
{
	while (*text)
		text = ppi_put_character (out, text);
}

size_t ppi_put_fit (const char *text, unsigned columns, unsigned *taken)
{
	mbstate_t state = {0};
	size_t at = 0;
	wchar_t c;

	for (*taken = 0; text[at];) {
		size_t n = mbrtowc (&c, text + at, strlen (text + at), &state);
		int width = n < (size_t) -2 && n ? wcwidth (c) : 1;

		if (n >= (size_t) -2 || !n) {
			n = 1;
			state = (mbstate_t){0};
		}
		if (width < 0)
			width = 1;
		if (*taken + (unsigned) width > columns)
			break;
		*taken += (unsigned) width;
		at += n;
	}
	return at;
}

static int by_name (const void *a, const void *b)
{
	char *const *const *one = a, *const *const *other = b;

	return strcmp (**one, **other);
}

bool *ppi_names_shared (const void *record, size_t bytes, size_t n)
{
	const char *first = record;
	char *const **sorted = calloc (n + 1, sizeof *sorted);
	bool *shared = calloc (n + 1, sizeof *shared);

	for (size_t i = 0; sorted && i < n; i++)
		sorted[i] = (char *const *) (const void *) (first + i * bytes);
	if (sorted && n)
		qsort (sorted, n, sizeof *sorted, by_name);
	for (size_t i = 1; sorted && shared && i < n; i++)
		if (strcmp (*sorted[i - 1], *sorted[i]) == 0)
			for (size_t k = i - 1; k <= i; k++)
				shared[(size_t) ((const char *) sorted[k] - first) / bytes] = true;
	if (!sorted) {
		free (shared);
		shared = NULL;
	}
	free (sorted);
	return shared;
}

void ppi_put_place (const char *file, unsigned line, FILE *out)
{
	const char *base = strrchr (file, '/');

	if (!line)
		return;
	fputc (' ', out);
	for (const char *c = base ? base + 1 : file; *c; c++)
		fputc ((unsigned char) *c < 32 || *c == 127 || *c == ';' ? '_' : *c, out);
	fprintf (out, ":%u", line);
}

const char *ppi_real_text (double x, char *out, size_t room)
{
	for (int digits = 6; digits <= 17; digits++) {
		snprintf (out, room, "%.*g", digits, x);
		if (strtod (out, NULL) == x)
			break;
	}
	return out;
}
