/* SPDX-License-Identifier: MIT */
/*
 * span_table.h: tables of what lives as long as somebody holds its number: spans, and what is said
 * of them (span.c, span_dims.c). Entries are 64 bytes or more, of which two words are the table's.
 * They grow by chunks of 64 KiB that stay; entries that are free are in a list. In the process's
 * own memory. Any thread, no lock, at markers.
 */
#ifndef PPI_CALLS_SPAN_TABLE_H
#define PPI_CALLS_SPAN_TABLE_H

#include "base/atomic.h"

#include <stdint.h>

struct ppi_frame;

enum ppi_span_state { PPI_SPAN_FREE, PPI_SPAN_OPENING, PPI_SPAN_OPEN, PPI_SPAN_ENDING };

#define PPI_SPAN_CHUNKS 1024u /* of a table: 2^20 spans of 64 bytes, 2^17 with values */
#define PPI_SPAN_CHUNK_BYTES 65536u
#define PPI_SPAN_GENERATION_BITS 28
#define PPI_SPAN_GENERATIONS (UINT64_C (1) << PPI_SPAN_GENERATION_BITS)

/*
 * FREE_LIST is the index + 1 of the first free entry, and above it a count of changes, so that an
 * entry that was taken and given back between a look and the compare-and-swap is noticed.
 */
struct ppi_span_table {
	uint64_t free_list;
	uint32_t used; /* entries that were ever taken */
	/* of 64 bytes that an entry has; the last is the frame, what it keeps lies before it */
	uint32_t slots;
	char *chunks[PPI_SPAN_CHUNKS];
};

/*
 * An entry is a frame whose words are the user's but for `sp`, generation << 2 | its state, and,
 * while it is free, `prev`, the next free one's index + 1.
 */
PPI_HIDDEN struct ppi_frame *ppi_span_entry (struct ppi_span_table *t, uint32_t index);
/* One that was free; NULL: no memory. It is FREE until its state says otherwise. */
PPI_HIDDEN struct ppi_frame *ppi_span_take (struct ppi_span_table *t, uint32_t *index);
/* E, which is nobody else's, of GENERATION: FREE of the next. */
PPI_HIDDEN void ppi_span_give_back (struct ppi_span_table *t, struct ppi_frame *e, uint32_t index,
				    uint64_t generation);
/* In a child: it has none. */
PPI_HIDDEN void ppi_span_table_forget (struct ppi_span_table *t);

#endif
