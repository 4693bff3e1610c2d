/* SPDX-License-Identifier: MIT */
/* bus.c: delivery. One queue a bus; who is sent a message is looked up by topic, each time. */
#include "bus.h"

#include <pp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
	struct entry *next;
	struct message message;
};

struct bus {
	const struct task *task[TASKS_MAX];
	size_t tasks;
	struct entry *first, **end, *spare;
};

struct bus *bus_create (void)
{
	struct bus *bus = calloc (1, sizeof *bus);

	if (bus != NULL)
		bus->end = &bus->first;
	return bus;
}

static void free_entries (struct entry *entry)
{
	struct entry *next;

	for (; entry != NULL; entry = next) {
		next = entry->next;
		free (entry);
	}
}

void bus_free (struct bus *bus)
{
	free_entries (bus->first);
	free_entries (bus->spare);
	free (bus);
}

void bus_inner_spawn (struct bus *bus, const struct task *task)
{
	if (bus->tasks == TASKS_MAX) {
		fprintf (stderr, "server: no room for the task %s\n", task->name);
		exit (1);
	}
	bus->task[bus->tasks++] = task;
}

void bus_checked_spawn (const char *blame, struct bus *bus, const struct task *task)
{
	bus_check_task (blame, task);
	bus_inner_spawn (bus, task);
}

void bus_inner_send (struct bus *bus, const char *topic, const char *body, size_t length)
{
	struct entry *entry = bus->spare;

	if (entry != NULL)
		bus->spare = entry->next;
	else if ((entry = malloc (sizeof *entry)) == NULL) {
		fputs ("server: no memory for a message\n", stderr);
		exit (1);
	}
	entry->next = NULL;
	snprintf (entry->message.topic, sizeof entry->message.topic, "%s", topic);
	entry->message.length = length;
	memcpy (entry->message.body, body, length);
	*bus->end = entry;
	bus->end = &entry->next;
}

void bus_checked_send (const char *blame, struct bus *bus, const char *topic, const char *body,
		       size_t length)
{
	bus_check_message (blame, topic, body, length);
	bus_inner_send (bus, topic, body, length);
}

static bool matches (const char *topics, const char *topic)
{
	size_t same;

	for (;; topics++) {
		for (same = 0; topic[same] != '\0' && topics[same] == topic[same]; same++)
			continue;
		if (topics[same] == '*' ||
		    (topic[same] == '\0' && (topics[same] == ' ' || topics[same] == '\0')))
			return true;
		topics = strchr (topics, ' ');
		if (topics == NULL)
			return false;
	}
}

/* Puts them to TO, in the order in which they came; returns their number. */
static size_t receivers_of (const struct bus *bus, const char *topic, const struct task **to)
{
	size_t n = 0;

	PP_FEATURE (bus.matching)
	for (size_t i = 0; i < bus->tasks; i++)
		if (matches (bus->task[i]->topics, topic))
			to[n++] = bus->task[i];
	return n;
}

static void deliver (struct bus *bus, const struct task *task, const struct message *message)
{
	PP_FEATURE_PAYLOAD (bus.task, task->name)
	if (task->blame != NULL)
		bus_check_message (task->blame, message->topic, message->body, message->length);
	task->handler (bus, task->state, message);
}

void bus_run (struct bus *bus)
{
	const struct task *to[TASKS_MAX];
	struct entry *entry;
	size_t n;

	while ((entry = bus->first) != NULL) {
		bus->first = entry->next;
		if (bus->first == NULL)
			bus->end = &bus->first;
		n = receivers_of (bus, entry->message.topic, to);
		for (size_t i = 0; i < n; i++)
			deliver (bus, to[i], &entry->message);
		entry->next = bus->spare;
		bus->spare = entry;
	}
}
