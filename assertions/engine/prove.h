/* SPDX-License-Identifier: MIT */
/* prove.h: checks that markers themselves see to pass (prove.c, tally.c). */
#ifndef PPI_PROVE_H
#define PPI_PROVE_H

#include "assertions/engine/assertion.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/tables/quick.h"
#include "libmetrics/thread/thread.h"
#include "recording/layout.h"

struct ppi_op;
struct ppi_quick;
/*
 * The terms that prove that PROGRAM is true at markers that take the samples of OPS; false: there
 * are none. Its references are linked. [lock]
 */
bool ppi_program_prove (const struct ppi_program *program, const struct ppi_op *ops, unsigned n_ops,
			struct ppi_quick *out);
/* The same for an assertion, which gets a tally where it has none yet [lock]. */
bool ppi_assertion_quick (struct ppi_assertion *a, const struct ppi_op *ops, unsigned n_ops,
			  struct ppi_quick *out);
/*
 * It was checked the whole way, passed, and that changed nothing: next time markers may see so by
 * themselves. Inside a check.
 */
void ppi_assertion_open (struct ppi_assertion *a, struct ppi_thread *thread);
/* It is no longer at rest, or no longer checked: the whole way from now on. Anywhere. */
void ppi_assertion_close (struct ppi_assertion *a);
/* Its tally, where it has one; any thread. */
struct ppi_tally *ppi_assertion_tally (const struct ppi_assertion *a);
/*
 * Makes its tally, in which threads count down to the next check that is looked at (looks.c)
 * [lock].
 */
void ppi_assertion_count_looks (struct ppi_assertion *a);
/* With the chunk, which both have [lock]. */
void ppi_tally_hand_over (struct ppi_assertion *to, struct ppi_assertion *from);
/* Inside a check of A's at SITE: is there a new sample of anything that its condition reads? */
bool ppi_assertion_has_news (const struct ppi_assertion *a, const struct ppi_thread *thread,
			     const pp_site *site);
/* A new chunk has to say where its tally is [lock]. */
void ppi_tally_describe (struct ppi_assertion *a);
/*
 * Its counts are in the chunk, and its tally is free for another one. When no marker can be in its
 * checks.
 */
void ppi_tally_release (struct ppi_assertion *a);
/* Passes that are not in the chunk's counts. Any thread, no lock. */
uint64_t ppi_assertion_quick_passes (const struct ppi_assertion_chunk *chunk);
/* Inside a check: both sides are now of the thread's newest sample at SITE. */
void ppi_assertion_evaluated (struct ppi_assertion *a, const struct ppi_thread *thread,
			      const pp_site *site);
/* Renews the chunk's sides where a marker has seen a newer check to pass [lock]. */
void ppi_assertion_look_at_sides (struct ppi_assertion *a);

#endif
