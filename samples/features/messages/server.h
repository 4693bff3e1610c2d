/* SPDX-License-Identifier: MIT */
/* server.h: the tasks of a server that evaluates what clients send, through an enciphered line. */
#ifndef SERVER_H
#define SERVER_H

#include "bus.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- packet.c: what goes over the line ------------------------------------------------------- */

/* Each direction has one at either end; both begin with the same key. */
struct line {
	uint32_t key;
};

/* The text of a packet: a checksum and LENGTH bytes, enciphered. Returns its length; OUT has room
 * for BODY_SIZE, and LENGTH is 9 less at most. */
size_t packet_seal (struct line *line, const char *body, size_t length, char *out);
/* ... and back. False: it is damaged. */
bool packet_open (struct line *line, const char *packet, size_t length, char *out);

enum { PACKET_HEAD = 9 };

/* ---- session.c ------------------------------------------------------------------------------- */

struct session {
	struct bus *outer, *bus;
	struct line in, out;
	unsigned long packets;
};

/* The session as a task of OUTER; IS_LOGGED has it watched by a spy of its own. */
void session_spawn (struct session *session, struct bus *outer, bool is_logged);
void session_end (struct session *session);

/* ---- spy.c ----------------------------------------------------------------------------------- */

/* A task that writes each message of a bus to the log, where the log's level is at least DEBUG. */
enum level { QUIET, WARNING, DEBUG };
extern enum level log_level;

struct spy {
	struct task task;
	unsigned long seen;
};
void spy_spawn (struct spy *spy, struct bus *bus, const char *name);

/* ---- calculate.c ----------------------------------------------------------------------------- */

/* The value of "(+ 1 2 (* 3 4))"; *AT is moved behind it. Words that it doesn't know are 0. */
long calculate (const char **at, const char *end);

#endif
