/* SPDX-License-Identifier: MIT */
/* thread_life.h: reading beside reaping; barriers. */
#ifndef PPI_THREAD_LIFE_H
#define PPI_THREAD_LIFE_H

#include "runtime.h"

/*
 * A reader that merges shards says seq = ppi_reap_begin_read (), merges, and merges again while ppi_reap_changed
 * (seq): else it might see a shard in its thread and in the retired one, or in neither.
 */
uint32_t ppi_reap_begin_read (void) __attribute__ ((visibility ("hidden")));
bool ppi_reap_changed (uint32_t seq) __attribute__ ((visibility ("hidden")));
/* Moves drops that no thread counted into the region's header. With the lock. */
void ppi_drops_publish (void) __attribute__ ((visibility ("hidden")));
/* Every thread of the process has executed a serialising instruction when this returns (patch.c). */
void ppi_barrier (void) __attribute__ ((visibility ("hidden")));

#endif
