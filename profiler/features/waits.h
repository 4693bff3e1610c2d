/* SPDX-License-Identifier: MIT */
/*
 * waits.h: how long threads with marks were kept waiting for a processor while they could have run.
 * What is measured is wall clock, and such a wait is in whatever mark it came in: of few long waits
 * chance decides which. With the runtime's lock; ordinary context.
 */
#ifndef PPI_FEATURES_WAITS_H
#define PPI_FEATURES_WAITS_H

#include "base/atomic.h"

#include <stdint.h>

struct ppi_waits {
	uint64_t ns, n; /* all together; how many there were, at most */
};

/* What threads have waited by now is not counted. */
PPI_HIDDEN void ppi_waits_begin (void);
/*
 * Adds to SUM what threads have waited since the look before. What the kernel does not tell is not
 * there, nor what a thread waited after its last look.
 */
PPI_HIDDEN void ppi_waits_look (struct ppi_waits *sum);
/* In a child: other threads are its. */
PPI_HIDDEN void ppi_waits_forget (void);

#endif
