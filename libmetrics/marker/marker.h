/* SPDX-License-Identifier: MIT */
/*
 * marker.h: what markers do, in C (hot.c, general_hot.c, general.c).
 */
#ifndef PPI_MARKER_MARKER_H
#define PPI_MARKER_MARKER_H

#include "base/atomic.h"
#include "libmetrics/tables/plan.h"

#include <pp.h>

struct ppi_frame;
struct ppi_hot;
struct ppi_thread;

/*
 * The plan of a site that nothing is bound to: a thread may still be in the stub when the marker is
 * disabled.
 */
extern const struct ppi_plan ppi_plan_nothing __attribute__ ((visibility ("hidden")));

/* Chooses the routines for a plan whose ops are filled in (hot.c). CHECKED: the site has checks. */
__attribute__ ((visibility ("hidden"))) void ppi_plan_choose (struct ppi_plan *plan, bool checked);

/* Which ops are not sampled this time (every: N): bit k for op k. */
__attribute__ ((visibility ("hidden"))) uint64_t ppi_skip_some (struct ppi_hot *hot,
								const struct ppi_plan *plan);

/* Those of general plans (general_hot.c); the plan's `skips` and `state` are set. */
__attribute__ ((visibility ("hidden"))) void ppi_plan_choose_general (struct ppi_plan *plan);

/*
 * The general routines (general_hot.c) as plain C functions: any number of ops, any source, checks.
 * No vector register is kept.
 */
__attribute__ ((visibility ("hidden"))) void ppi_general_begin (uintptr_t tag,
								const struct ppi_plan *plan,
								uintptr_t sp, int64_t value);

__attribute__ ((visibility ("hidden"))) void ppi_general_end (uintptr_t tag,
							      const struct ppi_plan *plan,
							      uintptr_t sp);

__attribute__ ((visibility ("hidden"))) void ppi_general_point (uintptr_t tag,
								const struct ppi_plan *plan,
								uintptr_t sp, int64_t value);

/*
 * Reads what PLAN's sources have at a begin into the frame's values; the frame's `skipped` is set.
 * Returns 0.
 */
PPI_HIDDEN uint64_t ppi_measure_begin (struct ppi_thread *t, const struct ppi_plan *plan,
				       struct ppi_frame *f, int64_t value);

/* Takes the samples of a frame of a marker that ends. */
PPI_HIDDEN uint64_t ppi_measure_end (struct ppi_thread *t, const struct ppi_plan *plan,
				     struct ppi_frame *f, uint64_t now);

/* The same of any frame. */
PPI_HIDDEN uint64_t ppi_measure_end_of (struct ppi_thread *t, const struct ppi_plan *plan,
					struct ppi_frame *f, uint64_t now, enum ppi_home home);

PPI_HIDDEN uint64_t ppi_measure_point (struct ppi_thread *t, const struct ppi_plan *plan,
				       int64_t value, uint64_t now);

/*
 * The dimensions whose array was PUSHED (PP_ABI_WANTED_LATE) at a marker at SP become those of the
 * execution with TAG. Returns 0.
 */
PPI_HIDDEN uint64_t ppi_late_dims (struct ppi_thread *t, uintptr_t tag, uintptr_t sp,
				   int64_t pushed);

/* The entries of PLAN, of no point, for them (general_hot.c): `point` of such a plan. */
PPI_HIDDEN void ppi_plan_choose_late (struct ppi_plan *plan);

/*
 * The site's checks, with the marker at SP left, of the execution whose samples were taken since
 * ENDED. Returns 0.
 */
PPI_HIDDEN uint64_t ppi_run_checks (struct ppi_thread *t, pp_site *site, uintptr_t sp,
				    const struct ppi_moment *ended);

/*
 * Adds a sample for a block that has called a function of the user's for it, and finds it unusual
 * (general_hot.c). At markers.
 */
PPI_HIDDEN void ppi_add_late (const struct ppi_op *op, int64_t sample);

struct ppi_execution;

/*
 * Inside a check: when the execution of SITE that is checked was. False: nothing that is bound
 * there reads the clock, or it began in another thread.
 */
bool ppi_thread_execution (const struct ppi_thread *thread, const pp_site *site,
			   struct ppi_execution *out);

/*
 * Inside a check: has METRIC a sample of the execution of SITE that is checked (1), or is its
 * newest one of an earlier execution (0, `every`)? -1: it is not measured there, or only counted.
 */
int ppi_thread_sampled (const struct ppi_thread *thread, const pp_metric *metric,
			const pp_site *site);
/* Likewise: is the execution one of GROUP, of the aggregate with that NUMBER? */
bool ppi_thread_grouped (const struct ppi_thread *thread, uint32_t number, uint32_t group,
			 const pp_site *site);

#endif
