/* SPDX-License-Identifier: MIT */
/* span_table.c: see span_table.h. */
#include "libmetrics/calls/span_table.h"

#include "libmetrics/region/region.h"
#include "libmetrics/thread/thread.h"

static uint32_t per_chunk (const struct ppi_span_table *t)
{
	return PPI_SPAN_CHUNK_BYTES / (t->slots * PPI_FRAME_SLOT);
}

struct ppi_frame *ppi_span_entry (struct ppi_span_table *t, uint32_t index)
{
	uint32_t n = per_chunk (t);
	char *c;

	if (index >= __atomic_load_n (&t->used, __ATOMIC_ACQUIRE))
		return NULL;
	c = __atomic_load_n (&t->chunks[index / n], __ATOMIC_ACQUIRE);
	return (struct ppi_frame *) (void *) c + (index % n + 1) * t->slots - 1;
}

static bool ensure_chunk (struct ppi_span_table *t, uint32_t at)
{
	char *none = NULL, *c;

	if (at >= PPI_SPAN_CHUNKS)
		return false;
	if (__atomic_load_n (&t->chunks[at], __ATOMIC_ACQUIRE))
		return true;
	c = ppi_own_alloc_fast (PPI_SPAN_CHUNK_BYTES);
	if (!c)
		return __atomic_load_n (&t->chunks[at], __ATOMIC_ACQUIRE) != NULL;
	/*
	 * release: whoever finds the chunk finds zeros in it: state FREE, generation 0. Where
	 * another thread was first, which happens once in a thousand spans at most, C stays unused.
	 */
	__atomic_compare_exchange_n (&t->chunks[at], &none, c, false, __ATOMIC_RELEASE,
				     __ATOMIC_ACQUIRE);
	return true;
}

/* One that nobody has used: the next. */
static struct ppi_frame *take_fresh (struct ppi_span_table *t, uint32_t *index)
{
	uint32_t used = __atomic_load_n (&t->used, __ATOMIC_ACQUIRE);

	do
		if (!ensure_chunk (t, used / per_chunk (t)))
			return NULL;
	while (!__atomic_compare_exchange_n (&t->used, &used, used + 1, false, __ATOMIC_ACQ_REL,
					     __ATOMIC_ACQUIRE));
	*index = used;
	return ppi_span_entry (t, used);
}

/*
 * Acquire and release of the list's head: who takes an entry sees what its last user left. The link
 * of an entry that another thread takes at the same time may be anything: the count in the head has
 * changed then.
 */
struct ppi_frame *ppi_span_take (struct ppi_span_table *t, uint32_t *index)
{
	uint64_t head = __atomic_load_n (&t->free_list, __ATOMIC_ACQUIRE), next;
	struct ppi_frame *e;

	do {
		if (!(uint32_t) head)
			return take_fresh (t, index);
		*index = (uint32_t) head - 1;
		e = ppi_span_entry (t, *index);
		next = (head >> 32) + 1;
		next = next << 32 | (uint32_t) (uintptr_t) ppi_load (&e->prev);
	} while (!__atomic_compare_exchange_n (&t->free_list, &head, next, false, __ATOMIC_ACQ_REL,
					       __ATOMIC_ACQUIRE));
	return e;
}

void ppi_span_give_back (struct ppi_span_table *t, struct ppi_frame *e, uint32_t index,
			 uint64_t generation)
{
	uint64_t head = __atomic_load_n (&t->free_list, __ATOMIC_RELAXED);

	__atomic_store_n (&e->sp, ((generation + 1) % PPI_SPAN_GENERATIONS) << 2 | PPI_SPAN_FREE,
			  __ATOMIC_RELEASE);
	do
		ppi_store (&e->prev, (struct ppi_frame *) (uintptr_t) (uint32_t) head);
	while (!__atomic_compare_exchange_n (&t->free_list, &head,
					     ((head >> 32) + 1) << 32 | (index + 1), false,
					     __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
}

void ppi_span_table_forget (struct ppi_span_table *t)
{
	t->free_list = 0;
	t->used = 0;
	for (unsigned i = 0; i < PPI_SPAN_CHUNKS; i++)
		t->chunks[i] = NULL;
}
