/* SPDX-License-Identifier: MIT */
/*
 * stream_fast.c: what writers of streams do; see stream.h. At markers and in signal handlers:
 * general registers only, no libc.
 */
#include "base/atomic.h"
#include "base/wake.h"
#include "libmetrics/region/drops.h"
#include "libmetrics/region/region.h"
#include "libmetrics/region/stream.h"

struct ppi_stream_slot ppi_stream_slots[PPI_STREAM_CHUNKS_MAX];
uint64_t ppi_stream_empty[PPI_STREAM_CHUNKS_MAX / 64];
uint32_t ppi_streams_n_full, ppi_streams_begun, ppi_streams_children;

uint32_t ppi_streams_full (void)
{
	return ppi_load (&ppi_streams_n_full);
}

/* 1 + the place of a chunk that is this writer's now; 0: all are in use. */
static uint32_t take_empty (void)
{
	for (uint32_t i = 0; i < PPI_STREAM_CHUNKS_MAX / 64; i++) {
		uint64_t empty = ppi_load (&ppi_stream_empty[i]);

		while (empty)
			/* acquire: who emptied it has read what was in it */
			if (__atomic_compare_exchange_n (&ppi_stream_empty[i], &empty,
							 empty & (empty - 1), true,
							 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
				return i * 64 + (uint32_t) __builtin_ctzll (empty) + 1;
	}
	return 0;
}

/* Of this process? A child's streams point to its parent's pool until they are used. */
static struct ppi_stream_slot *slot_of (struct ppi_stream *stream)
{
	uint32_t children = ppi_load (&ppi_streams_children);

	if (stream->children != children) {
		stream->children = children;
		stream->slot = 0;
	}
	return stream->slot ? &ppi_stream_slots[stream->slot - 1] : NULL;
}

static void hand_over (struct ppi_stream *stream, struct ppi_stream_slot *slot)
{
	stream->slot = 0;
	/* before the state: who takes it subtracts what is there already */
	__atomic_fetch_add (&ppi_streams_n_full, 1, __ATOMIC_RELAXED);
	/* release: who sees that it is full sees all of it; and before the look at who sleeps */
	__atomic_store_n (&slot->state, PPI_STREAM_FULL, __ATOMIC_SEQ_CST);
	ppi_wake_if_asleep ();
}

static struct ppi_stream_slot *begin_chunk (struct ppi_stream *stream)
{
	struct ppi_stream_slot *slot;
	struct ppi_stream_chunk *chunk;

	stream->slot = take_empty ();
	if (!stream->slot)
		return NULL;
	slot = &ppi_stream_slots[stream->slot - 1];
	chunk = slot->chunk;
	slot->kind = stream->kind;
	slot->thread = stream->thread;
	/* release: who sees this number sees that the stream's chunk before is full */
	slot->number = __atomic_add_fetch (&ppi_streams_begun, 1, __ATOMIC_RELEASE);
	slot->taken = 0;
	ppi_store (&slot->used, 0);
	ppi_store (&slot->first_ticks, 0);
	ppi_store (&slot->last_ticks, 0);
	stream->used = 0;
	ppi_store (&chunk->kind, stream->kind);
	ppi_store (&chunk->thread, stream->thread);
	ppi_store (&chunk->used, 0);
	ppi_store (&chunk->taken, 0);
	ppi_store (&chunk->first_ticks, 0);
	ppi_store (&chunk->last_ticks, 0);
	ppi_region_publish (&chunk->chunk, PPI_CHUNK_STREAM, slot->number);
	__atomic_store_n (&slot->state, PPI_STREAM_FILLS, __ATOMIC_RELEASE);
	return slot;
}

static uint32_t round_up (const struct ppi_stream *stream, uint32_t bytes)
{
	uint32_t grain = ppi_stream_grain (stream->kind);

	return (bytes + grain - 1) & ~(grain - 1);
}

void *ppi_stream_try (struct ppi_stream *stream, uint32_t bytes)
{
	struct ppi_stream_slot *slot = NULL;

	bytes = bytes <= PPI_STREAM_ROOM ? round_up (stream, bytes) : 0;
	if (bytes && !ppi_load (&stream->begun)) {
		/* a handler that comes from here on leaves the stream alone */
		ppi_store (&stream->begun, bytes);
		ppi_compiler_barrier ();
		slot = slot_of (stream);
		if (slot && bytes > PPI_STREAM_ROOM - stream->used) {
			hand_over (stream, slot);
			slot = NULL;
		}
		if (!slot)
			slot = begin_chunk (stream);
		if (!slot)
			ppi_store (&stream->begun, 0);
	}
	return slot ? (char *) slot->chunk->data + stream->used : NULL;
}

void *ppi_stream_begin (struct ppi_stream *stream, uint32_t bytes)
{
	void *room = ppi_stream_try (stream, bytes);

	if (!room)
		ppi_drop_nowhere (PP_DROP_STREAM, 1);
	return room;
}

void ppi_stream_end (struct ppi_stream *stream, uint32_t bytes, uint64_t ticks)
{
	struct ppi_stream_slot *slot = slot_of (stream);

	bytes = round_up (stream, bytes);
	/* a process that forked amid an entry */
	if (slot && bytes <= stream->begun) {
		stream->used += bytes;
		if (ticks > slot->last_ticks)
			ppi_store (&slot->last_ticks, ticks);
		/* never less than the first, whenever a reader looks or the process dies */
		__atomic_store_n (&slot->chunk->last_ticks, slot->last_ticks, __ATOMIC_RELEASE);
		if (!slot->first_ticks) {
			ppi_store (&slot->first_ticks, ticks);
			__atomic_store_n (&slot->chunk->first_ticks, ticks, __ATOMIC_RELEASE);
		}
		/*
		 * release: who sees that the entry is whole sees it, whether in this process or in
		 * another
		 */
		__atomic_store_n (&slot->chunk->used, stream->used, __ATOMIC_RELEASE);
		__atomic_store_n (&slot->used, stream->used, __ATOMIC_RELEASE);
	}
	ppi_compiler_barrier ();
	ppi_store (&stream->begun, 0);
}

void ppi_stream_finish (struct ppi_stream *stream)
{
	struct ppi_stream_slot *slot = slot_of (stream);

	if (slot && !stream->begun)
		hand_over (stream, slot);
}
