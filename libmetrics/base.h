/* SPDX-License-Identifier: MIT */
/* base.h: what base.c gives the rest of this room. */
#ifndef PPI_BASE_H
#define PPI_BASE_H

#include "ticks.h"
#include "runtime.h"

/* CLOCK_MONOTONIC, whatever a test put in the clock's place. */
uint64_t ppi_real_now_ns (void);
/* Notes the origin of the conversion of ticks; once, early. */
void ppi_clock_start (void);
void ppi_clock_origin (uint64_t *ticks, uint64_t *ns);
/* Of N bytes; SEED tells apart what else differs. */
uint64_t ppi_hash (const char *bytes, size_t n, uint64_t seed) __attribute__ ((visibility ("hidden")));
/* A message about WHAT, an address, only the first time. */
void ppi_message_once (const void *what, const char *format, ...) __attribute__ ((format (printf, 2, 3)));
/* Takes the lock if nobody else has it; never waits, calls nothing but the system. */
bool ppi_try_lock (void) __attribute__ ((visibility ("hidden")));
/* Does the calling thread hold the lock? */
bool ppi_lock_is_mine (void) __attribute__ ((visibility ("hidden")));
/*
 * The number of this process among those that have had its memory: another one in each child of fork, _Fork and clone,
 * its parent's in the child of a vfork, which has the very same memory.
 */
uint32_t ppi_process (void) __attribute__ ((visibility ("hidden")));
/* In the child: the lock is free. HELD: the thread that forked had taken it. */
void ppi_lock_after_fork (bool held);
/* Calls HOOK whenever the lock is taken, with the lock: it looks whether this is a child that has its parent's region still. */
void ppi_lock_hook_set (void (*hook) (void));

/* After ppi_try_lock at a marker: messages that wait are left to others, for writing them takes system calls. */
void ppi_unlock_at_marker (void) __attribute__ ((visibility ("hidden")));

#endif
