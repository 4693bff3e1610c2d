/* SPDX-License-Identifier: MIT */
/* check.h: assertions at their sites. */
#ifndef PPI_ENGINE_CHECK_H
#define PPI_ENGINE_CHECK_H

#include "assertions/engine/seen.h"

#include <pp.h>
#include <stddef.h>

struct ppi_assertion;
struct ppi_ref;
struct ppi_thread;

/*
 * Attaches the assertion to all sites of its pattern where it isn't yet [lock]. How many it has
 * then, or a pp_error and WHY.
 */
int ppi_assertion_attach (struct ppi_assertion *a, char *why, size_t room);
void ppi_assertion_detach (struct ppi_assertion *a);
/*
 * It is violated: takes the samples of on_fire. Inside markers with ppi_load_at, by the owner with
 * ppi_load_merged.
 */
void ppi_assertion_sample (const struct ppi_assertion *a,
			   double (*load) (const struct ppi_ref *ref, void *arg), void *arg);

/*
 * What the thread's captured metrics are now: newest and average, here where they are bound here.
 * Inside markers.
 */
void ppi_assertion_capture (const struct ppi_assertion *a, struct ppi_thread *thread, pp_site *site,
			    struct ppi_captured *out);

#endif
