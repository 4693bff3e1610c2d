/* SPDX-License-Identifier: MIT */
/*
 * flight.h: the flight recorder's rings: the last begins, ends and values of a thread, where a
 * policy says so. A ring is a chunk of the live region that its thread writes at markers, so it is
 * there after a crash or kill -9, without anybody having caught a signal.
 *
 *     chunk   head, then a power of two of entries
 *     entry   what it is │ a word: when, in ticks, or a value
 *
 * Entries are numbered by bytes, 0, 16, 32 ... modulo 2^32: number N is N bytes behind the first,
 * modulo the bytes that there are. The writer makes WHAT 0, then writes the word, then WHAT with
 * the number: an entry whose writer was interrupted there for good is 0, and one that is copied
 * meanwhile is told apart by looking at WHAT twice. So there is no count of entries that a reader
 * would have to believe.
 *
 * A dump is a copy of a ring as it was at a fire; it has a number of its own, from 1.
 */
#ifndef PPI_RECORDING_FLIGHT_H
#define PPI_RECORDING_FLIGHT_H

#include "recording/layout.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PPI_FLIGHT_LEAST 16u
#define PPI_FLIGHT_USUAL 256u /* entries, where nobody says */
#define PPI_FLIGHT_MOST 65536u
#define PPI_FLIGHT_WHY 80

enum ppi_flight_kind {
	PPI_FLIGHT_NONE,
	/* word: when */
	PPI_FLIGHT_BEGIN, /* what is open since then */
	PPI_FLIGHT_END,   /* of type 1: since then it is known to be left without an end */
	PPI_FLIGHT_POINT,
	/*
	 * of the entry before it; word: as a site captures it, of a string the number of its text
	 */
	PPI_FLIGHT_VALUE,
	/*
	 * of what is innermost then; of type 0 no value, the next one is of the newest open of the
	 * site
	 */
	PPI_FLIGHT_LATE,
	PPI_FLIGHT_SPAN,     /* one that has ended; word: its begin */
	PPI_FLIGHT_SPAN_END, /* of the entry before it */
};

/*
 * Number of the site, or of the text that a value's key is; type of the value, enum pp_abi_value.
 * The entry's own number is above that.
 */
#define PPI_FLIGHT_NUMBERS (1u << 26)
#define PPI_FLIGHT_WHAT(kind, type, number)                                                        \
	((uint32_t) (kind) << 29 | (uint32_t) (type) << 26 | (uint32_t) (number))

struct ppi_flight_entry {
	uint64_t what; /* atomic */
	uint64_t word; /* atomic */
};

/* Of the ring. */
enum {
	PPI_FLIGHT_HANDLER = 1, /* of signal handlers that interrupted a marker of the thread */
	PPI_FLIGHT_STACKS = 2,  /* the thread was on several stacks: fibres, handlers */
};

struct ppi_flight_chunk {
	struct ppi_chunk chunk; /* id: the thread's, of the kernel */
	uint32_t entries;
	/* number of an entry: earlier ones are of another thread, which has ended; atomic */
	uint32_t first;
	uint32_t flags; /* atomic */
	uint32_t dump;  /* 0: the ring itself */
	uint64_t ticks; /* of the dump */
	char why[PPI_FLIGHT_WHY];
	uint64_t reserved;
	struct ppi_flight_entry entry[];
};

/* Is CHUNK, of BYTES, one? */
bool ppi_flight_is_whole (const struct ppi_flight_chunk *chunk, uint32_t bytes);

/*
 * Copies entries, or all BYTES of a ring, that may be written just now. Each entry is as its writer
 * left it, or 0. Any thread.
 */
void ppi_flight_copy_entries (struct ppi_flight_entry *out, const struct ppi_flight_entry *in,
			      size_t n);
void ppi_flight_copy (struct ppi_flight_chunk *out, const struct ppi_flight_chunk *in,
		      size_t bytes);

/* An entry as it was read. */
struct ppi_flight {
	enum ppi_flight_kind kind;
	uint32_t type, number;
	uint64_t word;
};

/*
 * What CHUNK, which is whole and which nobody writes to, has, the oldest first, to *OUT (malloced;
 * NULL where there is nothing), and in *TORN how many entries are missing among them because they
 * were being written. How many there are; -1: no memory.
 */
long ppi_flight_read (const struct ppi_flight_chunk *chunk, struct ppi_flight **out,
		      unsigned *torn);

#endif
