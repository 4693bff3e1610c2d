/* SPDX-License-Identifier: MIT */
/*
 * groups.h: aggregates, and which groups each of them has. An aggregate is what a policy asks for:
 * an ordered list of dimensions, and what is kept of the times of the executions that have the same
 * values there.
 *
 *     by: [command, cached]      "GET", 1 ──hash──► group 3: node 3 of level 2
 *                                                   in    node 1: "GET", of level 1
 *                                                   value node 2: 1, as the second one's
 *
 * The groups are the process's: which ones there are is the same for all threads, so that one that
 * is told apart is told apart everywhere. What a thread measured of them is its own
 * (thread/aggregate.h).
 *
 * A table only grows. Who looks something up takes no lock; who adds something fills the node in
 * first and then puts its number into the table by a compare-and-swap, so a handler may come in
 * between. Where two threads add the same at once one of the nodes is given back. Until then it
 * counts as one that is taken: an execution in another thread that meets the last group at that
 * moment goes into the rest.
 */
#ifndef PPI_REGION_GROUPS_H
#define PPI_REGION_GROUPS_H

#include "base/atomic.h"
#include "recording/layout.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PPI_AGGREGATES 64u        /* of a process, all its life */
#define PPI_GROUPS_MOST 65536u    /* that may be told apart */
#define PPI_GROUPS_USUAL 1000u    /* where nobody says */
#define PPI_GROUP_NODES_BLOCK 64u /* nodes that are made together */

/* Values of dimensions, in the order of the aggregate's; the unused ones are 0. */
struct ppi_group_key {
	uint64_t value[PPI_GROUP_DIMS]; /* of a string the text's number */
	union {
		uint8_t type[PPI_GROUP_DIMS]; /* enum pp_abi_value; NONE: it is missing */
		uint32_t types;
	};
};

/*
 * What is counted for the values of the first LEVEL dimensions; or, where IS_VALUE, for a value of
 * that one alone. GROUP is that of all dimensions.
 */
struct ppi_group_node {
	struct ppi_group_key key;
	uint8_t level, is_value;
	/*
	 * of a group: the nodes of its first 1, 2 ... values, and those of its 2nd, 3rd ... alone
	 */
	uint32_t prefix[PPI_GROUP_DIMS], alone[PPI_GROUP_DIMS];
};

/* In memory of the process's own; a child has others. */
struct ppi_groups {
	uint32_t groups;               /* that are taken; atomic */
	uint32_t nodes;                /* likewise, from 1; atomic */
	uint64_t spare;                /* nodes that were given back; groups_fast.c, atomic */
	uint32_t most;                 /* nodes, with that of number 0 */
	uint32_t slots;                /* a power of two */
	uint32_t *slot;                /* number of a node; 0: empty. Atomic */
	struct ppi_group_node **block; /* of PPI_GROUP_NODES_BLOCK; atomic */
};

struct ppi_aggregate {
	uint32_t number; /* from 1 */
	uint32_t max_groups;
	uint8_t accumulator; /* enum ppi_accumulator */
	uint8_t dims;        /* PPI_GROUP_DIMS at most */
	const char *by[PPI_GROUP_DIMS];
	const char *sites;         /* its patterns with commas between, for people */
	uint32_t wanted;           /* by so many */
	struct ppi_groups *groups; /* atomic; NULL: there is no room for them, or not yet */
};

/* ---- groups.c: ordinary context, with the lock ----------------------------------------------- */

/*
 * The aggregate of that kind, the one that there was before where one was; wanted once more. NULL:
 * no memory, or there are PPI_AGGREGATES others. In a process that has a region.
 */
PPI_HIDDEN struct ppi_aggregate *ppi_aggregate_acquire (const char *const *by, unsigned dims,
							const char *sites, unsigned accumulator,
							uint32_t max_groups);
/* Wanted once less. What it measured stays. */
PPI_HIDDEN void ppi_aggregate_release (struct ppi_aggregate *aggregate);
/* The one with that number; NULL: there is none. */
PPI_HIDDEN const struct ppi_aggregate *ppi_aggregate_at (uint32_t number);
/* In a child: the groups are the parent's; and its own, of those that are wanted. */
PPI_HIDDEN void ppi_groups_forget (void);
PPI_HIDDEN void ppi_groups_renew (void);

/* ---- groups_fast.c: at markers; general registers only --------------------------------------- */

/* All dimensions at once: those that KEY does not have are 0. */
static inline uint32_t ppi_group_hash (const struct ppi_group_key *key, unsigned what)
{
	uint64_t sum = what ^ (uint64_t) key->types << 8;

	PP_ABI_ASSERT (PPI_GROUP_DIMS == 4);
	sum = (sum ^ key->value[0]) * UINT64_C (0x9e3779b97f4a7c15) +
	      key->value[1] * UINT64_C (0xd6e8feb86659fd93) +
	      (key->value[2] ^ UINT64_C (0xff51afd7ed558ccd)) *
		      (key->value[3] + UINT64_C (0xc4ceb9fe1a85ec53));
	sum = (sum ^ sum >> 32) * UINT64_C (0xd6e8feb86659fd93);
	return (uint32_t) (sum >> 32);
}

static inline bool ppi_group_is_key (const struct ppi_group_key *a, const struct ppi_group_key *b)
{
	uint64_t other = a->types ^ b->types;

	for (unsigned i = 0; i < PPI_GROUP_DIMS; i++)
		other |= a->value[i] ^ b->value[i];
	return !other;
}

/* The number of the group of KEY; 0: that of the rest. */
PPI_HIDDEN uint32_t ppi_group_of (const struct ppi_aggregate *a, struct ppi_groups *groups,
				  const struct ppi_group_key *key);
/* The node with that number, which it was given by. */
static inline const struct ppi_group_node *ppi_group_node (const struct ppi_groups *groups,
							   uint32_t number)
{
	return &__atomic_load_n (&groups->block[number / PPI_GROUP_NODES_BLOCK],
				 __ATOMIC_ACQUIRE)[number % PPI_GROUP_NODES_BLOCK];
}

#endif
