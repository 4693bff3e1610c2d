/* SPDX-License-Identifier: MIT */
/* flight.c: see flight.h. General registers only, no libc. */
#include "libmetrics/thread/flight.h"

#include "base/chunk.h"
#include "base/ticks.h"
#include "libmetrics/region/region.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/tables/site.h"

uint32_t ppi_flight_entries = PPI_FLIGHT_USUAL;

/* of threads for which the live region has no room: all of them write here, and nobody reads it */
static struct ppi_flight_entry nowhere;

struct ppi_flight_chunk *ppi_flight_chunk_of (const struct ppi_thread *t)
{
	/* acquire: its size is known where it is */
	struct ppi_flight_entry *first = __atomic_load_n (&t->flight, __ATOMIC_ACQUIRE);

	if (!first || first == &nowhere)
		return NULL;
	return (struct ppi_flight_chunk *) (void *) ((char *) first -
						     offsetof (struct ppi_flight_chunk, entry));
}

void ppi_flight_make (struct ppi_thread *t)
{
	uint32_t n = ppi_load (&ppi_flight_entries);
	struct ppi_flight_chunk *c =
		ppi_region_alloc_fast (sizeof *c + n * sizeof (struct ppi_flight_entry));

	if (!c) {
		ppi_drop (t, PP_DROP_POOL, 1);
		t->flight_mask = 0;
		__atomic_store_n (&t->flight, &nowhere, __ATOMIC_RELEASE);
		return;
	}
	c->entries = n;
	ppi_store (&c->first, (uint32_t) (t->flight_next >> 32));
	ppi_store (&c->flags, (t->owner ? (uint32_t) PPI_FLIGHT_HANDLER : 0u) |
				      (t->segments ? (uint32_t) PPI_FLIGHT_STACKS : 0u));
	ppi_region_publish (&c->chunk, PPI_CHUNK_FLIGHT, t->id);
	ppi_store (&t->flight_mask, (n - 1) * (uint32_t) sizeof (struct ppi_flight_entry));
	__atomic_store_n (&t->flight, c->entry, __ATOMIC_RELEASE);
}

void ppi_flight_attach (struct ppi_thread *t)
{
	struct ppi_flight_chunk *c = ppi_flight_chunk_of (t);

	if (!c) {
		/* there may be room by now */
		__atomic_store_n (&t->flight, NULL, __ATOMIC_RELEASE);
		return;
	}
	ppi_store (&c->first, (uint32_t) (t->flight_next >> 32));
	ppi_store (&c->flags, t->owner ? (uint32_t) PPI_FLIGHT_HANDLER : 0u);
	__atomic_store_n (&c->chunk.id, t->id, __ATOMIC_RELEASE);
}

void ppi_flight_note_stacks (struct ppi_thread *t)
{
	struct ppi_flight_chunk *c = t->flight ? ppi_flight_chunk_of (t) : NULL;

	if (c)
		ppi_store (&c->flags, (t->owner ? (uint32_t) PPI_FLIGHT_HANDLER : 0u) |
					      (uint32_t) PPI_FLIGHT_STACKS);
}

void ppi_flight_drop (struct ppi_thread *t, const struct ppi_frame *f)
{
	const struct ppi_plan *plan = f->plan;

	if (plan && plan->flies)
		ppi_flight_put (t, PPI_FLIGHT_WHAT (PPI_FLIGHT_END, 1, plan->site->id),
				ppi_ticks ());
}
