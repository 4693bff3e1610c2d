/* SPDX-License-Identifier: MIT */
/*
 * feature.h: which mark of a feature is in which, of frames of plans with the sink `feature`.
 *
 *     mark lib.a  ──────────────────────────────►       own: what is in neither of the other two
 *          antimark lib.a  ─────────────►               own: what is not in the mark inside
 *                mark lib.a  ────►                      own: all
 *
 * An entry is a mark or an antimark. What is an entry's own is its time without that of the entries
 * of the same feature directly in it; features know nothing of each other. So an end tells the next
 * entry outside how long it took. Where entries lie is where frames do: those of markers on one
 * stack, those of calls in a list of their own; by when they began it is known which is outside.
 *
 * A jump over an entry's end is an end at the next marker that notices it: what the entry took until
 * then is nobody's, for when the jump was is not known, and no other entry's either.
 *
 * At markers, with the thread entered: general registers only.
 */
#ifndef PPI_THREAD_FEATURE_H
#define PPI_THREAD_FEATURE_H

#include "base/atomic.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/thread/thread.h"

struct ppi_frame;

/* Of a frame, behind what its site captures. */
struct ppi_feature_words {
	uint64_t ticks;    /* of entries of the same feature directly in it */
	uint64_t pairs;    /* that ended in those, themselves counted */
	uint64_t children; /* how many those are */
	uint64_t before;   /* pairs that had ended in the thread when it began */
};

#define PPI_FEATURE_WORDS (sizeof (struct ppi_feature_words) / sizeof (uint64_t))

/* Of a thread state: its table (marker/feature.c) begins with this. */
struct ppi_feature_open {
	uint64_t pairs; /* that ended so far */
	/*
	 * entries that are open, by their feature's number modulo so many: at most 1 says that
	 * there is none outside. Those that were jumped over may be among them until they are
	 * dropped.
	 */
	uint32_t open[64];
};

struct ppi_feature_words *ppi_feature_words (struct ppi_frame *f) PPI_HIDDEN;
/*
 * F ends after TICKS in which so many PAIRS ended: the next entry of its feature outside, if there
 * is one, learns of it.
 */
void ppi_feature_tell (struct ppi_thread *t, struct ppi_frame *f, enum ppi_home home,
		       uint64_t ticks, uint64_t pairs) PPI_HIDDEN;
/* F, of any plan, goes without an end, and is not stale yet. */
void ppi_feature_give (struct ppi_thread *t, struct ppi_frame *f, enum ppi_home home) PPI_HIDDEN;

/* marker/feature.c: F, which is dropped, had TICKS of its own. General registers only. */
void ppi_feature_lost (struct ppi_thread *t, struct ppi_frame *f, uint64_t ticks) PPI_HIDDEN;

#endif
