/* SPDX-License-Identifier: MIT */
/* merge_int.h: what merge.c, merge_assertions.c and merge_time.c share. */
#ifndef PPI_RECORDING_MERGE_INT_H
#define PPI_RECORDING_MERGE_INT_H

#include "recording/intern.h"
#include "recording/layout.h"
#include "recording/read.h"
#include "recording/scan.h"
#include "recording/write.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers of one process and what they are here; sorted by FROM. */
struct numbers {
	struct number {
		uint32_t from, to;
	} * at;
	size_t n, room;
};

/* Of a metric of the merged recording. */
struct merged_metric {
	bool was_reset; /* in any process */
	bool is_put;
};

struct input {
	const char *path;
	struct ppi_recording *recording;
	const struct ppi_region_header *header;
	uint64_t offset;  /* of its places */
	int64_t later_ns; /* its clock is so far behind the first one's */
	struct numbers sites, metrics, bindings;
	const struct merged_metric *metric; /* by its number there */
	int fd;
	struct ppi_scan scan; /* of its values over time */
	bool has_values, has_streams;
	const char *values;
};

struct merging {
	struct input *input;
	size_t n;
	struct ppi_intern sites, metrics, bindings, assertions, knobs, processes, runs;
	struct ppi_writer writer;
	struct ppi_region_header header;
	struct merged_metric *metric; /* by its number; malloced */
	uint64_t used;
	uint64_t ns; /* the time that the items are about, which are put */
	char *items; /* malloced: of the block that is made */
	size_t items_used, items_room;
	int error;
	char *why;
	size_t room;
};

/* Both return false: something failed, and what. */
bool ppi_merge_say (struct merging *m, int error, const char *path, const char *what);
bool ppi_merge_no_memory (struct merging *m);
/* 0: it has none */
uint32_t ppi_merge_number_of (const struct numbers *numbers, uint32_t from);
/* What was put, as a block of TYPE. */
bool ppi_merge_flush (struct merging *m, unsigned type);
/*
 * An item of BYTES at DATA; what is in it may be changed then. NULL: no memory, or it could not be
 * written.
 */
void *ppi_merge_put (struct merging *m, unsigned type, uint64_t place, const void *data,
		     uint32_t bytes);
/* CHUNK of IN, at a place of its own; as ppi_merge_put. */
void *ppi_merge_put_chunk (struct merging *m, unsigned type, const struct input *in,
			   const struct ppi_chunk *chunk);
/* The binding's number here, and its epoch there, of a copy of a shard or of counters. */
void ppi_merge_renumber (const struct input *in, struct ppi_chunk *copy, uint32_t bytes);

static inline const void *ppi_merge_next (const struct input *in, enum ppi_chunk_type type,
					  const void *previous)
{
	return ppi_recording_next (in->recording, type, previous);
}

/* A time of IN's, by the clock of the first; 0 stays. */
static inline uint64_t ppi_merge_moved (const struct input *in, uint64_t ns)
{
	return ns ? ns + (uint64_t) in->later_ns : 0;
}

/* ---- merge_assertions.c ---------------------------------------------------------------------- */

/* Those of one name, expression and site are one; put when all are known. */
bool ppi_merge_take_assertions (struct merging *m, struct input *in);
bool ppi_merge_put_assertions (struct merging *m);

/* ---- merge_time.c ---------------------------------------------------------------------------- */

/* What is about times, in their order, over all recordings. */
bool ppi_merge_history (struct merging *m);
bool ppi_merge_values (struct merging *m);

#endif
