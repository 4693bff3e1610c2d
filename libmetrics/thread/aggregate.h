/* SPDX-License-Identifier: MIT */
/*
 * aggregate.h: what a thread keeps of executions in groups (region/groups.h): frames of plans with
 * the sink `aggregate`.
 *
 *     begin     values ──► group; each of its nodes has one more that is open
 *     end       its time and own time ──► the group's entry of that site, in the live region
 *               what ran inside the outermost of a node, and has not its last value ──► Desc
 *
 * As ppctl query does it of records: own times run up in one sum for all executions of an
 * aggregate, and in one for each value of a dimension. What the difference of both has grown by
 * between begin and end of a node's outermost execution is its part of Desc.
 *
 * What nothing of the aggregate ran in needs none of that. So an execution that begins is WAITING:
 * nobody looks for its group before the next one begins, or before it ends.
 *
 * Those sums are of the thread's own stack. What runs on another one (a fibre, a handler), or whose
 * values are known too late, makes Desc of its groups unclear, and leaves that of others alone.
 *
 * At markers, with the thread entered: general registers only.
 */
#ifndef PPI_THREAD_AGGREGATE_H
#define PPI_THREAD_AGGREGATE_H

#include "base/atomic.h"
#include "libmetrics/tables/aggregate.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/thread/thread.h"

struct ppi_frame;
struct ppi_thread_group;

/* Of a frame, behind what its site captures. All of an aggregate by its place in the set. */
struct ppi_aggregate_words {
	const struct ppi_aggregate_set *set; /* NULL: it goes nowhere */
	uint32_t late;                       /* four bits each: types of values that came later */
	uint32_t open;                       /* bits: it is in its nodes, or waits for them */
	/* where it is open and does not wait */
	struct ppi_thread_group *group[PPI_SET_AGGREGATES];
	uint64_t inner[PPI_SET_AGGREGATES]; /* ticks of those directly in it */
	uint64_t value[PPI_SET_KEYS];       /* that came later; of a string the text's number */
};

#define PPI_AGGREGATE_COUNTED 0x100u /* in OPEN: it is one of the table's FRAMES */

#define PPI_AGGREGATE_WORDS (sizeof (struct ppi_aggregate_words) / sizeof (uint64_t))

PP_ABI_ASSERT (PPI_SET_KEYS * 4 <= 32);

static inline unsigned ppi_late_type (const struct ppi_aggregate_words *own, unsigned key)
{
	return own->late >> 4 * key & 15;
}

/* The own words of frame F, which has such an op. */
struct ppi_aggregate_words *ppi_aggregate_words (struct ppi_frame *f) PPI_HIDDEN;
/* What is open, of a thread state: its table (aggregate_table.c) begins with this. */
struct ppi_aggregates_open {
	uint32_t thread; /* kernel id: whose it is; 0: nobody's */
	uint32_t frames; /* that go to aggregates */
	/* the newest, if it waits; what it captured, of which site */
	struct ppi_aggregate_words *waiting;
	const uint64_t *captured;
	const pp_site *site;
};
struct ppi_aggregates_open *ppi_aggregates_make (struct ppi_thread *t) PPI_HIDDEN;
/* T's, made at its first execution. NULL: no memory. */
static inline struct ppi_aggregates_open *ppi_aggregates_of (struct ppi_thread *t)
{
	struct ppi_aggregates_open *open = (struct ppi_aggregates_open *) t->aggregates;

	return ppi_likely (open && open->thread == t->id) ? open : ppi_aggregates_make (t);
}
/* OWN, which was open, is given up: it waits no longer, and is nobody's outer one. */
static inline void ppi_aggregate_forget (struct ppi_aggregates_open *open,
					 struct ppi_aggregate_words *own)
{
	if (open->waiting == own) {
		open->waiting = NULL;
		own->open &= PPI_AGGREGATE_COUNTED;
	}
	open->frames -= own->open & PPI_AGGREGATE_COUNTED && open->frames;
	own->open &= ~PPI_AGGREGATE_COUNTED;
}
/* OWN begins, on the thread's own stack, in the group of KEY of aggregate I of its set. */
void ppi_aggregate_open (struct ppi_thread *t, struct ppi_aggregate_words *own, unsigned i,
			 const struct ppi_group_key *key) PPI_HIDDEN;
/* It goes on, but not in that group. */
void ppi_aggregate_close (struct ppi_thread *t, struct ppi_aggregate_words *own,
			  unsigned i) PPI_HIDDEN;
/* An execution that ended. */
struct ppi_aggregated {
	uint32_t site;
	const struct ppi_group_key *key; /* of one that is not open; NULL: the rest */
	bool is_leaf; /* it waited for that group: nothing of the aggregate ran in it */
	uint64_t ticks, self_ticks, now;
	bool nests; /* it may be in others, and others in it: no span, no point */
};
void ppi_aggregate_add (struct ppi_thread *t, struct ppi_aggregate_words *own, unsigned i,
			const struct ppi_aggregated *it) PPI_HIDDEN;
/* F ends after TICKS: those around it, of the same aggregates, learn of it. */
void ppi_aggregate_tell (struct ppi_thread *t, struct ppi_frame *f, enum ppi_home home,
			 uint64_t ticks) PPI_HIDDEN;
/* F, of any plan, goes without an end, and is not stale yet. */
void ppi_aggregate_give (struct ppi_thread *t, struct ppi_frame *f, enum ppi_home home) PPI_HIDDEN;

/* ---- for readers: with the lock, or in the library's thread ---------------------------------- */

/* What thread state T has of a group at a site; in memory of the process's own. */
struct ppi_group_entry {
	struct ppi_group_entry *next; /* of the same thread and aggregate; for good */
	struct ppi_group_chunk *chunk;
	uint32_t site, group;
};
/* The newest of aggregate NUMBER, or NULL. */
const struct ppi_group_entry *ppi_group_entries (const struct ppi_thread *t,
						 uint32_t number) PPI_HIDDEN;
/* That of GROUP at SITE; NULL: it has none. At markers, too. */
const struct ppi_group_entry *ppi_group_entry_at (const struct ppi_thread *t, uint32_t number,
						  uint32_t group, uint32_t site) PPI_HIDDEN;
static inline struct ppi_shard *ppi_group_shard (const struct ppi_group_chunk *chunk)
{
	return (struct ppi_shard *) (uintptr_t) (chunk + 1);
}

#endif
