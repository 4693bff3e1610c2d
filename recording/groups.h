/* SPDX-License-Identifier: MIT */
/*
 * groups.h: what a recording has of executions in groups (struct ppi_aggregate_chunk): the entries
 * of all threads and sites, merged. Nothing in a recording is believed: entries that can't be are
 * left out.
 */
#ifndef PPI_RECORDING_GROUPS_H
#define PPI_RECORDING_GROUPS_H

#include "libmetrics/keep/summary.h"
#include "recording/layout.h"

#include <stdbool.h>
#include <stddef.h>

struct ppi_recording;

/* The key of dimension I; the patterns of its sites, with commas between. */
const char *ppi_aggregate_key (const struct ppi_aggregate_chunk *aggregate, unsigned i);
const char *ppi_aggregate_sites (const struct ppi_aggregate_chunk *aggregate);
/* Which dimension KEY is; -1: none. */
int ppi_aggregate_find (const struct ppi_aggregate_chunk *aggregate, const char *key);

struct ppi_group_value {
	unsigned type;    /* enum pp_abi_value; NONE: it is missing */
	uint64_t bits;    /* integer, double, pointer */
	const char *text; /* of a string; in the recording */
};

struct ppi_group_row {
	struct ppi_group_value value[PPI_GROUP_DIMS];
	bool is_rest; /* of all that was too much to be told apart; VALUE says nothing */
	bool is_clear;
	uint64_t self_ticks, desc_ticks; /* DESC_TICKS where it IS_CLEAR */
	struct ppi_summary times;        /* in ticks */
};

struct ppi_group_rows {
	struct ppi_group_row *row;
	size_t n, room;
	bool has_rest;
};

/*
 * The groups of AGGREGATE by N of its dimensions, in the order of DIM. What ran inside is known
 * where these are the first N. False: no memory. Either way ppi_group_rows_clear.
 */
bool ppi_group_rows_read (const struct ppi_recording *recording,
			  const struct ppi_aggregate_chunk *aggregate, const unsigned *dim,
			  unsigned n, struct ppi_group_rows *out);
void ppi_group_rows_clear (struct ppi_group_rows *rows);

/* As people read it: "(none)", "0x7f00", "lookup". Returns OUT, or the text itself. */
const char *ppi_group_value_text (const struct ppi_group_value *value, char *out, size_t room);

#endif
