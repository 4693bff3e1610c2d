/* SPDX-License-Identifier: MIT */
/*
 * spot.h: where in the program's files an address of its code is. The process itself reads no
 * debugging information: it says "object+0xoffset", of which who reads a recording makes a line.
 */
#ifndef PPI_BASE_SPOT_H
#define PPI_BASE_SPOT_H

#include <stddef.h>
#include <stdint.h>

#define PPI_BUILD_ID_BYTES 32

struct ppi_spot {
	char object[256]; /* path of the file, as the loader has it; "": not known */
	uint64_t offset;  /* as addresses in that file are */
	/*
	 * the first 6 bytes of its build id, the first one highest; 0: it has none. A double has
	 * them
	 */
	uint64_t build;
	char function[64]; /* where the loader knows its symbol; "": not known */
};

/* Of ADDRESS. Takes a lock of the loader's for microseconds: without the library's lock. */
void ppi_spot_of (uintptr_t address, struct ppi_spot *out);
/* "program+0x1234 (function)", without folders; ROOM: PPI_SPOT_TEXT. Returns OUT. */
#define PPI_SPOT_TEXT 384
const char *ppi_spot_text (const struct ppi_spot *place, char *out, size_t room);

/*
 * Copies the build id that the notes at BEGIN, of SIZE bytes, have. Returns its bytes; 0: there is
 * none, or it can't be read.
 */
uint32_t ppi_build_id (uint64_t begin, uint64_t size, uint8_t out[PPI_BUILD_ID_BYTES]);
/* What struct ppi_spot keeps of it. */
uint64_t ppi_build_of (const uint8_t *build_id, size_t bytes);

#endif
