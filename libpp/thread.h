/* SPDX-License-Identifier: MIT */
/*
 * thread.h: the library's thread. There is none until something needs it, and never with
 * PP_THREADS=0.
 */
#ifndef PPI_LIBPP_THREAD_H
#define PPI_LIBPP_THREAD_H

#include <stdbool.h>

/*
 * Something needs the thread, or needs it sooner: starts or wakes it. Ordinary context, the lock
 * may be held.
 */
void ppi_thread_wake (void);
/* PP_THREADS=0 */
bool ppi_thread_is_forbidden (void);
/* Ends it and waits for it. */
void ppi_thread_stop (void);
/* In a child: there is none. */
void ppi_thread_forget (void);

#endif
