/* SPDX-License-Identifier: MIT */
/* contract.c: what the interface of a bus promises, and who broke it: the feature bus.contract. */
#include "bus.h"

#include <pp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static _Noreturn void broken (const char *blame, const char *promise)
{
	fprintf (stderr, "server: contract broken: %s: %s\n", blame, promise);
	exit (1);
}

static bool is_word (const char *text, size_t size)
{
	size_t n = 0;

	while (n < size && (text[n] == '-' || (text[n] >= 'a' && text[n] <= 'z')))
		n++;
	return n > 0 && n < size && text[n] == '\0';
}

/* Contracts on characters are made of others, and each is asked in turn, as libraries of contracts do. */
struct contract {
	bool (*holds) (const struct contract *self, char value);
	char low, high;
	const struct contract *const *of; /* ends with NULL */
};

static bool is_between (const struct contract *self, char value)
{
	return value >= self->low && value <= self->high;
}

static bool is_one_of (const struct contract *self, char value)
{
	for (const struct contract *const *one = self->of; *one != NULL; one++)
		if ((*one)->holds (*one, value))
			return true;
	return false;
}

static const struct contract blank = {.holds = is_between, .low = ' ', .high = ' '};
static const struct contract printed = {.holds = is_between, .low = '!', .high = '~'};
static const struct contract newline = {.holds = is_between, .low = '\n', .high = '\n'};
static const struct contract *const of_text[] = {&printed, &blank, &newline, NULL};
static const struct contract in_text = {.holds = is_one_of, .of = of_text};

static bool is_text (const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (!in_text.holds (&in_text, text[i]))
			return false;
	return true;
}

void bus_check_task (const char *blame, const struct task *task)
{
	PP_FEATURE_PAYLOAD (bus.contract, blame)
	if (task->name == NULL || task->handler == NULL || task->topics == NULL)
		broken (blame, "a task has a name, a handler and topics");
}

void bus_check_message (const char *blame, const char *topic, const char *body, size_t length)
{
	PP_FEATURE_PAYLOAD (bus.contract, blame)
	if (!is_word (topic, TOPIC_SIZE))
		broken (blame, "a topic is a word of up to 15 letters");
	if (length > BODY_SIZE || !is_text (body, length))
		broken (blame, "a body is a text of up to 4,096 bytes");
}
