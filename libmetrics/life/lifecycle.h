/* SPDX-License-Identifier: MIT */
/* lifecycle.h: what the composition root asks of this room. */
#ifndef PPI_LIFE_LIFECYCLE_H
#define PPI_LIFE_LIFECYCLE_H

#include <stdbool.h>
#include <stdint.h>

/* Once, before modules register. */
void ppi_lifecycle_start (void);
/*
 * In the child after fork, where the lock was held by the forking thread: the lock is free, and if
 * something was bound, the child has a region of its own. After _Fork or clone nothing calls this:
 * markers drop and count there until the first call that takes the lock.
 */
void ppi_after_fork (void);
/* Keeps the pool filled and folds threads that have ended. Takes the lock. */
void ppi_housekeeping (void);

#endif
