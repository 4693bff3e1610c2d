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
 * A jump over an entry's end is an end at the next marker that notices it: what the entry took
 * until then is nobody's, for when the jump was is not known, and no other entry's either.
 *
 * At markers, with the thread entered: general registers only.
 */
#ifndef PPI_THREAD_FEATURE_H
#define PPI_THREAD_FEATURE_H

#include "base/atomic.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/thread/thread.h"
#include "recording/layout_profile.h"

#include <stdbool.h>

struct ppi_frame;

/* Of a frame, behind what its site captures. */
struct ppi_feature_words {
	uint64_t ticks;    /* of entries of the same feature directly in it */
	uint64_t pairs;    /* that ended in those, themselves counted */
	uint64_t children; /* how many those are */
	uint64_t before;   /* pairs that had ended in the thread when it began */
};

/* The number of a site of the library's own, which no site of a region has. */
#define PPI_FEATURE_OWN 0
#define PPI_FEATURE_OPEN 64u
#define PPI_FEATURE_KNOWN 128u
#define PPI_FEATURE_WORDS (sizeof (struct ppi_feature_words) / sizeof (uint64_t))

/*
 * Of a thread state: its table (feature_table.c) begins with this.
 *
 *     site, payload ──hash──► slot (private) ──► entry in a chunk `features` of the live region
 *
 * A table has room for 4,096 payloads; what is beyond that is one entry a site. Tables and chunks
 * are a thread state's: when its thread has ended, the next one goes on in them.
 */
struct ppi_feature_open {
	struct ppi_features_chunk *first; /* with the thread's times */
	uint64_t pairs;                   /* that ended so far */
	/* ends until one is timed to its own end, and begins by C: PPI_FEATURE_LOOK_EVERY */
	uint32_t until_tail, until_head;
	/*
	 * entries that are open, by their feature's number modulo so many: at most 1 says that
	 * there is none outside. Those that were jumped over may be among them until they are
	 * dropped.
	 */
	uint32_t open[PPI_FEATURE_OPEN];
	/*
	 * entries of marks without a payload, at the number of their site modulo so many: what
	 * blocks look for
	 */
	struct ppi_feature_known {
		struct ppi_feature_entry *entry;
		uint64_t site; /* 1 + its number; 0: none */
	} known[PPI_FEATURE_KNOWN];
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

/* ---- feature_table.c ------------------------------------------------------------------------- */

#define PPI_FEATURE_PAYLOADS 4096u

/* The thread's, made at its first mark. NULL: no memory, counted. */
struct ppi_feature_open *ppi_feature_open_of (struct ppi_thread *t) PPI_HIDDEN;
/* The entry of frame F, by what its site captured; T has a table. NULL: no room, counted. */
struct ppi_feature_entry *ppi_feature_entry_of (struct ppi_thread *t,
						struct ppi_frame *f) PPI_HIDDEN;
/*
 * What marks of the site with number ID, which captures nothing, took in the calling thread. NULL:
 * none has ended.
 */
const struct ppi_feature_entry *ppi_feature_own (uint32_t id) PPI_HIDDEN;
/* Its first chunk; NULL: it had no marks. */
const struct ppi_features_chunk *ppi_feature_first (void) PPI_HIDDEN;

#endif
