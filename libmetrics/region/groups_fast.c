/* SPDX-License-Identifier: MIT */
/* groups_fast.c: a group is looked up, or made; see groups.h. General registers only, no libc. */
#include "libmetrics/region/groups.h"
#include "libmetrics/region/region.h"

#define WHAT(level, is_value) ((unsigned) (level) << 1 | (is_value))

static inline bool is_node (const struct ppi_group_node *node, const struct ppi_group_key *key,
			    unsigned what)
{
	return ppi_group_is_key (&node->key, key) && WHAT (node->level, node->is_value) == what;
}

/* One more of what *COUNT counts, up to MOST: its number from 1 on; 0: there is no room. */
static uint32_t take_number (uint32_t *count, uint32_t most)
{
	uint32_t n = ppi_load (count);

	do {
		if (n >= most)
			return 0;
	} while (!__atomic_compare_exchange_n (count, &n, n + 1, true, __ATOMIC_RELAXED,
					       __ATOMIC_RELAXED));
	return n + 1;
}

static struct ppi_group_node *node_at (struct ppi_groups *groups, uint32_t number)
{
	struct ppi_group_node **at = &groups->block[number / PPI_GROUP_NODES_BLOCK],
			      *block = __atomic_load_n (at, __ATOMIC_ACQUIRE), *is = NULL;

	if (!block) {
		block = ppi_own_alloc_fast (PPI_GROUP_NODES_BLOCK * sizeof *block);
		if (!block)
			return NULL;
		if (!__atomic_compare_exchange_n (at, &is, block, false, __ATOMIC_ACQ_REL,
						  __ATOMIC_ACQUIRE))
			block = is;
	}
	return &block[number % PPI_GROUP_NODES_BLOCK];
}

/* ---- nodes that nobody found ----------------------------------------------------------------- */

/*
 * A list; its head is the newest one's number below a count of changes, so that a head which is the
 * same again is no other list's (Treiber's stack, IBM RJ 5118, 1986). Nodes stay where they are:
 * who is late reads a link that no longer counts.
 */
static void give_back (struct ppi_groups *groups, struct ppi_group_node *node, uint32_t number)
{
	uint64_t head = ppi_load (&groups->spare);

	do
		ppi_store (&node->prefix[0], (uint32_t) head);
	while (!__atomic_compare_exchange_n (&groups->spare, &head,
					     ((head >> 32) + 1) << 32 | number, true,
					     __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

static uint32_t take_back (struct ppi_groups *groups)
{
	uint64_t head = __atomic_load_n (&groups->spare, __ATOMIC_ACQUIRE);
	uint32_t number, next;

	do {
		number = (uint32_t) head;
		if (!number)
			return 0;
		next = ppi_load (&node_at (groups, number)->prefix[0]);
	} while (!__atomic_compare_exchange_n (&groups->spare, &head,
					       ((head >> 32) + 1) << 32 | next, true,
					       __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE));
	return number;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static struct ppi_group_node *node_new (struct ppi_groups *groups, const struct ppi_group_key *key,
					unsigned what, uint32_t *number)
{
	struct ppi_group_node *node;

	*number = take_back (groups);
	if (!*number)
		*number = take_number (&groups->nodes, groups->most - 1);
	node = *number ? node_at (groups, *number) : NULL;
	if (!node)
		return NULL;
	node->key = *key;
	node->level = (uint8_t) (what >> 1);
	node->is_value = what & 1;
	return node;
}

/*
 * The slot of that node; *NUMBER is 0 where it is free. There always is one that is free: nodes are
 * half as many.
 */
static inline uint32_t *find (const struct ppi_groups *groups, const struct ppi_group_key *key,
			      unsigned what, uint32_t *number)
{
	uint32_t at = ppi_group_hash (key, what) & (groups->slots - 1);

	while ((*number = __atomic_load_n (&groups->slot[at], __ATOMIC_ACQUIRE)) &&
	       !is_node (ppi_group_node (groups, *number), key, what))
		at = (at + 1) & (groups->slots - 1);
	return &groups->slot[at];
}

/* OWN is in the table, or given back as another thread was faster: which one is. */
static uint32_t publish (struct ppi_groups *groups, const struct ppi_group_key *key, unsigned what,
			 uint32_t own)
{
	uint32_t is, *slot;

	do {
		slot = find (groups, key, what, &is);
		if (is) {
			give_back (groups, node_at (groups, own), own);
			return is;
		}
		/* release: who finds the number finds the node */
	} while (!__atomic_compare_exchange_n (slot, &is, own, false, __ATOMIC_RELEASE,
					       __ATOMIC_RELAXED));
	return own;
}

/* A node that is no group: of the dimensions of KEY from FROM up to TO. 0: no memory. */
static uint32_t part_of (struct ppi_groups *groups, const struct ppi_group_key *key, unsigned from,
			 unsigned to)
{
	struct ppi_group_key part = {.types = 0};
	unsigned what = WHAT (to, from > 0);
	uint32_t number;

	for (unsigned i = from; i < to; i++) {
		part.value[i] = key->value[i];
		part.type[i] = key->type[i];
	}
	find (groups, &part, what, &number);
	if (number)
		return number;
	return node_new (groups, &part, what, &number) ? publish (groups, &part, what, number) : 0;
}

/* The group's node with those of its parts; false: no memory. */
static bool fill (const struct ppi_aggregate *a, struct ppi_groups *groups,
		  const struct ppi_group_key *key, struct ppi_group_node *node, uint32_t number)
{
	for (unsigned i = 0; i < a->dims; i++) {
		uint32_t prefix = i + 1u < a->dims ? part_of (groups, key, 0, i + 1) : number;

		ppi_store (&node->prefix[i], prefix);
		node->alone[i] = i ? part_of (groups, key, i, i + 1) : prefix;
		if (!prefix || !node->alone[i])
			return false;
	}
	return true;
}

static __attribute__ ((noinline, cold)) uint32_t group_new (const struct ppi_aggregate *a,
							    struct ppi_groups *groups,
							    const struct ppi_group_key *key)
{
	struct ppi_group_node *node;
	uint32_t own, is = 0;

	if (!take_number (&groups->groups, a->max_groups))
		return 0;
	node = node_new (groups, key, WHAT (a->dims, false), &own);
	if (node && fill (a, groups, key, node, own))
		is = publish (groups, key, WHAT (a->dims, false), own);
	else if (node)
		give_back (groups, node, own);
	/* one that another thread made is no group more */
	if (!is || is != own)
		__atomic_fetch_sub (&groups->groups, 1, __ATOMIC_RELAXED);
	return is;
}

uint32_t ppi_group_of (const struct ppi_aggregate *a, struct ppi_groups *groups,
		       const struct ppi_group_key *key)
{
	uint32_t number;

	find (groups, key, WHAT (a->dims, false), &number);
	return ppi_likely (number) ? number : group_new (a, groups, key);
}
