/* SPDX-License-Identifier: MIT */
/*
 * thread.h: what one thread of the host has: where its open intervals are, and its shards.
 *
 * A thread's state is a page of 2 KiB of the process's own memory (twin.h), taken from the pool at
 * the thread's first marker, with room for seventeen nested intervals. Its shards are in the live
 * region.
 *
 * Segments. A thread executes on one stack or on many (sigaltstacks, coroutines, fibres). Stack
 * pointers of different stacks must never be compared, so every stack has a segment with a frame
 * stack of its own. The thread's own stack is known: glibc puts the thread's descriptor at its top.
 * Of all others only addresses at which markers ran are known: a segment there covers what it has
 * seen, and grows by at most PPI_SEGMENT_REACH at a time; further away is another segment, and with
 * its last frame a segment forgets what it covered. Where one fibre is split in two nothing is lost
 * but the noticing of a longjmp between the parts; two fibres taken for one would lose samples.
 *
 * A handler is a second writer. BUSY holds the stack pointer of the marker that is being executed;
 * a marker that finds it set runs in a signal handler that interrupted the first one, and uses the
 * second state, ALT. Where a handler left by siglongjmp, BUSY is stale: the stack has been unwound
 * past it, which the next marker sees.
 */
#ifndef PPI_THREAD_THREAD_H
#define PPI_THREAD_THREAD_H

#include "base/atomic.h"
#include "base/chunk.h"
#include "base/ticks.h"
#include "libmetrics/keep/shard.h"
#include "recording/layout.h"

struct ppi_moment;

#define PPI_FRAME_SLOT 64u /* what a frame without values takes */
#define PPI_FRAME_FIRST                                                                            \
	256u /* of a page: behind the head, a segment and its first frame; the fast path begins there */
#define PPI_DEPTH_MAX 1024u     /* frames of a segment */
#define PPI_SEGMENT_REACH 1024u /* see above */
#define PPI_SEGMENTS_MAX 4096u  /* of a thread */
#define PPI_SLOTS_FIRST 64u     /* shards in the table that a thread begins with */
#define PPI_REAP_LEAST                                                                             \
	64u /* threads from which on one that attaches looks for those that have ended */
#define PPI_TAG_STALE 1u /* of frames that can't end any more */

/*
 * What functions of the user's run on where the marker is on a fibre's stack, which may be small: a
 * stack of the thread state's, private memory of which only what is touched takes any. Below it is
 * a page that nobody may touch. Not where the marker is on the signal stack: the kernel takes that
 * for free while the thread runs elsewhere, and the next handler would begin at its top.
 */
#define PPI_STACK_BYTES (UINT64_C (256) << 10)
#define PPI_NO_STACK ((uintptr_t) 1)

struct ppi_plan;
struct ppi_op;
struct ppi_flight_entry;
struct ppi_late;
struct ppi_opened;
struct ppi_path;
struct ppi_rich;
struct ppi_stream;
struct ppi_top_chunk;

/*
 * What the fast path looks at: one cache line per thread, private memory that the kernel wipes in
 * every child (MADV_WIPEONFORK). All zero, its span lets no marker through, so fork, _Fork and raw
 * clone are noticed without a look of their own. So are a stack that is not the current one, a
 * flush (below) and an overflow of the depth: they make the span 0.
 */
struct ppi_hot {
	uintptr_t lo;   /* of the current segment */
	uintptr_t span; /* its size; 0: take the slow path */
	struct ppi_frame *top;
	uintptr_t busy; /* stack pointer of the marker being executed, 0: none */
	/* first place for frames in the page that top was pushed to; 0: ask the slow path */
	uintptr_t first;
	struct ppi_shard **table; /* slot → shard */
	uint64_t slots;           /* capacity of the table */
	struct ppi_thread *thread;
} __attribute__ ((aligned (64)));

/*
 * The place of the N-th line. The first 128 threads have every other one, so that no two share a
 * pair; those from 129 on have the places in between, or threads would take more than 4 KiB.
 */
static inline uint32_t ppi_hot_place (uint32_t n)
{
	return n / 256 * 256 + n % 128 * 2 + n % 256 / 128;
}

enum ppi_stack_kind { PPI_STACK_UNKNOWN, PPI_STACK_OF_SIGNALS, PPI_STACK_OF_FIBRE };

/*
 * An open interval; frame.h has the rules. Lives in a page of frames (thread.h), 64-byte aligned.
 * Who looks for marks (mark.h) may read what is a frame by now: its words are stored whole.
 */
struct ppi_frame {
	/* site + inline depth; 0 in a sentinel, 1 in a frame that can't end any more */
	uintptr_t tag;
	uintptr_t sp; /* the marker's stack pointer */
	struct ppi_frame *prev;
	const void *plan;     /* of the begin */
	uint64_t begin_ticks; /* in a frame that can't end any more: its tag */
	/*
	 * bit k: op k of the plan is not sampled this time (every: N); not in plans of one metric
	 */
	uint64_t skipped;
	/* of 64 bytes before this one, with what begin functions returned; likewise */
	uint64_t slots;
	/* of plans with scopes (nested.c) and what is begun by calls (opened.c) */
	uint64_t link;
};

/* One stack's open intervals; the frames end in BOTTOM, a sentinel whose sp is larger than any. */
struct ppi_segment {
	uintptr_t lo, span;
	struct ppi_frame *top; /* while it is not the current one */
	struct ppi_segment *next;
	uintptr_t overflow_sp; /* stack pointer of the first begin beyond the depth */
	uint32_t overflow;     /* begins beyond the depth that have not ended */
	uint8_t learned;       /* 0: the thread's own stack, of which the next two are 0 too */
	uint8_t is_calls;      /* no stack, but what was begun by calls: opened.h */
	uint8_t kind;          /* of a learned one: enum ppi_stack_kind */
	uint8_t reserved;
	struct ppi_frame *scoped; /* the newest of a plan with scopes, or NULL: nested.c */
	struct ppi_frame *marked; /* the newest that observers see, or NULL: mark.h; atomic */
	struct ppi_frame bottom;  /* frames follow it */
};

/*
 * A page of frames. The page after it is remembered, so that a deep stack takes it from the pool
 * once.
 */
struct ppi_frame_page {
	struct ppi_frame_page *following;
	uint64_t depth; /* frames of the segment in the pages before */
	uint64_t reserved[6];
	/* frames */
};

/* The causes that a thread counts itself: all but the last, PP_DROP_OPEN, which comes behind it. */
#define PPI_THREAD_DROPS (PPI_DROPS - 1u)

struct ppi_thread {
	struct ppi_frame_page *following; /* where struct ppi_frame_page has it */
	uint64_t depth;                   /* likewise; 0 */
	uint32_t id;                      /* the kernel's; 0: nobody's. Atomic */
	uint32_t flight_mask;             /* of that number: the place in the ring, in bytes */
	/* of the sink `feature`: what FEATURES begins with, once it is this thread's; else NULL */
	struct ppi_feature_open *measuring;
	struct ppi_hot *hot;
	struct ppi_segment *segment; /* the current one */
	struct ppi_thread *next;     /* every thread state there is, newest first */
	struct ppi_thread *alt;
	struct ppi_thread *owner; /* of an alt: the state whose alt it is */
	uint64_t flushed;         /* the last flush that this thread honoured */
	uint32_t state;           /* enum ppi_thread_state; atomic */
	uint32_t in_check;
	uint32_t segments;
	uint32_t checks_run; /* how often, modulo 2^32 */
	uint64_t drops[PPI_THREAD_DROPS];
	/* of the sink `aggregate`, or NULL: none yet; atomic */
	struct ppi_thread_aggregates *aggregates;
	struct ppi_shard *first_table[PPI_SLOTS_FIRST];
	uintptr_t check_sp;        /* of the marker whose checks run */
	struct ppi_opened *opened; /* by calls */
	uintptr_t
		/*
		 * its end: functions of the user's run there; 0: none yet, PPI_NO_STACK: there is
		 * none to be had
		 */
		stack;
	/* of the execution whose checks run; means nothing at other times */
	const struct ppi_moment *checked;
	/*
	 * of marked frames (mark.h): what is open, atomic, or NULL: none was yet; where the live
	 * region says what is on top
	 */
	struct ppi_path *path;
	struct ppi_texts_known *texts; /* text.h: what it met lately; NULL: none yet */
	struct ppi_rich *rich; /* rich.h: what the thread makes such a payload in; or NULL */
	struct ppi_top_chunk *shown;
	struct ppi_stream *stream; /* of the sink `record`, or NULL: none yet */
	uint32_t events;           /* begun by pp_event_begin, modulo 2^32 */
	uint16_t in_span;          /* what begins now is a span */
	uint16_t in_event;         /* ... or an event, whose dimensions come with its begin */
	struct ppi_feature_table *features; /* of the sink `feature`, or NULL: none yet */
	struct ppi_stream *series; /* of series that are full (series.h), or NULL: none yet */
	/*
	 * of the sink `flight` (flight.h): the first entry of its ring, atomic, or NULL: none yet;
	 * the number of its next entry, above 32 bits of 0
	 */
	struct ppi_flight_entry *flight;
	uint64_t flight_next;
	/* dimensions of the span that ends now, in the order in which they came */
	const struct ppi_late *said;
	uint32_t n_said;
	struct ppi_segment own __attribute__ ((aligned (PPI_FRAME_SLOT))); /* frames follow it */
};

enum ppi_thread_state { PPI_THREAD_FREE = 0, PPI_THREAD_USED = 1 };

extern struct ppi_hot ppi_nobody __attribute__ ((visibility ("hidden")));

/*
 * What a thread has beside its line, in initial-exec TLS.
 *
 * SELF is its line; before its first marker that is ppi_nobody, whose span is 0.
 *
 * SAVED is where a block (block.h) keeps the host's registers; GUARD is the stack pointer of the
 * marker whose block does so just now, 0: none. A block that finds it set runs in a handler that
 * interrupted the other one, and leaves the marker to its stub.
 */
struct ppi_scratch {
	uintptr_t guard;
	struct ppi_hot *self;
	uint64_t saved[11];
	/* what ppi_newest is while this thread may count; 0: it never did */
	uintptr_t id;
	uint64_t stamp;                           /* of its newest sample at a point */
	uint64_t turns;                           /* samples that it read the clock for */
	uint64_t result[PP_ABI_RESULT_BYTES / 8]; /* of the function that a block calls */
} __attribute__ ((aligned (PPI_APART)));
extern __thread struct ppi_scratch ppi_scratch
	__attribute__ ((tls_model ("initial-exec"), visibility ("hidden")));
#define ppi_self (ppi_scratch.self)

/*
 * When samples at points ended, in ticks, mostly without reading the clock: the thread that
 * ppi_newest names is the only one that samples points, and stamps them by counting on from the
 * time it read last, one a sample, which always stays behind the clock. Any other first takes the
 * word away (PPI_NOBODY), and reads the clock. Whoever has read it PPI_STAMP_TURNS times takes the
 * word. So of two samples of which one happened before the other the later has the later stamp, on
 * one thread or on two; threads that sample at the same time all read the clock, and write the word
 * twice in so many samples.
 */
struct ppi_newest_line {
	uintptr_t id;
} __attribute__ ((aligned (PPI_APART)));
extern struct ppi_newest_line ppi_newest_line __attribute__ ((visibility ("hidden")));
#define ppi_newest (ppi_newest_line.id)
#define PPI_NOBODY 1u
#define PPI_STAMP_TURNS 256u

/* All thread states of the region, newest first; only ever prepended to. */
extern struct ppi_thread *ppi_threads __attribute__ ((visibility ("hidden")));

/*
 * A flush makes every thread take the slow path at its next marker, once, where it looks for what
 * became stale: frames of sites that were disabled and are enabled again, shards of metrics that
 * were reset. The number of the newest flush; raised with the lock.
 */
extern uint64_t ppi_flush_number __attribute__ ((visibility ("hidden")));

/*
 * All below run at markers: general registers only, no lock, no allocation but from the pool, no
 * system call but the one named.
 */

/*
 * The state to use for a marker at SP where the fast look failed: attaches the thread at its first
 * marker (one gettid), goes over to the second state in a handler, finds or makes the segment of
 * SP. NULL: dropped, and counted. Sets busy.
 */
PPI_HIDDEN struct ppi_thread *ppi_thread_enter (uintptr_t sp);
PPI_HIDDEN void ppi_drop (struct ppi_thread *thread, enum pp_drop cause, uint64_t n);

static inline __attribute__ ((always_inline)) void ppi_leave (struct ppi_hot *h)
{
	/* release: who waits for it (ppi_quiesce) may take away what was used here */
	ppi_compiler_barrier ();
	__atomic_store_n (&h->busy, 0, __ATOMIC_RELEASE);
}

static inline void ppi_thread_leave (struct ppi_thread *t)
{
	ppi_leave (t->hot);
}

/*
 * Has a function that a marker called forked, and is this the child? Then the thread's lines were
 * wiped, and all that the marker has at hand is its parent's.
 */
static inline __attribute__ ((always_inline)) bool ppi_is_forked (void)
{
	return ppi_unlikely (!ppi_load (&ppi_self->thread));
}

/*
 * After the thread has read of its own state outside a marker: that comes before its reaping, which
 * acquires busy. A handler that comes in between leaves busy as it was.
 */
static inline void ppi_thread_has_read (void)
{
	struct ppi_hot *h = ppi_self;

	if (h->thread)
		__atomic_store_n (&h->busy, ppi_load (&h->busy), __ATOMIC_RELEASE);
}

/*
 * The calling thread's state, or NULL before its first marker and in a child that has the parent's
 * still.
 */
static inline struct ppi_thread *ppi_thread_self (void)
{
	return ppi_self->thread;
}

/*
 * The usual case of ppi_thread_enter: attached, not in a handler, the stack of last time, nothing
 * to flush. NULL otherwise.
 */
static inline __attribute__ ((always_inline)) struct ppi_hot *ppi_try_enter (uintptr_t sp)
{
	struct ppi_hot *h = ppi_self;

	/*
	 * a guard that is set may be one that a handler left behind by siglongjmp: ppi_thread_enter
	 * knows
	 */
	if (ppi_unlikely (ppi_load (&h->busy) | ppi_load (&ppi_scratch.guard)))
		return NULL;
	/*
	 * busy first: a handler on another stack would otherwise change the segment between the
	 * look at it and its use
	 */
	ppi_store (&h->busy, sp);
	ppi_compiler_barrier ();
	if (ppi_unlikely (sp - ppi_load (&h->lo) >= ppi_load (&h->span))) {
		ppi_leave (h);
		return NULL;
	}
	return h;
}

/* The word is not this thread's. */
PPI_HIDDEN uint64_t ppi_stamp_slow (void);

/* When a sample at a point ended: see ppi_newest. */
static inline __attribute__ ((always_inline)) uint64_t ppi_stamp (void)
{
	if (!PP_ARCH_TICKS_ARE_FINE)
		return ppi_ticks ();
	if (ppi_unlikely (ppi_load (&ppi_newest) != ppi_scratch.id))
		return ppi_stamp_slow ();
	ppi_store (&ppi_scratch.stamp, ppi_scratch.stamp + 1);
	return ppi_scratch.stamp;
}

/* The shard of a slot if the thread has it. */
static inline __attribute__ ((always_inline)) struct ppi_shard *ppi_hot_shard (
	const struct ppi_hot *h, uint32_t slot)
{
	return ppi_likely (slot < h->slots) ? h->table[slot] : NULL;
}

/*
 * One of EVERY executions: is this one left out? Counts it. What an earlier binding with a larger
 * number has left to count is more than this one would ever have, and means nothing.
 */
static inline __attribute__ ((always_inline)) bool ppi_shard_skips (struct ppi_shard *s,
								    uint32_t every)
{
	uint32_t left = s->skip;

	if (left && left < every) {
		ppi_store (&s->skip, left - 1);
		return true;
	}
	if (left || every > 1)
		ppi_store (&s->skip, every > 1 ? every - 1 : 0);
	return false;
}

/* The shard of OP, made if there is none. NULL: no room, counted. */
PPI_HIDDEN struct ppi_shard *ppi_shard_get (struct ppi_thread *thread, const struct ppi_op *op);

/* Another thread's shard: its table may be growing; the old one stays readable. */
static inline const struct ppi_shard *ppi_thread_shard (const struct ppi_thread *t, uint32_t slot)
{
	if (slot >= __atomic_load_n (&t->hot->slots, __ATOMIC_ACQUIRE))
		return NULL;
	return __atomic_load_n (&__atomic_load_n (&t->hot->table, __ATOMIC_ACQUIRE)[slot],
				__ATOMIC_ACQUIRE);
}

/*
 * Of a marker at SP: is the activation at OLD, on what is taken for the same stack, gone? Not
 * because SP is above it if that is on a signal stack inside the thread's own (an array of main's,
 * or in static TLS), and OLD isn't: a handler interrupted it then. Asks the kernel only where SP is
 * not below OLD.
 */
PPI_HIDDEN bool ppi_stack_was_left (uintptr_t old, uintptr_t sp);

#if PP_ARCH_CALLS
/*
 * Where functions of the user's run: the end of the state's own stack, where the marker is on a
 * fibre's; 0: on the marker's stack. The first time on a stack it asks the kernel whether that is
 * the signal stack, and makes the state's: at most three system calls.
 */
PPI_HIDDEN uintptr_t ppi_thread_other_stack (struct ppi_thread *thread);

static inline __attribute__ ((always_inline)) uintptr_t ppi_thread_stack (struct ppi_thread *thread)
{
	return ppi_likely (!thread->segment->learned) ? 0 : ppi_thread_other_stack (thread);
}
#endif

PP_ABI_ASSERT (sizeof (struct ppi_hot) == 64);
PP_ABI_ASSERT (sizeof (struct ppi_frame) == PPI_FRAME_SLOT);
PP_ABI_ASSERT (sizeof (struct ppi_frame_page) == PPI_FRAME_SLOT);
PP_ABI_ASSERT (sizeof (struct ppi_segment) == 2 * PPI_FRAME_SLOT);
PP_ABI_ASSERT (sizeof (struct ppi_thread) % PPI_FRAME_SLOT == 0);
PP_ABI_ASSERT (PP_DROPS <= PPI_DROPS && PP_DROP_OPEN == PPI_THREAD_DROPS);
PP_ABI_ASSERT (offsetof (struct ppi_thread, depth) == offsetof (struct ppi_frame_page, depth));
PP_ABI_ASSERT (offsetof (struct ppi_thread, following) ==
	       offsetof (struct ppi_frame_page, following));

#endif
