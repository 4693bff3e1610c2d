/* SPDX-License-Identifier: MIT */
/*
 * streams.h: what threads wrote one by one, as a recording has it: of a file its blocks of streams,
 * of a live region the chunks that nobody has taken yet.
 */
#ifndef PPI_RECORDING_STREAMS_H
#define PPI_RECORDING_STREAMS_H

#include "recording/blocks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ppi_recording;
struct ppi_pieces;

/* Entries that follow each other in a chunk. */
struct ppi_piece {
	uint32_t thread; /* kernel id */
	/* where it is: of a file the block, else the chunk */
	uint64_t offset;
	const struct ppi_stream_chunk *chunk;
};

/*
 * 0 and *OUT; or PP_EIO, PP_ENOMEM with WHY. RECORDING must stay until the close, and its file
 * where it is.
 */
int ppi_pieces_open (const struct ppi_recording *recording, struct ppi_pieces **out, char *why,
		     size_t room);
/* NULL is allowed. */
void ppi_pieces_close (struct ppi_pieces *streams);

/* How many, and the *LIST: a thread's behind each other, and each thread's in their order. */
size_t ppi_pieces_list (const struct ppi_pieces *streams, const struct ppi_piece **list);

/*
 * What PIECE has: its head, and the *BYTES of its entries, until the next call. NULL: it can't be
 * read.
 */
const uint8_t *ppi_pieces_get (struct ppi_pieces *streams, const struct ppi_piece *piece,
			       struct ppi_stream_head *head, size_t *bytes);

/* Are there bytes in the file that are no whole block, where some may have been? */
bool ppi_pieces_damaged (const struct ppi_pieces *streams);
/*
 * Did the file give up its oldest pieces, to keep to a max_size, and nothing else is missing as far
 * as is known?
 */
bool ppi_pieces_were_given_up (const struct ppi_pieces *streams);
/* Is it a file's, which has all chunks from the first on? */
bool ppi_pieces_of_file (const struct ppi_pieces *streams);

#endif
