/* SPDX-License-Identifier: MIT */
/* diagnostics.c: see diagnostics.h. */
#include "assertions/language/diagnostics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUOTED_BYTES 400 /* of a line; longer ones are not quoted */

void ppi_diagnostics_init (struct ppi_diagnostics *d, const char *path, const char *text,
			   uint32_t first_line)
{
	memset (d, 0, sizeof *d);
	d->path = path;
	d->text = text;
	d->first_line = first_line;
}

void ppi_diagnostics_clear (struct ppi_diagnostics *d)
{
	for (size_t i = 0; i < d->n; i++)
		free (d->list[i].message);
	free (d->list);
	d->list = NULL;
	d->n = d->errors = d->lost = 0;
}

void ppi_diagnostics_break (struct ppi_diagnostics *d, uint32_t from, uint32_t to)
{
	if (d->n_broken < PPI_BROKEN_MAX) {
		d->broken[d->n_broken].from = from;
		d->broken[d->n_broken++].to = to;
	}
}

bool ppi_diagnostics_is_broken (const struct ppi_diagnostics *d, uint32_t line)
{
	for (size_t i = 0; i < d->n_broken; i++)
		if (line >= d->broken[i].from && line <= d->broken[i].to)
			return true;
	return false;
}

static void add (struct ppi_diagnostics *d, struct ppi_place place, bool warning,
		 const char *format, va_list ap)
{
	struct ppi_diagnostic *more;
	char *message;

	if (ppi_diagnostics_is_broken (d, place.line))
		return;
	d->errors += !warning;
	more = d->n < PPI_DIAGNOSTICS_MAX ? reallocarray (d->list, d->n + 1, sizeof *more) : NULL;
	if (!more || vasprintf (&message, format, ap) < 0) {
		d->list = more ? more : d->list;
		d->lost++;
		return;
	}
	d->list = more;
	more[d->n] = (struct ppi_diagnostic){place, warning, d->n, message};
	d->n++;
}

void ppi_diagnose (struct ppi_diagnostics *d, struct ppi_place place, const char *format, ...)
{
	va_list ap;

	va_start (ap, format);
	add (d, place, false, format, ap);
	va_end (ap);
}

void ppi_diagnose_warning (struct ppi_diagnostics *d, struct ppi_place place, const char *format,
			   ...)
{
	va_list ap;

	va_start (ap, format);
	add (d, place, true, format, ap);
	va_end (ap);
}

static int by_place (const void *a, const void *b)
{
	const struct ppi_diagnostic *x = a, *y = b;

	if (x->place.line != y->place.line)
		return x->place.line < y->place.line ? -1 : 1;
	if (x->place.column != y->place.column)
		return x->place.column < y->place.column ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static const char *line_of (const char *text, uint32_t line)
{
	for (; text && line > 1; line--) {
		text = strchr (text, '\n');
		text = text ? text + 1 : NULL;
	}
	return text;
}

static void quote (const struct ppi_diagnostics *d, const struct ppi_place *place,
		   void (*tell) (const char *line, void *arg), void *arg)
{
	const char *line = d->text && place->line ? line_of (d->text, place->line) : NULL;
	char quoted[QUOTED_BYTES + 8], caret[QUOTED_BYTES + 8];
	size_t bytes = line ? strcspn (line, "\r\n") : 0, out = 4;
	uint32_t column = 1;

	if (!bytes || bytes > QUOTED_BYTES)
		return;
	snprintf (quoted, sizeof quoted, "    %.*s", (int) bytes, line);
	tell (quoted, arg);
	memset (caret, ' ', out);
	for (size_t i = 0; i < bytes && column < place->column; i++) {
		if ((line[i] & 0xc0) == 0x80)
			continue;
		caret[out++] = line[i] == '\t' ? '\t' : ' ';
		column++;
	}
	strcpy (caret + out, "^");
	tell (caret, arg);
}

void ppi_diagnostics_tell (struct ppi_diagnostics *d, void (*tell) (const char *line, void *arg),
			   void *arg)
{
	char line[1024];

	if (d->n)
		qsort (d->list, d->n, sizeof *d->list, by_place);
	for (size_t i = 0; i < d->n; i++) {
		const struct ppi_diagnostic *one = &d->list[i];
		const char *kind = one->warning ? "warning" : "error";

		if (one->place.line)
			snprintf (line, sizeof line, "%s:%u:%u: %s: %s", d->path,
				  d->first_line - 1 + one->place.line, one->place.column, kind,
				  one->message);
		else
			snprintf (line, sizeof line, "%s: %s: %s", d->path, kind, one->message);
		tell (line, arg);
		quote (d, &one->place, tell, arg);
	}
	if (d->lost) {
		if (d->n)
			snprintf (line, sizeof line, "%s: and %zu more errors", d->path, d->lost);
		else
			snprintf (line, sizeof line, "%s: no memory to say what is wrong with it",
				  d->path);
		tell (line, arg);
	}
}

struct ppi_place ppi_place_of (const char *text, size_t offset)
{
	struct ppi_place place = {1, 1};

	for (size_t i = 0; i < offset && text[i]; i++) {
		if (text[i] == '\n') {
			place.line++;
			place.column = 1;
		} else if ((text[i + 1] & 0xc0) != 0x80) {
			place.column++;
		}
	}
	return place;
}
