/* SPDX-License-Identifier: MIT */
/* stream.c: the pool of streams' chunks, and who empties them; see stream.h. */
#include "libmetrics/region/stream.h"

#include "base/chunk.h"
#include "base/lock.h"
#include "libmetrics/region/region.h"

#include <stdlib.h>
#include <string.h>

static unsigned n_slots; /* with the lock; atomic, for who takes has none */
static unsigned parents; /* how many the parent had */

static void put_empty (unsigned slot)
{
	__atomic_fetch_or (&ppi_stream_empty[slot / 64], UINT64_C (1) << slot % 64,
			   __ATOMIC_RELEASE);
}

int ppi_streams_prepare (unsigned chunks)
{
	int e = PP_OK;

	if (chunks > PPI_STREAM_CHUNKS_MAX)
		chunks = PPI_STREAM_CHUNKS_MAX;
	ppi_lock ();
	while (n_slots < chunks) {
		struct ppi_stream_chunk *chunk = ppi_region_try_alloc (PPI_STREAM_BYTES);

		if (!chunk) {
			e = PP_ENOMEM;
			break;
		}
		/* readers step over it */
		__atomic_store_n (&chunk->chunk.type, PPI_CHUNK_FREE, __ATOMIC_RELEASE);
		ppi_stream_slots[n_slots] = (struct ppi_stream_slot){.chunk = chunk};
		put_empty (n_slots);
		__atomic_store_n (&n_slots, n_slots + 1, __ATOMIC_RELEASE);
	}
	ppi_unlock ();
	return e;
}

/* In the order in which they were begun, also where the numbers have come round. */
static void empty (struct ppi_stream_slot *slot)
{
	/*
	 * from here on it is no stream's for readers; what they copied of it they leave out
	 * (recording/read.c)
	 */
	__atomic_store_n (&slot->chunk->chunk.type, PPI_CHUNK_FREE, __ATOMIC_RELAXED);
	__atomic_thread_fence (__ATOMIC_SEQ_CST);
	__atomic_store_n (&slot->state, PPI_STREAM_EMPTY, __ATOMIC_RELAXED);
	__atomic_fetch_sub (&ppi_streams_n_full, 1, __ATOMIC_RELAXED);
	put_empty ((unsigned) (slot - ppi_stream_slots));
}

/* A slot with what there was in it when it was looked at. */
struct wanted {
	struct ppi_stream_slot *slot;
	bool full;
	uint32_t used;
};

static int by_number (const void *a, const void *b)
{
	const struct wanted *x = a, *y = b;
	int32_t distance = (int32_t) (x->slot->number - y->slot->number);

	return (distance > 0) - (distance < 0);
}

/* What is new of WANTED; false: FN did not want it. */
static bool take (const struct wanted *wanted,
		  bool (*fn) (const struct ppi_stream_part *part, void *arg), void *arg,
		  uint64_t *bytes)
{
	struct ppi_stream_slot *slot = wanted->slot;
	uint32_t used = wanted->used;
	struct ppi_stream_part part = {.kind = slot->kind,
				       .thread = slot->thread,
				       .chunk = slot->number,
				       .offset = slot->taken,
				       .bytes = used - slot->taken,
				       .is_last = wanted->full,
				       .first_ticks = ppi_load (&slot->first_ticks),
				       .last_ticks = ppi_load (&slot->last_ticks),
				       .data = (const char *) slot->chunk->data + slot->taken};

	if (part.bytes) {
		if (!fn (&part, arg))
			return false;
		slot->taken = used;
		__atomic_store_n (&slot->chunk->taken, used, __ATOMIC_RELEASE);
		*bytes += part.bytes;
	}
	if (wanted->full)
		empty (slot);
	return true;
}

bool ppi_streams_hurry (bool hurries)
{
	uint32_t full = ppi_streams_full (), slots = __atomic_load_n (&n_slots, __ATOMIC_ACQUIRE);

	return full && full * (hurries ? 4 : 2) >= slots;
}

uint64_t ppi_streams_take (bool partly, bool (*fn) (const struct ppi_stream_part *part, void *arg),
			   void *arg)
{
	static struct wanted wanted[PPI_STREAM_CHUNKS_MAX]; /* one thread at a time */
	unsigned n = 0, slots = __atomic_load_n (&n_slots, __ATOMIC_ACQUIRE);
	/*
	 * What is begun while this looks is for the next time: its stream may have filled a chunk
	 * before it in a slot that was looked at when it was empty.
	 */
	uint32_t begun = __atomic_load_n (&ppi_streams_begun, __ATOMIC_ACQUIRE);
	uint64_t bytes = 0;

	for (unsigned i = 0; i < slots; i++) {
		struct ppi_stream_slot *slot = &ppi_stream_slots[i];
		uint32_t state = __atomic_load_n (&slot->state, __ATOMIC_ACQUIRE);

		if ((state == PPI_STREAM_FULL || (partly && state == PPI_STREAM_FILLS)) &&
		    (int32_t) (slot->number - begun) <= 0)
			/* the state before how far: once it is full nothing comes */
			wanted[n++] =
				(struct wanted){slot, state == PPI_STREAM_FULL,
						__atomic_load_n (&slot->used, __ATOMIC_ACQUIRE)};
	}
	qsort (wanted, n, sizeof wanted[0], by_number);
	for (unsigned i = 0; i < n; i++)
		if (!take (&wanted[i], fn, arg, &bytes))
			break;
	return bytes;
}

uint64_t ppi_streams_activity (void)
{
	unsigned slots = __atomic_load_n (&n_slots, __ATOMIC_ACQUIRE);
	uint64_t sum = (uint64_t) ppi_load (&ppi_streams_begun) * PPI_STREAM_BYTES;

	for (unsigned i = 0; i < slots; i++)
		sum += ppi_load (&ppi_stream_slots[i].used);
	return sum;
}

void ppi_streams_forget (void)
{
	parents = n_slots;
	n_slots = 0;
	memset (ppi_stream_empty, 0, sizeof ppi_stream_empty);
	memset (ppi_stream_slots, 0, sizeof ppi_stream_slots);
	ppi_streams_n_full = ppi_streams_begun = 0;
	__atomic_fetch_add (&ppi_streams_children, 1, __ATOMIC_RELAXED);
}

void ppi_streams_renew (void)
{
	if (parents)
		(void) ppi_streams_prepare (parents);
	parents = 0;
}
