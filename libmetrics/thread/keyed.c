/* SPDX-License-Identifier: MIT */
/* keyed.c: see keyed.h. General registers only, no libc. */
#include "libmetrics/thread/keyed.h"

#include "libmetrics/region/region.h"

#define FIRST_SLOTS 64u

bool ppi_keyed_grow (struct ppi_keyed *table)
{
	struct ppi_keyed wide = *table;

	if (2 * (table->used + 1) <= table->slots)
		return true;
	wide.slots = table->slots ? 2 * table->slots : FIRST_SLOTS;
	wide.slot = ppi_own_alloc_fast (wide.slots * sizeof wide.slot[0]);
	if (!wide.slot)
		return false;
	for (uint32_t i = 0; i < table->slots; i++) {
		const struct ppi_keyed_slot *s = &table->slot[i];

		if (s->key[0])
			*ppi_keyed_slot (&wide, s->key[0], s->key[1]) = *s;
	}
	*table = wide;
	return true;
}

void ppi_keyed_put (struct ppi_keyed *table, uint64_t first, uint64_t second, void *is)
{
	*ppi_keyed_slot (table, first, second) = (struct ppi_keyed_slot){{first, second}, is};
	table->used++;
}
