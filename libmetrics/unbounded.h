/* SPDX-License-Identifier: MIT */
/*
 * unbounded.h: how an unbounded_series grows. Its samples lie in chunks of 64 samples at first, each twice as long as the one
 * before, at most 8,192: the memory that is not used yet is at most half of all, and 64 KiB. `maxSize` samples of a thread at a
 * site are kept, those that come after them are counted as lost; the moments and the extremes go on with all.
 *
 * What leads to samples is read from twins (twin.h); shards and chunks say the same to readers.
 *
 * The owner stores a sample before it raises `kept` (release): who reads `kept` first finds the samples.
 */
#ifndef PPI_UNBOUNDED_H
#define PPI_UNBOUNDED_H

#include "recording.h"
#include "twin.h"

#include <stdbool.h>

/* Where the next sample goes; NULL: a chunk has to be made first. The owner only. */
static inline __attribute__ ((always_inline)) uint64_t *ppi_unbounded_find (struct ppi_unbounded_shard *u)
{
	const struct ppi_unbounded_shard *own = ppi_twin (u);
	uint64_t fill = __atomic_load_n (&own->fill, __ATOMIC_RELAXED);

	return fill < own->room ? (uint64_t *) ((char *) u + own->current) + fill : NULL;
}

/* ---- unbounded.c: general registers only ------------------------------------------------------------------------- */

/* The same, which makes the chunk; NULL: no room, or there are maxSize samples. */
uint64_t *ppi_unbounded_place (struct ppi_unbounded_shard *u) __attribute__ ((visibility ("hidden")));
/* Forgets the samples; the chunks stay. Inside the shard's sequence. */
void ppi_unbounded_clear (struct ppi_unbounded_shard *u) __attribute__ ((visibility ("hidden")));
/* The samples behind AT, oldest first (AT NULL: the first); *N: how many. NULL: no more. For the owner. */
const uint64_t *ppi_unbounded_next (const struct ppi_unbounded_shard *u, const uint64_t *at, uint64_t *n)
	__attribute__ ((visibility ("hidden")));
/* Raised by the first sample that a series loses: the library says so once (series.c). Atomic. */
extern uint32_t ppi_unbounded_full __attribute__ ((visibility ("hidden")));

#endif
