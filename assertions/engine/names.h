/* SPDX-License-Identifier: MIT */
/*
 * names.h: the names that exist in the running program, for what reads policies and expressions.
 */
#ifndef PPI_ENGINE_NAMES_H
#define PPI_ENGINE_NAMES_H

#include "assertions/language/expr.h"

struct ppi_loaded;

/*
 * The names that exist in the running program [lock], without those of the policy that is being
 * replaced (or NULL).
 */
struct ppi_runtime_names {
	struct ppi_names names;
	const struct ppi_loaded *without;
};
void ppi_runtime_names_init (struct ppi_runtime_names *names, const struct ppi_loaded *without);

#endif
