/* SPDX-License-Identifier: MIT */
/*
 * flight.h: what somebody wants of the flight recorder: a policy by its key `flight`, whose part is
 * in profiler/events (base/part.h).
 */
#ifndef PPI_BASE_FLIGHT_H
#define PPI_BASE_FLIGHT_H

#include <stddef.h>
#include <stdint.h>

struct ppi_flight_wish {
	/* patterns of the sites whose begins, ends and values are kept; one at least */
	const char *const *site;
	size_t sites;
	uint32_t events; /* how many of each thread's, at least */
};

#endif
