/* SPDX-License-Identifier: MIT */
/*
 * proto.h: writes protocol buffers. A message is fields one after the other, each a number with its
 * type and then a variable-length integer, eight bytes, or bytes with their length; so this is all
 * of an encoder that it takes.
 */
#ifndef PPI_ANALYSIS_PROTO_H
#define PPI_ANALYSIS_PROTO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 0: empty. Without memory nothing more is added, and FAILED says so. Its user frees DATA. */
struct ppi_proto {
	uint8_t *data;
	size_t n, room;
	bool failed;
};

/* Without a field: elements of a packed list. */
void ppi_proto_integer (struct ppi_proto *m, uint64_t value);
void ppi_proto_number (struct ppi_proto *m, unsigned field, uint64_t value);
void ppi_proto_double (struct ppi_proto *m, unsigned field, double value);
void ppi_proto_bytes (struct ppi_proto *m, unsigned field, const void *data, size_t bytes);
void ppi_proto_text (struct ppi_proto *m, unsigned field, const char *text);
/* INNER becomes a field of M, and is empty then. */
void ppi_proto_message (struct ppi_proto *m, unsigned field, struct ppi_proto *inner);

#endif
