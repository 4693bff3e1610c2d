/* SPDX-License-Identifier: MIT */
/*
 * opened.h: what a thread has begun by calls: pp_begin, and #pragma pp sample_begin.
 *
 * The frames of markers form a stack, because their code is nested as the source is. Calls need not
 * be: a program may end "a" before "b" that it began later, and may begin in a function that has
 * returned (a wrapper, a constructor). So what is begun by a call lies in a list of its own, newest
 * first, is found by its tag and taken out wherever it stands.
 *
 *   the end of a tag      the newest of that tag; if an older one was begun at the very stack
 *                         pointer of the end, that one, and those above it were left behind by a
 *                         longjmp or a forgotten end
 *   the begin of a tag    that the same call at this stack pointer began before, and did not end:
 *                         that one was left behind, with those of the tag that other calls began
 *                         there since; so was, on the thread's own stack, all that was begun
 *                         PPI_OPENED_REACH below. Where the call is another one they nest: two
 *                         functions that were inlined into one have one stack pointer
 *   more than 1,024       the oldest goes
 *
 * All that is left behind is counted. Everything here runs with the thread's `busy` set, so a
 * handler uses another state; no lock, and memory only from the region.
 */
#ifndef PPI_THREAD_OPENED_H
#define PPI_THREAD_OPENED_H

#include "base/atomic.h"
#include "libmetrics/thread/thread.h"

#define PPI_OPENED_REACH 8192u /* wrappers may have that much on the stack */
/* the places of events (pp_event_begin), which no stack has, begin here: one for each number */
#define PPI_OPENED_EVENTS (UINTPTR_MAX - UINT32_MAX)
#define PPI_OPENED_CLASSES 6u /* sizes of what frames and their values take */

/* Who called the library: its stack pointer, and where it goes on. */
struct ppi_caller {
	uintptr_t sp, at;
};

enum ppi_opened_list { PPI_OPENED_CALLS, PPI_OPENED_SAMPLES, PPI_OPENED_LISTS };

/*
 * In the first page of a thread's; the lists are segments so that whoever looks for open intervals
 * finds the calls.
 */
struct ppi_opened {
	struct ppi_frame_page page;
	struct ppi_segment list[PPI_OPENED_LISTS];
	uint32_t n[PPI_OPENED_LISTS];
	uintptr_t at; /* the free part of PAGES' newest */
	struct ppi_frame_page *newest;
	struct ppi_frame *free[PPI_OPENED_CLASSES];
};

/*
 * A frame with SLOTS for values that is in no list yet, after removing what TAG, begun by CALLER,
 * finds left behind; NULL: no room, counted.
 */
struct ppi_frame *ppi_opened_take (struct ppi_thread *t, enum ppi_opened_list list, uintptr_t tag,
				   struct ppi_caller caller, uint32_t slots) PPI_HIDDEN;
/* Puts it on the list. PLAN is NULL in the list of samples; VALUE is what its begin captured. */
void ppi_opened_push (struct ppi_thread *t, enum ppi_opened_list list, struct ppi_frame *f,
		      uintptr_t tag, uintptr_t sp, const struct ppi_plan *plan,
		      int64_t value) PPI_HIDDEN;
/* What TAG at SP ends; NULL: nothing, counted. */
struct ppi_frame *ppi_opened_find (struct ppi_thread *t, enum ppi_opened_list list, uintptr_t tag,
				   uintptr_t sp) PPI_HIDDEN;
/* Where the call that began it goes on, in its frame's link above the class of the frame. */
#define PPI_OPENED_CLASS_BITS 3u
static inline uintptr_t ppi_opened_caller (const struct ppi_frame *f)
{
	return (uintptr_t) (f->link >> PPI_OPENED_CLASS_BITS);
}

/* Takes it out of the list, wherever it stands; what is in it is valid until the next take. */
void ppi_opened_close (struct ppi_thread *t, enum ppi_opened_list list,
		       struct ppi_frame *f) PPI_HIDDEN;
/* Takes it out, for CAUSE, or because its site was disabled. */
void ppi_opened_drop (struct ppi_thread *t, enum ppi_opened_list list, struct ppi_frame *f,
		      enum pp_drop cause) PPI_HIDDEN;
/* What calls began far below SP, and did not end, was jumped over. */
void ppi_opened_leave (struct ppi_thread *t, uintptr_t sp) PPI_HIDDEN;
/* Of a thread that has ended: nothing is open. */
void ppi_opened_reset (struct ppi_opened *opened) PPI_HIDDEN;

#endif
