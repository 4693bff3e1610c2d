/* SPDX-License-Identifier: MIT */
/* threads.h: the machines of `scope: thread`. */
#ifndef PPI_THREADS_H
#define PPI_THREADS_H

#include "assertions/engine/machine.h"

/*
 * The machines of scope: thread, of those threads whose machine is not as good as new. Sixteen ids
 * are one cache line and one bucket, in which a thread has its place. Only the flag's holder
 * writes; a marker looks for its own id, whose place changes by outcomes of its own only.
 */
#define PPI_THREADS 1024u
#define PPI_THREADS_BUCKET 16u

struct ppi_threads {
	uint32_t tid[PPI_THREADS] __attribute__ ((aligned (64))); /* 0: free; atomic */
	/* a pass would change nothing; atomic */
	uint32_t idle[PPI_THREADS];
	struct ppi_machine machine[PPI_THREADS];
	uint32_t in_state[4]; /* how many, by enum pp_state */
	uint32_t used;        /* atomic */
};

struct ppi_threads *ppi_threads_create (void);
bool ppi_threads_is_idle (const struct ppi_threads *threads, uint32_t tid);
/* The place of TID, made where there is none; -1: its bucket is full. */
int ppi_threads_take (struct ppi_threads *threads, uint32_t tid);
/*
 * After a step at PLACE, where the state was BEFORE: counts, and frees a place that is as good as
 * new. The worst state.
 */
enum pp_state ppi_threads_stepped (struct ppi_threads *threads, int place, enum pp_state before,
				   const struct ppi_machine_spec *spec, uint64_t now_ns);
void ppi_threads_free_place (struct ppi_threads *threads, uint32_t place);
enum pp_state ppi_threads_worst (const struct ppi_threads *threads);

#endif
