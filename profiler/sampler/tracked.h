/* SPDX-License-Identifier: MIT */
/*
 * tracked.h: which threads are sampled. All, unless the program has said otherwise of the profile
 * that it takes of itself.
 */
#ifndef PPI_SAMPLER_TRACKED_H
#define PPI_SAMPLER_TRACKED_H

#include "base/atomic.h"
#include "base/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ppi_track {
	PPI_TRACK_ALL,
	PPI_TRACK_CHOSEN,  /* those of a list */
	PPI_TRACK_CREATED, /* the one of the list, and those that come from now on */
	PPI_TRACK_NAMED,   /* those whose names match */
};

#define PPI_TRACKED_MOST 1024u /* of a list */

/*
 * SAMPLER samples these threads from now on: N of THREAD, which is copied. False: no memory, and
 * all stays as it was. With the sampler's lock.
 */
PPI_HIDDEN bool ppi_tracked_set (enum ppi_sampler sampler, enum ppi_track track,
				 const uint32_t *thread, size_t n);
/*
 * Those whose names match one of GLOBS, a line each; NULL: all, where it was names before. As
 * above. A thread that gets another name is looked at anew within PPI_NAMES_MS.
 */
PPI_HIDDEN bool ppi_tracked_name (enum ppi_sampler sampler, const char *globs);
#define PPI_NAMES_MS 100u
/* Does it sample thread TID? The library's own threads never are. With the sampler's lock. */
PPI_HIDDEN bool ppi_is_tracked (enum ppi_sampler sampler, uint32_t tid);
/* Was there no thread with such a name, of those that were looked at? With the sampler's lock. */
PPI_HIDDEN bool ppi_tracked_is_nobody (enum ppi_sampler sampler);
/* All, for each sampler; in a child, where nobody has the lock. */
PPI_HIDDEN void ppi_tracked_forget (void);

/* The library's thread that calls renderers of the program's; 0: there is none. Atomic. */
PPI_HIDDEN void ppi_renderer_tid_set (uint32_t tid);

#endif
