/* SPDX-License-Identifier: MIT */
/*
 * raw.h: what the signal handler leaves for the library's thread: registers and a piece of the
 * stack, in a ring of the thread's.
 *
 *   timer of a thread ──signal──► handler ──► ring of the slot ──► library's thread: unwinds, interns, writes
 *
 * A ring has one writer, the handler in its thread, which no signal interrupts (sa_mask), and one
 * reader. HEAD and TAIL only grow; each is stored by its side alone, with release, when the bytes
 * before it are written or done with.
 */
#ifndef PPI_SAMPLER_RAW_H
#define PPI_SAMPLER_RAW_H

#include "base/atomic.h"
#include "libmetrics/thread/mark.h"
#include "profiler/sampler/cfi.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#define PPI_RAW_STACK_BYTES (16u << 10) /* of a stack, at most */
#define PPI_RING_BYTES (512u << 10)     /* a power of two */
#define PPI_SLOTS 1024u                 /* threads that are sampled at once */
#define PPI_RAW_OPEN 64u                /* intervals and marks of a sample, at most */
#define PPI_RAW_SPIKE_NS 2000u /* and half of what it was: how much dearer a handler becomes */

/* What is open: a word of mark.h, and its payload. */
struct ppi_raw_open {
	uint64_t what, payload;
};

/* What the thread has open was not asked for; or it was, just where that changes. */
enum { PPI_RAW_UNASKED = -1, PPI_RAW_TORN = -2 };

/*
 * An entry of a ring; then STACK_BYTES of the stack, rounded up to 8, and what is open, the newest
 * first.
 */
struct ppi_raw {
	uint32_t bytes; /* of all that; 0: the rest of the ring is not used */
	uint32_t stack_bytes;
	uint32_t overrun; /* expiries beside this one */
	int32_t open;     /* how many intervals and marks are; or one of the above */
	uint32_t older;   /* how many more there are that had no room */
	uint32_t by_c;    /* ppi_marks_changes */
	uint64_t changes;
	uint64_t ns, at_ns; /* CLOCK_MONOTONIC, CPU time of the thread outside of pauses */
	struct ppi_registers registers;
	uint8_t stack[];
};

static inline uint32_t ppi_raw_whole (uint32_t bytes)
{
	return (bytes + 7) & ~7u;
}

/*
 * CPU time of the dearest handlers of late, BEFORE and behind one that took NS. What others did to
 * the processor meanwhile, a host to its guest for one, is in NS: a spike must not make the next
 * thousand samples seldom, nor may one in eight, for the seven between take back more than it adds.
 * Handlers that did become dear are believed after a few.
 */
static inline uint64_t ppi_raw_cost (uint64_t before, uint64_t ns)
{
	uint64_t most = before + before / 2 + PPI_RAW_SPIKE_NS;

	before -= before / 16;
	if (ns > most)
		ns = most;
	return ns > before ? ns : before;
}

static inline struct ppi_raw_open *ppi_raw_opened (const struct ppi_raw *raw)
{
	return (struct ppi_raw_open *) (uintptr_t) (raw->stack + ppi_raw_whole (raw->stack_bytes));
}

struct ppi_raw_ring {
	uint64_t head;    /* the handler's; atomic */
	uint64_t full;    /* samples for which there was no room; the handler's; atomic */
	uint64_t seen;    /* signals that came; the handler's; atomic */
	uint64_t left;    /* handlers that ended; as SEEN where none is under way; atomic */
	uint64_t cost_ns; /* of the handler: ppi_raw_cost; the handler's; atomic */
	uint64_t tid;     /* whose it is now; atomic */
	/* CPU time of its thread in pauses: left out of what samples say; atomic */
	uint64_t left_out_ns;
	/*
	 * Where stacks of the thread end, as far as they were unwound to their ends: nobody needs
	 * what is behind it. 0: not known; UINT64_MAX: what was there was needed. The reader's;
	 * atomic
	 */
	uint64_t base;
	uint64_t reserved[8];
	uint64_t tail; /* the reader's, and where it is the head the handler's; atomic */
	uint64_t reserved2[15];
	/* pages of its own, which are given back when a thread has ended */
	uint8_t data[PPI_RING_BYTES] __attribute__ ((aligned (4096)));
};

/*
 * The rings, by the number that a timer's signal carries. NULL: the slot was never used. Never
 * unmapped, for a signal may be late. Atomic.
 */
extern struct ppi_raw_ring *ppi_rings[PPI_SLOTS] PPI_HIDDEN;

/* No handler takes a sample now. Atomic. */
extern uint32_t ppi_samples_paused PPI_HIDDEN;
/* Handlers say what their threads have open. Atomic. */
extern uint32_t ppi_samples_open PPI_HIDDEN;
/* Room that ppi_raw_take_open needs behind RAW's stack. */
#define PPI_RAW_OPEN_BYTES (PPI_RAW_OPEN * sizeof (struct ppi_open))
/*
 * RAW gets what the thread of state T, or NULL, has open now. Any context, of the thread itself or
 * of one that sees it asleep.
 */
PPI_HIDDEN void ppi_raw_take_open (struct ppi_raw *raw, const struct ppi_thread *t);

/* The handler, for sigaction with SA_SIGINFO | SA_ONSTACK | SA_RESTART and all signals blocked. */
PPI_HIDDEN void ppi_sample_handler (int number, siginfo_t *info, void *context);

/*
 * The oldest entry of a ring; NULL: there is none. Valid until ppi_ring_pop. The library's thread.
 */
PPI_HIDDEN const struct ppi_raw *ppi_ring_first (struct ppi_raw_ring *ring);
PPI_HIDDEN void ppi_ring_pop (struct ppi_raw_ring *ring, const struct ppi_raw *raw);
/*
 * RAW of the ring was unwound: to the stack's end at END, or, where END is 0, to that of the copy.
 */
PPI_HIDDEN void ppi_ring_note_end (struct ppi_raw_ring *ring, const struct ppi_raw *raw,
				   uint64_t end);

#endif
