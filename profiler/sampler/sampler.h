/* SPDX-License-Identifier: MIT */
/*
 * sampler.h: what the two samplers share. Each is begun, looked after and ended by the library's
 * thread (part.c), and has a profile of its own in the store (store.h).
 */
#ifndef PPI_SAMPLER_SAMPLER_H
#define PPI_SAMPLER_SAMPLER_H

#include "base/atomic.h"
#include "base/profile.h"

#include <stdbool.h>
#include <stdint.h>

/* Of the samplers' threads and samples: the library's thread, the watcher. */
PPI_HIDDEN void ppi_sampler_lock (void);
PPI_HIDDEN void ppi_sampler_unlock (void);

/* CPU time of the process without the library's thread and the watcher. With the sampler's lock. */
PPI_HIDDEN uint64_t ppi_sampled_cpu_ns (void);
/* CPU time of the library's thread, and which that is. Likewise. */
PPI_HIDDEN uint64_t ppi_library_cpu_ns (void);
PPI_HIDDEN uint32_t ppi_library_tid (void);

/* There is no room in the live region for a sample, which is said once. Likewise. */
PPI_HIDDEN void ppi_sampler_tell_full (void);

/* ---- part.c ---------------------------------------------------------------------------------- */

/*
 * OWNER wants a profile, in place of what it has wanted of that sampler; the library's thread sees
 * to it. 0, or an error with WHY. With the runtime's lock.
 */
PPI_HIDDEN int ppi_profile_ask (const struct ppi_profile_wish *wish, const void *owner, char *why,
				size_t room);
/* It wants none any more. With the runtime's lock. */
PPI_HIDDEN void ppi_profile_take_back (const void *owner);
/*
 * Waits until what was asked of a sampler last is done: whether it *RUNS now. False: the library's
 * thread did not get to it in 5 s, or the process ends. Ordinary context, without a lock.
 */
PPI_HIDDEN bool ppi_profile_settle (enum ppi_sampler which, bool *runs);
/* The process ends: nothing begins any more. Any thread. */
PPI_HIDDEN bool ppi_profiles_are_over (void);

/* ---- interrupter.c: with the sampler's lock, but for what says otherwise ---------------------------------------------- */

/* NULL, or why this process can't be sampled. */
PPI_HIDDEN const char *ppi_interrupter_impossible (void);
/* NULL, or why it did not begin. */
PPI_HIDDEN const char *ppi_interrupter_begin (const struct ppi_profile_wish *wish);
/*
 * What else it needs to begin, and to end: by the wall clock, a thread of its own. Without the
 * sampler's lock.
 */
PPI_HIDDEN const char *ppi_interrupter_begin_looks (void);
PPI_HIDDEN void ppi_interrupter_end_looks (void);
/* Fetches what handlers left, finds threads. */
PPI_HIDDEN void ppi_interrupter_look (void);
/* The former alone, which must be done so often lest rings fill. */
PPI_HIDDEN void ppi_interrupter_fetch (void);
PPI_HIDDEN uint64_t ppi_interrupter_fetches_ns (void);
/*
 * From a pause to its end nobody is sampled, and what was used of the processor is in no figure.
 * One that is paused already stays so.
 */
PPI_HIDDEN void ppi_interrupter_pause (bool is_paused);
/* So far apart are samples from now on. */
PPI_HIDDEN void ppi_interrupter_period (uint64_t period_ns);
/* Timers stop, and what they left is fetched. */
PPI_HIDDEN void ppi_interrupter_end (void);
PPI_HIDDEN void ppi_interrupter_forget (void);
/*
 * Stacks are not unwound while the process forks. False: the lock can't be had in a moment, and
 * there is nothing to release. Without the sampler's lock.
 */
PPI_HIDDEN bool ppi_interrupter_hold (void);
PPI_HIDDEN void ppi_interrupter_release (void);

/* ---- watcher.c: the library's thread, without the sampler's lock ----------------------------- */

PPI_HIDDEN const char *ppi_watcher_begin (const struct ppi_profile_wish *wish);
/* Ends its thread, and waits for it. */
PPI_HIDDEN void ppi_watcher_end (void);
PPI_HIDDEN void ppi_watcher_forget (void);
/* As of the interrupter; and notes what there is by now. With the sampler's lock. */
PPI_HIDDEN void ppi_watcher_pause (bool is_paused);
PPI_HIDDEN void ppi_watcher_period (uint64_t period_ns);
PPI_HIDDEN void ppi_watcher_note (void);
/* CPU time of the watcher. With the sampler's lock. */
PPI_HIDDEN uint64_t ppi_watcher_cpu_ns (void);
/* Its thread, 0: there is none. Atomic. */
PPI_HIDDEN uint32_t ppi_watcher_tid (void);

#endif
