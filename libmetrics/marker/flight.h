/* SPDX-License-Identifier: MIT */
/* flight.h: values that come after a begin, into the flight recorder's ring (flight.c). */
#ifndef PPI_MARKER_FLIGHT_H
#define PPI_MARKER_FLIGHT_H

#include "base/atomic.h"

#include <pp_types.h>
#include <stdbool.h>

struct pp_event_dim;
struct ppi_thread;

/*
 * One more of the entry before it, or LATE of what is innermost. False: it is none. With the thread
 * entered.
 */
PPI_HIDDEN bool ppi_flight_dim (struct ppi_thread *t, const struct pp_event_dim *dim, bool late);
/* One more of the newest of SITE's that is open. */
PPI_HIDDEN void ppi_flight_dim_of (struct ppi_thread *t, const pp_site *site,
				   const struct pp_event_dim *dim);

#endif
