/* SPDX-License-Identifier: MIT */
/*
 * pool.h: where shards that grow (histograms, unbounded series) get memory at markers. The live
 * region sets it; readers of recordings have none, and grow nothing.
 */
#ifndef PPI_KEEP_POOL_H
#define PPI_KEEP_POOL_H

#include "base/atomic.h"
#include "base/chunk.h"

#include <stddef.h>
#include <stdint.h>

struct ppi_chunk_pool {
	void *(*alloc) (size_t bytes); /* zeroed; NULL: no room, counted */
	void (*publish) (struct ppi_chunk *chunk, enum ppi_chunk_type type, uint32_t id);
};

/* NULL: there is none. Set before there are shards. */
extern const struct ppi_chunk_pool *ppi_chunk_pool PPI_HIDDEN;

#endif
