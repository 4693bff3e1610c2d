/* SPDX-License-Identifier: MIT */
/*
 * scan.h: goes through the blocks of a file from its start, whatever the file is: what is no whole
 * block is stepped over, and counted. Nothing that a file says is believed.
 */
#ifndef PPI_RECORDING_SCAN_H
#define PPI_RECORDING_SCAN_H

#include "recording/blocks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* As pread, but BYTES where the file has them, whatever interrupts it. */
ssize_t ppi_read_at (int fd, void *out, size_t bytes, uint64_t at);

struct ppi_scan {
	int fd;
	uint64_t size, at;     /* of the file; where the next block is looked for */
	uint64_t offset;       /* of this block */
	struct ppi_block head; /* of this block */
	uint64_t end;          /* where the last whole block ends */
	/*
	 * bytes between whole blocks that are none, and of blocks whose content was asked for and
	 * is damaged, and where the first of them are; bytes behind the last whole block
	 */
	uint64_t lost, lost_at, rest;
	bool failed;            /* the file could not be read */
	char *packed, *content; /* malloced: ppi_scan_end */
	size_t packed_room, content_room;
};

void ppi_scan_begin (struct ppi_scan *scan, int fd, uint64_t size);
/* The next block whose head is whole. False: there is no more; REST and FAILED are known then. */
bool ppi_scan_next (struct ppi_scan *scan);
/*
 * The block's content, of head.unpacked bytes, until the next one, and a word of zeros behind it.
 * NULL: WHY, "its content ..."
 */
const char *ppi_scan_content (struct ppi_scan *scan, const char **why);
void ppi_scan_end (struct ppi_scan *scan);

/*
 * The item after PREVIOUS (NULL: the first) in a content of BYTES; NULL: no more that is whole. Its
 * chunk follows it.
 */
const struct ppi_item *ppi_item_next (const char *content, size_t bytes,
				      const struct ppi_item *previous);

/* Does the file end with an index? Its tail, then. */
bool ppi_index_is_there (int fd, uint64_t size, struct ppi_index_tail *tail);

#endif
