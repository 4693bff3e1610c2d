/* SPDX-License-Identifier: MIT */
/*
 * aggregate_table.c: a thread's entries of groups, and what is open of each node; see aggregate.h.
 * General registers only, no libc.
 *
 *     site, group ──hash──► entry (private) ──► chunk `group` of the live region
 *     node        ──block─► node (private)  ──► chunk `group` with its Desc, made when it has any
 *
 * Tables and chunks are a thread state's: when its thread has ended, the next one goes on in them.
 */
#include "libmetrics/thread/aggregate.h"

#include "libmetrics/keep/accumulate_int.h"
#include "libmetrics/region/region.h"
#include "libmetrics/tables/aggregate.h"
#include "recording/layout.h"

#define FIRST_SLOTS 64u

/* Of a node of an aggregate. */
struct node {
	uint64_t own;  /* of a value: own times of all that ended with it */
	uint64_t base; /* what ALL less the value's own times was when the outermost began */
	const struct ppi_aggregate_words *outer;
	uint32_t open;
	struct ppi_group_chunk *desc; /* in the region: figures, which nothing relies on */
};

struct of_aggregate {
	const struct ppi_groups *groups; /* whose nodes these are */
	uint64_t all;                    /* own times of all */
	struct node **block;             /* as the groups' */
	struct ppi_group_entry *newest;  /* atomic */
};

struct slot {
	uint64_t key; /* site << 32 | aggregate << 24 | group; 0: nothing is here */
	struct ppi_group_entry *entry;
};

struct ppi_thread_aggregates {
	uint32_t thread; /* kernel id: whose executions are open; 0: nobody's */
	uint32_t used, slots;
	struct slot *slot;
	struct of_aggregate *of[PPI_AGGREGATES]; /* atomic */
};

PP_ABI_ASSERT (PPI_GROUPS_MOST *(2 * PPI_GROUP_DIMS - 1) < 1u << 24);
PP_ABI_ASSERT (PPI_AGGREGATES < 1u << 8);

static void add (uint64_t *to, uint64_t n)
{
	ppi_store (to, *to + n);
}

/* ---- tables ---------------------------------------------------------------------------------- */

/*
 * Another thread has this state: what the one before left open is nobody's. Its nodes that are open
 * all are in blocks.
 */
static void begin_thread (struct ppi_thread_aggregates *table, uint32_t id)
{
	table->thread = id;
	for (uint32_t i = 0; i < PPI_AGGREGATES; i++) {
		const struct of_aggregate *of = table->of[i];

		for (uint32_t b = 0; of && b <= of->groups->most / PPI_GROUP_NODES_BLOCK; b++)
			for (uint32_t k = 0; of->block[b] && k < PPI_GROUP_NODES_BLOCK; k++) {
				of->block[b][k].open = 0;
				of->block[b][k].outer = NULL;
			}
	}
}

static struct ppi_thread_aggregates *table_of (struct ppi_thread *t)
{
	struct ppi_thread_aggregates *table = t->aggregates;

	if (ppi_unlikely (!table)) {
		table = ppi_own_alloc_fast (sizeof *table);
		if (!table)
			return NULL;
		table->slot = ppi_own_alloc_fast (FIRST_SLOTS * sizeof table->slot[0]);
		if (!table->slot)
			return NULL;
		table->slots = FIRST_SLOTS;
		/* release: readers see the table whole */
		__atomic_store_n (&t->aggregates, table, __ATOMIC_RELEASE);
	}
	if (ppi_unlikely (table->thread != t->id))
		begin_thread (table, t->id);
	return table;
}

static struct of_aggregate *of_new (const struct ppi_aggregate *a)
{
	const struct ppi_groups *groups = __atomic_load_n (&a->groups, __ATOMIC_ACQUIRE);
	struct of_aggregate *of = groups ? ppi_own_alloc_fast (sizeof *of) : NULL;

	if (!of)
		return NULL;
	of->groups = groups;
	of->block = ppi_own_alloc_fast ((groups->most / PPI_GROUP_NODES_BLOCK + 1) *
					sizeof of->block[0]);
	return of->block ? of : NULL;
}

/* NULL: no memory. */
static struct of_aggregate *of_aggregate (struct ppi_thread_aggregates *table,
					  const struct ppi_aggregate *a)
{
	struct of_aggregate *of = table ? table->of[a->number - 1] : NULL;

	if (ppi_unlikely (table && !of)) {
		of = of_new (a);
		__atomic_store_n (&table->of[a->number - 1], of, __ATOMIC_RELEASE);
	}
	return of;
}

/* NULL: no memory. */
static struct node *node_at (struct of_aggregate *of, uint32_t number)
{
	struct node **block = &of->block[number / PPI_GROUP_NODES_BLOCK];

	if (ppi_unlikely (!*block)) {
		*block = ppi_own_alloc_fast (PPI_GROUP_NODES_BLOCK * sizeof **block);
		if (!*block)
			return NULL;
	}
	return &(*block)[number % PPI_GROUP_NODES_BLOCK];
}

/* ---- chunks ---------------------------------------------------------------------------------- */

static struct ppi_group_chunk *chunk_new (uint32_t thread, const struct ppi_aggregate *a,
					  const struct ppi_group_node *node, unsigned dims,
					  uint32_t site, uint32_t more)
{
	struct ppi_group_chunk *c = ppi_region_alloc_fast (sizeof *c + more);

	if (!c)
		return NULL;
	ppi_store (&c->thread, thread);
	ppi_store (&c->site, site);
	ppi_store (&c->dims, dims);
	for (unsigned i = 0; node && i < dims; i++) {
		ppi_store (&c->type[i], node->key.type[i]);
		ppi_store (&c->value[i], node->key.value[i]);
	}
	if (!node)
		ppi_store (&c->type[0], PPI_GROUP_REST);
	/* of buckets, which have it too */
	if (more)
		ppi_store (&ppi_group_shard (c)->chunk.id, a->number | PPI_GROUP_ID);
	ppi_region_publish (&c->chunk, PPI_CHUNK_GROUP, a->number | PPI_GROUP_ID);
	return c;
}

static uint32_t hash_of (uint64_t key)
{
	return (uint32_t) (key * UINT64_C (0x9e3779b97f4a7c15) >> 32);
}

/* The slot of KEY, or the one that is free for it. */
static struct slot *slot_of (const struct ppi_thread_aggregates *table, uint64_t key)
{
	uint32_t at = hash_of (key) & (table->slots - 1);

	while (table->slot[at].key && table->slot[at].key != key)
		at = (at + 1) & (table->slots - 1);
	return &table->slot[at];
}

static bool grow (struct ppi_thread_aggregates *table)
{
	struct ppi_thread_aggregates wide = *table;

	if (2 * (table->used + 1) <= table->slots)
		return true;
	wide.slots = 2 * table->slots;
	wide.slot = ppi_own_alloc_fast (wide.slots * sizeof wide.slot[0]);
	if (!wide.slot)
		return false;
	for (uint32_t i = 0; i < table->slots; i++)
		if (table->slot[i].key)
			*slot_of (&wide, table->slot[i].key) = table->slot[i];
	table->slots = wide.slots;
	table->slot = wide.slot;
	return true;
}

static __attribute__ ((noinline, cold)) struct ppi_group_entry *entry_new (
	const struct ppi_thread *t, struct ppi_thread_aggregates *table,
	const struct ppi_aggregate *a, uint32_t site, uint32_t group, uint64_t key)
{
	struct of_aggregate *of = of_aggregate (table, a);
	uint32_t more = a->accumulator == PPI_HISTOGRAM ? sizeof (struct ppi_histogram_shard)
							: sizeof (struct ppi_shard);
	struct ppi_group_entry *entry =
		of && grow (table) ? ppi_own_alloc_fast (sizeof *entry) : NULL;

	if (!entry)
		return NULL;
	entry->chunk = chunk_new (t->id, a, group ? ppi_group_node (of->groups, group) : NULL,
				  a->dims, site, more);
	if (!entry->chunk)
		return NULL;
	entry->site = site;
	entry->group = group;
	entry->next = of->newest;
	__atomic_store_n (&of->newest, entry, __ATOMIC_RELEASE);
	*slot_of (table, key) = (struct slot){key, entry};
	table->used++;
	return entry;
}

/* NULL: no room. */
static struct ppi_group_entry *entry_of (const struct ppi_thread *t,
					 struct ppi_thread_aggregates *table,
					 const struct ppi_aggregate *a, uint32_t site,
					 uint32_t group)
{
	uint64_t key = (uint64_t) site << 32 | a->number << 24 | group;
	const struct slot *slot = slot_of (table, key);

	return ppi_likely (slot->key) ? slot->entry : entry_new (t, table, a, site, group, key);
}

/* ---- what is open ---------------------------------------------------------------------------- */

void ppi_aggregate_open (struct ppi_thread *t, struct ppi_aggregate_words *own, unsigned i)
{
	const struct ppi_aggregate *a = own->set->at[i].aggregate;
	struct of_aggregate *of = of_aggregate (table_of (t), a);
	const struct ppi_group_node *group;

	if (!of)
		return;
	group = ppi_group_node (of->groups, own->group[i]);
	for (unsigned k = 0; k < a->dims; k++) {
		struct node *node = node_at (of, group->prefix[k]),
			    *alone = node_at (of, group->alone[k]);

		if (!node || !alone || node->open++)
			continue;
		node->outer = own;
		node->base = of->all - alone->own;
	}
	own->open |= 1u << i;
}

/* What ran inside NODE's outermost execution and has not its value, in ticks. */
static uint64_t desc_of (const struct of_aggregate *of, const struct node *node,
			 const struct node *alone)
{
	return of->all - alone->own - node->base;
}

/* NULL: no room, counted. */
static struct ppi_group_chunk *total_of (struct ppi_thread *t, const struct ppi_aggregate *a,
					 const struct of_aggregate *of, struct node *node,
					 uint32_t number)
{
	const struct ppi_group_node *is = ppi_group_node (of->groups, number);

	if (ppi_unlikely (!node->desc)) {
		node->desc = chunk_new (t->id, a, is, is->level, 0, 0);
		if (!node->desc)
			ppi_drop (t, PP_DROP_POOL, 1);
	}
	return node->desc;
}

static void unclear (struct ppi_thread *t, const struct ppi_aggregate *a,
		     const struct of_aggregate *of, struct node *node, uint32_t number)
{
	struct ppi_group_chunk *c = total_of (t, a, of, node, number);

	if (c)
		ppi_store (&c->unclear, 1);
}

/* Of an execution of NODE that ends (IS_END), or goes on elsewhere: it is not open any more. */
static void leave (struct ppi_thread *t, const struct ppi_aggregate *a, struct of_aggregate *of,
		   const struct ppi_group_node *group, unsigned k,
		   const struct ppi_aggregate_words *own, bool is_end)
{
	struct node *node = node_at (of, group->prefix[k]), *alone = node_at (of, group->alone[k]);
	struct ppi_group_chunk *c;
	uint64_t desc;

	if (!node || !alone)
		return;
	node->open -= node->open > 0;
	if (node->outer != own)
		return;
	node->outer = NULL;
	desc = desc_of (of, node, alone);
	/*
	 * those that were in it were no outermost ones; of two that overlap the second one was none
	 */
	if (node->open || (!is_end && desc))
		unclear (t, a, of, node, group->prefix[k]);
	else if (is_end && desc && (c = total_of (t, a, of, node, group->prefix[k])))
		add (&c->desc_ticks, desc);
}

void ppi_aggregate_close (struct ppi_thread *t, struct ppi_aggregate_words *own, unsigned i)
{
	const struct ppi_aggregate *a = own->set->at[i].aggregate;
	struct of_aggregate *of = of_aggregate (table_of (t), a);
	const struct ppi_group_node *group;

	own->open &= ~(1u << i);
	if (!of)
		return;
	group = ppi_group_node (of->groups, own->group[i]);
	for (unsigned k = 0; k < a->dims; k++)
		leave (t, a, of, group, k, own, false);
}

/* ---- an execution ends ----------------------------------------------------------------------- */

/* What it was in the nodes of its group. */
static void add_to_nodes (struct ppi_thread *t, const struct ppi_aggregate *a,
			  struct of_aggregate *of, struct ppi_aggregate_words *own, unsigned i,
			  const struct ppi_aggregated *it)
{
	const struct ppi_group_node *group = ppi_group_node (of->groups, it->group);
	bool is_open = own->open >> i & 1, is_here = t->segment == &t->own && it->nests;

	for (unsigned k = 0; k < a->dims; k++) {
		struct node *node = node_at (of, group->prefix[k]),
			    *alone = node_at (of, group->alone[k]);

		if (!node || !alone)
			continue;
		if (is_open)
			leave (t, a, of, group, k, own, true);
		else if (it->nests)
			unclear (t, a, of, node, group->prefix[k]);
		if (is_here)
			alone->own += it->self_ticks;
	}
	own->open &= ~(1u << i);
}

void ppi_aggregate_add (struct ppi_thread *t, struct ppi_aggregate_words *own, unsigned i,
			const struct ppi_aggregated *it)
{
	const struct ppi_aggregate *a = own->set->at[i].aggregate;
	struct ppi_thread_aggregates *table = table_of (t);
	struct of_aggregate *of = of_aggregate (table, a);
	struct ppi_group_entry *entry = of ? entry_of (t, table, a, it->site, it->group) : NULL;
	struct ppi_shard *shard;

	if (ppi_unlikely (!entry)) {
		ppi_drop (t, PP_DROP_POOL, 1);
		return;
	}
	if (it->group)
		add_to_nodes (t, a, of, own, i, it);
	/* nothing is inside a span, and a span is inside nothing */
	if (t->segment == &t->own && it->nests)
		of->all += it->self_ticks;
	shard = ppi_group_shard (entry->chunk);
	if (a->accumulator == PPI_HISTOGRAM)
		ppi_accumulate_int (shard, PPI_HISTOGRAM, (int64_t) it->ticks, it->now);
	else
		ppi_accumulate_int (shard, PPI_STATS, (int64_t) it->ticks, it->now);
	add (&entry->chunk->self_ticks, it->self_ticks);
}

const struct ppi_group_entry *ppi_group_entries (const struct ppi_thread *t, uint32_t number)
{
	const struct ppi_thread_aggregates *table =
		__atomic_load_n (&t->aggregates, __ATOMIC_ACQUIRE);
	const struct of_aggregate *of =
		table ? __atomic_load_n (&table->of[number - 1], __ATOMIC_ACQUIRE) : NULL;

	return of ? __atomic_load_n (&of->newest, __ATOMIC_ACQUIRE) : NULL;
}
