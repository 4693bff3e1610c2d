/* SPDX-License-Identifier: MIT */
/* actions.h: what a policy does when an assertion fires or clears. */
#ifndef PPI_ACTIONS_H
#define PPI_ACTIONS_H

#include "assertions/engine/action.h"
#include "assertions/engine/assertion.h"

/* What the engine calls of the actions of a policy's assertion. */
extern const struct ppi_reactions ppi_actions;

/*
 * A is no longer checked, perhaps because its policy is loaded again: what its actions have begun
 * is interrupted [lock].
 */
void ppi_actions_interrupt (const struct ppi_assertion *a);
/* An investigation of A at SITE is over: it is noted, logged and delivered [lock]. */
void ppi_investigated (struct ppi_assertion *a, pp_site *site, uint64_t now_ns);

#endif
