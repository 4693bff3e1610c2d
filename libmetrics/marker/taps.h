/* SPDX-License-Identifier: MIT */
/*
 * taps.h: what a marker does for the ops of a plan that are not bindings' (sink.h). General
 * registers only, where all of the plan's sinks are so (plain).
 */
#ifndef PPI_MARKER_TAPS_H
#define PPI_MARKER_TAPS_H

#include "libmetrics/marker/sink.h"

/*
 * All that the site pushed, as VALUE, to the words of each of them, which begins with it. VALUES is
 * the word FROM of the plan's.
 */
static inline __attribute__ ((always_inline)) void ppi_taps_begin (struct ppi_thread *t,
								   const struct ppi_plan *plan,
								   int64_t value, uint64_t *values,
								   uint16_t from)
{
	for (uint32_t i = plan->n_ops; i < plan->n_all; i++) {
		const struct ppi_op *op = &plan->ops[i];
		const struct ppi_sink *sink = ppi_sinks[op->sink];
		uint64_t *words = &values[op->value - from];

		for (unsigned k = 0; k + sink->own_words < op->words; k++) {
			struct ppi_op at = {.index = (uint16_t) k};

			ppi_store (&words[k], (uint64_t) ppi_captured (plan, &at, value));
		}
		if (sink->begin)
			sink->begin (t, op, plan, words);
	}
}

/* Each takes the execution; VALUES as above. */
static inline __attribute__ ((always_inline)) void ppi_taps_take (struct ppi_thread *t,
								  struct ppi_taken *taken,
								  const uint64_t *values,
								  uint16_t from)
{
	const struct ppi_plan *plan = taken->plan;

	for (uint32_t i = plan->n_ops; i < plan->n_all; i++) {
		const struct ppi_op *op = &plan->ops[i];

		taken->values = &values[op->value - from];
		if (ppi_sinks[op->sink]->take)
			ppi_sinks[op->sink]->take (t, op, taken);
	}
}

#endif
