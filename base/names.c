/* SPDX-License-Identifier: MIT */
/* names.c: writing, telling apart and matching what sites are called; see names.h. */
#include "base/names.h"

#include "base/glob.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MOST = 2560 };

/* ---- writing --------------------------------------------------------------------------------- */

static size_t write_function (char *out, size_t room, const struct ppi_name_parts *p,
			      unsigned telling)
{
	int n = snprintf (out, room, "%s", p->function);

	if (telling & PPI_TELL_PARAMETERS)
		n += snprintf (out + n, (size_t) n < room ? room - (size_t) n : 0, "%s",
			       p->parameters);
	else if (telling & PPI_TELL_FUNCTION_LINE)
		n += snprintf (out + n, (size_t) n < room ? room - (size_t) n : 0, "@%u",
			       p->function_line);
	return (size_t) n;
}

static size_t write_site (char *out, size_t room, const struct ppi_name_parts *p, unsigned telling)
{
	int n;

	if (!(telling & PPI_TELL_LINE))
		n = snprintf (out, room, "%s", p->name);
	else if (p->nth > 1)
		n = snprintf (out, room, "%s@%u.%u", p->name, p->line, p->nth);
	else
		n = snprintf (out, room, "%s@%u", p->name, p->line);
	return (size_t) n;
}

size_t ppi_name_write (char *out, size_t room, const struct ppi_name_parts *p, unsigned telling)
{
	bool is_call = !*p->file && !*p->function;
	int n = is_call ? snprintf (out, room, "%s!", p->module)
			: snprintf (out, room, "%s!%s:", p->module, p->file);
	size_t used = (size_t) n;

	if (!is_call && used < room)
		used += write_function (out + used, room - used, p, telling);
	if (!is_call && used < room)
		used += (size_t) snprintf (out + used, room - used, "/");
	if (used < room)
		used += write_site (out + used, room - used, p, telling);
	return used < room ? used : 0;
}

/* ---- telling apart --------------------------------------------------------------------------- */

static int compare (uint32_t a, uint32_t b)
{
	return a < b ? -1 : a > b;
}

/* By parameters, line of the function, line; those of one line in the order of the source. */
static int by_place (const void *left, const void *right)
{
	const struct ppi_namesake *a = left, *b = right;
	int order = strcmp (a->parts.parameters, b->parts.parameters);

	(void) (order || (order = compare (a->parts.function_line, b->parts.function_line)) ||
		(order = compare (a->parts.line, b->parts.line)) ||
		(order = compare (a->column, b->column)) || (order = compare (a->kind, b->kind)) ||
		(order = compare (a->value, b->value)) || (order = compare (a->flags, b->flags)) ||
		(order = strcmp (a->dims, b->dims)));
	return order;
}

static bool same_function (const struct ppi_namesake *a, const struct ppi_namesake *b)
{
	return a->parts.function_line == b->parts.function_line &&
	       strcmp (a->parts.parameters, b->parts.parameters) == 0;
}

/* Numbers those of one function and line, N of them. */
static void number (struct ppi_namesake *of, size_t n)
{
	uint32_t last = 0;

	for (size_t i = 0; i < n; i++)
		if (of[i].settled && of[i].parts.nth > last)
			last = of[i].parts.nth;
	for (size_t i = 0; i < n; i++)
		if (!of[i].settled)
			of[i].parts.nth = ++last;
}

/* The N sites of one function; ITS is how that is told from others. */
static void tell_in_function (struct ppi_namesake *of, size_t n, unsigned its)
{
	for (size_t from = 0, to; from < n; from = to) {
		for (to = from + 1; to < n && of[to].parts.line == of[from].parts.line;)
			to++;
		number (of + from, to - from);
	}
	for (size_t i = 0; i < n; i++)
		of[i].telling = its | (n > 1 && of[i].parts.line ? PPI_TELL_LINE : 0);
}

void ppi_namesakes_tell (struct ppi_namesake *of, size_t n)
{
	bool several;

	qsort (of, n, sizeof *of, by_place);
	several = n > 1 && !same_function (&of[0], &of[n - 1]);
	for (size_t from = 0, to; from < n; from = to) {
		const char *parameters = of[from].parts.parameters;
		unsigned its = 0;

		for (to = from + 1; to < n && same_function (&of[from], &of[to]);)
			to++;
		if (several && *parameters &&
		    (!from || strcmp (of[from - 1].parts.parameters, parameters) != 0) &&
		    (to == n || strcmp (of[to].parts.parameters, parameters) != 0))
			its = PPI_TELL_PARAMETERS;
		else if (several && of[from].parts.function_line)
			its = PPI_TELL_FUNCTION_LINE;
		tell_in_function (of + from, to - from, its);
	}
}

/* ---- matching -------------------------------------------------------------------------------- */

bool ppi_pattern_tells (const char *pattern)
{
	return strpbrk (pattern, "(@") != NULL;
}

static bool ends_with (const char *text, const char *end)
{
	size_t n = strlen (end), all = strlen (text);
	const char *at = text + all - n;

	return n <= all && memcmp (at, end, n) == 0 && (n == all || ppi_glob_border (at - 1) == at);
}

static bool fits (const char *name, const char *pattern, bool literally)
{
	return literally ? ends_with (name, pattern) : ppi_glob_suffix (pattern, name);
}

/* Can the name be written so, and may PATTERN mean it? */
static bool is_a_way (const struct ppi_name_parts *p, const char *pattern, unsigned telling)
{
	return (!(telling & PPI_TELL_PARAMETERS) || (*p->parameters && strchr (pattern, '('))) &&
	       (!(telling & PPI_TELL_FUNCTION_LINE) ||
		(p->function_line && strchr (pattern, '@'))) &&
	       (!(telling & PPI_TELL_LINE) || (p->line && strchr (pattern, '@')));
}

bool ppi_name_matches (const struct ppi_name_parts *parts, const char *pattern, bool literally)
{
	static const uint8_t ways[] = {0,
				       PPI_TELL_PARAMETERS,
				       PPI_TELL_FUNCTION_LINE,
				       PPI_TELL_LINE,
				       PPI_TELL_PARAMETERS | PPI_TELL_LINE,
				       PPI_TELL_FUNCTION_LINE | PPI_TELL_LINE};
	char name[NAME_MOST];

	for (size_t i = 0; i < sizeof ways; i++)
		if (is_a_way (parts, pattern, ways[i]) &&
		    ppi_name_write (name, sizeof name, parts, ways[i]) &&
		    fits (name, pattern, literally))
			return true;
	return false;
}

bool ppi_function_matches (const struct ppi_name_parts *parts, const char *pattern)
{
	static const uint8_t ways[] = {0, PPI_TELL_PARAMETERS, PPI_TELL_FUNCTION_LINE};
	char name[NAME_MOST];

	for (size_t i = 0; i < sizeof ways; i++)
		if (is_a_way (parts, pattern, ways[i]) &&
		    write_function (name, sizeof name, parts, ways[i]) < sizeof name &&
		    (ppi_glob_suffix (pattern, name) || ends_with (name, pattern)))
			return true;
	return false;
}
