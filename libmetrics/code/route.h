/* SPDX-License-Identifier: MIT */
/*
 * route.h: how a change of code reaches a page that is mapped readable and executable, and stays
 * so.
 *
 *   procmem   writes through /proc/self/mem, which the kernel lets a process do to its own code: a
 *             byte each, or all changes of a page at once
 *   alias     lets the pages be backed by a memfd from then on, which is mapped writable a second
 *             time
 *   none      never changes code: only guard markers can be enabled
 *
 * No page is ever writable and executable at one address. Each compares what is there before it
 * writes; whether all was written is seen by looking (patch.c), whatever the kernel has said.
 */
#ifndef PPI_CODE_ROUTE_H
#define PPI_CODE_ROUTE_H

#include "pp_arch.h"

struct ppi_patch;

struct word_change {
	struct pp_arch_patch patch;
	struct ppi_patch *of;
};

/*
 * Writes N changes in the order of their addresses, all of one page, as far as it can. With the
 * runtime's lock.
 */
struct ppi_route {
	const char *name;
	void (*write) (const struct word_change *changes, size_t n);
};

/* The one called NAME; NULL: there is none. */
const struct ppi_route *ppi_route_named (const char *name) __attribute__ ((visibility ("hidden")));
/* The I-th to try where none is demanded; NULL: no more. */
const struct ppi_route *ppi_route_to_try (unsigned i) __attribute__ ((visibility ("hidden")));

/* Closes what was opened for a batch. */
void ppi_route_rest (void) __attribute__ ((visibility ("hidden")));
/* Pages from FIRST up to END are somebody else's from now on. */
void ppi_route_forget (uintptr_t first, uintptr_t end) __attribute__ ((visibility ("hidden")));
void ppi_route_after_fork (void) __attribute__ ((visibility ("hidden")));

#endif
