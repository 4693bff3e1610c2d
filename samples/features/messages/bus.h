/* SPDX-License-Identifier: MIT */
/*
 * bus.h: tasks that send each other messages. A bus is itself a task of another one, so they form a
 * tree. What a task took is the feature bus.task, whose instances are names of tasks: of a bus, what
 * is left is the library's own overhead.
 *
 * The interface is checked: topics are words, bodies are text, and both sides are held to it, who
 * sends and who is sent to. That is the feature bus.contract, whose instances are who promised what
 * to whom. A module that defines BUS_TRUSTED before it includes this is believed.
 */
#ifndef BUS_H
#define BUS_H

#include <stddef.h>

enum { TOPIC_SIZE = 16, BODY_SIZE = 4096, TASKS_MAX = 16 };

struct message {
	char topic[TOPIC_SIZE];
	size_t length; /* of the body */
	char body[BODY_SIZE];
};

struct bus;
typedef void bus_handler (struct bus *bus, void *state, const struct message *message);

/* What a task is. All of it stays the caller's and lives as long as the bus. */
struct task {
	const char *name;
	const char *topics; /* that it is sent, blanks between; "*" at a word's end is anything */
	bus_handler *handler;
	void *state;
	const char *blame; /* what its handler is promised; NULL: it asks for no check */
};

#ifdef BUS_TRUSTED
#define BUS_PROMISE NULL
#define bus_spawn(BUS, TASK) bus_inner_spawn (BUS, TASK)
#define bus_send(BUS, TOPIC, BODY, LENGTH) bus_inner_send (BUS, TOPIC, BODY, LENGTH)
#else
#define BUS_PROMISE "bus -> " MODULE ": handler (bus state message/c)"
#define bus_spawn(BUS, TASK) bus_checked_spawn (MODULE " -> bus: bus_spawn (bus task/c)", BUS, TASK)
#define bus_send(BUS, TOPIC, BODY, LENGTH)                                                         \
	bus_checked_send (MODULE " -> bus: bus_send (bus topic/c text/c)", BUS, TOPIC, BODY, LENGTH)
#endif

/* NULL: no memory. */
struct bus *bus_create (void);
void bus_free (struct bus *bus);

/* Delivers all messages, also those that are sent meanwhile, the oldest first. */
void bus_run (struct bus *bus);

/* Adds a task: before the bus runs. */
void bus_checked_spawn (const char *blame, struct bus *bus, const struct task *task);
void bus_inner_spawn (struct bus *bus, const struct task *task);

/* Sends a copy. */
void bus_checked_send (const char *blame, struct bus *bus, const char *topic, const char *body,
		       size_t length);
void bus_inner_send (struct bus *bus, const char *topic, const char *body, size_t length);

/* contract.c: ends the program where the promise is broken. */
void bus_check_task (const char *blame, const struct task *task);
void bus_check_message (const char *blame, const char *topic, const char *body, size_t length);

#endif
