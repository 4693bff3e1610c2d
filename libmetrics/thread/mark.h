/* SPDX-License-Identifier: MIT */
/*
 * mark.h: frames that observers see: those of plans with the sink `mark`.
 *
 *     | values ... | struct ppi_mark | struct ppi_frame |
 *
 * The mark lies in the slot before its frame. Frames of other plans have none, and pay for nothing.
 * Each stack (segment) lists its marked frames, the newest first; those of pp_begin are a list of
 * their own, and a handler that interrupted a marker has another thread state. ORDER says how they
 * go together: it counts the changes of all lists of a state, and a mark has what it was at its
 * begin. Its lowest bits are how many marks the list of the current stack has: a mark's level.
 *
 * A look must not wait until nothing changes for a while: it would see long marks, and hardly ever
 * short ones. So a state has a path, two cache lines that tell all of its outermost marks at once:
 *
 *     | order | calls | site of level 1 | of level 2 | ... |
 *
 * How another thread reads them (ppi_marks_read does it):
 *
 *     1  order, acquire; the path up to its level; fence, acquire; order again: another one means
 *        that the path is torn, which takes a change in these few nanoseconds. This is the moment
 *        of the look, and what is open is known of the first PPI_PATH levels
 *     2  the list of the current segment and the list of the calls: every word by itself, nothing
 *        followed that does not lie in the process's own memory, no more than there is room for. A
 *        mark whose order is larger than that of the moment came later; one that is there still has
 *        its payload, too. One that has ended meanwhile has what the path says of it
 *     3  a level beyond the path, or a call, that has ended meanwhile is missed: the look is torn
 *
 * It is right because the owner takes a mark off its list, then changes ORDER, and only then uses
 * the memory for something else; and a mark's order is the first of its words that a begin stores.
 * A begin says its site in the path, changes ORDER, and fills in the mark before it is on the list.
 * Thread states and pages of frames are recycled, never unmapped.
 *
 * Everything but ppi_marks_read runs at markers, with the thread entered: general registers only.
 */
#ifndef PPI_THREAD_MARK_H
#define PPI_THREAD_MARK_H

#include "base/atomic.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/thread/thread.h"
#include "recording/layout.h"

/* All words are for observers: numbers, and ids. Nobody follows anything here but BELOW. */
struct ppi_mark {
	uint64_t order;          /* of the state, at the begin; never 0 */
	struct ppi_frame *below; /* the next older one of its list, or NULL */
	uint64_t what;           /* PPI_MARK_WHAT; 0: it can't end any more, and counts as ended */
	/* what its site captured, if WHAT says that it has one; of a text its number (texts.h) */
	uint64_t payload;
	/*
	 * if WHAT says PPI_MARK_HAS_WORDS: ids of dimensions, or whatever else who set that means
	 */
	uint64_t word[4];
};

PP_ABI_ASSERT (sizeof (struct ppi_mark) == PPI_FRAME_SLOT);

#define PPI_PATH 14u
#define PPI_ORDER_STEP UINT64_C (0x800)
#define PPI_ORDER_LEVEL (PPI_ORDER_STEP - 1)
/* for a level: what is open is not known just now */
#define PPI_LEVEL_UNKNOWN PPI_ORDER_LEVEL

/* Of a thread state, in private memory: see above. All words are atomic. */
struct ppi_path {
	uint64_t order;
	uint32_t calls; /* marks in the list of the calls */
	uint32_t by_c;  /* marks that began without code made for them, modulo 2^32 */
	/*
	 * a level's site, the type of its payload above 28 bits, and that above 32, where it has
	 * room: PPI_TEXT_OTHER for a text stands for one that has none. 0: it can't end any more
	 */
	uint64_t open[PPI_PATH];
} __attribute__ ((aligned (64)));

PP_ABI_ASSERT (sizeof (struct ppi_path) == 128);
PP_ABI_ASSERT (PPI_DEPTH_MAX < PPI_LEVEL_UNKNOWN);

#define PPI_PATH_SITE(open) ((uint32_t) (open) &0xfffffff)
#define PPI_PATH_TYPE(open) ((unsigned) ((open) >> 28 & 0xf))
#define PPI_PATH_PAYLOAD(open) ((open) >> 32)

/* For marks that nobody has memory for: not to be looked at. */
PPI_HIDDEN extern struct ppi_path ppi_no_path;

static inline struct ppi_mark *ppi_mark_of (const struct ppi_frame *f)
{
	return (struct ppi_mark *) (uintptr_t) ((const char *) f - PPI_FRAME_SLOT);
}

/* F, of a marked PLAN, has been pushed to segment S; VALUE is what the site captured. */
PPI_HIDDEN void ppi_mark_push (struct ppi_thread *t, struct ppi_segment *s, struct ppi_frame *f,
			       const struct ppi_plan *plan, int64_t value);

/* F, of a marked plan, will be taken from segment S. */
PPI_HIDDEN void ppi_mark_pop (struct ppi_thread *t, struct ppi_segment *s,
			      const struct ppi_frame *f);

/* F, of a marked plan, can't end any more. */
PPI_HIDDEN void ppi_mark_hide (struct ppi_thread *t, const struct ppi_segment *s,
			       struct ppi_frame *f);

/* The state has become another thread's, or nobody's: nothing is open. */
PPI_HIDDEN void ppi_marks_reset (struct ppi_thread *t);

/* The thread goes over to another stack: before its segment changes, and behind that. */
PPI_HIDDEN void ppi_marks_leave (struct ppi_thread *t);
PPI_HIDDEN void ppi_marks_arrive (struct ppi_thread *t);

/* On the slow path: a handler that interrupted a block may have left it half done by siglongjmp. */
PPI_HIDDEN void ppi_marks_sync (struct ppi_thread *t);

/* ---- observers: ordinary context, any thread ------------------------------------------------- */

/* A frame as an observer sees it. */
struct ppi_open {
	uint64_t order;   /* of two of one thread the later begun has the larger one */
	uint64_t what;    /* PPI_MARK_WHAT */
	uint64_t payload; /* where WHAT says that there is one */
	/* of struct ppi_mark, where WHAT says that there are any; else anything */
	uint64_t word[4];
	uint64_t begin_ticks; /* 0: nothing that is bound reads the clock */
	const void *plan;     /* of the frame; NULL: it has ended meanwhile */
};

#define PPI_MARKS_TORN (-1)

/*
 * What thread state T and the handler that interrupted it have open at one moment, of stacks that
 * they are on and of calls: at most ROOM, the newest first. Of one that has ended before it could
 * be read, PLAN is NULL, and its payload may be a text whose number is PPI_TEXT_OTHER. Returns how
 * many there are in OUT, and in *MORE (or NULL) how many older ones had no room; PPI_MARKS_TORN:
 * they changed meanwhile, try again. T is one of ppi_threads, without an owner. Takes no lock.
 */
int ppi_marks_read (const struct ppi_thread *t, struct ppi_open *out, unsigned room,
		    unsigned *more);

/* How often what T has open has changed so far: two changes are a mark, or nearly so. */
struct ppi_changes {
	uint64_t all;
	uint32_t by_c; /* marks that began without code made for them, modulo 2^32 */
};
PPI_HIDDEN struct ppi_changes ppi_marks_changes (const struct ppi_thread *t);

#endif
