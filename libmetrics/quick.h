/* SPDX-License-Identifier: MIT */
/*
 * quick.h: checks that certainly pass, seen with a few integers.
 *
 * Nearly every check of an assertion passes and changes nothing but the count of checks. Where its condition is as simple as
 * `x.last <= 1.25 * x.avg` the marker proves just that from the shards that it has at hand, without floating point, and counts. What it
 * can't prove (it fails, it is unknown, it is close, the state machine is not at rest) goes the whole way: ppi_run_checks. So there is one
 * place that says what an assertion means, and this one has to be right in one direction only.
 *
 * A term is small[0] × small[1] <= ratio × large[0] × large[1] with fields of shards that are not negative, and the ratio so much smaller
 * than what is written that no rounding of the whole way can come to another result.
 *
 * Counts are a shard each, in the thread's table like those of bindings (tally.c). Whether the state machine is at rest says the gate: it
 * is open while `idle` is `shut`. Who leaves the machine unquiet, or an outcome for it, raises `shut` afterwards; who opens it reads
 * `shut`, then sees that the machine is quiet and nothing waits, and stores in `idle` what was read. Had anything come in between, `shut` is
 * larger by now. A thread that raised it sees that itself.
 */
#ifndef PPI_QUICK_H
#define PPI_QUICK_H

#include "plan.h"
#include "thread.h"

#define PPI_QUICK_TERMS 4u
#define PPI_QUICKS 4u /* of a plan */

enum ppi_quick_field {
	PPI_QUICK_ZERO,
	PPI_QUICK_ONE,
	PPI_QUICK_LAST,
	PPI_QUICK_MIN,
	PPI_QUICK_MAX,
	PPI_QUICK_N,
	PPI_QUICK_SUM,
	PPI_QUICK_WINDOW_N, /* of a bounded_series */
	PPI_QUICK_WINDOW_SUM,
};

struct ppi_quick_factor {
	uint16_t field; /* enum ppi_quick_field */
	uint16_t op;    /* of the plan; 0 where FIELD is a number */
};

/*
 * small[0] × small[1] <= (whole + part / 2^64) × large[0] × large[1], the right side rounded down; IS_STRICT: and that is above 0
 *
 * Plans and blocks are made for terms without their ratios, so that a policy that is loaded again with other numbers finds those that are there. In plans
 * WHOLE is 0, 1 or 2 for anything larger, PART 0 or 1 for anything; what they really are is in plan->ratios.
 */
struct ppi_quick_term {
	struct ppi_quick_factor small[2], large[2];
	uint64_t whole, part;
	uint64_t is_strict;
};

/* Never freed: markers that were stopped may look at it at any time. */
struct ppi_tally {
	uint64_t shut, idle; /* atomic */
	struct ppi_binding *binding;
	uint64_t is_dry; /* no room for a thread's shard: it is not asked for again */
	/*
	 * Each thread counts its passes down in its shard's SKIP, and goes the whole way at 0, whatever it could prove. What else is in
	 * the shard's ALL.SUM is of who sets SKIP. Never changed.
	 */
	bool has_looks;
	uint64_t round; /* of which assertion SKIP is: one after the other may have the tally; with the lock */
};

/* One check: all terms hold. Without padding, and zero behind n_terms: plans compare it as bytes. */
struct ppi_quick {
	struct ppi_tally *tally;
	uint64_t n_terms;
	struct ppi_quick_term term[PPI_QUICK_TERMS];
};

/* The ratios of one check's terms. They never change and stay for good: one for all checks that have the same. */
struct ppi_quick_ratios {
	struct {
		uint64_t whole, part;
	} term[PPI_QUICK_TERMS];
};

PP_ABI_ASSERT (sizeof (struct ppi_quick_term) == 40);
PP_ABI_ASSERT (sizeof (struct ppi_quick) == 16 + PPI_QUICK_TERMS * 40);

/*
 * Do all checks of PLAN certainly pass, now that its samples were taken? Then they are counted. At markers, with the thread entered.
 */
PPI_HIDDEN bool ppi_quick_pass (const struct ppi_hot *hot, const struct ppi_plan *plan);

/* Are they such that a block can do them: of fields that it knows how they will be behind the sample? */
static inline bool ppi_quick_is_plain (const struct ppi_plan *plan)
{
	for (uint32_t i = 0; i < plan->n_ops; i++)
		if (plan->ops[i].every > 1)
			return false;
	for (uint32_t i = 0; i < plan->n_quick; i++)
		for (uint64_t k = 0; k < plan->quick[i].n_terms; k++) {
			const struct ppi_quick_term *t = &plan->quick[i].term[k];
			uint16_t fields[4] = {t->small[0].field, t->small[1].field, t->large[0].field,
					      t->large[1].field};

			for (int n = 0; n < 4; n++)
				if (fields[n] != PPI_QUICK_ZERO && fields[n] != PPI_QUICK_ONE &&
				    fields[n] != PPI_QUICK_LAST && fields[n] != PPI_QUICK_N &&
				    fields[n] != PPI_QUICK_SUM)
					return false;
		}
	return plan->n_quick > 0;
}

/* ---- operand.c --------------------------------------------------------------------------------------------------- */

/* A statistic is FIELD / BY × SCALE. */
struct ppi_quick_operand {
	struct ppi_quick_factor field, by;
	bool is_count;    /* of samples, and not made of them */
	bool is_measured; /* the scale is that of ticks, which gets better in the first moments of a program */
	double scale;
};

/* What STATISTIC of METRIC is at markers that take the samples of OPS; false: that can't be said in fields. With the lock. */
bool ppi_quick_operand (const struct ppi_op *ops, unsigned n_ops, const pp_metric *metric, enum pp_statistic statistic,
			struct ppi_quick_operand *out);

/* ---- ratio.c ------------------------------------------------------------------------------------------------------ */

/*
 * Takes the ratios out of QUICK, whose terms are as plans have them afterwards. With the lock; NULL: no memory.
 */
const struct ppi_quick_ratios *ppi_quick_split (struct ppi_quick *quick);
/*
 * PLAN's checks have these RATIOS from now on. A marker that has passed the gate may prove by the former ones still, as if it had come a moment
 * earlier; it finds them whole, and its gate is shut by who has set others. With the lock.
 */
void ppi_quick_set_ratios (struct ppi_plan *plan, const struct ppi_quick_ratios *const *ratios);

/* ---- tally.c: ordinary context but where it says otherwise ------------------------------------------------------- */

/* A gate that is shut, and a slot. With the lock; NULL: no memory. */
struct ppi_tally *ppi_tally_new (bool has_looks);
/* What says in the region which shards are its. */
uint32_t ppi_tally_id (const struct ppi_tally *tally);
/* The count behind that id; any thread, no lock, also inside checks. 0 for 0. */
uint64_t ppi_tally_read (uint32_t id);
/* Takes N away of what is counted. With the lock; false: no room in the region for that. */
bool ppi_tally_subtract (struct ppi_tally *tally, uint64_t n);
/* Makes the calling thread's shard, inside a check of THREAD. */
void ppi_tally_prepare (struct ppi_tally *tally, struct ppi_thread *thread);
/* That shard, which only the thread writes; NULL: there is none. */
struct ppi_shard *ppi_tally_shard (const struct ppi_tally *tally, const struct ppi_thread *thread);
/*
 * Of the threads that counted, the one whose newest sample at the site that it counted at last is the newest, and the site. BEFORE: samples up
 * to that stamp are of no interest. With the lock; false: none.
 */
bool ppi_tally_newest (const struct ppi_tally *tally, uint64_t before, struct ppi_thread **thread, pp_site **site);
/* The stamp of the thread's newest sample at SITE, 0: none. Any thread. */
uint64_t ppi_thread_stamp (const struct ppi_thread *thread, const pp_site *site);

/* Markers go the whole way from now on; whoever raised it, at once. */
static inline void ppi_tally_shut (struct ppi_tally *tally)
{
	__atomic_fetch_add (&tally->shut, 1, __ATOMIC_ACQ_REL);
}

#endif
