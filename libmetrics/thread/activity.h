/* SPDX-License-Identifier: MIT */
/* activity.h: do samples come? Seen from outside, so that markers do nothing for it. */
#ifndef PPI_THREAD_ACTIVITY_H
#define PPI_THREAD_ACTIVITY_H

#include "base/atomic.h"

#include <stdbool.h>

/*
 * Has any thread taken a sample, or written into a stream, since this was asked last? Looks at one
 * shard while that one is busy, else at all. One thread asks; without the lock.
 */
PPI_HIDDEN bool ppi_samples_came (void);
/* In a child: the states are the parent's. */
PPI_HIDDEN void ppi_activity_forget (void);

#endif
