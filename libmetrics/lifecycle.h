/* SPDX-License-Identifier: MIT */
/* lifecycle.h: what the composition root asks of this room. */
#ifndef PPI_LIFECYCLE_H
#define PPI_LIFECYCLE_H

#include <stdbool.h>
#include <stdint.h>

/* Once, before modules register. */
void ppi_lifecycle_start (void);
/*
 * In the child after fork, where the lock was held by the forking thread: the lock is free, and if something was
 * bound, the child has a region of its own. After _Fork or clone nothing calls this: markers drop and count
 * there until the first call that takes the lock.
 */
void ppi_after_fork (void);
/* In the child of a vfork: what it starts ends with it. A system call. */
bool ppi_is_vfork_child (void);
/* What ppi_after_fork does, for a child that nothing called it for; with the lock. */
void ppi_revive_child (void);
/* Calls HOOK in such a child, once, behind the first call that takes the lock. */
void ppi_child_hook_set (void (*hook) (void));
/* Keeps the pool filled and folds threads that have ended. Takes the lock. */
void ppi_housekeeping (void);
/* See base.h. */
uint32_t ppi_process (void) __attribute__ ((visibility ("hidden")));
/* Is there a recording to keep up? */
bool ppi_recording_wanted (void);
/*
 * Has the program itself an instrumented module that has not registered yet or has? (Its section table is asked
 * once.)
 */
bool ppi_program_has_table (void);

#endif
