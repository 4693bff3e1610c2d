/* SPDX-License-Identifier: MIT */
/*
 * patch.h: changing code that threads are running.
 *
 * A marker is turned over by one or two aligned 8-byte stores (pp_abi.h), and a thread that fetches it sees valid code
 * at every moment. How a store reaches a page that is mapped read-and-execute is a route:
 *
 *   mprotect  makes the pages writable for the moment of the change
 *   procmem   writes through /proc/self/mem, which W^X policies of the memory manager do not stop
 *   alias     lets the pages be backed by a memfd from then on, which is mapped writable a second time
 *   none      never changes code: only guard markers can be enabled
 *
 * PP_ROUTE names one; otherwise the first that works is used. Whatever the route, words are compared first and a
 * batch is followed by one membarrier that makes every core of the process fetch anew.
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

/*
 * Makes markers jump elsewhere, or turns them off, those of one page with one change of its protection. With the runtime's lock. Returns
 * how many could not be changed. No barrier after the last step: until the next one a thread may still go the old way. One
 * that is on and stays on is changed by a single store, so it goes either way, old or new, at every moment.
 */
size_t ppi_patch_markers (struct ppi_patch *patches, size_t n) __attribute__ ((visibility ("hidden")));

/* The name of the route in use: "mprotect" … */
const char *ppi_patch_route (void) __attribute__ ((visibility ("hidden")));
/* For tests: uses the route of that name from now on; false: there is none, or it does not work here. */
bool ppi_patch_route_set (const char *name) __attribute__ ((visibility ("hidden")));
/* After fork: descriptors of the parent are not the child's. */
void ppi_patch_after_fork (void) __attribute__ ((visibility ("hidden")));

#endif
