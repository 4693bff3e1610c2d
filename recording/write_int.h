/* SPDX-License-Identifier: MIT */
/* write_int.h: between write.c, bound.c and append.c. */
#ifndef PPI_RECORDING_WRITE_INT_H
#define PPI_RECORDING_WRITE_INT_H

#include "recording/write.h"

/* So much is given back at a time where a file has grown too large: a share of what it may have. */
#define PPI_ROOM_SHARE 16u

/* Where the blocks are, n_index of them; ppi_pages_reach may move it. */
static inline struct ppi_index_entry *ppi_writer_index (struct ppi_writer *writer)
{
	return (struct ppi_index_entry *) (void *) writer->index.at;
}

/* All of it, or a negative errno; RLIMIT_FSIZE is an error and no signal. */
int ppi_write_at (int fd, const void *data, size_t bytes, uint64_t at);

/* What an update that wrote all has replaced: sites and state before the entry N of the index. */
void ppi_writer_drop_replaced (struct ppi_writer *writer, uint32_t n);

#endif
