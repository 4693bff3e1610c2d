/* SPDX-License-Identifier: MIT */
/*
 * recorder.h: the recording's file: what changes in the live region goes there as blocks
 * (recording/blocks.h), and what threads have put into streams.
 */
#ifndef PPI_LIFE_RECORDER_H
#define PPI_LIFE_RECORDER_H

#include "base/atomic.h"
#include "recording/file.h"
#include "recording/layout.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ppi_record_target {
	char path[PPI_RECORD_PATH];
	enum ppi_replace replace;
	struct ppi_directory directory;
	uint64_t max_size;    /* bytes of the file system that the file may take; 0: any */
	uint64_t interval_ns; /* from one write to the next, for who reads it; 0: there is none */
};

/*
 * Writes what has changed since the last call to the file of TO: a new one where there is none,
 * where the path is another, or where something else is there now. FINISHED: with its end. The
 * runtime's lock is held while figures are brought up to date, not while it is written. PP_OK, or
 * an error with WHY; then the same comes again.
 */
PPI_HIDDEN int ppi_recorder_write (struct ppi_record_target *to, bool finished, char *why,
				   size_t room);
/*
 * Writes what is in streams to the file of TO, where there is one: for who has many entries,
 * between two of those writes.
 */
PPI_HIDDEN int ppi_recorder_write_streams (const struct ppi_record_target *to, char *why,
					   size_t room);
/* All of the region as it is now, a file of its own. */
PPI_HIDDEN int ppi_recorder_write_once (struct ppi_record_target *to, char *why, size_t room);
/* What only the process knows goes into the region, for who reads it there. Takes the lock. */
PPI_HIDDEN void ppi_recorder_refresh (void);
/* In a child: the file is the parent's. */
PPI_HIDDEN void ppi_recorder_forget (void);

/*
 * Which run this process belongs to: PP_RUN, 32 hex digits, or its own number, which children of
 * fork have too.
 */
#define PPI_RUN_BYTES 16
PPI_HIDDEN void ppi_run_id (uint8_t out[PPI_RUN_BYTES]);

/* How long the runtime's lock was held for it, and how often, since the start. */
struct ppi_recorder_cost {
	uint64_t locked_ns, writes;
};
PPI_HIDDEN struct ppi_recorder_cost ppi_recorder_cost (void);

#endif
