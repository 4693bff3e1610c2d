/* SPDX-License-Identifier: MIT */
/* read_int.h: an open recording, for read.c and summaries.c. */
#ifndef PPI_RECORDING_READ_INT_H
#define PPI_RECORDING_READ_INT_H

#include "recording/layout.h"
#include "recording/load.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ppi_entry {
	const struct ppi_chunk *chunk;
	uint32_t id, bytes;
};

struct ppi_list {
	size_t n, room;
	struct ppi_entry *entry; /* in the file's order, which is that of addresses */
	struct ppi_entry *by_id; /* sorted, stable */
	char *copies;            /* of chunks that change */
};

struct ppi_recording {
	struct ppi_region_header header; /* a copy */
	const char *base;
	size_t size;              /* bytes of it that hold chunks */
	size_t mapped;            /* by ppi_recording_open */
	char *read;               /* by ppi_recording_open */
	char *path;               /* as ppi_recording_open got it; NULL: it was not a file */
	uint64_t device, inode;   /* of that file */
	bool of_blocks;           /* of a file of those: */
	struct ppi_newest newest; /* what it says, in memory of this reader's own */
	struct ppi_list list[PPI_CHUNK_TYPES];
};

/* The first in by_id whose id is not below ID. */
size_t ppi_recording_lower_bound (const struct ppi_list *list, uint32_t id);

#endif
