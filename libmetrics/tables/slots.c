/* SPDX-License-Identifier: MIT */
/* slots.c: see slots.h. */
#include "libmetrics/tables/slots.h"

#include "base/atomic.h"
#include "base/chunk.h"
#include "libmetrics/keep/accumulate_int.h"
#include "libmetrics/keep/shard.h"
#include "libmetrics/region/region.h"
#include "libmetrics/tables/binding.h"
#include "libmetrics/tables/plan.h"

#include <stdlib.h>
#include <string.h>

/* by_id[id - 1]; behind its end the outgrown one, which is never freed */
static struct ppi_binding **by_id;

static uint32_t n_bindings, room_for_bindings;

static struct ppi_binding *newest;

struct ppi_binding *ppi_binding_first (void)
{
	return newest;
}

/* Every shard was made for an op, so its binding is there. */
const struct ppi_op *ppi_op_of_slot (uint32_t slot)
{
	uint32_t n = __atomic_load_n (&n_bindings, __ATOMIC_ACQUIRE);

	return slot < n ? &__atomic_load_n (&by_id, __ATOMIC_ACQUIRE)[slot]->op : NULL;
}

struct ppi_binding *ppi_binding_find (uint32_t id)
{
	return id && id <= n_bindings ? by_id[id - 1] : NULL;
}

/* A flush reads the table at markers: a larger one is a copy, and the smaller one stays. */
bool ppi_slot_take (struct ppi_binding *b)
{
	if (n_bindings == room_for_bindings) {
		uint32_t room = room_for_bindings ? room_for_bindings * 2 : 64;
		struct ppi_binding **fresh = calloc (room + 1, sizeof (*fresh));

		if (!fresh)
			return false;
		if (n_bindings)
			memcpy (fresh, by_id, n_bindings * sizeof (*fresh));
		fresh[room] = (struct ppi_binding *) (void *) by_id;
		__atomic_store_n (&by_id, fresh, __ATOMIC_RELEASE);
		room_for_bindings = room;
	}
	by_id[n_bindings] = b;
	b->id = n_bindings + 1;
	__atomic_store_n (&n_bindings, n_bindings + 1, __ATOMIC_RELEASE);
	b->next = newest;
	newest = b;
	return true;
}

struct ppi_binding *ppi_binding_hidden (const struct ppi_binding *of)
{
	struct ppi_binding *b = calloc (1, sizeof (*b));

	if (!b || !ppi_slot_take (b)) {
		free (b);
		return NULL;
	}
	if (of) {
		b->metric = of->metric;
		b->site = of->site;
		b->every = of->every;
		b->op = of->op;
	}
	b->op.slot = b->id - 1;
	b->op.binding = b;
	return b;
}

struct ppi_shard *ppi_binding_retired (struct ppi_binding *b)
{
	struct ppi_shard *s = b->retired;

	if (s)
		return s;
	s = ppi_region_alloc (b->op.bytes);
	if (!s)
		return NULL;
	s->epoch = ppi_load (b->op.epoch);
	ppi_shard_size_set (s, b->op.accumulator, b->op.size);
	ppi_region_publish (&s->chunk, PPI_CHUNK_SHARD, b->id);
	__atomic_store_n (&b->retired, s, __ATOMIC_RELEASE);
	return s;
}
