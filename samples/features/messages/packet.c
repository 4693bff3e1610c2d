/* SPDX-License-Identifier: MIT */
/*
 * packet.c: a packet is eight digits of a checksum, a blank, and a body whose letters are moved
 * among those that can be printed, by a key that changes with each. It hides nothing from anybody
 * who wants to know: it stands for the work that a real cipher is.
 */
#include "server.h"

#include <stdio.h>

enum { FIRST = ' ', LETTERS = '~' - ' ' + 1 };

static uint32_t next_key (struct line *line)
{
	line->key = line->key * 1664525u + 1013904223u;
	return (line->key >> 16) % LETTERS;
}

static uint32_t checksum (const char *body, size_t length)
{
	uint32_t a = 1, b = 0;

	for (size_t i = 0; i < length; i++) {
		a = (a + (unsigned char) body[i]) % 65521;
		b = (b + a) % 65521;
	}
	return b << 16 | a;
}

size_t packet_seal (struct line *line, const char *body, size_t length, char *out)
{
	snprintf (out, PACKET_HEAD + 1, "%08x ", (unsigned) checksum (body, length));
	for (size_t i = 0; i < length; i++)
		out[PACKET_HEAD + i] =
			(char) (FIRST + ((uint32_t) (body[i] - FIRST) + next_key (line)) % LETTERS);
	return length + PACKET_HEAD;
}

bool packet_open (struct line *line, const char *packet, size_t length, char *out)
{
	char head[PACKET_HEAD + 1];

	if (length < PACKET_HEAD)
		return false;
	for (size_t i = PACKET_HEAD; i < length; i++)
		out[i - PACKET_HEAD] = (char) (FIRST + ((uint32_t) (packet[i] - FIRST) + LETTERS -
							next_key (line)) %
							       LETTERS);
	snprintf (head, sizeof head, "%08x ", (unsigned) checksum (out, length - PACKET_HEAD));
	for (size_t i = 0; i < PACKET_HEAD; i++)
		if (head[i] != packet[i])
			return false;
	return true;
}
