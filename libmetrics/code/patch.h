/* SPDX-License-Identifier: MIT */
/*
 * patch.h: changing code that threads are running.
 *
 * A thread that fetches code meanwhile sees valid instructions at every moment:
 * pp_arch_patch_prepare says in which steps. How bytes reach a page that is mapped readable and
 * executable is a route (route.h). PP_ROUTE names one, for everything; otherwise each change takes
 * the cheapest that works. Whatever the route, bytes are compared before they are written, and
 * looked at afterwards.
 */
#ifndef PPI_CODE_PATCH_H
#define PPI_CODE_PATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ppi_marker;

struct ppi_patch {
	struct ppi_marker *marker; /* its target is kept up to date */
	uintptr_t to;              /* where its jump shall go, 0: off */
	/* somebody else owns its bytes, TO is out of reach, or no route could write */
	bool failed;
};

/* Between them all changes share what routes have to open. With the lock. */
void ppi_patch_begin (void) __attribute__ ((visibility ("hidden")));
void ppi_patch_end (void) __attribute__ ((visibility ("hidden")));

/*
 * Makes markers jump elsewhere, or turns them off. With the runtime's lock. Returns how many could
 * not be changed: those are as they were, or closed (their stubs do what is to be done), and their
 * sites are taken back by the caller. Until the next barrier a thread may still go the old way, and
 * where a marker was led before there must be code still. One that is on and stays on is led
 * elsewhere without losing an execution if pp_arch_leads_unseen says so.
 */
size_t ppi_patch_markers (struct ppi_patch *patches, size_t n)
	__attribute__ ((visibility ("hidden")));

/* The name of the route that PP_ROUTE demands, or "any". */
const char *ppi_patch_route (void) __attribute__ ((visibility ("hidden")));
/* What lies from FIRST to LAST is code of a module that goes. With the lock. */
void ppi_patch_forget (uintptr_t first, uintptr_t last) __attribute__ ((visibility ("hidden")));
/* In a child: pages that were moved are its parent's. */
void ppi_patch_after_fork (void) __attribute__ ((visibility ("hidden")));

#endif
