/* SPDX-License-Identifier: MIT */
/*
 * read.h: reads a recording, or the live region of a process, without writing to it. For ppctl and
 * tests; nothing here needs the runtime.
 *
 * What is opened is checked as a whole: afterwards every chunk lies in the file, has the bytes of
 * its type, and its texts end inside it. A damaged file is one error with the place in it, never a
 * crash and never half a report.
 */
#ifndef PPI_RECORDING_READ_H
#define PPI_RECORDING_READ_H

#include "recording/layout.h"

#include <pp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ppi_summary;

struct ppi_recording;
struct ppi_run;
struct ppi_process_entry;

/*
 * Copies BYTES, a multiple of 8, of what others may be writing just now. Each word is whole; of
 * two, the later one is no older. Any thread.
 */
static inline void ppi_copy_words (void *out, const void *in, size_t bytes)
{
	for (size_t i = 0; i < bytes / 8; i++)
		((uint64_t *) out)[i] =
			__atomic_load_n ((const uint64_t *) in + i, __ATOMIC_ACQUIRE);
}

/*
 * Opens PATH: a recording, or a live region's file in tmpfs, which goes on changing while it is
 * read (its process is never made to wait). 0 and *OUT, which ppi_recording_close frees; or PP_EIO
 * (can't be read), PP_EINVAL (no recording, damaged, of another version) with a sentence that names
 * the file in WHY.
 */
int ppi_recording_open (const char *path, struct ppi_recording **out, char *why, size_t room);
void ppi_recording_close (struct ppi_recording *recording);

/*
 * The same over a region that is mapped already, e.g. this process's own; BASE must stay until the
 * close. NAME is for messages.
 */
int ppi_recording_attach (const void *base, size_t bytes, const char *name,
			  struct ppi_recording **out, char *why, size_t room);

const struct ppi_region_header *ppi_recording_header (const struct ppi_recording *recording);

/* What is damaged or missing in its file, a sentence without its end; NULL: nothing. */
const char *ppi_recording_damage (const struct ppi_recording *recording);
/* Whose it is: run, host and process; NULL: of a region. */
const struct ppi_run *ppi_recording_run (const struct ppi_recording *recording);

/*
 * The chunk of TYPE after PREVIOUS (NULL: the first), in the order in which they were made; NULL:
 * no more. Of a region whose writers go on, what changes is as it was when it was opened, except
 * threads and shards: those have to be read with atomics, as summary.h does.
 */
const void *ppi_recording_next (const struct ppi_recording *recording, enum ppi_chunk_type type,
				const void *previous);

/* How many chunks of TYPE there are. */
size_t ppi_recording_count (const struct ppi_recording *recording, enum ppi_chunk_type type);
/*
 * Where CHUNK, which is no entry of the history, lay in the region of its process. Of a recording
 * in a file.
 */
uint64_t ppi_recording_place (const struct ppi_recording *recording, const void *chunk);
/*
 * The processes that a recording was merged of: how many, and the *LIST; of others 1, and *LIST
 * stays as it is.
 */
size_t ppi_recording_processes (const struct ppi_recording *recording,
				const struct ppi_process_entry **list);

/* Number I of TYPE, from 0, in that order; NULL: there are no more. */
const void *ppi_recording_nth (const struct ppi_recording *recording, enum ppi_chunk_type type,
			       size_t i);

/* The chunk of TYPE whose id is ID, or NULL. Of sites, metrics, bindings. */
const void *ppi_recording_find (const struct ppi_recording *recording, enum ppi_chunk_type type,
				uint32_t id);

/* The text at OFFSET from the start of CHUNK, "" for 0. */
const char *ppi_chunk_text (const void *chunk, uint32_t offset);

#define PPI_ALL_SITES UINT32_MAX

/*
 * Merges METRIC's shards of all threads at SITE (an id; 0: what pp_sample added), or at all sites.
 * OUT: ppi_summary_clear.
 */
void ppi_recording_summary (const struct ppi_recording *recording,
			    const struct ppi_metric_chunk *metric, uint32_t site,
			    struct ppi_summary *out);

/* The same at the sites whose ids WANTED says yes to. */
void ppi_recording_summary_of (const struct ppi_recording *recording,
			       const struct ppi_metric_chunk *metric,
			       bool (*wanted) (uint32_t site, void *arg), void *arg,
			       struct ppi_summary *out);

/* The tick scale and the like: raw × this = the metric's unit. */
double ppi_recording_scale (const struct ppi_recording *recording,
			    const struct ppi_metric_chunk *metric);

/*
 * Checks of ASSERTION that passed and that its counts are without: of each thread that counts for
 * itself. Its `checks` and `passes` are that many more.
 */
uint64_t ppi_recording_quick_passes (const struct ppi_recording *recording,
				     const struct ppi_assertion_chunk *assertion);

/* How many were dropped for CAUSE, in all threads. */
uint64_t ppi_recording_drops (const struct ppi_recording *recording, enum pp_drop cause);

#endif
