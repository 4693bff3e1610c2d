/* SPDX-License-Identifier: MIT */
/*
 * tap.h: observers and recorders ask for a site's executions: ops of other sinks than a metric's
 * (marker/sink.h).
 */
#ifndef PPI_REGISTRY_TAP_H
#define PPI_REGISTRY_TAP_H

#include "libmetrics/marker/sink.h"

#include <pp.h>
#include <stddef.h>

/*
 * One more who wants SINK at SITE: from the end of the batch on its executions are marked, or
 * recorded. What is open then is not. 0; PP_EKIND with the reason in WHY where the site can't have
 * it: its markers are inline code, it is a point and the sink is for intervals; PP_ENOMEM. With the
 * lock.
 */
int ppi_tap_acquire (pp_site *site, enum ppi_sink_id sink, char *why, size_t room) PPI_HIDDEN;

/* One less; false: there was none. With the lock. */
bool ppi_tap_release (pp_site *site, enum ppi_sink_id sink) PPI_HIDDEN;

/*
 * Those of SITE that somebody wants, to OPS, PPI_SINKS_COUNT at most; how many. Their words begin
 * at *WORDS, and end there then. With the lock.
 */
unsigned ppi_tap_ops (const pp_site *site, struct ppi_op *ops, uint16_t *words) PPI_HIDDEN;

/* Does somebody want any? With the lock. */
bool ppi_taps_exist (void) PPI_HIDDEN;

/* In a child: its region knows the sites of those that somebody wants. With the lock. */
void ppi_taps_describe (void) PPI_HIDDEN;

/* How many words those take in a frame. With the lock. */
unsigned ppi_tap_words (const pp_site *site) PPI_HIDDEN;

#endif
