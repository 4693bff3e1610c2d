/* SPDX-License-Identifier: MIT */
/*
 * tally.h: counts of checks that markers saw to pass (tables/quick.h). Ordinary context but where
 * it says otherwise.
 */
#ifndef PPI_MARKER_TALLY_H
#define PPI_MARKER_TALLY_H

#include "libmetrics/tables/quick.h"

#include <pp.h>
#include <stdbool.h>
#include <stdint.h>

struct ppi_shard;
struct ppi_tally;
struct ppi_thread;

/* A gate that is shut, and a slot. With the lock; NULL: no memory. */
struct ppi_tally *ppi_tally_new (bool has_looks);

/* What says in the region which shards are its. */
uint32_t ppi_tally_id (const struct ppi_tally *tally);

/* The count behind that id; any thread, no lock, also inside checks. 0 for 0. */
uint64_t ppi_tally_read (uint32_t id);

/* Takes N away of what is counted. With the lock; false: no room in the region for that. */
bool ppi_tally_subtract (struct ppi_tally *tally, uint64_t n);

/* Makes the calling thread's shard, inside a check of THREAD. */
void ppi_tally_prepare (struct ppi_tally *tally, struct ppi_thread *thread);

/* That shard, which only the thread writes; NULL: there is none. */
struct ppi_shard *ppi_tally_shard (const struct ppi_tally *tally, const struct ppi_thread *thread);

/*
 * Of the threads that counted, the one whose newest sample at the site that it counted at last is
 * the newest, and the site. BEFORE: samples up to that stamp are of no interest. With the lock;
 * false: none.
 */
bool ppi_tally_newest (const struct ppi_tally *tally, uint64_t before, struct ppi_thread **thread,
		       pp_site **site);

/* The stamp of the thread's newest sample at SITE, 0: none. Any thread. */
uint64_t ppi_thread_stamp (const struct ppi_thread *thread, const pp_site *site);

/* Markers go the whole way from now on; whoever raised it, at once. */
static inline void ppi_tally_shut (struct ppi_tally *tally)
{
	__atomic_fetch_add (&tally->shut, 1, __ATOMIC_ACQ_REL);
}

#endif
