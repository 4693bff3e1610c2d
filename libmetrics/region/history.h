/* SPDX-License-Identifier: MIT */
/*
 * history.h: the log of what the runtime did. Its entries lie in the region, in a ring.
 */
#ifndef PPI_REGION_HISTORY_H
#define PPI_REGION_HISTORY_H

#include "recording/layout.h"

/* Appends an entry to the history. TEXT may be NULL. Not from markers. */
void ppi_history (enum ppi_history_kind kind, const char *name, const char *text,
		  const double *values, unsigned n_values);

/* The history is empty in a child. */
void ppi_history_after_fork (void);

#endif
