/* SPDX-License-Identifier: MIT */
/* unbounded.c: chunks of unbounded series, made at markers in their slow path. General registers only, no libc. */
#include "unbounded.h"

#include "accumulate_int.h"
#include "region.h"

#define FIRST_ROOM 64
#define LARGEST_ROOM 8192
#define ASK_AGAIN 1024 /* in a full region asking may be a system call */

uint32_t ppi_unbounded_full;

static struct ppi_samples_chunk *chunk_of (const struct ppi_unbounded_shard *u, int64_t place)
{
	return (struct ppi_samples_chunk *) ((char *) (uintptr_t) u + place -
					     offsetof (struct ppi_samples_chunk, sample));
}

static int64_t chunk_new (struct ppi_unbounded_shard *u)
{
	uint64_t room = u->current ? 2 * u->room : FIRST_ROOM, left = u->max_size - u->kept;
	struct ppi_samples_chunk *chunk;

	if (room > LARGEST_ROOM)
		room = LARGEST_ROOM;
	if (room > left)
		room = left;
	if (!room || u->lost % ASK_AGAIN)
		return 0;
	chunk = ppi_region_alloc_fast (sizeof (*chunk) + room * sizeof (chunk->sample[0]));
	if (!chunk)
		return 0;
	chunk->room = room;
	ppi_region_publish (&chunk->chunk, PPI_CHUNK_SAMPLES, u->shard.chunk.id);
	return (char *) chunk->sample - (char *) u;
}

/* The place behind the current chunk's; after a reset it may be there already. */
static int64_t *link_of (struct ppi_unbounded_shard *u)
{
	return u->current ? &chunk_of (u, u->current)->next : &u->first;
}

uint64_t *ppi_unbounded_place (struct ppi_unbounded_shard *u)
{
	int64_t *link;

	if (u->fill < u->room)
		return ppi_unbounded_find (u);
	link = link_of (u);
	if (!*link)
		__atomic_store_n (link, chunk_new (u), __ATOMIC_RELEASE);
	if (!*link) {
		__atomic_store_n (&ppi_unbounded_full, 1, __ATOMIC_RELAXED);
		return NULL;
	}
	u->current = *link;
	u->room = chunk_of (u, u->current)->room;
	ppi_field_set (&u->fill, 0);
	return ppi_unbounded_find (u);
}

void ppi_unbounded_clear (struct ppi_unbounded_shard *u)
{
	ppi_field_set (&u->lost, 0);
	ppi_field_set (&u->kept, 0);
	ppi_field_set (&u->fill, 0);
	u->current = u->first;
	u->room = u->first ? chunk_of (u, u->first)->room : 0;
}

const uint64_t *ppi_unbounded_next (const struct ppi_unbounded_shard *u, const uint64_t *at, uint64_t *n)
{
	int64_t place = u->first;

	if (at && (const char *) at - (const char *) u == u->current)
		return NULL;
	if (at)
		place = chunk_of (u, (const char *) at - (const char *) u)->next;
	if (!place || !u->kept)
		return NULL;
	*n = place == u->current ? u->fill : chunk_of (u, place)->room;
	return *n ? chunk_of (u, place)->sample : NULL;
}
