/* SPDX-License-Identifier: MIT */
/*
 * server.c: a server over a library of messages, and a client that talks to it in the same process:
 * each request is a sum that is enciphered, sent, deciphered, evaluated, and sent back. The profile
 * of features says what it spends in each task, and for which contracts of the library.
 *
 *     server REQUESTS [log]; ppctl features server.*.pprec
 *
 * Two spies are sent each message for a log that nobody asked for, and the library checks all that
 * the server's own tasks send each other. -DREPAIRED has spies only where there is a log, and the
 * server believed.
 */
#ifdef REPAIRED
#define BUS_TRUSTED
#endif
#define MODULE "server"
#include "server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The client's end of the line: it keeps what comes back. */
struct client {
	struct line in, out;
	char answer[BODY_SIZE];
	size_t length;
};

static void receive (struct bus *bus, void *state, const struct message *message)
{
	struct client *client = state;

	(void) bus;
	client->length = message->length - PACKET_HEAD;
	if (!packet_open (&client->in, message->body, message->length, client->answer)) {
		fputs ("server: an answer is damaged\n", stderr);
		exit (1);
	}
}

/* "(+ 1 2 ...)", another one each time; returns its length. */
static size_t make_request (unsigned long number, char *out, size_t room)
{
	size_t n = 0, terms = 200 + number % 100;
	char digits[24];

	out[n++] = '(';
	out[n++] = '+';
	for (size_t i = 0; i < terms && n + sizeof digits < room; i++) {
		size_t digit = sizeof digits, value = number * 31 + i * i;

		do
			digits[--digit] = (char) ('0' + value % 10);
		while ((value /= 10) > 0);
		out[n++] = ' ';
		while (digit < sizeof digits)
			out[n++] = digits[digit++];
	}
	out[n++] = ')';
	return n;
}

int main (int argc, char **argv)
{
	unsigned long requests = argc > 1 ? strtoul (argv[1], NULL, 10) : 10000;
	struct bus *ground = bus_create ();
	struct client client = {.in = {2}, .out = {1}};
	struct task driver = {"driver", "sent", receive, &client, BUS_PROMISE};
	struct session session;
	struct spy spy;
	bool is_logged = true;
	char request[BODY_SIZE], packet[BODY_SIZE];
	size_t length;

	if (ground == NULL) {
		fputs ("server: no memory\n", stderr);
		return 1;
	}
	log_level = argc > 2 && strcmp (argv[2], "log") == 0 ? DEBUG : WARNING;
#ifdef REPAIRED
	is_logged = log_level >= DEBUG;
#endif
	bus_spawn (ground, &driver);
	session_spawn (&session, ground, is_logged);
	if (is_logged)
		spy_spawn (&spy, ground, "driver-spy");
	for (unsigned long i = 0; i < requests; i++) {
		length = make_request (i, request, sizeof request - PACKET_HEAD);
		length = packet_seal (&client.out, request, length, packet);
		bus_send (ground, "received", packet, length);
		bus_run (ground);
		fwrite (client.answer, 1, client.length, stdout);
		putc ('\n', stdout);
	}
	session_end (&session);
	bus_free (ground);
	return 0;
}
