/* SPDX-License-Identifier: MIT */
/*
 * wiped.h: memory of the process's own that its children find wiped, by which markers notice that
 * they run in one.
 */
#ifndef PPI_REGION_WIPED_H
#define PPI_REGION_WIPED_H

#include "base/atomic.h"

#include <stdint.h>

/*
 * 1 in the process that made the region; in a page that is wiped in children. For readers; markers
 * have their lines.
 */
extern uint32_t *ppi_alive __attribute__ ((visibility ("hidden")));

#define PPI_LINES                                                                                  \
	65536u /* threads that may be attached at a time; address space only; a multiple of 256 (ppi_hot_place) */
#define PPI_LINE_BYTES 64u

/* A line for each thread; NULL before the region is made. */
extern void *ppi_lines PPI_HIDDEN;

/* Makes it. With the lock, when the region is made. 0 or PP_ENOMEM. */
PPI_HIDDEN int ppi_wiped_init (void);

#endif
