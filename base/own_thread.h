/* SPDX-License-Identifier: MIT */
/*
 * own_thread.h: how the library starts a thread of its own. All signals are blocked in it; it is an
 * ordinary thread, even where a real-time one needs it first, and has a stack of 1 MiB at least.
 *
 * Who makes one waits until it has begun, and so does a fork by another thread. Until then the
 * thread may hold a lock that the child needs and that nobody frees there: AddressSanitizer's
 * allocator is used by each new thread, and has no handler for fork. And glibc's setuid () and its
 * kin, which the child of a _Fork or clone may call, would wait for it there for ever.
 */
#ifndef PPI_BASE_OWN_THREAD_H
#define PPI_BASE_OWN_THREAD_H

#include "base/atomic.h"

#include <pthread.h>

/*
 * 0, or an errno. RUN calls ppi_own_thread_began first, before it takes any lock. It has when this
 * returns, or 50 ms have passed. Ordinary context.
 */
PPI_HIDDEN int ppi_own_thread_start (pthread_t *thread, const char *name, void *(*run) (void *) );
/* In the new thread: it has begun. Its floating-point environment is the default one. */
PPI_HIDDEN void ppi_own_thread_began (void);
/* Returns when each of them has begun, after 50 ms at most: before a fork. */
PPI_HIDDEN void ppi_own_threads_settle (void);
/* In the child: there are none. */
PPI_HIDDEN void ppi_own_threads_forget (void);

#endif
