/* SPDX-License-Identifier: MIT */
/*
 * keyed.h: what a thread state finds by two words: a table of open addressing, which only grows.
 * The state's own: nobody else reads it, a handler has another one. At markers: general registers
 * only, no libc.
 */
#ifndef PPI_THREAD_KEYED_H
#define PPI_THREAD_KEYED_H

#include "base/atomic.h"

#include <stdbool.h>
#include <stdint.h>

struct ppi_keyed_slot {
	uint64_t key[2]; /* the first is 0: nothing is here */
	void *is;
};

/* In memory of the process's own, zeroed at first. What is outgrown is not given back. */
struct ppi_keyed {
	uint32_t used;
	uint32_t slots; /* a power of two */
	struct ppi_keyed_slot *slot;
};

/* The slot of the key, or the one that is free for it. There is one: at most half are used. */
static inline __attribute__ ((always_inline)) struct ppi_keyed_slot *ppi_keyed_slot (
	const struct ppi_keyed *table, uint64_t first, uint64_t second)
{
	uint64_t sum =
		(first ^ second * UINT64_C (0xd6e8feb86659fd93)) * UINT64_C (0x9e3779b97f4a7c15);
	uint32_t at = (uint32_t) (sum >> 32) & (table->slots - 1);

	while (table->slot[at].key[0] &&
	       (table->slot[at].key[0] != first || table->slot[at].key[1] != second))
		at = (at + 1) & (table->slots - 1);
	return &table->slot[at];
}

/* There is room for one more. False: no memory. Slots that were found lie elsewhere then. */
PPI_HIDDEN bool ppi_keyed_grow (struct ppi_keyed *table);
/* IS has that key, which had none; there is room. FIRST is not 0. */
PPI_HIDDEN void ppi_keyed_put (struct ppi_keyed *table, uint64_t first, uint64_t second, void *is);

#endif
