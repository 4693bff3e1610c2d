/* SPDX-License-Identifier: MIT */
/*
 * tap.h: what else than metrics takes of a site's executions: an op of a sink that is no binding's.
 * A tap exists from when it was first asked for; it is part of the site's plans while somebody asks
 * for it. With the lock.
 */
#ifndef PPI_TABLES_TAP_H
#define PPI_TABLES_TAP_H

#include "libmetrics/tables/plan.h"

struct ppi_tap {
	uint32_t users;
	struct ppi_op op;     /* as plans copy it */
	struct ppi_tap *next; /* of the same site */
};

#endif
