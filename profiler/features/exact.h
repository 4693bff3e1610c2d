/* SPDX-License-Identifier: MIT */
/*
 * exact.h: features that are measured, not sampled: `profile: {features: exact}`. Every mark, or
 * those of the features that are asked for, and every antimark has the sink `feature`
 * (libmetrics/marker/feature.c) meanwhile, and a chunk says since when, and what an empty mark
 * takes. What the key `profile` means the sampler's part says (profiler/sampler/part.c), which
 * hands on what is asked of this. With the runtime's lock, as all here.
 */
#ifndef PPI_FEATURES_EXACT_H
#define PPI_FEATURES_EXACT_H

#include "base/atomic.h"
#include "base/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * 0, or a pp_error, and in WHY the reason; FORMER is the version of the asker that WISH replaces.
 */
PPI_HIDDEN int ppi_exact_check (const struct ppi_profile_wish *wish, const void *former, char *why,
				size_t room);
/* From now on, for OWNER. */
PPI_HIDDEN void ppi_exact_apply (const struct ppi_profile_wish *wish, const void *owner,
				 const void *former);
/* OWNER, which may have asked for nothing, asks for nothing any more. */
PPI_HIDDEN void ppi_exact_take_back (const void *owner);

#endif
