/* SPDX-License-Identifier: MIT */
/* looks.h: what was captured at checks that held. */
#ifndef PPI_ENGINE_LOOKS_H
#define PPI_ENGINE_LOOKS_H

#include <pp.h>
#include <stdbool.h>
#include <stdint.h>

struct ppi_assertion;
struct ppi_thread;

/*
 * It held: now and then what it captures is read. Inside a check of THREAD's at SITE; and with
 * merged values, any (m by key) of GROUP (grouped.h), LOCKED as in ppi_assertion_saw.
 */
void ppi_assertion_look (struct ppi_assertion *a, struct ppi_thread *thread, pp_site *site);
void ppi_assertion_look_merged (struct ppi_assertion *a, uint32_t group, uint64_t now_ns,
				bool locked);

#endif
