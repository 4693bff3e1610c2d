/* SPDX-License-Identifier: MIT */
/*
 * per_thread.h: descriptors that sources need in each thread (perf events, files of /proc): opened
 * at the thread's first sample, closed when the thread ends, never used in a child.
 *
 * All of it is for markers: it takes no lock and allocates nothing but pages, from the kernel, at a
 * thread's first sample. In a signal handler nothing is opened, so that a thread that was
 * interrupted while it opens something can't do it twice.
 *
 * Whose descriptors they are. A child of fork, _Fork or clone has copies that speak of its parent's
 * threads: a page that the kernel wipes in children tells, and the first look there closes all of
 * them. The child of a vfork shares the memory but not the table of descriptors: nothing is opened
 * there. A program that closes what it does not know (closefrom) and opens files of its own gets
 * the lowest numbers; ours lie above, and before one is read or closed it is looked at: all events
 * have one inode, and each an id of its own.
 */
#ifndef PPI_PER_THREAD_H
#define PPI_PER_THREAD_H

#include "stdmetrics/perf_page.h"

#include <stdbool.h>
#include <stdint.h>

#define PPI_PERF_EVENTS_MAX 24 /* different ones that there are */

enum ppi_file {
	PPI_FILE_IO,
	PPI_FILE_STATM,
	PPI_FILE_PERF,
	PPI_FILES = PPI_FILE_PERF + PPI_PERF_EVENTS_MAX
};

enum { PPI_FILE_CLOSED = -1 };

/*
 * Only its thread writes it, and while the thread lives nobody else reads it, but for DESCRIPTOR in
 * a child. Pages are zero at first.
 */
struct ppi_per_thread {
	struct ppi_per_thread *next; /* of all that were ever made; set once */
	uint32_t used;               /* atomic */
	uint32_t generation;         /* of the process: another one in children */
	int descriptor[PPI_FILES];   /* PPI_FILE_CLOSED without */
	/* of what was opened: of an event its id, of a file its inode */
	uint64_t identity[PPI_FILES];
	uint32_t failed[PPI_FILES]; /* how often it could not be opened */
	struct perf_event_mmap_page *page[PPI_PERF_EVENTS_MAX];
	/* what its own readings have added to the thread's counts of reading: bytes, calls */
	uint64_t own_bytes, own_calls;
	uint64_t io_number, io[6]; /* io.c */
	/* perf.c: by group, by event */
	uint64_t perf_number[PPI_PERF_EVENTS_MAX], perf_epoch[PPI_PERF_EVENTS_MAX];
	struct ppi_perf_count perf_count[PPI_PERF_EVENTS_MAX];
	uint64_t perf_share_ns[PPI_PERF_EVENTS_MAX],
		perf_whole_ns[PPI_PERF_EVENTS_MAX]; /* of all threads that had it */
};

/*
 * Prepares for threads; from ordinary context, before the first ppi_per_thread. false: not
 * possible.
 */
bool ppi_per_thread_start (void);
/* The calling thread's, made if need be; NULL: there can't be one now. */
struct ppi_per_thread *ppi_per_thread (void);

/*
 * T's descriptor WHICH, opened by OPENER (a descriptor or a negative errno) where it is not yet.
 * Negative: it can't be opened just now; tried again after some hundred readings.
 */
int ppi_per_thread_open (struct ppi_per_thread *t, enum ppi_file which,
			 int (*opener) (struct ppi_per_thread *t, int arg), int arg);
/*
 * Is T's descriptor WHICH still what was opened? Where it is not, it is forgotten. One system call,
 * errno kept.
 */
bool ppi_per_thread_has (struct ppi_per_thread *t, enum ppi_file which);
/* The first of all that were ever made; they stay. */
struct ppi_per_thread *ppi_per_thread_first (void);
/* Closes it, and unmaps its page, if it has one. */
void ppi_per_thread_close (struct ppi_per_thread *t, enum ppi_file which);
/* pread of a small text file at its start, counted as own; bytes or a negative errno. */
long ppi_per_thread_read (struct ppi_per_thread *t, enum ppi_file which, char *text, unsigned room);

#endif
