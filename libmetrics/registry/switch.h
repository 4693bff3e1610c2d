/* SPDX-License-Identifier: MIT */
/*
 * switch.h: features are switched on and off: what is off has no marks and antimarks for those who
 * take profiles or record events, whatever their patterns say. The newest word about a feature
 * counts, a policy's or the program's; without one it is on. With the lock, as all here.
 */
#ifndef PPI_REGISTRY_SWITCH_H
#define PPI_REGISTRY_SWITCH_H

#include "base/atomic.h"

#include <pp.h>
#include <stdbool.h>

/*
 * The features whose names GLOB matches, library.feature, are ON from now on, also those that come
 * later; OWNER's earlier words about those are gone. NULL: the program's own. 1; 0: that is so
 * already, nothing changes; PP_ENOMEM, also where there are 4,096 words: nothing changes.
 */
PPI_HIDDEN int ppi_switch_set (const char *glob, bool on, const void *owner);
/* What OWNER, which is not NULL, has said does not count any more; false: it has said nothing. */
PPI_HIDDEN bool ppi_switch_take_back (const void *owner);
/* After the last of several changes: marks and antimarks are as they say. */
PPI_HIDDEN void ppi_switch_apply (void);
/* Is SITE none of a feature that is off? */
PPI_HIDDEN bool ppi_switch_is_on (const pp_site *site);

#endif
