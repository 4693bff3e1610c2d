/* SPDX-License-Identifier: MIT */
/*
 * overhead.h: what the markers cost, thread by thread, and bindings that are sampled more seldom
 * for it.
 */
#ifndef PPI_COST_OVERHEAD_H
#define PPI_COST_OVERHEAD_H

#include "libmetrics/tables/throttle.h"

#include <stddef.h>

struct ppi_binding;

/* The CPU time of a thread of this process by its kernel id; 0: it is gone. A system call. */
uint64_t ppi_thread_cpu_ns (uint32_t tid);

/* For tests: the CPU time of threads by kernel id, in ns, 0: it is gone; NULL: the kernel's. */
void ppi_thread_cpu_set (uint64_t (*fn) (uint32_t tid));

/* A binding, and what it costs. */
struct ppi_charge {
	struct ppi_binding *binding;
	const char *metric, *site; /* live as long as the process */
	uint32_t every;            /* asked for */
	struct ppi_throttle now;
	/* of the CPU time of the thread that pays most for it, since the last look */
	double share;
	double sampled_s, skipped_s; /* its part of an execution of the site */
	bool alone;                  /* nothing else is sampled at the site */
	struct ppi_throttle was;     /* the caller's */
};

/* What one thread paid for one binding since the last look, as a share of its CPU time. */
struct ppi_payment {
	uint32_t thread; /* its kernel id */
	struct ppi_binding *binding;
	double share;
};

/*
 * What the markers cost since the last look, as a share of the CPU time of the thread that pays
 * most; threads that ran for less than 1 ms don't count. NaN: nobody knows (the first look, or
 * nothing ran). Calibrates what it meets for the first time. [lock], ordinary context, not in a
 * batch.
 */
double ppi_overhead_look (void);

/*
 * All of the newest look, those of a thread together; until the next look, or until all is
 * forgotten [lock].
 */
const struct ppi_payment *ppi_overhead_payments (size_t *n);

/*
 * Every binding that somebody asks for, throttled or not [lock]. Malloced; NULL: none, or no
 * memory.
 */
struct ppi_charge *ppi_overhead_charges (size_t *n);

/* Throttles a binding from the end of the batch on [lock]. */
void ppi_overhead_throttle (struct ppi_binding *binding, const struct ppi_throttle *to);

/*
 * Behind that batch: from now on samples cost what they do with the new factors. By what they cost
 * at the look before, one that is eased would be charged twice [lock].
 */
void ppi_overhead_throttled (void);

/*
 * Takes back all that is throttled, whether somebody asks for it now or not, and counts what was
 * asked for. Not in a batch [lock].
 */
void ppi_overhead_release (unsigned *eased, unsigned *restored);

/* Forgets the last look. [lock] */
void ppi_overhead_forget (void);

#endif
