/* SPDX-License-Identifier: MIT */
/*
 * nesting.h: what people are told of events (event.c) whose nesting a program has broken: both
 * places, on stderr and in the recording.
 */
#ifndef PPI_CALLS_NESTING_H
#define PPI_CALLS_NESTING_H

#include <pp.h>
#include <stdint.h>

/* INNER was open when OUTER, which was begun before it, ended. */
struct ppi_broken {
	const pp_site *inner, *outer;
	/* where INNER was begun and OUTER ended: return addresses of the program's calls */
	uintptr_t begun, ended;
};

/*
 * Says so, once for each pair of places. Not from markers; a handler that interrupted the library
 * says nothing.
 */
void ppi_nesting_tell (const struct ppi_broken *broken) __attribute__ ((cold));

#endif
