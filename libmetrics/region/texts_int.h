/* SPDX-License-Identifier: MIT */
/* texts_int.h: between texts.c and texts_fast.c. */
#ifndef PPI_REGION_TEXTS_INT_H
#define PPI_REGION_TEXTS_INT_H

#include "libmetrics/region/texts.h"

#define PPI_TEXTS_TABLE (UINT32_C (1) << 18) /* at most half of it is used */
#define PPI_TEXTS_CHUNK_BYTES (sizeof (struct ppi_texts_chunk) + PPI_TEXTS_BYTES)

/* In memory of the process's own: zeroed, and given up in a child. */
struct ppi_texts {
	uint64_t slot[PPI_TEXTS_TABLE]; /* hash, and below it the number; 0: empty. Atomic */
	uint32_t most, strings;         /* atomic */
	uint32_t shapes;                /* atomic */
	/*
	 * of the newest chunk: its place in CHUNK, from 0, in the upper 16 bits, how many of its
	 * texts and bytes are given out in 16 and 32; atomic
	 */
	uint64_t state;
	uint64_t published;            /* texts that who finds them may read; only grows. Atomic */
	struct ppi_texts_chunk *spare; /* atomic */
	struct ppi_texts_chunk *chunk[PPI_TEXTS_CHUNKS]; /* atomic */
};

/* NULL: there is none. Atomic. */
extern struct ppi_texts *ppi_texts PPI_HIDDEN;

/* Puts a text into the region: its number; 0: no room. */
PPI_HIDDEN uint32_t ppi_texts_put (struct ppi_texts *t, const char *text, size_t n);

#endif
