/* SPDX-License-Identifier: MIT */
/*
 * payload.h: payloads of several values, as recordings have them: what the library writes as one
 * text (libmetrics/thread/rich.h). They are a recording's, and may be anything.
 *
 *     1f s blamer=mixer 1f i value=12       for people: blamer=mixer, value=12
 */
#ifndef PPI_ANALYSIS_PAYLOAD_H
#define PPI_ANALYSIS_PAYLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ppi_payload_value {
	const char *key; /* in the payload, as TEXT */
	size_t key_bytes;
	unsigned type;    /* enum pp_abi_value */
	const char *text; /* the value, as people read it */
	size_t bytes;
	uint64_t bits; /* of all but strings, as a site captures it */
	char number[32];
};

/* Dimensions that a breakdown is by, in their order. */
struct ppi_payload_keys {
	const char *const *key;
	size_t n;
	bool *has; /* of each, whether ppi_payload_by saw a value of it; or NULL */
};

/*
 * The next value of the payload *AT, which moves on behind it, into OUT; *AT is the payload to
 * begin with, and may be NULL. False: it has none, or no more.
 */
bool ppi_payload_next (const char **at, struct ppi_payload_value *out);
/* The value of KEY; false: PAYLOAD has none. */
bool ppi_payload_find (const char *payload, const char *key, struct ppi_payload_value *out);
/* All of it, for people, of any payload; malloced, NULL: no memory. */
char *ppi_payload_text (const char *payload);
/*
 * Of it what KEYS say: a value, or several with their keys; "(none)" stands for one that is
 * missing. Malloced, NULL: no memory.
 */
char *ppi_payload_by (const char *payload, const struct ppi_payload_keys *keys);

#endif
