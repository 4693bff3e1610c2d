/* SPDX-License-Identifier: MIT */
/*
 * region.h: the live region's memory. A tmpfs file (unnamed until a recording is asked for, so
 * nothing is left behind), mapped once in its largest size and backed step by step with fallocate:
 * giving out memory is a compare- and-swap, no page is written back to a disk, and no access can
 * fail for want of space. Where there is no tmpfs, and in programs with more rights than who runs
 * them (AT_SECURE), it is anonymous memory. Behind it lies memory of the process's own (twin.h),
 * which becomes accessible in the same steps. PP_REGION_MAX is what both may take together.
 *
 * How much is given out and backed is known here; the header's USED and LIMIT say it to readers.
 */
#ifndef PPI_REGION_REGION_H
#define PPI_REGION_REGION_H

#include "base/chunk.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ppi_region_header;

#define PPI_HEADER_BYTES 4096u /* where the first chunk begins */
#define PPI_FRAME_PAGE 2048u   /* a page of frames, thread states too, and what it is aligned to */

/* The region of this process; NULL: none yet. Atomic. */
extern struct ppi_region_header *ppi_region __attribute__ ((visibility ("hidden")));

/* Bytes that are given out, and bytes that are backed; the process's own. Atomic. */
struct ppi_pool {
	uint64_t used, limit;
};

/* Makes the region if there is none. With the lock; ordinary context. 0 or PP_ENOMEM. */
int ppi_region_init (void) __attribute__ ((visibility ("hidden")));
/*
 * Backs more memory, twice what there is or 16 MiB more; two system calls. False: there is no more.
 * Signal-safe.
 */
bool ppi_region_grow_fast (void) __attribute__ ((visibility ("hidden")));
/* What PP_REGION_MAX=TEXT asks for, in bytes, whole pages; 0: it is no size from 1M to 1024G. */
uint64_t ppi_region_parse_max (const char *text) __attribute__ ((visibility ("hidden")));
/* Bytes of the region that are given out, header included; bytes that are backed. */
uint64_t ppi_region_used (void) __attribute__ ((visibility ("hidden")));
uint64_t ppi_region_limit (void) __attribute__ ((visibility ("hidden")));
/* What it may become. */
uint64_t ppi_region_most (void) __attribute__ ((visibility ("hidden")));

/*
 * The process's own memory: zeroed, at a multiple of PPI_APART, not to be given back; a page of
 * PPI_FRAME_PAGE at a multiple of that. For markers. NULL: there is no more.
 */
void *ppi_own_alloc_fast (size_t bytes) __attribute__ ((visibility ("hidden")));
void *ppi_own_page_fast (void) __attribute__ ((visibility ("hidden")));
/* Makes more of it accessible, as ppi_region_grow_fast. */
bool ppi_own_grow_fast (void) __attribute__ ((visibility ("hidden")));
/* Is it in there, with BYTES behind it? */
bool ppi_own_has (const void *p, size_t bytes) __attribute__ ((visibility ("hidden")));
/* Bytes of it that are given out. */
uint64_t ppi_own_used (void) __attribute__ ((visibility ("hidden")));

/*
 * Backs more memory when less is left than half of what is backed, 8 MiB at most, and fills its
 * pages in. With the lock; ordinary context.
 */
void ppi_region_replenish (void) __attribute__ ((visibility ("hidden")));
/*
 * In a child: forgets the parent's region (its mapping stays, private) so that ppi_region_init
 * makes a new one.
 */
void ppi_region_after_fork (void) __attribute__ ((visibility ("hidden")));
/* Makes the clock pair in the header current. */
void ppi_region_stamp (void) __attribute__ ((visibility ("hidden")));
/*
 * Instead of the file's descriptor: no file; a descriptor that the program closed: no more of it is
 * to be had.
 */
#define PPI_REGION_NO_FILE (-1)
#define PPI_REGION_LOST_FILE (-2)
/*
 * Is the descriptor of the file behind the region still that file's? One system call; for markers
 * too.
 */
bool ppi_region_has_file (void) __attribute__ ((visibility ("hidden")));
/* That descriptor, looked at just now; negative without. */
int ppi_region_fd (void) __attribute__ ((visibility ("hidden")));

/*
 * A zeroed chunk of BYTES (rounded up) with its type still PPI_CHUNK_NONE: fill it, then
 * ppi_region_publish. From ordinary context it grows the region; from a marker
 * (ppi_region_alloc_fast) it only takes what is there. NULL: no room, counted as PP_DROP_POOL.
 */
void *ppi_region_alloc (size_t bytes);

/* The same for who can do without: that there is no room is not counted. */
void *ppi_region_try_alloc (size_t bytes);

void *ppi_region_alloc_fast (size_t bytes);

/*
 * The same in a check, where vector registers are saved: what was given back (ppi_region_retire)
 * first, if nobody has the lock.
 */
void *ppi_region_alloc_marker (size_t bytes);

void ppi_region_publish (struct ppi_chunk *chunk, enum ppi_chunk_type type, uint32_t id);

/*
 * What CHUNK, of BYTES, was about has ended. The newest 64 of those stay, for reports; the memory
 * of older ones is given out again by ppi_region_alloc. Of this process's region, and nobody writes
 * there any more. Takes the lock.
 */
void ppi_region_retire (void *chunk, size_t bytes);

/* The same for a chunk that says nothing any more: its memory is given out again at once. */
void ppi_region_give_back (void *chunk, size_t bytes);

struct ppi_region_header *ppi_region_header (void);

#endif
