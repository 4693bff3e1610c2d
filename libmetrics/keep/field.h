/* SPDX-License-Identifier: MIT */
/*
 * field.h: how the owner of a shard writes its fields. Included by the hot path: general registers
 * only.
 *
 * One writer, any number of readers, a sequence count:
 *
 *     writer                                  reader
 *     seq = odd            relaxed            s = seq              acquire; odd: again
 *     field = ...          release, each      copy = field         acquire, each
 *     seq = even           release            seq == s ?           relaxed; no: again
 *
 * A field's release keeps the odd seq before it; a field's acquire keeps the second look at seq
 * after it: a reader that saw a new field sees the odd seq too. These orders need no fence, which
 * ThreadSanitizer would not understand, and are plain moves on x86. n is stored last of the fields:
 * it counts finished samples even when the writer is killed in between.
 */
#ifndef PPI_KEEP_FIELD_H
#define PPI_KEEP_FIELD_H

#include "libmetrics/keep/shard.h"

#define PPI_ACCUMULATE static inline __attribute__ ((always_inline))

/* A field as its owner reads it: nobody else writes it. */
PPI_ACCUMULATE uint64_t ppi_field_get (const uint64_t *field)
{
	return __atomic_load_n (field, __ATOMIC_RELAXED);
}

/* Stores a field between ppi_shard_open and ppi_shard_close; release: see above. */
PPI_ACCUMULATE void ppi_field_set (uint64_t *field, uint64_t value)
{
	__atomic_store_n (field, value, __ATOMIC_RELEASE);
}

PPI_ACCUMULATE unsigned __int128 ppi_field_get_wide (const uint64_t field[2])
{
	return (unsigned __int128) ppi_field_get (&field[1]) << 64 | ppi_field_get (&field[0]);
}

PPI_ACCUMULATE void ppi_field_set_wide (uint64_t field[2], unsigned __int128 value)
{
	ppi_field_set (&field[0], (uint64_t) value);
	ppi_field_set (&field[1], (uint64_t) (value >> 64));
}

/* Makes seq odd. Returns what ppi_shard_close wants. */
PPI_ACCUMULATE uint32_t ppi_shard_open (struct ppi_shard *shard)
{
	/* odd already: a handler left the writer in the middle by siglongjmp */
	uint32_t odd = __atomic_load_n (&shard->seq, __ATOMIC_RELAXED) | 1;

	__atomic_store_n (&shard->seq, odd, __ATOMIC_RELAXED);
	return odd + 1;
}

PPI_ACCUMULATE void ppi_shard_close (struct ppi_shard *shard, uint32_t seq)
{
	__atomic_store_n (&shard->seq, seq, __ATOMIC_RELEASE);
}

/* x², below 2^126 + 1 */
PPI_ACCUMULATE unsigned __int128 ppi_square (int64_t x)
{
	return (unsigned __int128) ((__int128) x * x);
}

/*
 * Σx² since the start: unsigned, and where it would pass 2^128 - 1 it stays there, so that readers
 * know (variance: unknown) instead of getting a wrong number. Samples below 2^32 reach it after
 * 2^64 samples; samples of -2^63 with the fourth.
 */
PPI_ACCUMULATE unsigned __int128 ppi_squares_add (unsigned __int128 squares, int64_t x)
{
	unsigned __int128 sum;

	return __builtin_add_overflow (squares, ppi_square (x), &sum) ? ~(unsigned __int128) 0
								      : sum;
}

PPI_ACCUMULATE void ppi_moments_clear (struct ppi_moments *moments)
{
	ppi_field_set (&moments->n, 0);
	ppi_field_set_wide (moments->sum, 0);
	ppi_field_set_wide (moments->squares, 0);
}

#endif
