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

#include "pp_arch.h"

#include <stdbool.h>
#include <stddef.h>

/*
 * Turns markers on or off, those of one page with one change of its protection. With the runtime's lock. Returns how
 * many could not be changed: FAILED[i] says which. No barrier after the last step.
 */
size_t ppi_patch_markers (const struct pp_abi_marker *const *markers, size_t n, bool on, bool *failed)
	__attribute__ ((visibility ("hidden")));

/* The name of the route in use: "mprotect" … */
const char *ppi_patch_route (void) __attribute__ ((visibility ("hidden")));
/* For tests: uses the route of that name from now on; false: there is none, or it does not work here. */
bool ppi_patch_route_set (const char *name) __attribute__ ((visibility ("hidden")));
/* After fork: descriptors of the parent are not the child's. */
void ppi_patch_after_fork (void) __attribute__ ((visibility ("hidden")));

#endif
