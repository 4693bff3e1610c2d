/* SPDX-License-Identifier: MIT */
/*
 * budget.h: `overhead: {budget: 1%}`. What is done about a share above it is planned here, from
 * what bindings cost; budget.c looks and acts.
 *
 * Above the budget, by a quarter at one look or at all at two of three, `every` of the dearest
 * bindings is doubled, again and again, by at most 1,024, as long as that makes an execution
 * cheaper by a twentieth: one that is not sampled costs something too. What is then still too much
 * at a further look is unbound, the dearest first. Both go on until what is foreseen is four fifths
 * of the budget: what markers cost is known to some 15 % (cost.c). That is so for each thread by
 * itself, the one that pays most first, by what that one pays for each binding: what only others
 * execute is left alone, and what was done for one is done for all that execute it.
 *
 * Below three fifths, and some time after the last change, what was done is taken back in the other
 * order as far as what is foreseen stays within four fifths: for all threads that execute it. What
 * an unbound binding would cost nobody can see: it is what it cost before; and where that is too
 * much it is tried after 10 s all the same, the program may do something else by now, and after
 * twice as long each time that it was too much again, up to 10 minutes.
 */
#ifndef PPI_BUDGET_H
#define PPI_BUDGET_H

#include "libmetrics/cost/overhead.h"

#define PPI_BUDGET_LOOK_NS UINT64_C (100000000)
#define PPI_BUDGET_CALM_NS                                                                         \
	UINT64_C (1000000000) /* from a change to the first that takes something back, at first */
#define PPI_BUDGET_CALM_MOST_NS                                                                    \
	UINT64_C (64000000000) /* ... where taking back was wrong again and again */
#define PPI_BUDGET_HOLD_NS UINT64_C (10000000000)
#define PPI_BUDGET_HOLD_MOST_NS UINT64_C (600000000000)
#define PPI_BUDGET_FORESEEN 0.8 /* of the budget: what is aimed at */
#define PPI_BUDGET_FACTOR_MOST 1024u

struct ppi_budget_done {
	unsigned raised, taken, eased, restored; /* bindings */
};

/*
 * What of CHARGES (their order changes) is to be throttled where threads pay more than LIMIT for
 * these, into their `now`; and what of it need not be any more, SHARE being what the thread pays
 * that pays most. Unless one MAY_UNBIND they are only sampled more seldom, but for those that were
 * unbound before. PAYMENTS: those of each thread together; they may be for others, too. Pure.
 * Without memory nothing is done.
 */
struct ppi_budget_done ppi_budget_tighten (struct ppi_charge *charges, size_t n,
					   const struct ppi_payment *payments, size_t n_payments,
					   double limit, bool may_unbind, uint64_t now_ns);
struct ppi_budget_done ppi_budget_ease (struct ppi_charge *charges, size_t n,
					const struct ppi_payment *payments, size_t n_payments,
					double share, double limit, uint64_t now_ns);

/*
 * The smallest of the loaded policies' budgets, NaN: there is none; and what the markers took at
 * the last look, 0: nobody knows. Shares of a thread's time. [lock]
 */
double ppi_budget_limit (void);
double ppi_budget_share (void);
/*
 * Policies came or went: a budget holds from now on, or none any more, and then everything is
 * sampled as asked for [lock], not in a batch.
 */
void ppi_budget_changed (uint64_t now_ns);

#endif
