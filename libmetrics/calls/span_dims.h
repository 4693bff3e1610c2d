/* SPDX-License-Identifier: MIT */
/*
 * span_dims.h: dimensions of spans, which come by calls in any thread between begin and end.
 *
 *   span ──`prev`──► newest ──► ... ──► oldest        entries of a table of their own
 *
 * They are numbers by then: texts are in the table of texts. The word that leads to the newest has
 * the span's generation beside it, so who comes after the end adds nothing. Who ends the span takes
 * them all: the newest of a key counts.
 */
#ifndef PPI_CALLS_SPAN_DIMS_H
#define PPI_CALLS_SPAN_DIMS_H

#include "base/atomic.h"
#include "libmetrics/marker/record.h"

#include <stdint.h>

struct pp_event_dim;
struct ppi_frame;
struct ppi_thread;

#define PPI_SPAN_DIMS 64u /* that are said of one span at most, by whatever keys */

/* SPAN, which is being opened, of that GENERATION, has none. */
PPI_HIDDEN void ppi_span_dims_begin (struct ppi_frame *span, uint64_t generation);
/* One more. PP_ESTATE: it has ended; PP_EINVAL: it has PPI_SPAN_DIMS, or DIM is none; PP_ENOMEM. */
PPI_HIDDEN int ppi_span_dim (struct ppi_thread *t, struct ppi_frame *span, uint64_t generation,
			     const struct pp_event_dim *dim);
/* SPAN is this thread's, and ends now: how many it has, in the order in which they came. */
PPI_HIDDEN unsigned ppi_span_dims_end (struct ppi_frame *span, struct ppi_late out[PPI_LATE]);
/* In a child. */
PPI_HIDDEN void ppi_span_dims_forget (void);

#endif
