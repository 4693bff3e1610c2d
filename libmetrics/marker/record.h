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

#include <stdbool.h>
#include <string.h>

struct pp_event_dim;
struct ppi_frame;
struct ppi_thread;

/* The own word of a begin that there was no memory for. */
#define PPI_RECORD_NONE UINT64_MAX

#define PPI_LANE_KINDS 64u

/*
 * Dimensions of a record that come with or after its begin, at most: while it is open, and with
 * those that come with the end of an event.
 */
#define PPI_LATE_OPEN 8u
#define PPI_LATE 16u
#define PPI_LANE_LATE 64u         /* of open records, to begin with ... */
#define PPI_LANE_LATE_MOST 16384u /* ... and at most */

/*
 * What records of SITE are that have those of its captures whose bits are in MASK, and N_LATE
 * dimensions that came later.
 */
struct ppi_record_kind {
	const pp_site *site;
	uint32_t mask;
	uint32_t strings; /* likewise */
	uint32_t n_late;
	uint32_t late[PPI_LATE]; /* number of the key's text × 8 + type */
	struct ppi_event_shape is;
	/* which capture each value is; behind those, which of the later ones */
	uint8_t capture[PPI_EVENT_DIMS];
};

/* A dimension that came after the begin of the record OF, which is that begin's own word. */
struct ppi_late {
	uint64_t of;
	uint64_t value;     /* of a string its number */
	uint32_t key, type; /* number of a text; enum pp_abi_value */
};

/*
 * Records of a lane that has such a one are written to nowhere, and what they measured is summed
 * up.
 */
struct ppi_record_trial {
	uint64_t n, ticks;
	uint8_t room[PPI_EVENT_MOST];
};

struct ppi_lane {
	struct ppi_stream stream;       /* the thread's `stream` points here */
	struct ppi_record_trial *trial; /* NULL, but in ppi_record_try */
	uint32_t begins;                /* how many were numbered */
	uint32_t begins_said;           /* in the chunk, by the newest entry */
	uint64_t end_ticks;             /* of that */
	struct {
		uint32_t shape;
		uint64_t value[PPI_EVENT_DIMS];
	} last[PPI_EVENT_TABLE]; /* see event.h */
	struct ppi_record_kind kind[PPI_LANE_KINDS];
	/*
	 * of what is open, in the order in which they came; is that the order of the begins that
	 * they are of?
	 */
	struct ppi_late *late;
	uint32_t n_late, late_room;
	bool late_mixed;
};

/* The thread state's, made at its first entry. NULL: no memory, counted. */
PPI_HIDDEN struct ppi_lane *ppi_lane_of (struct ppi_thread *t);
/*
 * The kind of records of SITE with the captures of MASK, of N that it has, and these later ones;
 * NULL: no room. Until the next call.
 */
PPI_HIDDEN const struct ppi_record_kind *ppi_lane_kind (struct ppi_lane *lane, const pp_site *site,
							unsigned n, uint32_t mask,
							const struct ppi_late *late,
							unsigned n_late);

/* The bytes of a key at most. */
#define PPI_KEY_MOST 63u

static inline bool ppi_key_fits (const char *key)
{
	return !key || strnlen (key, PPI_KEY_MOST + 1) <= PPI_KEY_MOST;
}

/* ---- dimensions that come later: with the thread entered ------------------------------------- */

/* The own word of the record that F will be; 0: it will be none. */
PPI_HIDDEN uint64_t ppi_record_of (const struct ppi_frame *f);
/*
 * One more dimension of that record, of this thread's, or in place of one with the same key. PP_OK;
 * PP_EINVAL: it has MOST already, or DIM is none; PP_ENOMEM.
 */
PPI_HIDDEN int ppi_record_dim (struct ppi_thread *t, uint64_t own, const struct pp_event_dim *dim,
			       unsigned most);
/* Those of that record, which has ended or will not be, to OUT: how many. */
PPI_HIDDEN unsigned ppi_lane_take_late (struct ppi_lane *lane, uint64_t own,
					struct ppi_late out[PPI_LATE]);

/*
 * Calls FN, which executes markers of SITE in the calling thread, with a trial: what they record
 * goes to nowhere. For who holds the lock, outside of markers. False: the thread has no state.
 */
PPI_HIDDEN bool ppi_record_try (const pp_site *site, struct ppi_record_trial *trial,
				void (*fn) (void *arg), void *arg);

/* What is done where there is no room: entries are dropped, or, if WAITS, their markers wait. */
PPI_HIDDEN void ppi_records_wait (bool waits);

#endif
