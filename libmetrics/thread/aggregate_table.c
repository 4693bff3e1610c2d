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
#include "libmetrics/thread/keyed.h"
#include "recording/layout.h"

/* Of a node of an aggregate. */
struct node {
	uint64_t own;  /* of a value: own times of all that ended with it */
	uint64_t base; /* what ALL less the value's own times was when the outermost began */
	const struct ppi_aggregate_words *outer;
	uint32_t open;
	bool is_pending;              /* DESC is unclear as long as the outermost is open */
	struct ppi_group_chunk *desc; /* in the region: figures, which nothing relies on */
};

struct of_aggregate {
	const struct ppi_aggregate *aggregate;
	struct ppi_groups *groups;       /* whose nodes these are */
	uint64_t all;                    /* own times of all */
	struct node **block;             /* as the groups' */
	struct ppi_thread_group **group; /* by number; NULL: not met yet */
	struct ppi_group_entry *newest;  /* atomic */
	/*
	 * Those that were met, by their keys: a table of open addressing of KNOWN_SLOTS, a power of
	 * two. It spares what the groups' own table and GROUP are in memory.
	 */
	struct ppi_thread_group **known;
	uint32_t known_slots, n_known;
};

/* A group as the thread has met it, so that nothing need be looked up: a pair of cache lines. */
struct ppi_thread_group {
	struct ppi_group_key key;
	struct ppi_group_chunk *chunk; /* ENTRY's */
	struct ppi_group_entry *entry; /* the newest site's, or NULL; atomic */
	uint32_t number, site;         /* SITE: that of ENTRY */
	struct node *prefix[PPI_GROUP_DIMS], *alone[PPI_GROUP_DIMS];
};

struct ppi_thread_aggregates {
	struct ppi_aggregates_open open;
	struct ppi_keyed entries;                /* by site << 32 | aggregate << 24 | group */
	struct of_aggregate *of[PPI_AGGREGATES]; /* atomic */
};

PP_ABI_ASSERT (PPI_GROUPS_MOST *(2 * PPI_GROUP_DIMS - 1) < 1u << 24);
PP_ABI_ASSERT (PPI_AGGREGATES < 1u << 8);
PP_ABI_ASSERT (sizeof (struct ppi_thread_group) <= 128);

static void add (uint64_t *to, uint64_t n)
{
	ppi_store (to, *to + n);
}

/* ---- tables ---------------------------------------------------------------------------------- */

/*
 * Another thread has this state: what the one before left open is nobody's, and what ran in it
 * stays unclear. Its nodes that are open all are in blocks.
 */
static void begin_thread (struct ppi_thread_aggregates *table, uint32_t id)
{
	table->open.thread = id;
	table->open.frames = 0;
	table->open.waiting = NULL;
	for (uint32_t i = 0; i < PPI_AGGREGATES; i++) {
		const struct of_aggregate *of = table->of[i];

		for (uint32_t b = 0; of && b <= of->groups->most / PPI_GROUP_NODES_BLOCK; b++)
			for (uint32_t k = 0; of->block[b] && k < PPI_GROUP_NODES_BLOCK; k++) {
				of->block[b][k].open = 0;
				of->block[b][k].outer = NULL;
				of->block[b][k].is_pending = false;
			}
	}
}

static struct ppi_thread_aggregates *make (struct ppi_thread *t)
{
	struct ppi_thread_aggregates *table = t->aggregates;

	if (ppi_unlikely (!table)) {
		table = ppi_own_alloc_fast (sizeof *table);
		if (!table || !ppi_keyed_grow (&table->entries))
			return NULL;
		/* release: readers see the table whole */
		__atomic_store_n (&t->aggregates, table, __ATOMIC_RELEASE);
	}
	if (ppi_unlikely (table->open.thread != t->id))
		begin_thread (table, t->id);
	return table;
}

struct ppi_aggregates_open *ppi_aggregates_make (struct ppi_thread *t)
{
	struct ppi_thread_aggregates *table = make (t);

	return table ? &table->open : NULL;
}

static struct ppi_thread_aggregates *table_of (struct ppi_thread *t)
{
	return (struct ppi_thread_aggregates *) (void *) ppi_aggregates_of (t);
}

static __attribute__ ((noinline, cold)) struct of_aggregate *of_new (const struct ppi_aggregate *a)
{
	struct ppi_groups *groups = __atomic_load_n (&a->groups, __ATOMIC_ACQUIRE);
	struct of_aggregate *of = groups ? ppi_own_alloc_fast (sizeof *of) : NULL;

	if (!of)
		return NULL;
	of->aggregate = a;
	of->groups = groups;
	of->group = ppi_own_alloc_fast (groups->most * sizeof of->group[0]);
	of->block = ppi_own_alloc_fast ((groups->most / PPI_GROUP_NODES_BLOCK + 1) *
					sizeof of->block[0]);
	for (of->known_slots = 64; of->known_slots < 2 * a->max_groups; of->known_slots *= 2)
		;
	of->known = ppi_own_alloc_fast (of->known_slots * sizeof of->known[0]);
	return of->block && of->group && of->known ? of : NULL;
}

/* NULL: no memory. */
static inline struct of_aggregate *of_aggregate (struct ppi_thread_aggregates *table,
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

static __attribute__ ((noinline, cold)) struct ppi_thread_group *group_new (struct of_aggregate *of,
									    uint32_t number)
{
	const struct ppi_group_node *is = ppi_group_node (of->groups, number);
	struct ppi_thread_group *g = ppi_own_alloc_fast (sizeof *g);

	if (!g)
		return NULL;
	g->key = is->key;
	g->number = number;
	for (unsigned k = 0; k < of->aggregate->dims; k++) {
		g->prefix[k] = node_at (of, is->prefix[k]);
		g->alone[k] = node_at (of, is->alone[k]);
		if (!g->prefix[k] || !g->alone[k])
			return NULL;
	}
	__atomic_store_n (&of->group[number], g, __ATOMIC_RELEASE);
	return g;
}

/* That of KEY, which goes to SLOT, where half of them stay free. NULL: the rest; or no memory. */
static __attribute__ ((noinline, cold)) struct ppi_thread_group *group_met (
	struct of_aggregate *of, const struct ppi_group_key *key, struct ppi_thread_group **slot,
	bool *is_rest)
{
	uint32_t number = ppi_group_of (of->aggregate, of->groups, key);
	struct ppi_thread_group *g = number ? of->group[number] : NULL;

	*is_rest = !number;
	if (number && !g)
		g = group_new (of, number);
	if (g && 2 * (of->n_known + 1) <= of->known_slots) {
		of->n_known++;
		*slot = g;
	}
	return g;
}

/* The group of KEY; NULL: the rest, or no memory. */
static inline struct ppi_thread_group *thread_group (struct of_aggregate *of,
						     const struct ppi_group_key *key, bool *is_rest)
{
	uint32_t at = ppi_group_hash (key, 0) & (of->known_slots - 1);
	struct ppi_thread_group *g;

	*is_rest = false;
	while ((g = of->known[at]) && !ppi_group_is_key (&g->key, key))
		at = (at + 1) & (of->known_slots - 1);
	return ppi_likely (g != NULL) ? g : group_met (of, key, &of->known[at], is_rest);
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

static __attribute__ ((noinline, cold)) struct ppi_group_entry *entry_new (
	const struct ppi_thread *t, struct ppi_thread_aggregates *table,
	const struct ppi_aggregate *a, uint32_t site, uint32_t group, uint64_t key)
{
	struct of_aggregate *of = of_aggregate (table, a);
	uint32_t more = a->accumulator == PPI_HISTOGRAM ? sizeof (struct ppi_histogram_shard)
							: sizeof (struct ppi_shard);
	struct ppi_group_entry *entry =
		of && ppi_keyed_grow (&table->entries) ? ppi_own_alloc_fast (sizeof *entry) : NULL;

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
	ppi_keyed_put (&table->entries, key, 0, entry);
	return entry;
}

/* NULL: no room. */
static struct ppi_group_entry *entry_of (const struct ppi_thread *t,
					 struct ppi_thread_aggregates *table,
					 const struct ppi_aggregate *a, uint32_t site,
					 uint32_t group)
{
	uint64_t key = (uint64_t) site << 32 | a->number << 24 | group;
	struct ppi_group_entry *entry = ppi_keyed_slot (&table->entries, key, 0)->is;

	return ppi_likely (entry) ? entry : entry_new (t, table, a, site, group, key);
}

/* ---- what is open ---------------------------------------------------------------------------- */

void ppi_aggregate_open (struct ppi_thread *t, struct ppi_aggregate_words *own, unsigned i,
			 const struct ppi_group_key *key)
{
	struct of_aggregate *of = of_aggregate (table_of (t), own->set->at[i].aggregate);
	bool is_rest;
	struct ppi_thread_group *g = of ? thread_group (of, key, &is_rest) : NULL;

	if (!g)
		return;
	for (unsigned k = 0; k < of->aggregate->dims; k++) {
		struct node *node = g->prefix[k];

		if (node->open++)
			continue;
		node->outer = own;
		node->base = of->all - g->alone[k]->own;
	}
	own->group[i] = g;
	own->open |= 1u << i;
}

/* NULL: no room, counted. */
static struct ppi_group_chunk *total_of (struct ppi_thread *t, const struct of_aggregate *of,
					 const struct ppi_thread_group *g, unsigned k)
{
	struct node *node = g->prefix[k];

	if (ppi_unlikely (!node->desc)) {
		uint32_t number = ppi_group_node (of->groups, g->number)->prefix[k];

		node->desc = chunk_new (t->id, of->aggregate, ppi_group_node (of->groups, number),
					k + 1, 0, 0);
		if (!node->desc)
			ppi_drop (t, PP_DROP_POOL, 1);
	}
	return node->desc;
}

static __attribute__ ((noinline)) void unclear (struct ppi_thread *t, const struct of_aggregate *of,
						const struct ppi_thread_group *g, unsigned k)
{
	struct ppi_group_chunk *c = total_of (t, of, g, k);

	g->prefix[k]->is_pending = false;
	if (c)
		ppi_store (&c->unclear, 1);
}

/*
 * An execution ends in the outermost one of its node. What ran in it counts when that ends. Until
 * then it is unclear, and it stays so where no end comes: the process is killed, or read meanwhile.
 */
static __attribute__ ((noinline)) void leave_inner (struct ppi_thread *t,
						    const struct of_aggregate *of,
						    const struct ppi_thread_group *g, unsigned k)
{
	struct node *node = g->prefix[k];
	struct ppi_group_chunk *c;

	if (of->all - g->alone[k]->own == node->base)
		return;
	c = total_of (t, of, g, k);
	if (!c || c->unclear)
		return;
	node->is_pending = true;
	ppi_store (&c->unclear, 1);
}

/*
 * OWN, the outermost execution of the node, ends (IS_END), or goes on elsewhere. Those that were in
 * it were no outermost ones; of two that overlap the second one was none.
 */
static void leave_outermost (struct ppi_thread *t, const struct of_aggregate *of,
			     const struct ppi_thread_group *g, unsigned k, bool is_end)
{
	struct node *node = g->prefix[k];
	uint64_t desc = of->all - g->alone[k]->own - node->base;
	struct ppi_group_chunk *c;

	node->outer = NULL;
	if (ppi_unlikely (node->open || (!is_end && desc)))
		unclear (t, of, g, k);
	else if (is_end && desc && (c = total_of (t, of, g, k)))
		add (&c->desc_ticks, desc);
	if (ppi_likely (!node->is_pending))
		return;
	node->is_pending = false;
	/* release: who finds that it is known finds all of it */
	__atomic_store_n (&node->desc->unclear, 0, __ATOMIC_RELEASE);
}

static void leave (struct ppi_thread *t, const struct of_aggregate *of,
		   const struct ppi_thread_group *g, const struct ppi_aggregate_words *own,
		   bool is_end)
{
	for (unsigned k = 0; k < of->aggregate->dims; k++) {
		struct node *node = g->prefix[k];

		node->open -= node->open > 0;
		if (node->outer == own)
			leave_outermost (t, of, g, k, is_end);
		else if (ppi_unlikely (is_end && !node->is_pending && node->outer))
			leave_inner (t, of, g, k);
	}
}

void ppi_aggregate_close (struct ppi_thread *t, struct ppi_aggregate_words *own, unsigned i)
{
	/* it is open, so there is one */
	const struct of_aggregate *of = of_aggregate (table_of (t), own->set->at[i].aggregate);

	own->open &= ~(1u << i);
	if (of)
		leave (t, of, own->group[i], own, false);
}

/* ---- an execution ends ----------------------------------------------------------------------- */

/* What it was in the nodes of its group. */
static void add_to_nodes (struct ppi_thread *t, const struct of_aggregate *of,
			  const struct ppi_thread_group *g, struct ppi_aggregate_words *own,
			  unsigned i, const struct ppi_aggregated *it)
{
	unsigned dims = of->aggregate->dims;

	if (own->open >> i & 1) {
		if (!it->is_leaf)
			leave (t, of, g, own, true);
	} else {
		for (unsigned k = 0; k < dims && it->nests; k++)
			unclear (t, of, g, k);
	}
	own->open &= ~(1u << i);
	if (t->segment == &t->own && it->nests)
		for (unsigned k = 0; k < dims; k++)
			g->alone[k]->own += it->self_ticks;
}

/* Where the thread keeps what it has of the group at that site; NULL: no room. G NULL: the rest. */
static struct ppi_group_chunk *find_chunk (const struct ppi_thread *t,
					   struct ppi_thread_aggregates *table,
					   const struct ppi_aggregate *a,
					   struct ppi_thread_group *g, uint32_t site)
{
	struct ppi_group_entry *entry;

	if (ppi_likely (g && g->site == site && g->chunk))
		return g->chunk;
	entry = entry_of (t, table, a, site, g ? g->number : 0);
	if (!entry || !g)
		return entry ? entry->chunk : NULL;
	g->site = site;
	g->chunk = entry->chunk;
	__atomic_store_n (&g->entry, entry, __ATOMIC_RELEASE);
	return g->chunk;
}

void ppi_aggregate_add (struct ppi_thread *t, struct ppi_aggregate_words *own, unsigned i,
			const struct ppi_aggregated *it)
{
	const struct ppi_aggregate *a = own->set->at[i].aggregate;
	struct ppi_thread_aggregates *table = table_of (t);
	struct of_aggregate *of = of_aggregate (table, a);
	struct ppi_thread_group *g = NULL;
	struct ppi_group_chunk *chunk = NULL;
	bool is_rest = !it->key;
	struct ppi_shard *shard;

	if (own->open >> i & 1 && !it->is_leaf)
		g = own->group[i];
	else if (it->key && of)
		g = thread_group (of, it->key, &is_rest);
	if (of && (g || is_rest))
		chunk = find_chunk (t, table, a, g, it->site);
	if (ppi_unlikely (!chunk)) {
		ppi_drop (t, PP_DROP_POOL, 1);
		if (own->open >> i & 1 && !it->is_leaf)
			ppi_aggregate_close (t, own, i);
		return;
	}
	if (g)
		add_to_nodes (t, of, g, own, i, it);
	/* nothing is inside a span, and a span is inside nothing */
	if (t->segment == &t->own && it->nests)
		of->all += it->self_ticks;
	shard = ppi_group_shard (chunk);
	if (a->accumulator == PPI_HISTOGRAM)
		ppi_accumulate_int (shard, PPI_HISTOGRAM, (int64_t) it->ticks, it->now);
	else
		ppi_accumulate_int (shard, PPI_STATS, (int64_t) it->ticks, it->now);
	add (&chunk->self_ticks, it->self_ticks);
}

static const struct of_aggregate *its (const struct ppi_thread *t, uint32_t number)
{
	const struct ppi_thread_aggregates *table =
		__atomic_load_n (&t->aggregates, __ATOMIC_ACQUIRE);

	return table ? __atomic_load_n (&table->of[number - 1], __ATOMIC_ACQUIRE) : NULL;
}

const struct ppi_group_entry *ppi_group_entries (const struct ppi_thread *t, uint32_t number)
{
	const struct of_aggregate *of = its (t, number);

	return of ? __atomic_load_n (&of->newest, __ATOMIC_ACQUIRE) : NULL;
}

const struct ppi_group_entry *ppi_group_entry_at (const struct ppi_thread *t, uint32_t number,
						  uint32_t group, uint32_t site)
{
	const struct of_aggregate *of = its (t, number);
	const struct ppi_thread_group *g =
		of && group < of->groups->most
			? __atomic_load_n (&of->group[group], __ATOMIC_ACQUIRE)
			: NULL;
	const struct ppi_group_entry *e = g ? __atomic_load_n (&g->entry, __ATOMIC_ACQUIRE) : NULL;

	if (!e || e->site == site)
		return e;
	/* of several sites another one came last */
	e = __atomic_load_n (&of->newest, __ATOMIC_ACQUIRE);
	while (e && (e->site != site || e->group != group))
		e = e->next;
	return e;
}
