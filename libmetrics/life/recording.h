/* SPDX-License-Identifier: MIT */
/*
 * recording.h: keeps a copy of the live region in a file.
 */
#ifndef PPI_LIFE_RECORDING_H
#define PPI_LIFE_RECORDING_H

#include "base/atomic.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Where recording goes, a pattern of file.h; the live file gets a name and the first copy is made
 * at once; but with REPLACE false what is there already stays until ppi_recording_copy, so that a
 * policy that turns out to be refused has replaced nothing. 0 or an error, after which all is as it
 * was: WHY says what stands in its way, and PP_EEXIST that OVERWRITE would help. [lock]
 */
struct ppi_record_wish {
	const char *pattern; /* recording/file.h */
	bool overwrite;
	uint64_t interval_ns; /* from one write to the next; 0: a second */
	uint64_t max_size;    /* bytes of the file system that the file may take; 0: 1 GiB */
};

int ppi_recording_start (const struct ppi_record_wish *wish, bool replace, char *why, size_t room);

/* As it was before the last start; a file that it made is removed. [lock] */
void ppi_recording_revert (void);

/* Could it be begun there, by what is there now? Errors as of a start. */
int ppi_recording_check (const char *pattern, bool overwrite, char *why, size_t room);

bool ppi_recording_wanted (void);
/*
 * From now on series that are full leave for the recording (region/series.h), if there is one, and
 * some metric keeps such a series; it is asked for again as metrics come. [lock]
 */
PPI_HIDDEN void ppi_recording_take_series (void);
/* How long after a write the next is due. Any thread. */
uint64_t ppi_recording_interval_ns (void);

/* Where the recording goes, cut off at ROOM bytes; "": there is none. Takes the lock. */
void ppi_recording_path (char *out, size_t room);

/*
 * Where the first recording is of those that stayed beside it: of this run, or of this process
 * before it called exec. They have numbers behind that name, as this one has. "": there are none.
 */
void ppi_recording_first (char *out, size_t room);

/*
 * Copies the region to the recording's path now; FINISHED marks it complete.
 */
int ppi_recording_copy (bool finished);

/* Writes what is in streams there, where they fill up before the next copy is due. */
int ppi_recording_drain (void);

/* In a child: its parent's recording is none of its own; and one of its own, or none. */
void ppi_recording_forget (void);
void ppi_recording_after_fork (void);

/*
 * All of the region as it is now, with a header that says so, in memory that is nobody else's:
 * readers of this process read that. Malloced; NULL: no memory. With the lock.
 */
char *ppi_region_image (bool finished, size_t *bytes) __attribute__ ((visibility ("hidden")));

#endif
