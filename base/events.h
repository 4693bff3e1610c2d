/* SPDX-License-Identifier: MIT */
/*
 * events.h: what somebody wants of event records: a policy by its key `events`, whose part is in
 * profiler/events (base/part.h).
 */
#ifndef PPI_BASE_EVENTS_H
#define PPI_BASE_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PPI_EVENTS_STRINGS 65536u /* different ones that are told apart, where nobody says */

struct ppi_events_wish {
	/* patterns of the sites whose executions are recorded; one at least */
	const char *const *site;
	size_t sites;
	bool waits; /* markers wait where there is no room, else records are dropped */
	uint32_t strings;
};

#endif
