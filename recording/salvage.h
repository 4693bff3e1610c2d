/* SPDX-License-Identifier: MIT */
/*
 * salvage.h: what is whole of a region that was damaged before its process died, by a stray pointer
 * of the program's, say. What it can't tell is that a number was overwritten: a region has no
 * checksums.
 */
#ifndef PPI_RECORDING_SALVAGE_H
#define PPI_RECORDING_SALVAGE_H

#include <stdint.h>

struct ppi_newest;

/*
 * Makes the copy of a region at DATA one that can be read: USED bytes, as its header says or, if
 * that is damaged, as KNOWN has it, the recording as of its last copy. A chunk that is not whole is
 * made what it is in KNOWN, or is left out; so is one that names what is not there. The
 * header says how many there are. PP_OK or PP_ENOMEM.
 */
int ppi_region_salvage (char *data, uint64_t used, const struct ppi_newest *known);

#endif
