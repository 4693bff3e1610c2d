/* SPDX-License-Identifier: MIT */
/*
 * table.c: the table of accumulators, and what owners of shards do by it; see accumulator.h.
 * General registers only, no libc.
 */
#include "libmetrics/keep/table.h"

#include "base/twin.h"
#include "libmetrics/keep/accumulate_int.h"

const struct ppi_keep *ppi_keep_table[PPI_ACCUMULATORS_MAX] = {
#define X(id, name) [PPI_##id] = &ppi_keep_##id,
	PPI_ACCUMULATORS (X)
#undef X
};

void ppi_accumulate_int_registered (struct ppi_shard *shard, unsigned accumulator, int64_t x,
				    uint64_t ticks)
{
	ppi_accumulate_int_as (shard, ppi_keep_of (accumulator), x, ticks);
}

void ppi_shard_size_set (struct ppi_shard *shard, unsigned accumulator, uint64_t size)
{
	const struct ppi_keep *keep = ppi_keep_of (accumulator);
	uint64_t *to = (uint64_t *) (void *) ((char *) shard + keep->size.at);

	if (keep->size.option)
		*to = *ppi_twin (to) = size;
}

void ppi_shard_restart (struct ppi_shard *shard, unsigned accumulator, uint32_t epoch)
{
	const struct ppi_keep *keep = ppi_keep_of (accumulator);
	uint64_t *own = (uint64_t *) (void *) ((char *) shard + keep->own_at);
	uint32_t seq = ppi_shard_open (shard);

	__atomic_store_n (&shard->epoch, epoch, __ATOMIC_RELEASE);
	__atomic_store_n (&shard->more_epoch, PPI_EPOCH_NONE, __ATOMIC_RELAXED);
	ppi_moments_clear (&shard->all);
	__atomic_store_n (&shard->waiting, 0, __ATOMIC_RELEASE);
	ppi_field_set (&shard->last, 0);
	ppi_field_set (&shard->last_ticks, 0);
	for (uint32_t i = 0; i < keep->own_words; i++)
		ppi_field_set (&own[i], 0);
	if (keep->clear)
		keep->clear (shard, epoch);
	ppi_shard_close (shard, seq);
}
