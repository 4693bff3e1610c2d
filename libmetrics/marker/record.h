/* SPDX-License-Identifier: MIT */
/*
 * record.h: what a thread keeps to write its records (record.c, record_shape.c): its stream, what
 * the newest entry said, and the numbers of texts that it met lately.
 *
 * A thread has one of its own, and its handlers that interrupt a marker another one: a lane each.
 */
#ifndef PPI_MARKER_RECORD_H
#define PPI_MARKER_RECORD_H

#include "base/atomic.h"
#include "libmetrics/region/stream.h"
#include "libmetrics/tables/site.h"
#include "recording/event.h"

#define PPI_LANE_SHAPES 64u
#define PPI_LANE_TEXTS 256u

/* What records of SITE are that have those of its captures whose bits are in MASK. */
struct ppi_record_kind {
	const pp_site *site;
	uint32_t mask;
	uint32_t strings; /* likewise */
	struct ppi_event_shape is;
	uint8_t capture[PPI_EVENT_DIMS]; /* which one each value is */
};

struct ppi_lane {
	struct ppi_stream stream; /* the thread's `stream` points here */
	uint32_t begins;          /* how many were numbered */
	uint32_t begins_said;     /* in the chunk, by the newest entry */
	uint64_t end_ticks;       /* of that */
	struct {
		uint32_t shape;
		uint64_t value[PPI_EVENT_DIMS];
	} last[PPI_EVENT_TABLE]; /* see event.h */
	struct ppi_record_kind shape[PPI_LANE_SHAPES];
	struct {
		const char *at; /* where such a text was: it may be another one now */
		uint32_t n, number;
	} text[PPI_LANE_TEXTS];
};

/*
 * The shape of records of SITE with the captures of MASK, of N that it has; NULL: no room. Until the
 * next call.
 */
PPI_HIDDEN const struct ppi_record_kind *ppi_lane_shape (struct ppi_lane *lane, const pp_site *site,
							 unsigned n, uint32_t mask);
/* The number of a text that is there now. */
PPI_HIDDEN uint32_t ppi_lane_text (struct ppi_lane *lane, const char *text);

/* What is done where there is no room: entries are dropped, or, if WAITS, their markers wait. */
PPI_HIDDEN void ppi_records_wait (bool waits);

#endif
