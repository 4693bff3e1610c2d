/* SPDX-License-Identifier: MIT */
/*
 * stream.h: entries on their way into the recording: what a thread has to say one by one (samples,
 * events), rather than add up in a shard.
 *
 *   a thread ──► its struct ppi_stream ──► chunk of 64 KiB in the live region ──full──► the library's thread ──► file
 *                                          └────────────── empty again ◄──────────────────────┘
 *
 * Chunks come from a pool of a fixed size. A writer never waits, never allocates and makes no
 * system call but the one that wakes the library's thread where that sleeps (base/wake.h): where
 * all chunks are full its entry is dropped, and counted as PP_DROP_STREAM. Chunks lie in the live
 * region, so what a killed process had written is there; where they are and how far they are filled
 * is kept in private memory (base/twin.h).
 */
#ifndef PPI_REGION_STREAM_H
#define PPI_REGION_STREAM_H

#include "base/atomic.h"
#include "recording/layout.h"

#include <stdbool.h>
#include <stdint.h>

/* The largest entry, and how many chunks there may be. */
#define PPI_STREAM_ROOM (PPI_STREAM_BYTES - (uint32_t) sizeof (struct ppi_stream_chunk))
#define PPI_STREAM_CHUNKS_MAX 1024u

/*
 * One thread's stream. In memory of its own, zeroed; KIND and THREAD are set before the first
 * entry, and stay. A handler of signals has a stream of its own: where it interrupts an entry of
 * its thread's, its entry in the same stream is dropped and counted.
 */
struct ppi_stream {
	uint32_t kind;   /* enum ppi_stream_kind */
	uint32_t thread; /* kernel id of who writes */
	/* the writer's own */
	uint32_t used;     /* bytes of whole entries in its chunk */
	uint32_t begun;    /* room of the entry that is being written; 0: none is */
	uint32_t slot;     /* 1 + the place of its chunk in the pool; 0: it has none */
	uint32_t children; /* in which process that was: ppi_streams_forget */
};

/* ---- the writer: any context, its own thread; general registers only ------------------------- */

/*
 * Room for an entry of at most BYTES, at a multiple of ppi_stream_grain; nobody sees it before the
 * end. NULL: there is none, the entry is counted as dropped, and there must be no end. Where it is
 * the first of a chunk STREAM->used is 0.
 */
PPI_HIDDEN void *ppi_stream_begin (struct ppi_stream *stream, uint32_t bytes);
/* The same for who tries again: that there is no room is not counted. */
PPI_HIDDEN void *ppi_stream_try (struct ppi_stream *stream, uint32_t bytes);

/*
 * The entry is written: its first BYTES, which are rounded up to a multiple of ppi_stream_grain. It
 * was at TICKS, never 0.
 */
PPI_HIDDEN void ppi_stream_end (struct ppi_stream *stream, uint32_t bytes, uint64_t ticks);

/*
 * Gives the chunk away as if it were full. At the end of the thread, else its chunk is lost. Not
 * amid an entry.
 */
PPI_HIDDEN void ppi_stream_finish (struct ppi_stream *stream);

/* How many chunks are full and have not been taken. Any context. */
PPI_HIDDEN uint32_t ppi_streams_full (void);

/*
 * Whether who writes them has to hurry, for entries may be dropped soon: from half of the pool
 * being full until less than a quarter of it is. HURRIES: whether it does already. Any context.
 */
PPI_HIDDEN bool ppi_streams_hurry (bool hurries);

/* ---- the library: ordinary context ----------------------------------------------------------- */

/*
 * Makes the pool at least so many chunks large, and backs their memory. Before the first entry; who
 * needs it says so. Takes the lock. 0, or PP_ENOMEM: there are fewer.
 */
PPI_HIDDEN int ppi_streams_prepare (unsigned chunks);

/* Entries that follow each other in a chunk. */
struct ppi_stream_part {
	uint32_t kind;   /* enum ppi_stream_kind */
	uint32_t thread; /* kernel id */
	uint32_t chunk;  /* of all chunks that were begun, from 1 */
	uint32_t offset; /* of the first of these in their chunk */
	uint32_t bytes;
	bool is_last;         /* no more follow from this chunk */
	uint64_t first_ticks; /* of the chunk's first entry */
	uint64_t last_ticks;  /* not before its newest of these */
	const void *data;
};

/*
 * Calls FN with what nobody has taken yet, chunks in the order in which they were begun: of full
 * ones, and with PARTLY of those that are being filled too; how far is settled before it is called
 * first, and whatever these entries name is known by then. What FN says true to is taken, and full
 * chunks go back to the pool; false ends it, nothing is lost, and the same comes again. One thread
 * at a time. Returns how many bytes were taken.
 */
PPI_HIDDEN uint64_t ppi_streams_take (bool partly,
				      bool (*fn) (const struct ppi_stream_part *part, void *arg),
				      void *arg);

/* A figure that is another one when something was written since. Without the lock. */
PPI_HIDDEN uint64_t ppi_streams_activity (void);

/* In a child: the pool is the parent's, and its streams begin anew. */
PPI_HIDDEN void ppi_streams_forget (void);
/* In a child that has a region of its own: a pool as large as its parent's was. */
PPI_HIDDEN void ppi_streams_renew (void);

/* ---- between stream.c and stream_fast.c ------------------------------------------------------ */

enum ppi_stream_state { PPI_STREAM_EMPTY, PPI_STREAM_FILLS, PPI_STREAM_FULL };

/* A chunk of the pool, in private memory. */
struct ppi_stream_slot {
	struct ppi_stream_chunk *chunk;
	uint32_t state; /* enum ppi_stream_state; atomic */
	uint32_t kind, thread;
	uint32_t number;                  /* of all chunks that were begun */
	uint32_t used;                    /* atomic: released when an entry is whole */
	uint32_t taken;                   /* who takes */
	uint64_t first_ticks, last_ticks; /* atomic */
};

extern struct ppi_stream_slot ppi_stream_slots[PPI_STREAM_CHUNKS_MAX] PPI_HIDDEN;
/* A bit for each slot that is empty. Atomic. */
extern uint64_t ppi_stream_empty[PPI_STREAM_CHUNKS_MAX / 64] PPI_HIDDEN;
extern uint32_t ppi_streams_n_full, ppi_streams_begun, ppi_streams_children PPI_HIDDEN; /* atomic */

#endif
