/* SPDX-License-Identifier: MIT */
/* wall.h: the interrupter by the wall clock, between its two files. See wall.c. */
#ifndef PPI_SAMPLER_WALL_H
#define PPI_SAMPLER_WALL_H

#include "base/atomic.h"
#include "profiler/sampler/raw.h"
#include "profiler/sampler/threads.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- wall.c ---------------------------------------------------------------------------------- */

/*
 * NULL, or why there is no thread that looks. OPTIONS live until ppi_wall_end. Without the
 * sampler's lock.
 */
PPI_HIDDEN const char *ppi_wall_begin (const struct ppi_threads_options *options);
/* Ends the thread, and waits for it. Without the sampler's lock. */
PPI_HIDDEN void ppi_wall_end (void);
PPI_HIDDEN void ppi_wall_forget (void);
/* Looks are that far apart from now on. With the sampler's lock. */
PPI_HIDDEN void ppi_wall_period (uint64_t period_ns);
/* CPU time of the thread. With the sampler's lock. */
PPI_HIDDEN uint64_t ppi_wall_cpu_ns (void);
/* The thread, 0: there is none. Atomic. */
PPI_HIDDEN uint32_t ppi_wall_tid (void);

/* ---- interrupter.c: with the sampler's lock -------------------------------------------------- */

/* RAW is the stack of a thread that sleeps. What its handler left comes first. */
PPI_HIDDEN void ppi_interrupter_add_asleep (struct ppi_timed_thread *slot,
					    const struct ppi_raw *raw);
/* The newest stack of a thread counts again, at NS. */
PPI_HIDDEN void ppi_interrupter_add_again (struct ppi_timed_thread *slot, uint64_t ns);
/* False: the program has taken the signal, and there is no other. */
PPI_HIDDEN bool ppi_interrupter_goes_on (void);

#endif
