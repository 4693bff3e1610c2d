/* SPDX-License-Identifier: MIT */
/*
 * watched.h: the sites that a sampler sees: their intervals have marks (thread/mark.h) as long as
 * somebody wants to see them. The watcher sees what it is told to, the interrupter features, where
 * it shall. With the runtime's lock, as all here.
 */
#ifndef PPI_SAMPLER_WATCHED_H
#define PPI_SAMPLER_WATCHED_H

#include "base/atomic.h"
#include "base/profile.h"

#include <stdbool.h>

/* Its sampler sees the sites of WISH from now on, and no others; its patterns are copied. */
PPI_HIDDEN void ppi_watched_set (const struct ppi_profile_wish *wish);
/* Are these the sites that are watched? */
PPI_HIDDEN bool ppi_watched_are (const struct ppi_profile_wish *wish);
/* Sites may have come that are to be watched. */
PPI_HIDDEN void ppi_watched_look (void);
/* SAMPLER sees none. */
PPI_HIDDEN void ppi_watched_clear (enum ppi_sampler sampler);

/*
 * What takes a mark, as those of the sites are that are watched now, with and without code made for
 * it, in s. False: it could not be measured, or there is no such mark yet. Some milliseconds.
 */
PPI_HIDDEN bool ppi_watched_cost (enum ppi_sampler sampler, double *pair_s, double *by_c_s);

#endif
