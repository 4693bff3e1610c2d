/* SPDX-License-Identifier: MIT */
/* sweep.h: sweep: of assertions, several thresholds at once. */
#ifndef PPI_ENGINE_SWEEP_H
#define PPI_ENGINE_SWEEP_H

#include "assertions/engine/threads.h"
#include "recording/layout.h"

#include <pp.h>
#include <stdint.h>

struct ppi_assertion;
struct ppi_thread;
struct ppi_verdict;

/*
 * Which thread has which chunk. A bucket of sixteen ids, as in struct ppi_threads; places are never
 * given back.
 */
struct ppi_sweeping {
	uint32_t tid[PPI_THREADS] __attribute__ ((aligned (64))); /* atomic */
	struct ppi_sweep_chunk *chunk[PPI_THREADS];               /* only its thread's */
	double threshold[PPI_SWEEP_MAX];
	uint32_t thresholds;
};

struct ppi_sweeping *ppi_sweep_create (const double *threshold, uint32_t n);
/* A check with a known result, inside its marker */
void ppi_sweep_add (struct ppi_assertion *a, struct ppi_thread *thread, pp_site *site,
		    const struct ppi_verdict *verdict);
/* The chunks are done with */
void ppi_sweep_end (const struct ppi_assertion *a);
/* Nobody has a chunk any more: in a child, and where another sweep has them */
void ppi_sweep_forget (struct ppi_sweeping *sweep);

#endif
