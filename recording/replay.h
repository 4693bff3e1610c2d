/* SPDX-License-Identifier: MIT */
/*
 * replay.h: a recording as it was while it was made: its shards go back to the start, and each step
 * brings what one copy of the values had. So whoever reads statistics of a recording
 * (ppi_recording_summary) reads them of any moment that it has values of.
 *
 *     ppi_replay_open (path, &replay, why, sizeof why);
 *     while (ppi_replay_next (replay, &ns) > 0)
 *             ppi_recording_summary (ppi_replay_recording (replay), metric, site, &summary);
 *     ppi_replay_close (replay);
 *
 * Names, metrics and bindings are those of the end. One thread at a time.
 */
#ifndef PPI_RECORDING_REPLAY_H
#define PPI_RECORDING_REPLAY_H

#include "recording/read.h"

struct ppi_replay;

/*
 * 0 and *OUT; or PP_EIO, PP_EINVAL or PP_ENOMEM with a sentence in WHY. A live region has no values
 * over time: PP_EINVAL.
 */
int ppi_replay_open (const char *path, struct ppi_replay **out, char *why, size_t room);
/* NULL is allowed. */
void ppi_replay_close (struct ppi_replay *replay);

/* Goes on to the next moment; *NS: CLOCK_MONOTONIC then. 1; 0: there is none; PP_EIO. */
int ppi_replay_next (struct ppi_replay *replay, uint64_t *ns);
/* The moment after that, without going there: the same results. */
int ppi_replay_peek (struct ppi_replay *replay, uint64_t *ns);
/* The end of the recording, CLOCK_MONOTONIC. */
uint64_t ppi_replay_end (const struct ppi_replay *replay);
/* Time goes by until NS without a step: rates are up to then. */
void ppi_replay_idle (struct ppi_replay *replay, uint64_t ns);
/* Back to the start, before the first moment. */
void ppi_replay_rewind (struct ppi_replay *replay);

/* The recording as it was at the newest moment; it is the replay's. */
const struct ppi_recording *ppi_replay_recording (const struct ppi_replay *replay);
/*
 * Copies of values that are damaged, of those that were come to since the start: how many, and the
 * first one's time, CLOCK_MONOTONIC. What they had comes with the next samples of the same shards.
 */
uint64_t ppi_replay_lost (const struct ppi_replay *replay, uint64_t *first_ns);

#endif
