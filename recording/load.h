/* SPDX-License-Identifier: MIT */
/*
 * load.h: what a file of blocks says of the region that it follows: each chunk as the newest block
 * has it, at its place, so that what leads from one to another does so here too.
 */
#ifndef PPI_RECORDING_LOAD_H
#define PPI_RECORDING_LOAD_H

#include "base/memory.h"
#include "recording/blocks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ppi_newest_chunk {
	uint64_t place; /* in REGION, or of an entry of the history in HISTORY */
	uint64_t order;
	uint32_t bytes;
};

struct ppi_newest {
	struct ppi_run run;
	struct ppi_region_header header;
	struct ppi_pages region; /* from its header on */
	char *history;           /* malloced */
	size_t history_bytes, history_room;
	struct ppi_newest_chunk *chunk; /* malloced: by place */
	size_t n_chunks, chunk_room;
	/* while it is read: items so far, and how many chunks there are when some are left out */
	uint64_t items;
	size_t keep_at;
	struct ppi_newest_chunk *entry; /* malloced: of the history */
	size_t n_entries, entry_room;
	struct ppi_process_entry *process; /* malloced: of a merged recording */
	size_t n_processes;
	uint64_t last_ns; /* the newest time that a block is about */
	uint64_t end;     /* where the last whole block ends */
	bool is_damaged;  /* something between is missing */
	char damage[240]; /* a sentence about what is; "": nothing */
};

/*
 * 0, or PP_EINVAL, PP_EIO, PP_ENOMEM with WHY. What OUT has is freed by ppi_newest_free in each
 * case.
 */
int ppi_blocks_load (int fd, uint64_t size, const char *path, struct ppi_newest *out, char *why,
		     size_t room);
void ppi_newest_free (struct ppi_newest *newest);

/* Does the file that begins with the BYTES at HEAD consist of blocks (rather than of a region)? */
bool ppi_is_of_blocks (const void *head, size_t bytes);
/*
 * The first block's content and the state that the file ended in; false: it is not there, or not
 * whole.
 */
bool ppi_run_read (int fd, uint64_t size, struct ppi_run *out, uint32_t *state);

#endif
