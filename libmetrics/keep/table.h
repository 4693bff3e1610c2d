/* SPDX-License-Identifier: MIT */
/*
 * table.h: the descriptors of all accumulators that there are (PP_ABI_ACCUMULATORS), for what is
 * inlined with a constant one.
 */
#ifndef PPI_KEEP_TABLE_H
#define PPI_KEEP_TABLE_H

#include "libmetrics/keep/accumulator.h"
#include "libmetrics/keep/bounded_series.h"
#include "libmetrics/keep/count.h"
#include "libmetrics/keep/field.h"
#include "libmetrics/keep/histogram.h"
#include "libmetrics/keep/scalar.h"
#include "libmetrics/keep/stats.h"
#include "libmetrics/keep/sumcount.h"
#include "libmetrics/keep/unbounded.h"

/* ppi_keep_of a constant: a constant, which nothing is left of */
PPI_ACCUMULATE const struct ppi_keep *ppi_keep_constant (enum ppi_accumulator accumulator)
{
	switch (accumulator) {
#define X(id, name)                                                                                \
	case PPI_##id:                                                                             \
		return &ppi_keep_##id;
		PPI_ACCUMULATORS (X)
#undef X
	default:
		return NULL;
	}
}

/* ---- table.c: general registers only --------------------------------------------------------- */

/* ppi_accumulate_int of one that was registered */
PPI_HIDDEN void ppi_accumulate_int_registered (struct ppi_shard *shard, unsigned accumulator,
					       int64_t x, uint64_t ticks);

/* A new shard of a series learns how long it may be. */
PPI_HIDDEN void ppi_shard_size_set (struct ppi_shard *shard, unsigned accumulator, uint64_t size);

/*
 * Forgets a shard's samples and gives it the metric's EPOCH: what its owner does before the first
 * sample after a reset.
 */
PPI_HIDDEN void ppi_shard_restart (struct ppi_shard *shard, unsigned accumulator, uint32_t epoch);

#endif
