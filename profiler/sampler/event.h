/* SPDX-License-Identifier: MIT */
/*
 * event.h: the kernel's task clock of a thread (perf_event_open), which sends it a signal each time
 * it has used so much CPU time. Two things are better than a timer of its CPU clock. That expires
 * with the kernel's tick: of 1,000 signals a second 250 come where HZ is 250, and they keep step
 * with whatever else the tick does. And it may expire when the thread is about to sleep in the
 * kernel, which would cut a sleep short (EINTR); the task clock is asked to say nothing while the
 * thread is there.
 *
 * An event is a descriptor for each thread, so there are few: a quarter of what RLIMIT_NOFILE
 * allows. They have high numbers, where there is room, and are compared with what was opened before
 * each use (docs/host.md, Descriptors). For the library's thread, with the sampler's lock; what a
 * handler may call says so.
 */
#ifndef PPI_SAMPLER_EVENT_H
#define PPI_SAMPLER_EVENT_H

#include "base/atomic.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Has thread TID get SIGNAL each PERIOD_NS of its CPU time. False: the kernel has no such event,
 * does not permit it, or there are enough descriptors; a timer is what is left. SLOT: less than
 * PPI_SLOTS. IS_ONCE: only when it is asked for, by ppi_event_once.
 */
PPI_HIDDEN bool ppi_event_open (unsigned slot, uint32_t tid, uint64_t period_ns, int signal,
				bool is_once);
/* Changes the period. False: there is no event, or the program has closed its descriptor. */
PPI_HIDDEN bool ppi_event_change (unsigned slot, uint64_t period_ns);
/*
 * The thread gets one signal when it has used a period more, and is in the program. False: as of
 * ppi_event_change.
 */
PPI_HIDDEN bool ppi_event_once (unsigned slot);
/* No signals, and no time that counts, until it goes on. Without an event nothing happens. */
PPI_HIDDEN void ppi_event_pause (unsigned slot, bool is_paused);
/* No more signals, also where a child of fork has the descriptor, too. */
PPI_HIDDEN void ppi_event_close (unsigned slot);
/* In a child of fork: closes its copies; the parent's events go on. */
PPI_HIDDEN void ppi_events_forget (void);
/* The slot of a descriptor that a signal names; -1: none of ours. Signal-safe. */
PPI_HIDDEN int ppi_event_slot (int fd);

#endif
