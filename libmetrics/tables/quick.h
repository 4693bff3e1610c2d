/* SPDX-License-Identifier: MIT */
/*
 * quick.h: checks that certainly pass, seen with a few integers.
 *
 * Nearly every check of an assertion passes and changes nothing but the count of checks. Where its
 * condition is as simple as `x.last <= 1.25 * x.avg` the marker proves just that from the shards
 * that it has at hand, without floating point, and counts. What it can't prove (it fails, it is
 * unknown, it is close, the state machine is not at rest) goes the whole way: ppi_run_checks. So
 * there is one place that says what an assertion means, and this one has to be right in one
 * direction only.
 *
 * A term is small[0] × small[1] <= ratio × large[0] × large[1] with fields of shards that are not
 * negative, and the ratio so much smaller than what is written that no rounding of the whole way
 * can come to another result.
 *
 * Counts are a shard each, in the thread's table like those of bindings (tally.c). Whether the
 * state machine is at rest says the gate: it is open while `idle` is `shut`. Who leaves the machine
 * unquiet, or an outcome for it, raises `shut` afterwards; who opens it reads `shut`, then sees
 * that the machine is quiet and nothing waits, and stores in `idle` what was read. Had anything
 * come in between, `shut` is larger by now. A thread that raised it sees that itself.
 */
#ifndef PPI_TABLES_QUICK_H
#define PPI_TABLES_QUICK_H

#include <pp_abi.h>
#include <stdbool.h>
#include <stdint.h>

struct ppi_binding;

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
 * small[0] × small[1] <= (whole + part / 2^64) × large[0] × large[1], the right side rounded down;
 * IS_STRICT: and that is above 0
 *
 * Plans and blocks are made for terms without their ratios, so that a policy that is loaded again
 * with other numbers finds those that are there. In plans WHOLE is 0, 1 or 2 for anything larger,
 * PART 0 or 1 for anything; what they really are is in plan->ratios.
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
	 * Each thread counts its passes down in its shard's SKIP, and goes the whole way at 0,
	 * whatever it could prove. What else is in the shard's ALL.SUM is of who sets SKIP. Never
	 * changed.
	 */
	bool has_looks;
	/* of which assertion SKIP is: one after the other may have the tally; with the lock */
	uint64_t round;
};

/*
 * One check: all terms hold. Without padding, and zero behind n_terms: plans compare it as bytes.
 */
struct ppi_quick {
	struct ppi_tally *tally;
	uint64_t n_terms;
	struct ppi_quick_term term[PPI_QUICK_TERMS];
};

/*
 * The ratios of one check's terms. They never change and stay for good: one for all checks that
 * have the same.
 */
struct ppi_quick_ratios {
	struct {
		uint64_t whole, part;
	} term[PPI_QUICK_TERMS];
};

PP_ABI_ASSERT (sizeof (struct ppi_quick_term) == 40);

PP_ABI_ASSERT (sizeof (struct ppi_quick) == 16 + PPI_QUICK_TERMS * 40);

#endif
