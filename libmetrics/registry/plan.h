/* SPDX-License-Identifier: MIT */
/*
 * plan.h: chooses, finds and makes plans.
 */
#ifndef PPI_REGISTRY_PLAN_H
#define PPI_REGISTRY_PLAN_H

#include <pp.h>

struct ppi_plan;

/*
 * The plan of what is bound at the site now (plan.c): one that it had before, or a new one;
 * &ppi_plan_nothing where nothing is. NULL: no memory. With the lock; the site's plan is not
 * changed by it.
 */
__attribute__ ((visibility ("hidden"))) const struct ppi_plan *ppi_plan_for (pp_site *site);

#endif
