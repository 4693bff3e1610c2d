/* SPDX-License-Identifier: MIT */
/*
 * append.h: what a process that died left in its region, behind what its recording has.
 */
#ifndef PPI_RECORDING_APPEND_H
#define PPI_RECORDING_APPEND_H

#include "recording/read.h"

#include <stdint.h>

/*
 * What is in the region DATA, which is LEFT, goes behind what the file FD of SIZE bytes has, and
 * its end; what it has of streams is not written again. 0, or a negative errno.
 */
int ppi_region_append (int fd, uint64_t size, const char *data, const struct ppi_recording *left);

#endif
