/* SPDX-License-Identifier: MIT */
/*
 * looks.h: a thread of the library's that looks at something once in each period, at a time that
 * chance chooses, so that it keeps step with nothing in the program. A look that comes late is left
 * out.
 */
#ifndef PPI_SAMPLER_LOOKS_H
#define PPI_SAMPLER_LOOKS_H

#include "base/atomic.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct ppi_looks {
	/* with the sampler's lock; IS_LAST: the thread ends */
	void (*look) (bool is_last);
	pthread_t thread;
	bool runs;
	uint32_t tid;  /* 0: there is none; atomic */
	uint32_t stop; /* atomic */
	/* changes when it shall stop, or look at another time; atomic; the thread sleeps on it */
	uint32_t plan;
	uint64_t begin_ns, period_ns;   /* looks are one in each period since BEGIN_NS */
	uint64_t own_ns, own_before_ns; /* CPU time of this thread, and of those before it */
};

/*
 * Starts the thread NAME, which runs RUN, and that ppi_looks_run. False: there is none. Without the
 * sampler's lock.
 */
PPI_HIDDEN bool ppi_looks_begin (struct ppi_looks *looks, const char *name, void *(*run) (void *) );
/* In the thread: looks, until it shall stop. */
PPI_HIDDEN void ppi_looks_run (struct ppi_looks *looks);
/* Another period from now on. With the sampler's lock. */
PPI_HIDDEN void ppi_looks_period (struct ppi_looks *looks, uint64_t period_ns);
/* Ends the thread, and waits for it, 2 s at most. Without the sampler's lock. */
PPI_HIDDEN void ppi_looks_end (struct ppi_looks *looks);
/* CPU time of its threads by now. With the sampler's lock. */
PPI_HIDDEN uint64_t ppi_looks_cpu_ns (struct ppi_looks *looks);

#endif
