/* SPDX-License-Identifier: MIT */
/*
 * slots.h: the bindings by number: each has a slot in every thread's table of shards.
 */
#ifndef PPI_TABLES_SLOTS_H
#define PPI_TABLES_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

struct ppi_binding;
struct ppi_op;
struct ppi_shard;

/* The op of the binding with a slot, or NULL; safe at markers. */
const struct ppi_op *ppi_op_of_slot (uint32_t slot) __attribute__ ((visibility ("hidden")));

/* Gives BINDING a number and a slot. With the lock; false: no memory. */
bool ppi_slot_take (struct ppi_binding *binding) __attribute__ ((visibility ("hidden")));

/*
 * A binding that only has a slot: of the same metric and site as B, in none of their lists; B NULL:
 * of none, its op is the caller's to fill in. With the lock; NULL: no memory.
 */
struct ppi_binding *ppi_binding_hidden (const struct ppi_binding *b)
	__attribute__ ((visibility ("hidden")));

/* The binding with a number, or NULL. */
struct ppi_binding *ppi_binding_find (uint32_t id) __attribute__ ((visibility ("hidden")));

struct ppi_binding *ppi_binding_first (void) __attribute__ ((visibility ("hidden")));

/* The retired shard, made if there is none. */
struct ppi_shard *ppi_binding_retired (struct ppi_binding *binding)
	__attribute__ ((visibility ("hidden")));

#endif
