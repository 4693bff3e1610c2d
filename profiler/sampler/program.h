/* SPDX-License-Identifier: MIT */
/*
 * program.h: the profile that the program takes of itself (include/pp_profile.h): what it asks of
 * the samplers, and which of their samples are of it.
 *
 *   none ──ask──► asked ──begin──► running ──claim──► ending ──end──► ended ──ask──► asked …
 *
 * Functions without another word: any thread, ordinary context, without a lock.
 */
#ifndef PPI_SAMPLER_PROGRAM_H
#define PPI_SAMPLER_PROGRAM_H

#include "base/atomic.h"
#include "base/profile.h"
#include "profiler/analysis/span.h"
#include "profiler/sampler/tracked.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Owner of what it asks for. */
extern const char ppi_by_program PPI_HIDDEN;

/*
 * The program wants a profile of N threads. Then the library's thread has to be woken. 0, or an
 * error with WHY, "" where the program should know it; then all is as it was.
 */
PPI_HIDDEN int ppi_program_ask (const struct ppi_profile_wish *wish, enum ppi_track track,
				const uint32_t *thread, size_t n, char *why, size_t room);
/* Waits until it has begun. PP_EUNAVAILABLE: it has not, and why was said. */
PPI_HIDDEN int ppi_program_begin (void);
/*
 * Who gets 0 ends it; PP_ESTATE: none runs. Until it has ended, nobody else pauses or begins one.
 */
PPI_HIDDEN int ppi_program_claim (void);
/* WAKE is called when the library's thread has something to do. */
PPI_HIDDEN void ppi_program_end (void (*wake) (void));

/* PP_ESTATE: none runs, or of a resume: it is not paused. */
PPI_HIDDEN int ppi_program_pause (void);
PPI_HIDDEN int ppi_program_resume (void);
/*
 * Another process pauses SAMPLER, or resumes it. False: that is not the program's business. With
 * the sampler's lock.
 */
PPI_HIDDEN bool ppi_program_hold (enum ppi_sampler sampler, bool is_held);
PPI_HIDDEN int ppi_program_period (uint64_t period_ns);
PPI_HIDDEN int ppi_program_track (enum ppi_track track, const uint32_t *thread, size_t n);

/*
 * Brings the live region up to date, and says in OUT which samples are of the profile, and what is
 * known of it. PP_ESTATE: there was none.
 */
PPI_HIDDEN int ppi_program_span (struct ppi_samples_span *out);

/* In a child: it has none. */
PPI_HIDDEN void ppi_program_forget (void);

#endif
