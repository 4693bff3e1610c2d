/* SPDX-License-Identifier: MIT */
/*
 * served.h: what the library's thread has done of what was asked of each sampler, for whoever waits
 * for it.
 */
#ifndef PPI_SAMPLER_SERVED_H
#define PPI_SAMPLER_SERVED_H

#include "base/atomic.h"
#include "base/profile.h"

#include <stdbool.h>
#include <stdint.h>

/* The wish of that NUMBER is seen to, and the sampler RUNS or not. Wakes who waits. */
PPI_HIDDEN void ppi_served_set (enum ppi_sampler which, uint64_t number, bool runs);
/* Does it run, as far as that was said? */
PPI_HIDDEN bool ppi_served_runs (enum ppi_sampler which);
/*
 * Waits until that is of NUMBER, and whether it *RUNS. False: not in 5 s, or the process ends. Any
 * thread but the library's, without a lock.
 */
PPI_HIDDEN bool ppi_served_wait (enum ppi_sampler which, uint64_t number, bool *runs);
/* The process ends: nobody waits any more. */
PPI_HIDDEN void ppi_served_no_more (void);

#endif
