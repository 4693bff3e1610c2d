/* SPDX-License-Identifier: MIT */
/*
 * histogram.h: which bucket of a histogram a sample is in, and what stands for the samples of a
 * bucket.
 *
 * Log-linear, as in G. Tene's HdrHistogram: every power of two is divided into 64 buckets of the
 * same width, for negative values as for positive ones. An integer below 128 has a bucket of its
 * own. A larger magnitude m lies in [a 2^s, (a + 1) 2^s) with 64 ≤ a < 128, where s = ⌊log2 m⌋ - 6,
 * and its middle c = (a + 1/2) 2^s stands for it:
 *
 *     |m - c| ≤ 2^s / 2 = a 2^s / 2a ≤ m / 128        so the relative error is below 0.79 %
 *
 * The same holds for doubles, whose exponent and first six bits of mantissa are the number of the
 * bucket; only of subnormal ones (below 2^-1022) the error is bounded by 2^-1028 instead of by
 * their size.
 *
 * Of integers the newest sample waits (`waiting` of the shard) and is counted with the next one.
 * Whoever measures the time between two reads of the clock doesn't look for a counter then by what
 * the second one said, which the next interval's first one would wait for. Readers, and whoever
 * folds a shard, count what waits themselves. The owner stores LAST before the counter, or is not
 * WAITING meanwhile, so that a reader who reads the counters first never finds a sample in both.
 *
 * A group is the 64 buckets of one power of two, made in the slow path when the first sample falls
 * into it: a histogram takes 1,152 bytes and 576 for each power of two (and sign) that it has met:
 * 3 KiB for times from 1 to 10 µs, at most 68 KiB for integers. Doubles have a directory in
 * between, of 576 bytes for each 64 powers of two. Counts are exact, so merging is adding; no order
 * of merging gives another result.
 */
#ifndef PPI_KEEP_HISTOGRAM_H
#define PPI_KEEP_HISTOGRAM_H

#include "base/twin.h"
#include "libmetrics/keep/accumulator.h"
#include "libmetrics/keep/field.h"
#include "libmetrics/keep/shard.h"

#include <stdbool.h>
#include <stddef.h>

#define PPI_BUCKET_BITS 6
#define PPI_NEGATIVE_GROUPS 64 /* in group[] from here on: of negative integers */
#define PPI_EXPONENT_BITS 11

/*
 * In the order of magnitudes: 0 … 3,775 for integers, of which the six low bits are the place in
 * the group.
 */
static inline __attribute__ ((always_inline)) uint32_t ppi_bucket_of_magnitude (uint64_t magnitude)
{
	unsigned shift = 57 - (unsigned) __builtin_clzll (magnitude | 64);

	return (shift << PPI_BUCKET_BITS) + (uint32_t) (magnitude >> shift);
}

/* The counter of X; NULL: its group isn't there. The owner only. */
static inline __attribute__ ((always_inline)) uint64_t *ppi_histogram_find_int (
	struct ppi_histogram_shard *h, int64_t x)
{
	uint64_t magnitude = x < 0 ? -(uint64_t) x : (uint64_t) x;
	uint32_t bucket = ppi_bucket_of_magnitude (magnitude);
	unsigned group = (bucket >> PPI_BUCKET_BITS) + (x < 0 ? PPI_NEGATIVE_GROUPS : 0);
	int64_t place = __atomic_load_n (ppi_twin (&h->group[group]), __ATOMIC_RELAXED);

	return place ? (uint64_t *) ((char *) h + place) + bucket % PPI_GROUP_WORDS : NULL;
}

/* Does H's newest sample wait to be counted? The owner only. */
static inline __attribute__ ((always_inline)) bool ppi_histogram_waits (
	const struct ppi_histogram_shard *h)
{
	return __atomic_load_n (&h->shard.waiting, __ATOMIC_RELAXED) != 0;
}

/* The counter of what waits; NULL: nothing does, or its group isn't there. The owner only. */
static inline __attribute__ ((always_inline)) uint64_t *ppi_histogram_find_waiting (
	struct ppi_histogram_shard *h)
{
	return ppi_histogram_waits (h)
		       ? ppi_histogram_find_int (
				 h, (int64_t) __atomic_load_n (&h->shard.last, __ATOMIC_RELAXED))
		       : NULL;
}

/* One more in the counter at PLACE, or one that is lost. */
PPI_ACCUMULATE void ppi_histogram_count (struct ppi_histogram_shard *h, uint64_t *place)
{
	uint64_t *counter = __builtin_expect (place != NULL, 1) ? place : &h->lost;

	ppi_field_set (counter, ppi_field_get (counter) + 1);
}

/* X waits in LAST now; what waited there before is counted at PLACE. */
PPI_ACCUMULATE void ppi_histogram_wait (struct ppi_shard *shard, int64_t x, uint64_t *place)
{
	struct ppi_histogram_shard *h = (struct ppi_histogram_shard *) shard;

	(void) x;
	if (__builtin_expect (ppi_histogram_waits (h), 1))
		ppi_histogram_count (h, place);
	else
		__atomic_store_n (&h->shard.waiting, 1, __ATOMIC_RELEASE);
}

PPI_ACCUMULATE void ppi_histogram_add_double (struct ppi_shard *shard, uint64_t bits,
					      uint64_t *place)
{
	(void) bits;
	ppi_histogram_count ((struct ppi_histogram_shard *) shard, place);
}

/* Of the bits of a double: sign and magnitude of its bucket, 18 bits. */
static inline uint32_t ppi_bucket_of_double (uint64_t bits)
{
	return (uint32_t) (bits >> (64 - 1 - PPI_EXPONENT_BITS - PPI_BUCKET_BITS));
}

/* ---- histogram.c: the owner's slow path; general registers only ------------------------------ */

/* The counter of X, whose group is made where it isn't there; NULL: no room in the region. */
uint64_t *ppi_histogram_place_int (struct ppi_histogram_shard *h, int64_t x)
	__attribute__ ((visibility ("hidden")));
/* Sets all counters to zero; they are of EPOCH then. Inside the shard's sequence. */
PPI_HIDDEN void ppi_histogram_clear (struct ppi_shard *shard, uint32_t epoch);
/* See struct ppi_keep; these too. */
PPI_HIDDEN void ppi_histogram_fold (struct ppi_shard *into, const struct ppi_shard *from,
				    bool is_double, bool older);
PPI_HIDDEN uint64_t *ppi_histogram_make_double (struct ppi_shard *shard, uint64_t bits);

PPI_ACCUMULATE uint64_t *ppi_histogram_find (struct ppi_shard *shard)
{
	return ppi_histogram_find_waiting ((struct ppi_histogram_shard *) shard);
}

PPI_ACCUMULATE uint64_t *ppi_histogram_make (struct ppi_shard *shard)
{
	struct ppi_histogram_shard *h = (struct ppi_histogram_shard *) shard;

	return ppi_histogram_waits (h)
		       ? ppi_histogram_place_int (h, (int64_t) ppi_field_get (&shard->last))
		       : NULL;
}

static const struct ppi_keep ppi_keep_HISTOGRAM = {
	.name = "histogram",
	.keeps = PPI_KEEPS_LAST | PPI_KEEPS_SUM | PPI_KEEPS_RANGE | PPI_KEEPS_BUCKETS,
	.bytes = sizeof (struct ppi_histogram_shard),
	.grows = " and 640 for each power of two that occurs",
	.lost_at = offsetof (struct ppi_histogram_shard, lost),
	.has = PPI_HAS_SPREAD | PPI_HAS_QUANTILES | PPI_STAT (LOST),
	.scans = PPI_HAS_QUANTILES | PPI_STAT (VARIANCE) | PPI_STAT (STDDEV),
	.find = ppi_histogram_find,
	.make = ppi_histogram_make,
	.make_double = ppi_histogram_make_double,
	.add_int = ppi_histogram_wait,
	.clear = ppi_histogram_clear,
	.add_double = ppi_histogram_add_double,
	.fold = ppi_histogram_fold,
};

/* GROWS says it */
PP_ABI_ASSERT ((sizeof (struct ppi_buckets_chunk) + PPI_APART - 1) / PPI_APART * PPI_APART == 640);

#endif
