/* SPDX-License-Identifier: MIT */
/*
 * ring.h: a ring that many threads write and one at a time reads; nobody waits. Whose a slot is
 * says its turn: its index while it is free for that round's writer, index + 1 when it is written;
 * the reader adds the size for the next round. Sizes are powers of two. Inside markers.
 */
#ifndef PPI_RING_H
#define PPI_RING_H

#include "base/atomic.h"

#include <stdbool.h>
#include <stdint.h>

struct ppi_ring {
	uint32_t head, tail; /* atomic */
};

static inline void ppi_ring_init (struct ppi_ring *ring, uint32_t *turn, uint32_t size)
{
	ring->head = ring->tail = 0;
	for (uint32_t i = 0; i < size; i++)
		ppi_store (&turn[i], i);
}

/*
 * Slot *AT % SIZE is the caller's until ppi_ring_written. False: the ring is full, or too many
 * write just now.
 */
static inline bool ppi_ring_claim (struct ppi_ring *ring, const uint32_t *turn, uint32_t size,
				   uint32_t *at)
{
	*at = ppi_load (&ring->head);
	for (int tries = 0; tries < 8; tries++) {
		/* acquire: the reader has copied the former content out before it freed the slot */
		uint32_t now = __atomic_load_n (&turn[*at % size], __ATOMIC_ACQUIRE);

		if ((int32_t) (now - *at) < 0)
			return false; /* full */
		if (now != *at)
			*at = ppi_load (&ring->head);
		/*
		 * relaxed: the slot itself is handed over by its turn; the counter only shares
		 * slots out
		 */
		else if (__atomic_compare_exchange_n (&ring->head, at, *at + 1, false,
						      __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return true;
	}
	return false;
}

static inline void ppi_ring_written (uint32_t *turn, uint32_t size, uint32_t at)
{
	__atomic_store_n (&turn[at % size], at + 1, __ATOMIC_RELEASE);
}

/* The reader. Slot *AT % SIZE is written, and its own until ppi_ring_taken. */
static inline bool ppi_ring_next (const struct ppi_ring *ring, const uint32_t *turn, uint32_t size,
				  uint32_t *at)
{
	*at = ppi_load (&ring->tail);
	return __atomic_load_n (&turn[*at % size], __ATOMIC_ACQUIRE) == *at + 1;
}

static inline void ppi_ring_taken (struct ppi_ring *ring, uint32_t *turn, uint32_t size,
				   uint32_t at)
{
	ppi_store (&ring->tail, at + 1);
	__atomic_store_n (&turn[at % size], at + size, __ATOMIC_RELEASE);
}

#endif
