/* SPDX-License-Identifier: MIT */
/*
 * region.h: the live region's memory. A tmpfs file (unnamed until a recording is asked for, so nothing is left
 * behind), mapped once in its largest size and backed step by step with fallocate: giving out memory is a compare-
 * and-swap, no page is written back to a disk, and no access can fail for want of space. Where there is no tmpfs it
 * is anonymous memory.
 */
#ifndef PPI_REGION_H
#define PPI_REGION_H

#include "recording.h"

#include <stdbool.h>

/* Makes the region if there is none. With the lock; ordinary context. 0 or PP_ENOMEM. */
int ppi_region_init (void) __attribute__ ((visibility ("hidden")));
/* In runtime.h too, for rooms that only know that. */
void *ppi_region_alloc_fast (size_t bytes);
void ppi_region_publish (struct ppi_chunk *chunk, enum ppi_chunk_type type, uint32_t id);
/* Backs more memory, twice what there is or 16 MiB more; one system call. False: there is no more. Signal-safe. */
bool ppi_region_grow_fast (struct ppi_region_header *region) __attribute__ ((visibility ("hidden")));
/* What was skipped for alignment and can be given out still (region_fast.c); belongs to the region, and goes with it. */
extern uint64_t ppi_region_gap __attribute__ ((visibility ("hidden")));
/* A page-aligned chunk of PPI_FRAME_BYTES from what is there; for markers. */
void *ppi_region_page_fast (void) __attribute__ ((visibility ("hidden")));
/* Backs more memory when less than half of what is backed is left. With the lock; ordinary context. */
void ppi_region_replenish (void) __attribute__ ((visibility ("hidden")));
/* In a child: forgets the parent's region (its mapping is removed) so that ppi_region_init makes a new one. */
void ppi_region_after_fork (void) __attribute__ ((visibility ("hidden")));
/* Makes the clock pair in the header current. */
void ppi_region_stamp (void) __attribute__ ((visibility ("hidden")));
/* Bytes of address space that the region may grow to. */
size_t ppi_region_mapped (void) __attribute__ ((visibility ("hidden")));
/* The file behind the region, -1 without. */
int ppi_region_fd (void) __attribute__ ((visibility ("hidden")));

/* Is there a recording to keep up? And in a child: one of its own, or none (recording.c). */
bool ppi_recording_wanted (void);
void ppi_recording_after_fork (void);

#endif
