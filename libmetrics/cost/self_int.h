/* SPDX-License-Identifier: MIT */
/*
 * self_int.h: the library's own sites and the loops around their markers, between self.c, which
 * measures bindings there, and self_taps.c, which measures other sinks.
 */
#ifndef PPI_COST_SELF_INT_H
#define PPI_COST_SELF_INT_H

#include "libmetrics/cost/self.h"
#include "libmetrics/tables/module.h"
#include "libmetrics/tables/site.h"

#include <pp_abi.h>

enum {
	PPI_SELF_STEPS = 20, /* of work beside a marker */
	PPI_SELF_INSIDE_BATCHES = 8,
};

struct ppi_self_site {
	struct pp_abi_site *descriptor;
	unsigned marker, markers; /* of pp_arch_self_markers, a layout */
	pp_site site;
	struct ppi_marker all[2 * PPI_LAYOUTS];
};

/* The interval, the point without a value, and the one with a value. */
PPI_HIDDEN extern struct ppi_self_site ppi_self_sites[3];

/*
 * Makes SELF as if a module had brought it. PATCHED: with markers, else its code is calls of
 * guards.
 */
PPI_HIDDEN void ppi_self_prepare (struct ppi_self_site *self, const struct ppi_plan *like,
				  bool patched);
/* A batch of executions of the loop with so many steps of work; MARKED: with markers. */
PPI_HIDDEN void ppi_self_execute (const struct ppi_self_site *self, unsigned layout,
				  unsigned long steps, bool marked);
/* Ticks of one execution. */
PPI_HIDDEN double ppi_self_time_loop (const struct ppi_self_site *self, bool marked,
				      unsigned layout, unsigned long steps);
PPI_HIDDEN struct ppi_self_trial ppi_self_try (const struct ppi_self_site *self);

static inline double ppi_self_least (double a, double b)
{
	return a < b ? a : b;
}

#endif
