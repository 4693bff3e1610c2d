/* SPDX-License-Identifier: MIT */
/*
 * quick.h: markers see for themselves that checks pass (tables/quick.h).
 */
#ifndef PPI_MARKER_QUICK_H
#define PPI_MARKER_QUICK_H

#include "base/atomic.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/tables/quick.h"

#include <stdbool.h>
#include <stdint.h>

struct ppi_hot;
struct ppi_plan;

/*
 * Do all checks of PLAN certainly pass, now that its samples were taken? Then they are counted. At
 * markers, with the thread entered.
 */
PPI_HIDDEN bool ppi_quick_pass (const struct ppi_hot *hot, const struct ppi_plan *plan);

/*
 * Are they such that a block can do them: of fields that it knows how they will be behind the
 * sample?
 */
static inline bool ppi_quick_is_plain (const struct ppi_plan *plan)
{
	for (uint32_t i = 0; i < plan->n_ops; i++)
		if (plan->ops[i].every > 1)
			return false;
	for (uint32_t i = 0; i < plan->n_quick; i++)
		for (uint64_t k = 0; k < plan->quick[i].n_terms; k++) {
			const struct ppi_quick_term *t = &plan->quick[i].term[k];
			uint16_t fields[4] = {t->small[0].field, t->small[1].field,
					      t->large[0].field, t->large[1].field};

			for (int n = 0; n < 4; n++)
				if (fields[n] != PPI_QUICK_ZERO && fields[n] != PPI_QUICK_ONE &&
				    fields[n] != PPI_QUICK_LAST && fields[n] != PPI_QUICK_N &&
				    fields[n] != PPI_QUICK_SUM)
					return false;
		}
	return plan->n_quick > 0;
}

/*
 * Takes the ratios out of QUICK, whose terms are as plans have them afterwards. With the lock;
 * NULL: no memory.
 */
const struct ppi_quick_ratios *ppi_quick_split (struct ppi_quick *quick);

/*
 * PLAN's checks have these RATIOS from now on. A marker that has passed the gate may prove by the
 * former ones still, as if it had come a moment earlier; it finds them whole, and its gate is shut
 * by who has set others. With the lock.
 */
void ppi_quick_set_ratios (struct ppi_plan *plan, const struct ppi_quick_ratios *const *ratios);

#endif
