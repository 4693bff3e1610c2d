/* SPDX-License-Identifier: MIT */
/*
 * cost.h: what the runtime's own markers cost, by the shape of a plan: the accumulators and sources
 * of its ops, whether there are checks and windows. It is measured when somebody first asks, by
 * executing markers of the library's own with such a plan.
 */
#ifndef PPI_COST_COST_H
#define PPI_COST_COST_H

#include <pp.h>
#include <stdbool.h>

struct ppi_plan;
struct ppi_binding;

/*
 * What an execution of PLAN's site costs, measured the first time that a plan of its shape is asked
 * for, which takes some milliseconds. Functions of the user's own are not called: their time is not
 * in it. NULL: it can't be measured (no memory, or nothing is bound). With the lock, outside of
 * batches, in ordinary context.
 */
const struct ppi_cost *ppi_cost_of (const struct ppi_plan *plan)
	__attribute__ ((visibility ("hidden")));
/* The same if it has been measured, else NULL. With the lock. */
const struct ppi_cost *ppi_cost_known (const struct ppi_plan *plan)
	__attribute__ ((visibility ("hidden")));
/*
 * What it takes to record an execution of an interval (the sink `record`), beside what else PLAN
 * does, dimensions not counted: measured when it is asked for first, in a plan as this one, in a
 * millisecond. NULL: PLAN records nothing, or it can't be measured. As ppi_cost_of.
 */
const struct ppi_cost *ppi_cost_of_records (const struct ppi_plan *plan)
	__attribute__ ((visibility ("hidden")));
/* The same if it has been measured, else NULL. With the lock. */
const struct ppi_cost *ppi_cost_of_records_known (const struct ppi_plan *plan)
	__attribute__ ((visibility ("hidden")));
/*
 * What the checks at PLAN's site take beside that where markers can't see that they pass: seconds
 * at each execution that is sampled, as it was measured at the site itself. 0: there are none, or
 * none has run often enough. With the lock.
 */
double ppi_cost_checks (const struct ppi_plan *plan) __attribute__ ((visibility ("hidden")));
/* The part of the plan's op I in that, from 0 to 1: all make 1. */
double ppi_cost_part (const struct ppi_plan *plan, unsigned i)
	__attribute__ ((visibility ("hidden")));
/*
 * The plan that the site of BINDING has now, and which of its ops that is. NULL: it is not bound.
 */
const struct ppi_plan *ppi_plan_with (const struct ppi_binding *binding, unsigned *op)
	__attribute__ ((visibility ("hidden")));

/* Of one execution of a site, in seconds of a thread's time. */
struct ppi_cost {
	/*
	 * what lies between its two readings of the clock, in an empty interval; NaN: none is
	 * summed up
	 */
	double inside_s;
	double sampled_s; /* all of it, begin and end, with everything sampled */
	double skipped_s; /* ... and nothing (every: N) */
};

/* For tests: costs of sites instead of measured ones; false: unknown. Before any is asked for. */
typedef bool ppi_cost_fn (const pp_site *site, struct ppi_cost *out);

void ppi_cost_inject (ppi_cost_fn *fn);

/*
 * What METRIC's part is in an execution of SITE, with the checks there; measured first where nobody
 * has. False: unknown. [lock], ordinary context, not in a batch.
 */
bool ppi_cost_at (const pp_metric *metric, const pp_site *site, struct ppi_cost *out);

/*
 * From now on a plan's cost is known before its first corrected sample. Once, before anything is
 * bound.
 */
void ppi_cost_start (void) __attribute__ ((visibility ("hidden")));

#endif
