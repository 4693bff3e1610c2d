/* SPDX-License-Identifier: MIT */
/*
 * lock.h: the one lock, which guards registries: modules, sites, metrics, bindings, rules, checks.
 * Functions marked [lock] expect it to be held by the caller; the others take it. No callback of a
 * user's is ever called with it held. Markers never take it.
 */
#ifndef PPI_BASE_LOCK_H
#define PPI_BASE_LOCK_H

#include <stdbool.h>
#include <stdint.h>

void ppi_lock (void); /* recursive */

void ppi_unlock (void);

/* Takes the lock if nobody else has it; never waits, calls nothing but the system. */
bool ppi_try_lock (void) __attribute__ ((visibility ("hidden")));

/* Does the calling thread hold the lock? */
bool ppi_lock_is_mine (void) __attribute__ ((visibility ("hidden")));

/*
 * After ppi_try_lock at a marker: messages that wait are left to others, for writing them takes
 * system calls.
 */
void ppi_unlock_at_marker (void) __attribute__ ((visibility ("hidden")));

/*
 * The number of this process among those that have had its memory: another one in each child of
 * fork, _Fork and clone, its parent's in the child of a vfork, which has the very same memory.
 */
uint32_t ppi_process (void) __attribute__ ((visibility ("hidden")));

/* In the child: the lock is free. HELD: the thread that forked had taken it. */
void ppi_lock_after_fork (bool held);

/*
 * Calls HOOK whenever the lock is taken, with the lock: it looks whether this is a child that has
 * its parent's region still.
 */
void ppi_lock_hook_set (void (*hook) (void));

/* Calls that hook, for who has had the lock since before it forked. With the lock. */
void ppi_lock_look (void);

/* In the child of a vfork: what it starts ends with it. A system call. */
bool ppi_is_vfork_child (void);

/* Calls HOOK in such a child, once, behind the first call that takes the lock. */
void ppi_child_hook_set (void (*hook) (void));

#endif
