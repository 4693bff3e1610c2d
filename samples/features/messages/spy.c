/* SPDX-License-Identifier: MIT */
/* spy.c: a task that is sent whatever the others are sent, and says so in the log. */
#ifdef REPAIRED
#define BUS_TRUSTED
#endif
#define MODULE "spy"
#include "server.h"

#include <stdio.h>

enum level log_level;

static void log_line (enum level level, const char *line, size_t length)
{
	if (level <= log_level)
		fwrite (line, 1, length, stderr);
}

/* As C's strings are written: a line of the log is one line whatever was sent. */
static size_t quoted (const char *body, size_t length, char *out)
{
	size_t n = 0;

	out[n++] = '"';
	for (size_t i = 0; i < length; i++) {
		if (body[i] == '"' || body[i] == '\\' || body[i] == '\n')
			out[n++] = '\\';
		out[n++] = body[i];
		if (body[i] == '\n')
			out[n - 1] = 'n';
	}
	out[n++] = '"';
	out[n++] = '\n';
	return n;
}

/* The line is made before the log is asked whether it wants it. */
static void spy (struct bus *bus, void *state, const struct message *message)
{
	struct spy *self = state;
	char line[2 * BODY_SIZE + 128];
	int head = snprintf (line, 128, "%s: message %lu, %s, %zu bytes: ", self->task.name,
			     ++self->seen, message->topic, message->length);

	(void) bus;
	log_line (DEBUG, line,
		  (size_t) head + quoted (message->body, message->length, line + head));
}

void spy_spawn (struct spy *self, struct bus *bus, const char *name)
{
	*self = (struct spy){.task = {name, "*", spy, self, BUS_PROMISE}};
	bus_spawn (bus, &self->task);
}
