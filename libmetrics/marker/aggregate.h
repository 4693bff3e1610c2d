/* SPDX-License-Identifier: MIT */
/*
 * aggregate.h: dimensions of executions in groups (aggregate.c) that come from calls. With the
 * thread entered.
 */
#ifndef PPI_MARKER_AGGREGATE_H
#define PPI_MARKER_AGGREGATE_H

#include "base/atomic.h"

#include <stdbool.h>

struct pp_event_dim;
struct ppi_frame;
struct ppi_late;
struct ppi_thread;

/*
 * The open execution F has that dimension, or has it anew. False: it goes into no aggregate that is
 * by it, and nothing happens.
 */
PPI_HIDDEN bool ppi_aggregate_dim (struct ppi_thread *t, struct ppi_frame *f,
				   const struct pp_event_dim *dim);
/* The span F, which ends now, has that one. */
PPI_HIDDEN void ppi_aggregate_late (struct ppi_thread *t, struct ppi_frame *f,
				    const struct ppi_late *late);
/* F, an event, has begun with all the dimensions that its begin has. */
PPI_HIDDEN void ppi_aggregate_begun (struct ppi_thread *t, struct ppi_frame *f);

#endif
