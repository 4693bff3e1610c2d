/* SPDX-License-Identifier: MIT */
/*
 * thread.h: what one thread of the host has in the live region: where its open intervals are, and its shards.
 *
 * A thread's state is one 4 KiB chunk, taken from the pool at the thread's first marker, with room for about fifty nested intervals.
 *
 * Segments. A thread executes on one stack or on many (sigaltstacks, coroutines, fibres). Stack pointers of different stacks must never be
 * compared, so every stack has a segment with a frame stack of its own. The thread's own stack is known: glibc puts the thread's
 * descriptor at its top. Of all others only addresses at which markers ran are known: a segment there covers what it has seen, and grows by at
 * most PPI_SEGMENT_REACH at a time; further away is another segment. Where one fibre is split in two nothing is lost but the noticing of a
 * longjmp between the parts.
 *
 * A handler is a second writer. BUSY holds the stack pointer of the marker that is being executed; a marker that finds it set runs in a signal
 * handler that interrupted the first one, and uses the second state, ALT. Where a handler left by siglongjmp, BUSY is stale: the stack has been
 * unwound past it, which the next marker sees.
 */
#ifndef PPI_THREAD_H
#define PPI_THREAD_H

#include "pp_arch.h"
#include "recording.h"
#include "types.h"

#define PPI_THREAD_BYTES 4096u
#define PPI_FRAME_PAGE 4096u    /* frames never straddle it */
#define PPI_DEPTH_MAX 1024u     /* frames of a segment */
#define PPI_SEGMENT_REACH 8192u /* see above */
#define PPI_SEGMENTS_MAX 4096u  /* of a thread */
#define PPI_SLOT_BITS 6u        /* shards per page of the table */
#define PPI_SLOT_PAGE (1u << PPI_SLOT_BITS)
#define PPI_DIRECTORY 16u /* pages in the thread's own chunk */

struct ppi_plan;
struct ppi_op;

/* One stack's open intervals; TOP ends in BOTTOM, a sentinel whose sp is larger than any. */
struct ppi_segment {
	uintptr_t lo;
	uintptr_t span; /* hi - lo */
	struct ppi_frame *top;
	struct ppi_segment *next;
	uint32_t overflow; /* begins beyond the depth that have not ended */
	uint32_t learned;  /* 0: the thread's own stack */
	uintptr_t overflow_sp; /* stack pointer of the first of them */
	struct ppi_frame bottom;
};

/* The page after a frame page, remembered so that a deep stack takes it from the pool once. */
struct ppi_frame_page {
	struct ppi_chunk chunk;
	struct ppi_frame_page *following;
	uint64_t reserved;
	/* frames */
};

struct ppi_thread {
	struct ppi_chunk chunk;           /* id: kernel thread id */
	struct ppi_frame_page *following; /* where struct ppi_frame_page has it */
	uintptr_t busy;                   /* stack pointer of the marker being executed, 0: none */
	struct ppi_segment *segment;
	struct ppi_shard ***pages; /* directory of the table slot → shard */
	uint32_t slots;            /* capacity of the table */
	uint32_t state;            /* enum ppi_thread_state; atomic */
	struct ppi_thread *next;          /* every thread state there is, newest first */
	struct ppi_thread *alt;
	struct ppi_thread *owner; /* of an alt: the state whose alt it is */
	uint32_t in_check;
	uint32_t segments;
	uint64_t drops[PPI_DROPS];
	struct ppi_segment own;
	struct ppi_shard **directory[PPI_DIRECTORY];
	/* frames */
};

enum ppi_thread_state { PPI_THREAD_FREE = 0, PPI_THREAD_USED = 1 };

/* The calling thread's state, or NULL before its first marker and in a child. One pointer of initial-exec TLS. */
extern __thread struct ppi_thread *ppi_self __attribute__ ((tls_model ("initial-exec"), visibility ("hidden")));

/*
 * A word in a page that the kernel wipes in every child (MADV_WIPEONFORK): 1 while this process is the one that made the region.
 * fork, _Fork and raw clone are noticed by one load.
 */
extern uint32_t *ppi_alive __attribute__ ((visibility ("hidden")));

/* All thread states of the region, newest first; only ever prepended to. */
extern struct ppi_thread *ppi_threads __attribute__ ((visibility ("hidden")));

#define PPI_HIDDEN __attribute__ ((visibility ("hidden")))
#define ppi_likely(x) __builtin_expect (!!(x), 1)
#define ppi_unlikely(x) __builtin_expect (!!(x), 0)

/* Readers look at these from other threads; the owner's stores are relaxed atomics and cost what plain ones cost. */
#define ppi_load(p) __atomic_load_n (p, __ATOMIC_RELAXED)
#define ppi_store(p, v) __atomic_store_n (p, v, __ATOMIC_RELAXED)

/* The compiler must not move the owner's stores across; only the owner's own signal handlers depend on the order. */
#define ppi_compiler_barrier() __atomic_signal_fence (__ATOMIC_SEQ_CST)

/*
 * All below run at markers: general registers only, no lock, no allocation but from the pool, no system call but the one named.
 */

/*
 * The state to use for a marker at SP where the fast look failed: attaches the thread at its first marker (one gettid), goes over to the second state in
 * a handler, finds or makes the segment of SP. NULL: dropped, and counted. Sets busy.
 */
PPI_HIDDEN struct ppi_thread *ppi_thread_enter (uintptr_t sp);
PPI_HIDDEN void ppi_drop (struct ppi_thread *thread, enum pp_drop cause, uint64_t n);

static inline __attribute__ ((always_inline)) void ppi_thread_leave (struct ppi_thread *t)
{
	ppi_compiler_barrier ();
	ppi_store (&t->busy, 0);
}

/* The usual case of ppi_thread_enter: attached, not in a handler, the stack of last time. */
static inline __attribute__ ((always_inline)) struct ppi_thread *ppi_thread_try_enter (uintptr_t sp)
{
	struct ppi_thread *t = ppi_self;

	if (ppi_unlikely (!t || !ppi_load (ppi_alive) || t->busy || sp - t->segment->lo >= t->segment->span))
		return NULL;
	ppi_store (&t->busy, sp);
	ppi_compiler_barrier ();
	return t;
}

/* The shard of a slot if the thread has it. */
static inline __attribute__ ((always_inline)) struct ppi_shard *ppi_thread_shard (const struct ppi_thread *t, uint32_t slot)
{
	if (ppi_unlikely (slot >= t->slots))
		return NULL;
	return t->pages[slot >> PPI_SLOT_BITS][slot & (PPI_SLOT_PAGE - 1)];
}

/* The shard of OP, made if there is none, emptied if the metric was reset. NULL: no room, counted. */
PPI_HIDDEN struct ppi_shard *ppi_shard_get (struct ppi_thread *thread, const struct ppi_op *op);

/* ---- ordinary context -------------------------------------------------------------------------------------------------------- */

/* Learns where stacks are; makes the word behind ppi_alive. With the lock, when the region is made. 0 or PP_ENOMEM. */
PPI_HIDDEN int ppi_thread_init (void);
/* In a child that is given a region of its own: nothing is attached any more. With the lock. */
PPI_HIDDEN void ppi_thread_after_fork (void);
/*
 * Folds the shards of threads that have ended into their bindings' retired ones and frees their states. With the lock, from ordinary
 * context.
 */
PPI_HIDDEN void ppi_thread_reap (void);


PP_ABI_ASSERT (offsetof (struct ppi_thread, following) == offsetof (struct ppi_frame_page, following));

#endif
