/* SPDX-License-Identifier: MIT */
/*
 * patch.h: changing code that threads are running.
 *
 * Every change is a store of some bytes of one aligned word (pp_abi.h), and a thread that fetches them sees valid code at
 * every moment. How a store reaches a page that is mapped read-and-execute is a route:
 *
 *   procmem   writes through /proc/self/mem: a few markers, of which one byte each changes, without an interrupt of other processors
 *   mprotect  makes pages writable for the moment of the change: many markers, or more bytes, which one store must change
 *   alias     lets the pages be backed by a memfd from then on, which is mapped writable a second time
 *   none      never changes code: only guard markers can be enabled
 *
 * PP_ROUTE names one, for everything; otherwise each change takes the cheapest that works. Whatever the route, bytes are
 * compared first.
 */
#ifndef PPI_PATCH_H
#define PPI_PATCH_H

#include "site.h"

#include <stdbool.h>
#include <stddef.h>

struct ppi_patch {
	struct ppi_marker *marker; /* its target is kept up to date */
	uintptr_t to;              /* where its jump shall go, 0: off */
	bool failed;               /* somebody else owns its bytes, TO is out of reach, or no route could write */
};

/* Before the changes of a batch: looks anew whether descriptors that the routes keep are still theirs. With the lock. */
void ppi_patch_begin (void) __attribute__ ((visibility ("hidden")));

/*
 * Makes markers jump elsewhere, or turns them off, those of one page with one change of its protection. With the runtime's lock. Returns
 * how many could not be changed. No barrier: until the next one a thread may still go the old way, and where a marker was led before there must
 * be code still. One that is on and stays on is changed by a single store, so that no execution is lost.
 */
size_t ppi_patch_markers (struct ppi_patch *patches, size_t n) __attribute__ ((visibility ("hidden")));

/* The name of the route that PP_ROUTE demands, or "any". */
const char *ppi_patch_route (void) __attribute__ ((visibility ("hidden")));
/* After fork: descriptors of the parent are not the child's. */
void ppi_patch_after_fork (void) __attribute__ ((visibility ("hidden")));

#endif
