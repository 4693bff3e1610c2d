/* SPDX-License-Identifier: MIT */
/*
 * records.h: the event records of a recording, one by one: what happened, when, for how long, and
 * under which dimensions.
 *
 * Records of a thread come from its last end to its first: so a record comes before all that ran
 * inside it, which follows at once, and who reads needs to keep no more than the records that are
 * around the present one.
 *
 *     time ─────────────────────►        comes as        depth
 *     [ a              ]                 a               0
 *       [ b ] [ c    ]                   c, d, b         1, 2, 1
 *               [ d ]
 */
#ifndef PPI_ANALYSIS_RECORDS_H
#define PPI_ANALYSIS_RECORDS_H

#include <pp_abi.h>
#include <pp_site.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct ppi_recording;

/* A dimension's value. Who asks for one that a record does not have gets PP_ABI_VALUE_NONE. */
struct ppi_record_dim {
	uint32_t key; /* a text: ppi_records_text */
	uint8_t type; /* enum pp_abi_value */
	union {
		int64_t integer;
		double real;
		uint64_t pointer;
		uint32_t text; /* ppi_records_text */
	} is;
};

#define PPI_RECORD_DIMS (1u + 2 * PP_ABI_DIMS) /* of one record, at most */

/* Times are ns, of CLOCK_MONOTONIC. */
struct ppi_record {
	uint64_t number; /* of the thread's, from 1 in the order in which they come */
	uint32_t event;  /* a text: the interval's NAME, or the type that a call gave */
	uint32_t site;   /* id of the site; 0: begun by a call that has none */
	uint32_t thread; /* kernel id */
	uint32_t depth;  /* how many records are around it; 0: none */
	bool is_point;   /* took no time */
	bool is_span;    /* nests in nothing, and nothing in it: depth is 0 */
	double begin_ns; /* since the recording's start */
	double time_ns;  /* from begin to end, what is inside it included */
	unsigned n_dims;
	const struct ppi_record_dim *dim; /* until the next record comes */
};

/* Why some are missing. */
struct ppi_records_info {
	uint64_t records;
	/*
	 * what the recording says was lost of them, by cause, and of all causes; where a metric's
	 * samples were lost for the same reason they are among them
	 */
	uint64_t lost[PP_DROPS];
	uint64_t dropped;
	uint64_t others; /* texts that are "other": there were too many different ones */
	uint64_t gaps;   /* parts of streams that are in no file, or damaged */
	/* of so many parts of streams these were given up: the file keeps to max_size */
	uint64_t chunks, given_up;
	/*
	 * what recording an interval adds to its own time, and to the record's around it, as
	 * measured; NaN: not known
	 */
	double cost_inside_ns, cost_around_ns;
	const struct ppi_recording *recording; /* whose history tells more; NULL: none */
};

struct ppi_records;

/*
 * The records of RECORDING, which stays the caller's. NULL: no memory, or there is none, and in WHY
 * a sentence.
 */
struct ppi_records *ppi_records_open (const struct ppi_recording *recording, char *why,
				      size_t room);
void ppi_records_close (struct ppi_records *records);

/* Chunks of streams up to that NUMBER are of before the recording: they are not missing in it. */
void ppi_records_begin_behind (struct ppi_records *records, uint32_t number);

/*
 * A text, which stays as long as RECORDS; "" for an id that there is not. Equal texts, equal ids.
 */
const char *ppi_records_text (const struct ppi_records *records, uint32_t id);
/* The id of TEXT; UINT32_MAX: no record has it. */
uint32_t ppi_records_id (const struct ppi_records *records, const char *text);

/*
 * The keys that records may have, texts, to the ROOM places at KEY; how many there are of them, at
 * most ROOM.
 */
size_t ppi_records_keys (const struct ppi_records *records, uint32_t *key, size_t room);

/* Have all records that have KEY a boolean there? */
bool ppi_records_is_truth (const struct ppi_records *records, uint32_t key);

/*
 * Calls FN with each record, a thread's behind each other; false ends it. May be called again.
 * Memory does not grow with the number of records. False: it can't be read, and in WHY a sentence.
 */
bool ppi_records_each (struct ppi_records *records,
		       bool (*fn) (const struct ppi_record *record, void *arg), void *arg,
		       char *why, size_t room);

/* Valid once all records were gone through; what recording costs at once. */
void ppi_records_info (const struct ppi_records *records, struct ppi_records_info *out);

/* ---- record_losses.c ------------------------------------------------------------------------- */

/* Why RECORDING has no records, as the end of a sentence. */
const char *ppi_records_why_none (const struct ppi_recording *recording);
/* What RECORDING says was lost of them; the rest of OUT stays. */
void ppi_records_count_losses (const struct ppi_recording *recording, struct ppi_records_info *out);
/*
 * What is not there, and why: a line for each cause, none where all is. INFO's recording is still
 * open.
 */
void ppi_records_put_dropped (const struct ppi_records_info *info, FILE *out);
/* The same, and what of the records is not exact, or in no file. */
void ppi_records_put_losses (const struct ppi_records_info *info, FILE *out);

#endif
