/* SPDX-License-Identifier: MIT */
/*
 * unbounded.c: chunks of unbounded series, made at markers in their slow path. General registers
 * only, no libc.
 */
#include "libmetrics/keep/unbounded.h"

#include "base/chunk.h"
#include "base/twin.h"
#include "libmetrics/keep/field.h"
#include "libmetrics/keep/pool.h"
#include "libmetrics/keep/shard.h"

#define FIRST_ROOM 64
#define ASK_AGAIN 1024 /* in a full region asking may be a system call */

uint32_t ppi_unbounded_full;
ppi_unbounded_leave_fn *ppi_unbounded_leave;

static struct ppi_samples_chunk *chunk_of (const struct ppi_unbounded_shard *u, int64_t place)
{
	return (struct ppi_samples_chunk *) ((char *) (uintptr_t) u + place -
					     offsetof (struct ppi_samples_chunk, sample));
}

static int64_t chunk_new (struct ppi_unbounded_shard *u)
{
	const struct ppi_unbounded_shard *own = ppi_twin (u);
	uint64_t room = own->current ? 2 * own->room : FIRST_ROOM, left = own->max_size - own->kept;
	struct ppi_samples_chunk *chunk;

	if (room > PPI_UNBOUNDED_CHUNK)
		room = PPI_UNBOUNDED_CHUNK;
	if (room > left)
		room = left;
	if (!room || u->lost % ASK_AGAIN)
		return 0;
	chunk = ppi_chunk_pool
			? ppi_chunk_pool->alloc (sizeof (*chunk) + room * sizeof (chunk->sample[0]))
			: NULL;
	if (!chunk)
		return 0;
	chunk->room = *ppi_twin (&chunk->room) = room;
	ppi_chunk_pool->publish (&chunk->chunk, PPI_CHUNK_SAMPLES, u->shard.chunk.id);
	return (char *) chunk->sample - (char *) u;
}

/* The place behind the current chunk's; after a reset it may be there already. */
static int64_t *link_of (struct ppi_unbounded_shard *u)
{
	int64_t current = ppi_twin (u)->current;

	return current ? &chunk_of (u, current)->next : &u->first;
}

static int64_t own_place (const int64_t *link)
{
	return *ppi_twin (link);
}

static uint64_t own_room (const struct ppi_samples_chunk *chunk)
{
	return ppi_twin (chunk)->room;
}

/* release: who finds the chunk finds how long it is */
static void link_to (int64_t *link, int64_t place)
{
	__atomic_store_n (ppi_twin (link), place, __ATOMIC_RELEASE);
	__atomic_store_n (link, place, __ATOMIC_RELEASE);
}

/*
 * Where the series is full: its first chunk leaves, and becomes the last. Who copies the series
 * meanwhile sees by GONE that a chunk which he was at is one of those that left; so GONE is raised
 * before the chunk is used for something else, and KEPT lowered before that.
 */
static int64_t chunk_again (struct ppi_unbounded_shard *u)
{
	struct ppi_unbounded_shard *own = ppi_twin (u);
	ppi_unbounded_leave_fn *leave = __atomic_load_n (&ppi_unbounded_leave, __ATOMIC_ACQUIRE);
	struct ppi_samples_chunk *chunk;
	int64_t place = own->first, next;
	uint64_t room;

	if (!leave || !place || u->lost % ASK_AGAIN)
		return 0;
	chunk = chunk_of (u, place);
	room = own_room (chunk);
	if (room > own->kept || !leave (u, chunk->sample, room))
		return 0;
	ppi_field_set (&own->kept, own->kept - room);
	ppi_field_set (&u->kept, own->kept);
	next = own_place (&chunk->next);
	if (next)
		link_to (&u->first, next);
	ppi_field_set (&own->gone, own->gone + room);
	ppi_field_set (&u->gone, own->gone);
	link_to (&chunk->next, 0);
	return place;
}

uint64_t *ppi_unbounded_place (struct ppi_unbounded_shard *u)
{
	struct ppi_unbounded_shard *own = ppi_twin (u);
	int64_t *link, place;

	if (own->fill < own->room)
		return ppi_unbounded_find (u);
	link = link_of (u);
	place = own_place (link);
	if (!place) {
		place = own->kept < own->max_size ? chunk_new (u) : chunk_again (u);
		/* the only chunk leads to none */
		if (place != own->current)
			link_to (link, place);
	}
	if (!place) {
		__atomic_store_n (&ppi_unbounded_full, 1, __ATOMIC_RELAXED);
		return NULL;
	}
	own->current = place;
	own->room = ppi_twin (chunk_of (u, place))->room;
	ppi_field_set (&own->fill, 0);
	return ppi_unbounded_find (u);
}

uint64_t *ppi_unbounded_make_double (struct ppi_shard *shard, uint64_t bits)
{
	(void) bits;
	return ppi_unbounded_place ((struct ppi_unbounded_shard *) shard);
}

void ppi_unbounded_clear (struct ppi_shard *shard, uint32_t epoch)
{
	struct ppi_unbounded_shard *u = (struct ppi_unbounded_shard *) shard;
	struct ppi_unbounded_shard *own = ppi_twin (u);

	(void) epoch;
	ppi_field_set (&u->lost, 0);
	ppi_field_set (&u->kept, 0);
	ppi_field_set (&own->kept, 0);
	ppi_field_set (&u->gone, 0);
	ppi_field_set (&own->gone, 0);
	ppi_field_set (&own->fill, 0);
	own->current = own->first;
	own->room = own->first ? ppi_twin (chunk_of (u, own->first))->room : 0;
}

const uint64_t *ppi_unbounded_next (const struct ppi_unbounded_shard *u, const uint64_t *at,
				    uint64_t *n)
{
	const struct ppi_unbounded_shard *own = ppi_twin (u);
	int64_t place = own->first;

	if (at && (const char *) at - (const char *) u == own->current)
		return NULL;
	if (at)
		place = ppi_twin (chunk_of (u, (const char *) at - (const char *) u))->next;
	if (!place || !own->kept)
		return NULL;
	*n = place == own->current ? own->fill : ppi_twin (chunk_of (u, place))->room;
	return *n ? chunk_of (u, place)->sample : NULL;
}

/* All threads that have ended share one series of maxSize samples. */
void ppi_unbounded_fold (struct ppi_shard *shard, const struct ppi_shard *ended, bool is_double,
			 bool older)
{
	struct ppi_unbounded_shard *into = (struct ppi_unbounded_shard *) shard;
	const struct ppi_unbounded_shard *from = (const struct ppi_unbounded_shard *) ended;
	uint64_t n = 0;

	(void) is_double;
	(void) older;
	for (const uint64_t *at = NULL; (at = ppi_unbounded_next (from, at, &n));)
		for (uint64_t i = 0; i < n; i++)
			ppi_unbounded_append (into, ppi_unbounded_place (into), at[i]);
	ppi_field_set (&into->lost, into->lost + from->lost);
}
