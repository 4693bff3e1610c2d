/* SPDX-License-Identifier: MIT */
/*
 * unbounded.h: how an unbounded_series grows. Its samples lie in chunks of 64 samples at first,
 * each twice as long as the one before, at most 8,128: the memory that is not used yet is at most
 * half of all, and 64 KiB. `maxSize` samples of a thread at a site are kept. Where all are there,
 * the oldest chunk leaves for the recording and becomes the last one, which is filled anew; where
 * nobody records, samples that come then are counted as lost. The moments and the extremes go on
 * with all.
 *
 * What leads to samples is read from twins (twin.h); shards and chunks say the same to readers.
 *
 * The owner stores a sample before it raises `kept` (release): who reads `kept` first finds the
 * samples.
 */
#ifndef PPI_KEEP_UNBOUNDED_H
#define PPI_KEEP_UNBOUNDED_H

#include "base/twin.h"
#include "libmetrics/keep/accumulator.h"
#include "libmetrics/keep/field.h"
#include "libmetrics/keep/shard.h"

#include <stdbool.h>
#include <stddef.h>

#define PPI_UNBOUNDED_SIZE_MAX (UINT64_C (1) << 30)

/* Where the next sample goes; NULL: a chunk has to be made first. The owner only. */
static inline __attribute__ ((always_inline)) uint64_t *ppi_unbounded_find (
	struct ppi_unbounded_shard *u)
{
	const struct ppi_unbounded_shard *own = ppi_twin (u);
	uint64_t fill = __atomic_load_n (&own->fill, __ATOMIC_RELAXED);

	return fill < own->room ? (uint64_t *) ((char *) u + own->current) + fill : NULL;
}

/* The sample with these BITS to PLACE, or one that is lost. */
PPI_ACCUMULATE void ppi_unbounded_append (struct ppi_unbounded_shard *u, uint64_t *place,
					  uint64_t bits)
{
	if (__builtin_expect (place != NULL, 1)) {
		uint64_t kept = ppi_field_get (ppi_twin (&u->kept)) + 1;

		ppi_field_set (place, bits);
		ppi_field_set (ppi_twin (&u->fill), ppi_field_get (ppi_twin (&u->fill)) + 1);
		ppi_field_set (ppi_twin (&u->kept), kept);
		ppi_field_set (&u->kept, kept);
	} else {
		ppi_field_set (&u->lost, ppi_field_get (&u->lost) + 1);
	}
}

/* ---- unbounded.c: general registers only ----------------------------------------------------- */

/* The same, which makes the chunk; NULL: no room, or there are maxSize samples. */
uint64_t *ppi_unbounded_place (struct ppi_unbounded_shard *u)
	__attribute__ ((visibility ("hidden")));
/* See struct ppi_keep; CLEAR: forgets the samples, the chunks stay. */
PPI_HIDDEN void ppi_unbounded_clear (struct ppi_shard *shard, uint32_t epoch);
PPI_HIDDEN uint64_t *ppi_unbounded_make_double (struct ppi_shard *shard, uint64_t bits);
PPI_HIDDEN void ppi_unbounded_fold (struct ppi_shard *into, const struct ppi_shard *from,
				    bool is_double, bool older);
/*
 * The samples behind AT, oldest first (AT NULL: the first); *N: how many. NULL: no more. For the
 * owner.
 */
const uint64_t *ppi_unbounded_next (const struct ppi_unbounded_shard *u, const uint64_t *at,
				    uint64_t *n) __attribute__ ((visibility ("hidden")));
/*
 * Whoever records takes the oldest N samples of U, which are a whole chunk; false: it can't now.
 * NULL: nobody records. Atomic. At markers: general registers only, no libc.
 */
typedef bool ppi_unbounded_leave_fn (const struct ppi_unbounded_shard *u, const uint64_t *sample,
				     uint64_t n);
extern ppi_unbounded_leave_fn *ppi_unbounded_leave __attribute__ ((visibility ("hidden")));
/* The most samples of a chunk. */
#define PPI_UNBOUNDED_CHUNK 8128u
/* Raised by the first sample that a series loses: the library says so once (series.c). Atomic. */
extern uint32_t ppi_unbounded_full __attribute__ ((visibility ("hidden")));

/* ---- the accumulator ------------------------------------------------------------------------- */

PPI_ACCUMULATE uint64_t *ppi_unbounded_find_next (struct ppi_shard *shard)
{
	return ppi_unbounded_find ((struct ppi_unbounded_shard *) shard);
}

PPI_ACCUMULATE uint64_t *ppi_unbounded_make (struct ppi_shard *shard)
{
	return ppi_unbounded_place ((struct ppi_unbounded_shard *) shard);
}

PPI_ACCUMULATE void ppi_unbounded_add_int (struct ppi_shard *shard, int64_t x, uint64_t *place)
{
	ppi_unbounded_append ((struct ppi_unbounded_shard *) shard, place, (uint64_t) x);
}

PPI_ACCUMULATE void ppi_unbounded_add_double (struct ppi_shard *shard, uint64_t bits,
					      uint64_t *place)
{
	ppi_unbounded_append ((struct ppi_unbounded_shard *) shard, place, bits);
}

static const struct ppi_keep ppi_keep_UNBOUNDED_SERIES = {
	.name = "unbounded_series",
	.keeps = PPI_KEEPS_LAST | PPI_KEEPS_SUM | PPI_KEEPS_SQUARES | PPI_KEEPS_RANGE |
		 PPI_KEEPS_CHUNKS,
	.bytes = sizeof (struct ppi_unbounded_shard),
	.size = {.option = "maxSize",
		 .key = "max_size",
		 .sentence = ", at most {max_size} of each thread",
		 .usual = UINT64_C (1) << 20, /* 8 MiB */
		 .most = PPI_UNBOUNDED_SIZE_MAX,
		 .at = offsetof (struct ppi_unbounded_shard, max_size)},
	.grows = ", and 8 to 16 for each sample",
	.lost_at = offsetof (struct ppi_unbounded_shard, lost),
	.stats_in_windows = true,
	.has = PPI_HAS_SPREAD | PPI_STAT (LOST),
	.find = ppi_unbounded_find_next,
	.make = ppi_unbounded_make,
	.make_double = ppi_unbounded_make_double,
	.add_int = ppi_unbounded_add_int,
	.clear = ppi_unbounded_clear,
	.add_double = ppi_unbounded_add_double,
	.fold = ppi_unbounded_fold,
};

#endif
