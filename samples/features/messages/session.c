/* SPDX-License-Identifier: MIT */
/*
 * session.c: one client's session is a bus with four tasks: a reader of packets, the session itself,
 * an application and a writer. It is a task of the server's bus.
 */
#ifdef REPAIRED
#define BUS_TRUSTED
#endif
#define MODULE "session"
#include "server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void read_packet (struct bus *bus, void *state, const struct message *message)
{
	struct session *session = state;
	char body[BODY_SIZE];

	if (packet_open (&session->in, message->body, message->length, body))
		bus_send (bus, "packet", body, message->length - PACKET_HEAD);
	else
		bus_send (bus, "damaged", "", 0);
}

static void session_packet (struct bus *bus, void *state, const struct message *message)
{
	struct session *session = state;
	char text[64];

	session->packets++;
	if (strcmp (message->topic, "damaged") == 0) {
		snprintf (text, sizeof text, "packet %lu is damaged", session->packets);
		bus_send (bus, "result", text, strlen (text));
	} else {
		bus_send (bus, "line", message->body, message->length);
	}
}

static void evaluate (struct bus *bus, void *state, const struct message *message)
{
	const char *at = message->body;
	char text[64];

	(void) state;
	snprintf (text, sizeof text, "%ld", calculate (&at, message->body + message->length));
	bus_send (bus, "result", text, strlen (text));
}

static void write_packet (struct bus *bus, void *state, const struct message *message)
{
	struct session *session = state;
	char packet[BODY_SIZE];
	size_t length = packet_seal (&session->out, message->body, message->length, packet);

	(void) bus;
	bus_send (session->outer, "sent", packet, length);
}

static void run_session (struct bus *bus, void *state, const struct message *message)
{
	struct session *session = state;

	(void) bus;
	bus_send (session->bus, "segment", message->body, message->length);
	bus_run (session->bus);
}

void session_spawn (struct session *session, struct bus *outer, bool is_logged)
{
	static struct task vm, reader, itself, application, writer;
	static struct spy spy;

	*session = (struct session){outer, bus_create (), {1}, {2}, 0};
	if (session->bus == NULL) {
		fputs ("server: no memory for a session\n", stderr);
		exit (1);
	}
	vm = (struct task){"session-vm", "received", run_session, session, BUS_PROMISE};
	reader = (struct task){"reader", "segment", read_packet, session, BUS_PROMISE};
	itself = (struct task){"session", "packet damaged", session_packet, session, BUS_PROMISE};
	application = (struct task){"application", "line", evaluate, session, BUS_PROMISE};
	writer = (struct task){"writer", "result", write_packet, session, BUS_PROMISE};
	bus_spawn (outer, &vm);
	bus_spawn (session->bus, &reader);
	bus_spawn (session->bus, &itself);
	bus_spawn (session->bus, &application);
	bus_spawn (session->bus, &writer);
	if (is_logged)
		spy_spawn (&spy, session->bus, "session-spy");
}

void session_end (struct session *session)
{
	bus_free (session->bus);
}
