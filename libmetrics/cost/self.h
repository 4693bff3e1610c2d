/* SPDX-License-Identifier: MIT */
/*
 * self.h: markers of the library's own, executed to find out what markers cost. For cost.c; all
 * with the lock, outside of batches, in ordinary context.
 */
#ifndef PPI_COST_SELF_H
#define PPI_COST_SELF_H

#include "base/atomic.h"

#include "pp_arch.h"

#include <stdbool.h>

struct ppi_plan;
struct ppi_binding;

#if PP_ARCH_HAS_SELF
enum { PPI_LAYOUTS = PP_ARCH_SELF_LAYOUTS };
#else
enum { PPI_LAYOUTS = 1 };
#endif

/*
 * Ticks of one execution of the loops without markers and with, in each place; the shortest that
 * were seen.
 */
struct ppi_self_trial {
	double plain[PPI_LAYOUTS], marked[PPI_LAYOUTS];
};

struct ppi_measured {
	struct ppi_self_trial sampled, skipped;
	double jumps; /* ticks of one execution that is skipped, with nothing between */
	/*
	 * ticks between the two readings of the clock of an empty interval; NaN: none is summed up
	 */
	double inside;
};

/*
 * A binding like B, in none of the lists, with B's source, or a function that does nothing instead
 * of the user's. It lives for good. NULL: no memory.
 */
PPI_HIDDEN struct ppi_binding *ppi_self_binding (const struct ppi_binding *b);
/*
 * An execution of PLAN's site with N BINDINGS instead of its own. Takes a millisecond. False: it
 * can't be measured.
 */
PPI_HIDDEN bool ppi_self_measure (const struct ppi_plan *plan, struct ppi_binding *const *bindings,
				  unsigned n, struct ppi_measured *out);
enum { PPI_MARKS_HELD = 3 };

/* Of a mark with the sink `feature`, in seconds. */
struct ppi_mark_cost {
	double pair_s;  /* all that it takes */
	double empty_s; /* the same where there is nothing in it, nor around it */
	/* where there is no code made for it: all, and of that what it measures too much */
	double by_c_s, by_c_inside_s;
	/* what it measures of work that takes HELD_S: of none, and of more and more */
	double measured_s[PPI_MARKS_HELD], held_s[PPI_MARKS_HELD];
	/* its tail and its head (recording/layout_profile.h), in the mean; NaN: not known */
	double tail_s, by_c_tail_s, by_c_head_s;
};

/*
 * That of marks whose plan is as LIKE; PAIR_S and BY_C_S where it keeps the processor busy. Takes a
 * millisecond. False: it can't be measured.
 */
PPI_HIDDEN bool ppi_self_measure_feature (const struct ppi_plan *like, struct ppi_mark_cost *out);
/* All that a mark takes that observers see (the sink `mark`), and where no code is made for it. */
PPI_HIDDEN bool ppi_self_measure_marks (const struct ppi_plan *like, double *pair_s,
					double *by_c_s);
/*
 * What it takes to record an empty interval (the sink `record`) without dimensions, in a plan as
 * LIKE: seconds between its two readings of the clock, and all of it. As above.
 */
PPI_HIDDEN bool ppi_self_measure_records (const struct ppi_plan *like, double *inside_s,
					  double *pair_s);
/* How often that was done so far; for tests. */
PPI_HIDDEN extern unsigned ppi_self_measurements;
/*
 * Of one execution, on a machine as quiet as it was at its quietest so far: the other thread of a
 * core, say, slows markers down as it does the plain loops.
 */
PPI_HIDDEN double ppi_trial_seconds (const struct ppi_self_trial *t);

#endif
