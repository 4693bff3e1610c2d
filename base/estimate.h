/* SPDX-License-Identifier: MIT */
/*
 * estimate.h: what the compiler knows of intervals (struct pp_abi_estimate), summed up over the
 * copies of a site. The table is read when somebody asks, never at start-up: a program that nobody
 * asks does not touch its pages.
 */
#ifndef PPI_BASE_ESTIMATE_H
#define PPI_BASE_ESTIMATE_H

#include "base/types.h"

/* figure, its name behind "static." in expressions, its unit */
#define PPI_STATICS_LIST(X)                                                                        \
	X (COVERAGE, "coverage", PLAIN) /* share of its own work that is still inside, 0 to 1 */   \
	X (OPS, "ops", PLAIN)                                                                      \
	X (FLOPS, "flops", PLAIN)                                                                  \
	X (LOADS, "loads", BYTES)                                                                  \
	X (STORES, "stores", BYTES)                                                                \
	X (BRANCHES, "branches", PLAIN)                                                            \
	X (CALLS, "calls", PLAIN)

enum ppi_static {
#define X(id, name, unit) PPI_STATIC_##id,
	PPI_STATICS_LIST (X)
#undef X
		PPI_STATICS
};

/* Per execution of the interval; NaN unknown. */
struct ppi_statics {
	double value[PPI_STATICS];
	/* ways through the body or copies differ, and are weighed by the compiler's guess */
	bool approximate;
	uint32_t copies;
	uint32_t moved_out, moved_in; /* instructions, of all copies */
};

/* NULL-terminated. */
const char *const *ppi_static_names (void);
enum ppi_unit ppi_static_unit (enum ppi_static which);

/* The sum while copies are added; zero at first. */
struct ppi_statics_sum {
	struct {
		double weighted, plain, weight, first; /* of the copies that know the figure */
		uint32_t known;
		bool differ;
	} figure[PPI_STATICS];
	uint32_t copies, moved_out, moved_in;
	bool approximate;
};
void ppi_statics_add (struct ppi_statics_sum *sum, const struct pp_abi_estimate *copy);
/*
 * Figures of the body are known if all copies know them; the coverage is that of the copies that
 * have work left.
 */
struct ppi_statics ppi_statics_of (const struct ppi_statics_sum *sum);

/* The site that COPY, an element of a loaded table, describes. */
static inline const struct pp_abi_site *ppi_estimate_site (const struct pp_abi_estimate *copy)
{
	return (const struct pp_abi_site *) ((uintptr_t) copy + (uintptr_t) (intptr_t) copy->site);
}

#endif
