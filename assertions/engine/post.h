/* SPDX-License-Identifier: MIT */
/* post.h: outcomes are counted, stepped or posted (post.c). */
#ifndef PPI_ENGINE_POST_H
#define PPI_ENGINE_POST_H

#include "assertions/engine/assertion.h"
#include "assertions/engine/threads.h"

void ppi_posts_init (struct ppi_posts *posts);
/* Wait-free (a bounded number of tries); false: no room. */
bool ppi_posts_put (struct ppi_posts *posts, const struct ppi_seen *seen);
bool ppi_posts_take (struct ppi_posts *posts, struct ppi_seen *out);
/* Has THREAD posted what is not stepped yet? Only the flag's holder. */
bool ppi_posts_wait (const struct ppi_posts *posts, int thread);
bool ppi_notices_take (struct ppi_notices *notices, struct ppi_notice *out);

/*
 * Counts an outcome, steps it or posts it, calls inline callables. SEEN NULL: only steps what is
 * posted. LOCKED: the caller holds the runtime's lock, with which nothing of the user's is called:
 * inline callables are queued. From markers without.
 */
void ppi_assertion_saw (struct ppi_assertion *a, const struct ppi_seen *seen, bool locked);
/* Would a pass of thread TID change nothing? Not while an outcome of its own still waits. */
static inline bool ppi_assertion_is_quiet (const struct ppi_assertion *a, int tid)
{
	/* acquire: who sees that posts were stepped sees what came of it */
	uint32_t done = __atomic_load_n (&a->posts.done, __ATOMIC_ACQUIRE);
	bool quiet = a->threads ? ppi_threads_is_idle (a->threads, (uint32_t) tid)
				: ppi_load (&a->quiet);

	return quiet && ppi_load (&a->posts.ring.head) == done;
}

/* Do outcomes wait to be stepped? */
static inline bool ppi_assertion_has_posts (const struct ppi_assertion *a)
{
	return ppi_load (&a->posts.ring.head) != __atomic_load_n (&a->posts.done, __ATOMIC_ACQUIRE);
}

/* The same of every thread, and no outcome waits. */
static inline bool ppi_assertion_is_at_rest (const struct ppi_assertion *a)
{
	uint32_t done = __atomic_load_n (&a->posts.done, __ATOMIC_ACQUIRE);
	bool quiet = a->threads ? !ppi_load (&a->threads->used) : ppi_load (&a->quiet);

	return quiet && ppi_load (&a->posts.ring.head) == done;
}

/* Ends the states of threads that have ended; one that fired clears. Now and then, by the owner. */
void ppi_assertion_reap (struct ppi_assertion *a, uint64_t now_ns);
/* Counts a pass that changes nothing. */
void ppi_assertion_passed (struct ppi_assertion *a, double left, double right,
			   struct ppi_dimension dimension);
/* Notes the sides of the newest check. Any thread. */
void ppi_assertion_compared (struct ppi_assertion_chunk *chunk, double left, double right,
			     struct ppi_dimension dimension);
/* Is this sample or check one after the first AFTER? Counts. */
bool ppi_assertion_begun (struct ppi_assertion *a);
/*
 * What was captured at a check that held, which stands for WEIGHT of them. False: somebody has the
 * flag. Any thread.
 */
bool ppi_assertion_held (struct ppi_assertion *a, const struct ppi_captured *captured,
			 double weight);

#endif
