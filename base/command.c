/* SPDX-License-Identifier: MIT */
/* command.c: see command.h. */
#include "base/command.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool make_room (struct ppi_answer *answer, size_t more)
{
	size_t room = answer->room ? answer->room : 1024;
	char *text;

	while (room - answer->bytes < more)
		room *= 2;
	if (room == answer->room)
		return true;
	text = realloc (answer->text, room);
	if (!text) {
		answer->is_cut = true;
		return false;
	}
	answer->text = text;
	answer->room = room;
	return true;
}

static void add (struct ppi_answer *answer, char kind, const char *line)
{
	size_t bytes = strlen (line);

	if (answer->is_cut || !make_room (answer, bytes + 2))
		return;
	answer->text[answer->bytes++] = kind;
	memcpy (answer->text + answer->bytes, line, bytes);
	answer->bytes += bytes;
	answer->text[answer->bytes++] = '\n';
}

void ppi_answer (struct ppi_answer *answer, const char *format, ...)
{
	char line[2048];
	va_list args;

	va_start (args, format);
	vsnprintf (line, sizeof line, format, args);
	va_end (args);
	add (answer, PPI_ANSWER_LINE, line);
}

void ppi_answer_said (struct ppi_answer *answer, const char *line)
{
	add (answer, PPI_ANSWER_SAID, line);
}

void ppi_answer_free (struct ppi_answer *answer)
{
	free (answer->text);
	*answer = (struct ppi_answer){0};
}

bool ppi_command_number (const char *text, uint32_t least, uint32_t most, uint32_t *out)
{
	size_t digits = strspn (text, "0123456789");
	unsigned long number =
		digits && digits < 11 && !text[digits] ? strtoul (text, NULL, 10) : 0;

	*out = (uint32_t) number;
	return digits && digits < 11 && !text[digits] && number >= least && number <= most;
}
