/* SPDX-License-Identifier: MIT */
/*
 * events.h: what somebody wants of events: a policy by its key `events`, whose part is in
 * profiler/events (base/part.h).
 */
#ifndef PPI_BASE_EVENTS_H
#define PPI_BASE_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PPI_EVENTS_STRINGS 65536u /* different ones that are told apart, where nobody says */

#define PPI_AGGREGATE_DIMS 4   /* of an aggregate */
#define PPI_AGGREGATE_SITES 64 /* patterns of one */
#define PPI_AGGREGATES_OF 8    /* a policy */

/* Executions in groups by the values of dimensions. */
struct ppi_aggregate_wish {
	const char *by[PPI_AGGREGATE_DIMS];
	unsigned dims;
	const char *site[PPI_AGGREGATE_SITES];
	size_t sites;
	bool histogram; /* of their times, else stats */
	uint32_t max_groups;
	/* where it says so, for messages */
	const char *policy;
	uint32_t line;
};

struct ppi_events_wish {
	/* patterns of the sites whose executions are recorded; none where there is an aggregate */
	const char *const *site;
	size_t sites;
	bool waits; /* markers wait where there is no room, else records are dropped */
	uint32_t strings;
	struct ppi_aggregate_wish aggregate[PPI_AGGREGATES_OF];
	size_t aggregates;
};

#endif
