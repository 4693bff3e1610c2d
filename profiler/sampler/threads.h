/* SPDX-License-Identifier: MIT */
/*
 * threads.h: the threads that are sampled, each with a timer of its CPU clock and a ring. They are
 * found by looking at /proc/self/task, so nothing is put in the way of pthread_create. The
 * library's thread, and whoever stops it all at the end.
 */
#ifndef PPI_SAMPLER_THREADS_H
#define PPI_SAMPLER_THREADS_H

#include "libmetrics/cost/overhead.h"
#include "profiler/sampler/raw.h"
#include "profiler/sampler/store.h"

#include <stdbool.h>
#include <stdint.h>

struct ppi_timed_thread {
	uint32_t tid; /* 0: nobody's */
	int timer;    /* the kernel's number */
	bool has_timer, told, seen_now;
	char name[16];
	struct ppi_store_thread store;
	uint64_t last_at_ns; /* CPU time of its newest sample */
	uint64_t cpu_ns;     /* its CPU time when a signal was seen last, by looks */
	uint64_t seen;       /* signals until then */
	uint64_t signals;    /* since its timer was started anew */
	uint64_t missed;     /* expiries since its last sample that are counted as blocked */
	uint64_t paused_ns;  /* its CPU time when the pause began that there is now */
	/* by the wall clock: its CPU time and its signals when it was looked at last */
	uint64_t looked_cpu_ns, looked_seen;
	uint64_t spent_seen;   /* signals whose cost is counted */
	uint32_t periods;      /* that its task clock was set to, for what its handler costs */
	uint64_t once_ns;      /* CPU time until that */
	uint64_t asked_cpu_ns; /* its CPU time when it was asked for a signal last */
	bool is_asleep;        /* it slept then, and its newest sample says where */
	bool is_asked;         /* it is to get a signal */
	/* of what it has open, as of its newest sample; is_counted: there is one */
	struct ppi_changes changes;
	bool is_counted;
};

extern struct ppi_timed_thread ppi_slots[PPI_SLOTS] PPI_HIDDEN;
extern unsigned ppi_slots_used PPI_HIDDEN; /* those behind it were never used */

struct ppi_threads_options {
	uint64_t period_ns;
	int signal;
	bool is_wall;   /* no timer runs by itself: ppi_thread_interrupt */
	bool is_paused; /* no samples are taken, and what threads do is in no figure */
};

/*
 * Looks which threads there are: new ones get a timer, those that are gone lose it. GONE is called
 * with the slot of each, when its last sample is in its ring. 0, or -errno: they can't be looked
 * for.
 */
PPI_HIDDEN int ppi_threads_look (const struct ppi_threads_options *options,
				 void (*gone) (struct ppi_timed_thread *slot),
				 uint64_t lost[PPI_SAMPLE_LOSSES]);
/* Gives the timer a new phase, so that it does not keep step with what the program does. */
PPI_HIDDEN void ppi_thread_shift (const struct ppi_threads_options *options,
				  struct ppi_timed_thread *slot);
/*
 * The thread gets one signal, as soon as it has run in the program for some microseconds more. One
 * that sleeps gets it when it has woken up, so that no sleep is cut short.
 */
PPI_HIDDEN void ppi_thread_interrupt (const struct ppi_threads_options *options,
				      struct ppi_timed_thread *slot);
/* It was asked for one and has run, but not in the program: the kernel looks less often. */
PPI_HIDDEN void ppi_thread_let_be (struct ppi_timed_thread *slot);
/*
 * Where thread TID of this process sleeps in the kernel: its stack pointer and where it goes on.
 */
enum ppi_doing { PPI_DOES_RUN, PPI_DOES_SLEEP, PPI_DOES_UNKNOWN };
PPI_HIDDEN enum ppi_doing ppi_thread_doing (uint32_t tid, uint64_t *sp, uint64_t *pc);
/* How often it gave up the processor by itself, as to sleep; 0: nobody tells. */
PPI_HIDDEN uint64_t ppi_thread_slept (uint32_t tid);
/* Processors that the process may run on; at least 1. */
PPI_HIDDEN unsigned ppi_processors (void);
/*
 * No thread has samples from now on, however late a signal is; or they go on, and the CPU time that
 * a thread has used meanwhile is left out of what samples say.
 */
PPI_HIDDEN void ppi_threads_pause (struct ppi_threads_options *options);
PPI_HIDDEN void ppi_threads_resume (struct ppi_threads_options *options);
/* Whether thread TID of this process blocks SIGNAL now; false where that can't be known. */
PPI_HIDDEN bool ppi_thread_blocks (uint32_t tid, int signal);
/* The name of a thread, "" where it is gone. System calls. */
PPI_HIDDEN void ppi_thread_name (uint32_t tid, char *out, size_t room);
/* From 1 to MOST; no two runs alike. With the sampler's lock. */
PPI_HIDDEN uint64_t ppi_random_up_to (uint64_t most);
/* No thread is sampled any more; rings keep what they have. */
PPI_HIDDEN void ppi_threads_stop (void);
/* In a child: it has none of the timers. */
PPI_HIDDEN void ppi_threads_forget (void);

#endif
