/* SPDX-License-Identifier: MIT */
/*
 * flight.h: what a ring of the flight recorder says (recording/flight.h): its begins and ends
 * become executions, one in the other as they ran, with how long they took where that is known.
 */
#ifndef PPI_ANALYSIS_FLIGHT_H
#define PPI_ANALYSIS_FLIGHT_H

#include "recording/flight.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ppi_flown_kind {
	PPI_FLOWN_DONE, /* it took TICKS */
	PPI_FLOWN_OPEN, /* its end is not there, and nothing that began before it has ended since */
	PPI_FLOWN_LEFT, /* it was left without an end, or what it is in has ended */
	PPI_FLOWN_VAGUE, /* it or another of its site ended: several were open, on several stacks */
	PPI_FLOWN_POINT,
	PPI_FLOWN_SPAN, /* in nothing; it took TICKS */
	PPI_FLOWN_END,  /* one whose begin is no longer there, at AT */
	PPI_FLOWN_DIM,  /* values of something that is no longer there, or can't be told */
};

#define PPI_FLOWN_NONE UINT32_MAX

struct ppi_flown {
	enum ppi_flown_kind kind;
	uint32_t site;   /* id */
	uint32_t depth;  /* in so many that are here */
	uint32_t parent; /* place of what it is in; PPI_FLOWN_NONE: of nothing here */
	uint64_t at; /* when it began, in ticks; of END when it ended, of DIM when it is known: 0 */
	uint64_t ticks;
	uint32_t value,
		values; /* places of its values: the first, and the last; NONE: there are none */
};

struct ppi_flown_value {
	uint32_t key, type; /* number of a text; enum pp_abi_value */
	uint64_t word;      /* of a string the number of its text */
	uint32_t next;      /* of the same; NONE: there are no more */
};

struct ppi_flown_list {
	struct ppi_flown *item; /* in the order of their begins */
	uint32_t n;
	struct ppi_flown_value *value;
	uint32_t n_values;
	unsigned torn;
	uint64_t newest; /* the latest time of all, in ticks; 0: there is none */
};

/* What CHUNK, which is whole and which nobody writes to, says. False: no memory. */
bool ppi_flown_read (const struct ppi_flight_chunk *chunk, struct ppi_flown_list *out);
void ppi_flown_free (struct ppi_flown_list *list);

#endif
