/* SPDX-License-Identifier: MIT */
/*
 * events.h: between the keys `events` (part.c, aggregate.c) and `flight` (flight.c). With the
 * runtime's lock, where nothing else is said.
 */
#ifndef PPI_EVENTS_EVENTS_H
#define PPI_EVENTS_EVENTS_H

#include "base/atomic.h"
#include "base/events.h"

#include <stdbool.h>
#include <stddef.h>

/* As struct ppi_part_key has them. */
PPI_HIDDEN int ppi_flight_check (const void *value, const void *former, char *why, size_t room);
PPI_HIDDEN void ppi_flight_apply (const void *value, const void *owner, const void *former);
PPI_HIDDEN void ppi_flight_take_back (const void *owner);

/* Sites may have come that are meant too. */
PPI_HIDDEN void ppi_flight_look (void);
/* Does a policy ask for it? */
PPI_HIDDEN bool ppi_flight_is_wanted (void);

/* The aggregates of what `events` asks for; as those of a part's key. */
PPI_HIDDEN int ppi_aggregate_check (const struct ppi_events_wish *wish, char *why, size_t room);
PPI_HIDDEN void ppi_aggregate_apply (const struct ppi_events_wish *wish, const void *owner,
				     const void *former);
PPI_HIDDEN void ppi_aggregate_take_back (const void *owner);
PPI_HIDDEN void ppi_aggregate_look (void);

/* Finds out what recording an execution costs, where there is a plan that does. Takes the lock. */
PPI_HIDDEN void ppi_events_measure (void);
/* There is something for a recording: one is begun where no policy says where it goes. */
PPI_HIDDEN void ppi_events_record_soon (void);

#endif
