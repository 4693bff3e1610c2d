/* SPDX-License-Identifier: MIT */
/*
 * own_thread.h: how the library starts a thread of its own. All signals are blocked in it; it is an
 * ordinary thread, even where a real-time one needs it first, and has a stack of 1 MiB at least.
 *
 * A fork waits for a thread that is about to begin. Until then the thread may hold a lock that the
 * child needs and that nobody frees there: AddressSanitizer's allocator is used by each new thread,
 * and has no handler for fork.
 */
#ifndef PPI_BASE_OWN_THREAD_H
#define PPI_BASE_OWN_THREAD_H

#include "base/atomic.h"

#include <pthread.h>

/* 0, or an errno. RUN calls ppi_own_thread_began first. Ordinary context. */
PPI_HIDDEN int ppi_own_thread_start (pthread_t *thread, const char *name, void *(*run) (void *) );
/* In the new thread: it has begun. Its floating-point environment is the default one. */
PPI_HIDDEN void ppi_own_thread_began (void);
/* Before a fork: returns when each of them has begun, after 50 ms at most. */
PPI_HIDDEN void ppi_own_threads_settle (void);
/* In the child: there are none. */
PPI_HIDDEN void ppi_own_threads_forget (void);

#endif
