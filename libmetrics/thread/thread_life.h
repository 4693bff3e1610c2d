/* SPDX-License-Identifier: MIT */
/* thread_life.h: reading beside reaping; barriers. */
#ifndef PPI_THREAD_THREAD_LIFE_H
#define PPI_THREAD_THREAD_LIFE_H

#include "base/atomic.h"

#include <stdbool.h>
#include <stdint.h>

struct ppi_plan;
struct ppi_thread;

/*
 * A reader that merges shards says seq = ppi_reap_begin_read (), merges, and merges again while
 * ppi_reap_changed (seq): else it might see a shard in its thread and in the retired one, or in
 * neither.
 */
uint32_t ppi_reap_begin_read (void) __attribute__ ((visibility ("hidden")));
bool ppi_reap_changed (uint32_t seq) __attribute__ ((visibility ("hidden")));
/*
 * From hold, with the lock, to release, without, ended threads' shards stay where they are: for who
 * copies them one by one, and would miss what goes to a shard that was copied already.
 */
PPI_HIDDEN void ppi_reap_hold (void);
PPI_HIDDEN void ppi_reap_release (void);
/* Moves drops that no thread counted into the region's header. With the lock. */
void ppi_drops_publish (void) __attribute__ ((visibility ("hidden")));

/*
 * Makes every thread look at its next marker for what became stale; with the lock. Returns the
 * flush's number.
 */
PPI_HIDDEN uint64_t ppi_flush (void);

/* In a child that is given a region of its own: nothing is attached any more. With the lock. */
PPI_HIDDEN void ppi_thread_after_fork (void);

/*
 * Folds the shards of threads that have ended into their bindings' retired ones and frees their
 * states. With the lock, from ordinary context.
 */
PPI_HIDDEN void ppi_thread_reap (void);

/*
 * The same from a thread's first marker, where nobody has the lock just then; vector registers
 * saved. The parameters are those of what pp_arch_saving_vectors calls.
 */
PPI_HIDDEN void ppi_thread_reap_at_marker (uintptr_t tag, const struct ppi_plan *plan,
					   uintptr_t sp);

/*
 * Waits (bounded, ms) until every thread that was inside a marker has left it. false: one has not.
 * Not from a check.
 */
bool ppi_quiesce (unsigned timeout_ms);

int ppi_thread_id (const struct ppi_thread *thread);

/* Has the thread of this process with kernel id TID ended? One system call; ordinary context. */
bool ppi_thread_is_gone (uint32_t tid);

#endif
