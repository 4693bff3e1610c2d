/* SPDX-License-Identifier: MIT */
/* guard.c: what guard markers call, as plain C, once they have seen their site enabled. */
#include "libmetrics/tables/plan.h"

/*
 * The caller's stack pointer at the call: every guard marker of an activation calls at the same
 * depth.
 */
#define CALLER_SP() ((uintptr_t) __builtin_dwarf_cfa ())

static const struct ppi_plan *plan_of (const void *tag)
{
	const struct pp_abi_site *site =
		(const struct pp_abi_site *) ((uintptr_t) tag & ~(uintptr_t) PP_ABI_DEPTH_MASK);

	return __atomic_load_n (&site->plan, __ATOMIC_ACQUIRE);
}

void pp_rt_guard_begin (const void *site)
{
	const struct ppi_plan *plan = plan_of (site);

	plan->guard_begin ((uintptr_t) site, plan, CALLER_SP (), 0);
}

void pp_rt_guard_begin_value (const void *site, int64_t value)
{
	const struct ppi_plan *plan = plan_of (site);

	plan->guard_begin ((uintptr_t) site, plan, CALLER_SP (), value);
}

void pp_rt_guard_end (const void *site)
{
	const struct ppi_plan *plan = plan_of (site);

	plan->guard_end ((uintptr_t) site, plan, CALLER_SP ());
}

void pp_rt_guard_point (const void *site, int64_t value)
{
	const struct ppi_plan *plan = plan_of (site);

	plan->guard_point ((uintptr_t) site, plan, CALLER_SP (), value);
}
