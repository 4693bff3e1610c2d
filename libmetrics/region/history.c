/* SPDX-License-Identifier: MIT */
/*
 * history.c: the history, what happened, in the region: fires, clears, knobs, policies.
 *
 * It is a ring: the newest 4,096 entries are there, and the newest 512 of policies, which say what
 * still waits for a name. An older one's chunk is used again for a newer one, and counted
 * (PP_DROP_HISTORY); where the region is full that begins earlier. An entry's number goes up by one
 * each, so that readers know their order, and that a chunk is another one since they looked.
 *
 * Where a chunk is and how large is kept here, not in the region, which others may write to.
 */
#include "libmetrics/region/history.h"

#include "base/atomic.h"
#include "base/chunk.h"
#include "base/clock.h"
#include "base/lock.h"
#include "libmetrics/region/drops.h"
#include "libmetrics/region/region.h"
#include "recording/layout.h"

#include <stddef.h>
#include <string.h>
#include <unistd.h>

#define NEWEST 4096u
#define NEWEST_OF_POLICIES 512u
#define MOST_BYTES 4096u /* of an entry; a longer sentence is cut off */
#define LEAST_BYTES 384u /* of its chunk: most sentences fit into that of any other */

typedef uint64_t word __attribute__ ((may_alias));

struct slot {
	struct ppi_history_chunk *chunk;
	size_t bytes;
};

struct ring {
	struct slot *slot;
	uint32_t room, used, next;
};

static struct slot slots[NEWEST], policy_slots[NEWEST_OF_POLICIES];
/* with the lock */
static struct ring all = {slots, NEWEST, 0, 0}, policies = {policy_slots, NEWEST_OF_POLICIES, 0, 0};
static uint32_t n_entries;

static bool make_chunk (struct slot *slot, size_t bytes)
{
	struct ppi_history_chunk *chunk;

	bytes = bytes < LEAST_BYTES ? LEAST_BYTES : bytes;
	/*
	 * twice the former one, which is too small for who comes next: a slot takes five chunks at
	 * most
	 */
	if (slot->chunk && bytes < 2 * slot->bytes)
		bytes = 2 * slot->bytes < MOST_BYTES ? 2 * slot->bytes : MOST_BYTES;
	chunk = ppi_region_try_alloc (bytes);
	if (!chunk)
		return false;
	if (slot->chunk)
		ppi_region_give_back (slot->chunk, slot->bytes);
	slot->chunk = chunk;
	slot->bytes = bytes;
	return true;
}

/*
 * Where the next entry goes: a new chunk, or that of the oldest. NULL: there is no room for a
 * single one.
 */
static struct slot *next_slot (struct ring *ring, size_t bytes)
{
	struct slot *slot;

	if (ring->next == ring->used && ring->used < ring->room &&
	    make_chunk (&ring->slot[ring->used], bytes)) {
		ring->used++;
		return &ring->slot[ring->next++];
	}
	if (!ring->used)
		return NULL;
	ring->next = ring->next < ring->used ? ring->next : 0;
	slot = &ring->slot[ring->next++];
	if (slot->bytes < bytes)
		make_chunk (slot, bytes);
	ppi_drop_nowhere (PP_DROP_HISTORY, 1);
	return slot;
}

/* TEXT, cut off where it has no ROOM; behind it */
static char *put_text (char *at, const char *text, size_t room)
{
	size_t bytes = strnlen (text ? text : "", room - 1);

	memcpy (at, text ? text : "", bytes);
	at[bytes] = '\0';
	return at + bytes + 1;
}

/* The content of E into its chunk. The type last: readers see a whole entry, or none. */
static void publish (struct slot *slot, const struct ppi_history_chunk *e, size_t bytes)
{
	struct ppi_chunk *chunk = &slot->chunk->chunk;
	const word *from = (const word *) (const void *) e;
	word *to = (word *) (void *) slot->chunk;

	if (ppi_load (&chunk->type) == PPI_CHUNK_HISTORY) {
		__atomic_store_n (&chunk->type, PPI_CHUNK_FREE, __ATOMIC_RELAXED);
		/* nothing of the new content is seen before that */
		__atomic_thread_fence (__ATOMIC_SEQ_CST);
	}
	for (size_t i = sizeof (*chunk) / 8; i < (bytes + 7) / 8; i++)
		__atomic_store_n (&to[i], from[i], __ATOMIC_RELAXED);
	ppi_region_publish (chunk, PPI_CHUNK_HISTORY, ++n_entries);
}

void ppi_history (enum ppi_history_kind kind, const char *name, const char *text,
		  const double *values, unsigned n_values)
{
	static struct {
		struct ppi_history_chunk chunk;
		char text[MOST_BYTES];
	} entry; /* with the lock */
	size_t head = offsetof (struct ppi_history_chunk, text), bytes;
	struct ppi_history_chunk *e = &entry.chunk;
	struct slot *slot;
	char *at;

	ppi_lock ();
	bytes = head + strlen (name ? name : "") + strlen (text ? text : "") + 2;
	slot = next_slot (kind == PPI_HISTORY_POLICY ? &policies : &all,
			  bytes < MOST_BYTES ? bytes : MOST_BYTES);
	if (slot) {
		e->kind = kind;
		e->thread = (uint32_t) gettid ();
		e->ns = ppi_now_ns ();
		for (unsigned i = 0; i < 4; i++)
			e->value[i] = i < n_values ? values[i] : 0;
		bytes = slot->bytes < MOST_BYTES ? slot->bytes : MOST_BYTES;
		at = put_text (e->text, name, bytes - head - 1);
		at = put_text (at, text, bytes - (size_t) (at - (char *) e));
		publish (slot, e, (size_t) (at - (char *) e));
	}
	ppi_unlock ();
}

void ppi_history_after_fork (void)
{
	all.used = all.next = policies.used = policies.next = 0;
	memset (slots, 0, sizeof slots);
	memset (policy_slots, 0, sizeof policy_slots);
	n_entries = 0;
}
