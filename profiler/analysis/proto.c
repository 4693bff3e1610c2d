/* SPDX-License-Identifier: MIT */
/* proto.c: see proto.h. */
#include "profiler/analysis/proto.h"

#include <stdlib.h>
#include <string.h>

static void put (struct ppi_proto *m, const void *data, size_t bytes)
{
	if (m->failed || m->room - m->n < bytes) {
		size_t more = 2 * m->room + bytes + 64;
		uint8_t *grown = m->failed ? NULL : realloc (m->data, more);

		if (!grown) {
			m->failed = true;
			return;
		}
		m->data = grown;
		m->room = more;
	}
	if (bytes)
		memcpy (m->data + m->n, data, bytes);
	m->n += bytes;
}

void ppi_proto_integer (struct ppi_proto *m, uint64_t value)
{
	uint8_t bytes[10];
	size_t n = 0;

	do {
		bytes[n++] = (uint8_t) ((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
		value >>= 7;
	} while (value);
	put (m, bytes, n);
}

void ppi_proto_number (struct ppi_proto *m, unsigned field, uint64_t value)
{
	ppi_proto_integer (m, field << 3);
	ppi_proto_integer (m, value);
}

void ppi_proto_double (struct ppi_proto *m, unsigned field, double value)
{
	uint64_t bits;
	uint8_t bytes[8];

	memcpy (&bits, &value, sizeof bits);
	for (unsigned i = 0; i < 8; i++)
		bytes[i] = (uint8_t) (bits >> 8 * i);
	ppi_proto_integer (m, field << 3 | 1);
	put (m, bytes, sizeof bytes);
}

void ppi_proto_bytes (struct ppi_proto *m, unsigned field, const void *data, size_t bytes)
{
	ppi_proto_integer (m, field << 3 | 2);
	ppi_proto_integer (m, bytes);
	put (m, data, bytes);
}

void ppi_proto_text (struct ppi_proto *m, unsigned field, const char *text)
{
	ppi_proto_bytes (m, field, text, strlen (text));
}

void ppi_proto_message (struct ppi_proto *m, unsigned field, struct ppi_proto *inner)
{
	m->failed |= inner->failed;
	ppi_proto_bytes (m, field, inner->data, inner->n);
	inner->n = 0;
}
