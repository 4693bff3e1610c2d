/* SPDX-License-Identifier: MIT */
/*
 * violating.h: which executions violated an assertion at its site, while a profile is taken: by
 * their times readers tell samples of slow executions from the others.
 */
#ifndef PPI_ENGINE_VIOLATING_H
#define PPI_ENGINE_VIOLATING_H

#include "recording/layout.h"

#include <pp.h>

struct ppi_assertion;
struct ppi_seen;
struct ppi_thread;

/*
 * Inside a check that is violated: when the execution was, for SEEN; not where no sampler has
 * looked meanwhile, or where nothing that is bound there reads the clock.
 */
void ppi_violating_saw (const struct ppi_thread *thread, const pp_site *site,
			struct ppi_seen *seen);
/*
 * Keeps it, in a ring of the live region that is made for the first. Who has the assertion's flag.
 */
void ppi_violating_keep (struct ppi_assertion *a, const struct ppi_seen *seen);
/* The ring is done with. Takes the lock. */
void ppi_violating_end (struct ppi_assertion *a);

#endif
