/* SPDX-License-Identifier: MIT */
/*
 * where.h: where the time of executions went that violated an assertion, by the samples that fell
 * into them:
 *
 *   thread's executions   ──[  held  ]──[     violated     ]──[held]──[   violated   ]──
 *   its samples                .    .     .    .    .    .     .         .    .    .
 *                                         └───── 7 samples in 2 executions ──────┘
 *
 * The recording has the times of those executions (struct ppi_violating_chunk), and samples have
 * theirs. What a sample saw last, the innermost interval or function, is where its time went.
 */
#ifndef PPI_ANALYSIS_WHERE_H
#define PPI_ANALYSIS_WHERE_H

#include "profiler/analysis/read.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Fewer samples, or executions that have any, and nothing is said. */
#define PPI_WHERE_SAMPLES 20u
#define PPI_WHERE_EXECUTIONS 5u

struct ppi_where_row {
	const char *name; /* of the interval or function, "" where it is not known; in SAMPLES */
	double share;     /* of the samples in executions that violated it */
	double low, high; /* its 95 % interval */
	double elsewhere; /* share of the others; NaN: there are too few */
};

struct ppi_where {
	double samples; /* in executions that violated it */
	size_t executions;
	/*
	 * in the same threads, but in none of those executions: by interval, only where the
	 * assertion's site is open
	 */
	double others;
	struct ppi_where_row *row; /* by falling share */
	size_t rows;
};

/*
 * Of the assertion with that id in RECORDING, whose samples are SAMPLES; functions may be added to
 * them. False: no memory. OUT is freed by ppi_where_clear, also then, and has no rows where there
 * are too few samples. Names in OUT are in SAMPLES.
 */
bool ppi_where_find (const struct ppi_recording *recording, struct ppi_samples *samples,
		     uint32_t assertion, struct ppi_where *out);
/*
 * The same of EXECUTIONS that violated it, whose sites are those functions of SAMPLES; they count
 * where intervals were sampled.
 */
bool ppi_where_of (const struct ppi_violating_chunk *executions, const uint32_t *site, size_t sites,
		   const struct ppi_samples *samples, struct ppi_where *out);
void ppi_where_clear (struct ppi_where *where);

#endif
