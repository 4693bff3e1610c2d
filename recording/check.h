/* SPDX-License-Identifier: MIT */
/*
 * check.h: what a recording must look like: sizes, ranges, and in files a checksum. Needs nothing
 * of the runtime. A file whose bits have changed is refused by its checksum; ranges are for what is
 * written on purpose, and for regions, which have no checksum since they change.
 */
#ifndef PPI_RECORDING_CHECK_H
#define PPI_RECORDING_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

struct ppi_chunk;
struct ppi_region_header;

/* Is all of a chunk of TYPE, of BYTES, inside it: its texts, lists and numbers? */
bool ppi_chunk_is_whole (const struct ppi_chunk *chunk, unsigned type, uint32_t bytes);
/* "site" ... */
const char *ppi_chunk_type_name (unsigned type);
/* Do chunks of TYPE change while others may read them, without a sequence count? */
bool ppi_chunk_changes (unsigned type);
bool ppi_header_is_whole (const struct ppi_region_header *header);

/*
 * Makes the copy of a region of BYTES at HEADER a file's: its size, its checksum, and how many
 * bytes may be holes.
 */
void ppi_recording_seal (struct ppi_region_header *header, size_t bytes);
/*
 * Are the BYTES at DATA, which begin with a header, as they were sealed? A region is not sealed:
 * true.
 */
bool ppi_recording_is_sealed (const void *data, size_t bytes);

/*
 * NULL if the size and the holes of the file FD are what its HEADER says; else what is wrong. So
 * nobody needs more memory to read it than there is of it.
 */
const char *ppi_recording_explains (int fd, const struct ppi_region_header *header,
				    const struct stat *st);

#endif
