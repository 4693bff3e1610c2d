/* SPDX-License-Identifier: MIT */
/* looks.h: what was captured at checks that held. */
#ifndef PPI_ENGINE_LOOKS_H
#define PPI_ENGINE_LOOKS_H

#include <pp.h>
#include <stdbool.h>

struct ppi_assertion;
struct ppi_thread;

/*
 * It held: now and then what it captures is read. Inside a check of THREAD's at SITE; and with
 * merged values, LOCKED as above.
 */
void ppi_assertion_look (struct ppi_assertion *a, struct ppi_thread *thread, pp_site *site);
void ppi_assertion_look_merged (struct ppi_assertion *a, bool locked);

#endif
