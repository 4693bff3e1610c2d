/* SPDX-License-Identifier: MIT */
/*
 * accumulate_int.h: how the owner of a shard adds an integer sample to it.
 *
 * Included by the hot path, which is compiled for general registers only: no floating point here.
 * Every function is inlined with a constant accumulator, so that each hot routine keeps only the
 * stores that its accumulator needs. In which order, and how readers see it: field.h.
 */
#ifndef PPI_KEEP_ACCUMULATE_INT_H
#define PPI_KEEP_ACCUMULATE_INT_H

#include "base/types.h"
#include "libmetrics/keep/accumulator.h"
#include "libmetrics/keep/field.h"
#include "libmetrics/keep/shard.h"
#include "libmetrics/keep/table.h"

/* readers of recordings share this file, but nothing of a CPU, and accumulate nothing */
#if __has_include("pp_arch.h")
#include "pp_arch.h"
#endif

/*
 * Does the constant ACCUMULATOR keep one of KEPT; and does a sample of it need a place that may
 * have to be made first?
 */
PPI_ACCUMULATE bool ppi_keeps_constant (enum ppi_accumulator accumulator, unsigned kept)
{
	return (ppi_keep_constant (accumulator)->keeps & kept) != 0;
}

PPI_ACCUMULATE bool ppi_needs_place (enum ppi_accumulator accumulator)
{
	return ppi_keep_constant (accumulator)->find != NULL;
}

/* The place that the next sample needs, if it is there already. */
PPI_ACCUMULATE uint64_t *ppi_place_find_int (struct ppi_shard *shard,
					     enum ppi_accumulator accumulator)
{
	return ppi_needs_place (accumulator) ? ppi_keep_constant (accumulator)->find (shard) : NULL;
}

/*
 * One sample more of a count. Where blocks count without opening the shard (light.h), which its one
 * word doesn't need, a handler may do so at any time: in one instruction then.
 */
PPI_ACCUMULATE void ppi_count_one (struct ppi_shard *shard)
{
#if defined PP_ARCH_HAS_BLOCKS && PP_ARCH_HAS_BLOCKS
	pp_arch_increment (&shard->all.n);
#else
	ppi_field_set (&shard->all.n, ppi_field_get (&shard->all.n) + 1);
#endif
}

/* ppi_accumulate_int with the PLACE that it needs, of accumulators that need one, as KEEP says. */
PPI_ACCUMULATE void ppi_accumulate_int_to (struct ppi_shard *shard, const struct ppi_keep *keep,
					   int64_t x, uint64_t ticks, uint64_t *place)
{
	uint64_t n = ppi_field_get (&shard->all.n);
	uint32_t seq = ppi_shard_open (shard);

	if (keep->keeps & PPI_KEEPS_SUM)
		ppi_field_set_wide (shard->all.sum, ppi_field_get_wide (shard->all.sum) +
							    (unsigned __int128) (__int128) x);
	if (keep->keeps & PPI_KEEPS_SQUARES)
		ppi_field_set_wide (shard->all.squares,
				    ppi_squares_add (ppi_field_get_wide (shard->all.squares), x));
	if (keep->keeps & PPI_KEEPS_RANGE) {
		if (n == 0 || x < (int64_t) ppi_field_get (&shard->min))
			ppi_field_set (&shard->min, (uint64_t) x);
		if (n == 0 || x > (int64_t) ppi_field_get (&shard->max))
			ppi_field_set (&shard->max, (uint64_t) x);
	}
	if (keep->keeps & PPI_KEEPS_LAST) {
		ppi_field_set (&shard->last, (uint64_t) x);
		ppi_field_set (&shard->last_ticks, ticks);
	}
	if (keep->add_int)
		keep->add_int (shard, x, place);
	if (keep->keeps)
		ppi_field_set (&shard->all.n, n + 1);
	else
		ppi_count_one (shard);
	ppi_shard_close (shard, seq);
}

PPI_ACCUMULATE void ppi_accumulate_int_at (struct ppi_shard *shard,
					   enum ppi_accumulator accumulator, int64_t x,
					   uint64_t ticks, uint64_t *place)
{
	ppi_accumulate_int_to (shard, ppi_keep_constant (accumulator), x, ticks, place);
}

PPI_ACCUMULATE void ppi_accumulate_int_as (struct ppi_shard *shard, const struct ppi_keep *keep,
					   int64_t x, uint64_t ticks)
{
	uint64_t *place = keep->find ? keep->find (shard) : NULL;

	if (keep->make && __builtin_expect (!place, 0))
		place = keep->make (shard);
	ppi_accumulate_int_to (shard, keep, x, ticks, place);
}

/*
 * Adds the sample X that ended at TICKS. ACCUMULATOR is a constant and the shard's own; a
 * bounded_series' shard is the head of a struct ppi_series_shard. The owner only; never on a shard
 * that it is just writing (a signal handler has another one).
 */
PPI_ACCUMULATE void ppi_accumulate_int (struct ppi_shard *shard, enum ppi_accumulator accumulator,
					int64_t x, uint64_t ticks)
{
	ppi_accumulate_int_as (shard, ppi_keep_constant (accumulator), x, ticks);
}

/* The same for an accumulator that is not known where it is compiled. */
PPI_ACCUMULATE void ppi_accumulate_int_any (struct ppi_shard *shard, unsigned accumulator,
					    int64_t x, uint64_t ticks)
{
	switch (accumulator) {
#define X(id, name)                                                                                \
	case PPI_##id:                                                                             \
		ppi_accumulate_int (shard, PPI_##id, x, ticks);                                    \
		break;
		PPI_ACCUMULATORS (X)
#undef X
	default:
		ppi_accumulate_int_registered (shard, accumulator, x, ticks);
	}
}

#endif
