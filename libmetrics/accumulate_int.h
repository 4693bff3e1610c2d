/* SPDX-License-Identifier: MIT */
/*
 * accumulate_int.h: how the owner of a shard adds an integer sample to it.
 *
 * Included by the hot path, which is compiled for general registers only: no floating point here. Every function is
 * inlined with a constant accumulator, so that each hot routine keeps only the stores that its accumulator needs.
 *
 * One writer, any number of readers, a sequence count:
 *
 *     writer                                  reader
 *     seq = odd            relaxed            s = seq              acquire; odd: again
 *     field = ...          release, each      copy = field         acquire, each
 *     seq = even           release            seq == s ?           relaxed; no: again
 *
 * A field's release keeps the odd seq before it; a field's acquire keeps the second look at seq after it: a reader
 * that saw a new field sees the odd seq too. These orders need no fence, which ThreadSanitizer would not understand,
 * and are plain moves on x86. n is stored last of the fields: it counts finished samples even when the writer is
 * killed in between.
 */
#ifndef PPI_ACCUMULATE_INT_H
#define PPI_ACCUMULATE_INT_H

#include "histogram.h"
#include "recording.h"
#include "twin.h"
#include "types.h"
#include "unbounded.h"

/* readers of recordings share this file, but nothing of a CPU, and accumulate nothing */
#if __has_include("pp_arch.h")
#include "pp_arch.h"
#endif

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
 * Σx² since the start: unsigned, and where it would pass 2^128 - 1 it stays there, so that readers know (variance:
 * unknown) instead of getting a wrong number. Samples below 2^32 reach it after 2^64 samples; samples of -2^63 with
 * the fourth.
 */
PPI_ACCUMULATE unsigned __int128 ppi_squares_add (unsigned __int128 squares, int64_t x)
{
	unsigned __int128 sum;

	return __builtin_add_overflow (squares, ppi_square (x), &sum) ? ~(unsigned __int128) 0 : sum;
}

/* |x| so large that 2^20 of its squares, the longest window, could pass 2^128 */
PPI_ACCUMULATE bool ppi_is_huge (int64_t x)
{
	return ((uint64_t) x + (UINT64_C (1) << 53)) >> 54 != 0;
}

/* How long the ring is; where its next sample goes, whatever the region says. */
PPI_ACCUMULATE uint64_t ppi_series_size (const struct ppi_series_shard *series)
{
	return ppi_field_get (ppi_twin (&series->size));
}

PPI_ACCUMULATE uint64_t ppi_series_next (const struct ppi_series_shard *series, uint64_t size)
{
	uint64_t next = ppi_field_get (&series->next);

	return __builtin_expect (next < size, 1) ? next : 0;
}

/*
 * The ring and the window's moments; arithmetic modulo 2^128, so that what is added is taken away again exactly.
 * Integers have no use for FRESH: fresh.n is the number of huge samples in the window, during which the variance is
 * unknown.
 */
PPI_ACCUMULATE void ppi_window_slide_int (struct ppi_series_shard *series, int64_t x)
{
	uint64_t size = ppi_series_size (series), next = ppi_series_next (series, size);
	uint64_t n = ppi_field_get (&series->window.n);
	unsigned __int128 sum = ppi_field_get_wide (series->window.sum) + (unsigned __int128) (__int128) x;
	unsigned __int128 squares = ppi_field_get_wide (series->window.squares) + ppi_square (x);

	if (n == size) {
		int64_t oldest = (int64_t) ppi_field_get (&series->ring[next]);

		sum -= (unsigned __int128) (__int128) oldest;
		squares -= ppi_square (oldest);
		if (__builtin_expect (ppi_is_huge (oldest), 0))
			ppi_field_set (&series->fresh.n, ppi_field_get (&series->fresh.n) - 1);
	}
	if (__builtin_expect (ppi_is_huge (x), 0))
		ppi_field_set (&series->fresh.n, ppi_field_get (&series->fresh.n) + 1);
	ppi_field_set (&series->ring[next], (uint64_t) x);
	ppi_field_set_wide (series->window.sum, sum);
	ppi_field_set_wide (series->window.squares, squares);
	ppi_field_set (&series->next, next + 1);
	if (n != size)
		ppi_field_set (&series->window.n, n + 1);
}

/* Has it a sum; and the extremes of all samples? */
PPI_ACCUMULATE bool ppi_keeps_sum (enum ppi_accumulator accumulator)
{
	return accumulator != PPI_SCALAR && accumulator != PPI_COUNT;
}

PPI_ACCUMULATE bool ppi_keeps_range (enum ppi_accumulator accumulator)
{
	return accumulator == PPI_STATS || accumulator == PPI_HISTOGRAM || accumulator == PPI_UNBOUNDED_SERIES;
}

/* Does a sample need a place that may have to be made first? */
PPI_ACCUMULATE bool ppi_needs_place (enum ppi_accumulator accumulator)
{
	return accumulator == PPI_HISTOGRAM || accumulator == PPI_UNBOUNDED_SERIES;
}

/* The place that the next sample needs, if it is there already. */
PPI_ACCUMULATE uint64_t *ppi_place_find_int (struct ppi_shard *shard, enum ppi_accumulator accumulator)
{
	if (accumulator == PPI_HISTOGRAM)
		return ppi_histogram_find_waiting ((struct ppi_histogram_shard *) shard);
	if (accumulator == PPI_UNBOUNDED_SERIES)
		return ppi_unbounded_find ((struct ppi_unbounded_shard *) shard);
	return NULL;
}

/* One more in the counter at PLACE, or one that is lost. */
PPI_ACCUMULATE void ppi_histogram_count (struct ppi_histogram_shard *h, uint64_t *place)
{
	uint64_t *counter = __builtin_expect (place != NULL, 1) ? place : &h->lost;

	ppi_field_set (counter, ppi_field_get (counter) + 1);
}

/* The sample with these BITS to PLACE, or one that is lost. */
PPI_ACCUMULATE void ppi_unbounded_append (struct ppi_unbounded_shard *u, uint64_t *place, uint64_t bits)
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

/*
 * One sample more of a count. Where blocks count without opening the shard (light.h), which its one word doesn't need, a handler may do so at any
 * time: in one instruction then.
 */
PPI_ACCUMULATE void ppi_count_one (struct ppi_shard *shard)
{
#if defined PP_ARCH_HAS_BLOCKS && PP_ARCH_HAS_BLOCKS
	pp_arch_increment (&shard->all.n);
#else
	ppi_field_set (&shard->all.n, ppi_field_get (&shard->all.n) + 1);
#endif
}

/* X waits in LAST now; what waited there before is counted at PLACE. */
PPI_ACCUMULATE void ppi_histogram_wait (struct ppi_histogram_shard *h, uint64_t *place)
{
	if (__builtin_expect (ppi_histogram_waits (h), 1))
		ppi_histogram_count (h, place);
	else
		__atomic_store_n (&h->shard.waiting, 1, __ATOMIC_RELEASE);
}

/* ppi_accumulate_int with the PLACE that it needs, of accumulators that need one. */
PPI_ACCUMULATE void ppi_accumulate_int_at (struct ppi_shard *shard, enum ppi_accumulator accumulator, int64_t x,
					   uint64_t ticks, uint64_t *place)
{
	uint64_t n = ppi_field_get (&shard->all.n);
	uint32_t seq = ppi_shard_open (shard);

	if (ppi_keeps_sum (accumulator))
		ppi_field_set_wide (shard->all.sum,
				    ppi_field_get_wide (shard->all.sum) + (unsigned __int128) (__int128) x);
	if (accumulator == PPI_STATS || accumulator == PPI_UNBOUNDED_SERIES)
		ppi_field_set_wide (shard->all.squares, ppi_squares_add (ppi_field_get_wide (shard->all.squares), x));
	if (ppi_keeps_range (accumulator)) {
		if (n == 0 || x < (int64_t) ppi_field_get (&shard->min))
			ppi_field_set (&shard->min, (uint64_t) x);
		if (n == 0 || x > (int64_t) ppi_field_get (&shard->max))
			ppi_field_set (&shard->max, (uint64_t) x);
	}
	if (accumulator == PPI_BOUNDED_SERIES)
		ppi_window_slide_int ((struct ppi_series_shard *) shard, x);
	if (accumulator == PPI_UNBOUNDED_SERIES)
		ppi_unbounded_append ((struct ppi_unbounded_shard *) shard, place, (uint64_t) x);
	if (accumulator != PPI_COUNT) {
		ppi_field_set (&shard->last, (uint64_t) x);
		ppi_field_set (&shard->last_ticks, ticks);
	}
	if (accumulator == PPI_HISTOGRAM)
		ppi_histogram_wait ((struct ppi_histogram_shard *) shard, place);
	if (accumulator == PPI_COUNT)
		ppi_count_one (shard);
	else
		ppi_field_set (&shard->all.n, n + 1);
	ppi_shard_close (shard, seq);
}

/*
 * Adds the sample X that ended at TICKS. ACCUMULATOR is a constant and the shard's own; a bounded_series' shard is
 * the head of a struct ppi_series_shard. The owner only; never on a shard that it is just writing (a signal handler
 * has another one).
 */
PPI_ACCUMULATE void ppi_accumulate_int (struct ppi_shard *shard, enum ppi_accumulator accumulator, int64_t x,
					uint64_t ticks)
{
	uint64_t *place = ppi_place_find_int (shard, accumulator);

	if (accumulator == PPI_HISTOGRAM && __builtin_expect (!place, 0) &&
	    ppi_histogram_waits ((struct ppi_histogram_shard *) shard))
		place = ppi_histogram_place_int ((struct ppi_histogram_shard *) shard,
						 (int64_t) ppi_field_get (&shard->last));
	if (accumulator == PPI_UNBOUNDED_SERIES && __builtin_expect (!place, 0))
		place = ppi_unbounded_place ((struct ppi_unbounded_shard *) shard);
	ppi_accumulate_int_at (shard, accumulator, x, ticks, place);
}

/* The same for an accumulator that is not known where it is compiled. */
PPI_ACCUMULATE void ppi_accumulate_int_any (struct ppi_shard *shard, enum ppi_accumulator accumulator, int64_t x,
					    uint64_t ticks)
{
	switch (accumulator) {
#define X(id, name)                                                                                                    \
	case PPI_##id:                                                                                                 \
		ppi_accumulate_int (shard, PPI_##id, x, ticks);                                                        \
		break;
		PPI_ACCUMULATORS (X)
#undef X
	case PPI_ACCUMULATOR_COUNT:
		break;
	}
}

/* A new shard of a series learns how long it may be. */
PPI_ACCUMULATE void ppi_shard_size_set (struct ppi_shard *shard, enum ppi_accumulator accumulator, uint64_t size)
{
	uint64_t *to = accumulator == PPI_BOUNDED_SERIES     ? &((struct ppi_series_shard *) shard)->size
		       : accumulator == PPI_UNBOUNDED_SERIES ? &((struct ppi_unbounded_shard *) shard)->max_size
							     : NULL;

	if (to)
		*to = *ppi_twin (to) = size;
}

PPI_ACCUMULATE void ppi_moments_clear (struct ppi_moments *moments)
{
	ppi_field_set (&moments->n, 0);
	ppi_field_set_wide (moments->sum, 0);
	ppi_field_set_wide (moments->squares, 0);
}

/*
 * Forgets a shard's samples and gives it the metric's EPOCH: what its owner does before the first sample after a
 * reset.
 */
PPI_ACCUMULATE void ppi_shard_restart (struct ppi_shard *shard, enum ppi_accumulator accumulator, uint32_t epoch)
{
	uint32_t seq = ppi_shard_open (shard);

	__atomic_store_n (&shard->epoch, epoch, __ATOMIC_RELEASE);
	__atomic_store_n (&shard->more_epoch, PPI_EPOCH_NONE, __ATOMIC_RELAXED);
	ppi_moments_clear (&shard->all);
	__atomic_store_n (&shard->waiting, 0, __ATOMIC_RELEASE);
	ppi_field_set (&shard->last, 0);
	ppi_field_set (&shard->last_ticks, 0);
	if (accumulator == PPI_BOUNDED_SERIES) {
		struct ppi_series_shard *series = (struct ppi_series_shard *) shard;

		ppi_field_set (&series->next, 0);
		ppi_moments_clear (&series->window);
		ppi_moments_clear (&series->fresh);
	}
	if (accumulator == PPI_HISTOGRAM)
		ppi_histogram_clear ((struct ppi_histogram_shard *) shard, epoch);
	if (accumulator == PPI_UNBOUNDED_SERIES)
		ppi_unbounded_clear ((struct ppi_unbounded_shard *) shard);
	ppi_shard_close (shard, seq);
}

#endif
