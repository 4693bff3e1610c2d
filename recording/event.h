/* SPDX-License-Identifier: MIT */
/*
 * event.h: entries of a stream of events: one for each execution of a site that is recorded,
 * written where it ends. What is usual takes a byte or two: times are differences, numbers are
 * written with as many bytes as they need, and what a record is of is a number.
 *
 *     chunk   lane, then entries, the oldest first; nothing refers to another chunk
 *     entry   shape and form │ its strand │ time since the end before │ how long │ nesting │ values
 *
 * All but the lane, a byte, and doubles are varints: 7 bits a byte, the lowest first, the highest
 * bit says that more follow.
 *
 * shape × 4 + form. SHAPE is the number of a text (struct ppi_texts_chunk):
 *
 *     SITE 1f EVENT { 1f T KEY }
 *
 * the site's id in decimal, what it is called by, and for each value its type, a letter of
 * base/dims.h, and its key. 1f is the byte that separates them.
 *
 * Nesting. A thread numbers the begins of what is recorded, from 1, modulo 2^32. An entry says how
 * many there are at its end (more than the entry before had: MORE), and how many of them are later
 * than its own (INSIDE): inside × 4 + more, or inside × 4 + 3 and then more - 3. A record whose
 * begin has a larger number than another's, and whose entry is earlier, ran inside it, if both are
 * of one strand: a stack. That is exact where ticks are equal, where a begin has no end, and where
 * entries were dropped.
 *
 * Values. Integers, booleans and pointers are differences to the last value in that place of that
 * shape, signs in the lowest bit. A double is its bits, exclusive or those of the last one: a byte
 * with how many bytes of it are written (0..8), and above that how many lower bytes that are 0 are
 * not; then they. A string is the number of its text. The last values of a shape are kept in a
 * table of PPI_EVENT_TABLE places, by the shape's number; where another shape takes the place, and
 * at the start of each chunk, they are 0.
 */
#ifndef PPI_RECORDING_EVENT_H
#define PPI_RECORDING_EVENT_H

#include <pp_abi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PPI_EVENT_SEPARATOR '\x1f'
#define PPI_EVENT_TABLE 64u
/* What a site captures, and as many that came later. */
#define PPI_EVENT_DIMS (1u + PP_ABI_DIMS + PP_ABI_DIMS)
/* An entry takes at most so many bytes. */
#define PPI_EVENT_MOST 256u

enum ppi_event_form {
	PPI_EVENT_INTERVAL, /* on the thread's own stack */
	PPI_EVENT_POINT,    /* likewise; without a time that it took */
	/* with its strand before its time: intervals, and points, on another stack, of a fibre's */
	PPI_EVENT_STRAND,
	PPI_EVENT_SPAN, /* without nesting */
};

/* Beside the strand, in its lowest bit. */
#define PPI_EVENT_STRAND_POINT 1u

/* What a thread does, and what its signal handlers do that interrupted a marker. */
enum ppi_event_lane { PPI_LANE_THREAD, PPI_LANE_HANDLER, PPI_LANES };

/* What entries of a shape are of. */
struct ppi_event_shape {
	uint32_t number;
	uint32_t site;
	unsigned n;
	uint8_t type[PPI_EVENT_DIMS]; /* enum pp_abi_value, and none of it */
};

struct ppi_event {
	const struct ppi_event_shape *shape;
	enum ppi_event_form form; /* INTERVAL, POINT or SPAN */
	uint32_t strand;          /* 0: the thread's own stack */
	uint32_t begin;           /* the number of its begin; of a span 0 */
	uint64_t begin_ticks, end_ticks;
	uint64_t value[PPI_EVENT_DIMS]; /* of a string its number */
};

/* What is known behind an entry of a chunk. */
struct ppi_event_reader {
	uint64_t end_ticks;
	uint32_t begins;
	struct {
		uint32_t shape;
		uint64_t value[PPI_EVENT_DIMS];
	} last[PPI_EVENT_TABLE];
};

/* The shape of that number; NULL: there is none. */
typedef const struct ppi_event_shape *(*ppi_event_shape_fn) (uint32_t number, void *arg);

/*
 * The entry at *AT, which moves on behind it, up to END. READER is zeroed before a chunk's first.
 * False: it is not whole, or of a shape that is not known; then nothing behind it can be read.
 */
bool ppi_event_read (struct ppi_event_reader *reader, const uint8_t **at, const uint8_t *end,
		     ppi_event_shape_fn shape_of, void *arg, struct ppi_event *out);

/*
 * Reads the shape that TEXT says. KEY: where its keys are in TEXT, and how long; EVENT likewise.
 * False: it says none.
 */
struct ppi_event_text {
	const char *at;
	size_t n;
};
bool ppi_event_shape_parse (const char *text, struct ppi_event_shape *out,
			    struct ppi_event_text *event,
			    struct ppi_event_text key[PPI_EVENT_DIMS]);

#endif
