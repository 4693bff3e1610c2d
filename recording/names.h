/* SPDX-License-Identifier: MIT */
/*
 * names.h: names of what is in a recording, for reports (report/) and whoever else tells people of
 * it. Needs nothing of the runtime.
 */
#ifndef PPI_RECORDING_NAMES_H
#define PPI_RECORDING_NAMES_H

#include "recording/layout.h"

#include <stdbool.h>

struct ppi_recording;

const char *ppi_history_name (enum ppi_history_kind kind);
const char *ppi_adapt_state_name (unsigned state);
/* "code for just this", "general routine" ... */
const char *ppi_way_name (uint32_t way);
const char *ppi_state_name (enum pp_state state);
const char *ppi_severity_name (enum pp_severity severity);

/* The name of a metric or site, "?" where the recording does not have it. */
const char *ppi_report_metric_name (const struct ppi_recording *recording, uint32_t id);
const char *ppi_report_site_name (const struct ppi_recording *recording, uint32_t id);

/* What an assertion captures. */
const struct ppi_capture_entry *ppi_captures_of (const struct ppi_assertion_chunk *assertion);
/* Its number I as it was written, where it is a figure of a group; NULL: it is a metric. */
const char *ppi_captured_text (const struct ppi_assertion_chunk *assertion, uint32_t i);
/* ... or the metric's name. */
const char *ppi_captured_name (const struct ppi_recording *recording,
			       const struct ppi_assertion_chunk *assertion, uint32_t i);

/* The text with that NUMBER, "(unknown)" where the recording does not have it. */
const char *ppi_recorded_text (const struct ppi_recording *recording, uint64_t number);

/* Were executions recorded one by one, or counted in groups? */
bool ppi_recorded_events (const struct ppi_recording *recording);

/*
 * The name that a site has in the source: what is behind the function in its full name, without
 * what tells it from namesakes ("@14.2"). A site of calls has no line, and may have any name: all
 * that is behind its module. Cut to ROOM.
 */
void ppi_site_own_name (const struct ppi_site_chunk *site, char *out, size_t room);

/*
 * The next entry of the history behind E, from the first if that is NULL, of a name or site that a
 * policy waited for until the end; in WHAT which, as "site matches 'x' yet". NULL: there is none.
 */
const struct ppi_history_chunk *ppi_pending_next (const struct ppi_recording *recording,
						  const struct ppi_history_chunk *e,
						  const char **what);
/* The sites among them, as the end of a sentence: "; no site matched 'x', 'y'", or "". */
void ppi_pending_sites (const struct ppi_recording *recording, char *out, size_t room);

/*
 * One executions in how many is sampled at SITE, the largest of METRIC's bindings there; 1: all. 0:
 * METRIC is not bound to SITE.
 */
uint32_t ppi_report_every (const struct ppi_recording *recording, uint32_t metric, uint32_t site);

#endif
