/* SPDX-License-Identifier: MIT */
/*
 * fold.h: puts what one shard keeps into another.
 */
#ifndef PPI_KEEP_FOLD_H
#define PPI_KEEP_FOLD_H

#include "base/atomic.h"
#include "base/types.h"
#include "libmetrics/keep/shard.h"

/*
 * Merges the shard FROM, whose owner has ended, into INTO: both of ACCUMULATOR and of one epoch.
 * With the lock.
 */
PPI_HIDDEN void ppi_shard_fold (struct ppi_shard *into, const struct ppi_shard *from,
				unsigned accumulator, enum pp_abi_sample_type type);

/* SHARD stands for so many executions of EPOCH more, beyond n × every. */
PPI_HIDDEN void ppi_shard_add_more (struct ppi_shard *shard, uint32_t epoch, double more);

#endif
