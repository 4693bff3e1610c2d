/* SPDX-License-Identifier: MIT */
/*
 * features.h: what each feature of a language or library cost, and which of its instances.
 *
 * A sample is charged to a feature only if the newest entry of that feature on its stack is a mark;
 * if it is an antimark, the user's code runs. Features know nothing of each other: a sample may be
 * charged to several of them, and their shares need not sum up to 1.
 *
 *     stack, the newest first              charged to
 *     mark A                               A
 *     antimark A, mark A                   nobody
 *     mark B, antimark A, mark A           B
 *     mark A, antimark A, mark A           A, its newest instance
 */
#ifndef PPI_ANALYSIS_FEATURES_H
#define PPI_ANALYSIS_FEATURES_H

#include "profiler/analysis/samples.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a feature's cost is broken down by. */
#define PPI_FEATURES_BY(X)                                                                         \
	X (INSTANCE, "instance") /* the payload; of marks without one their place in the source */ \
	X (PLACE, "place")       /* the mark's file and line */                                    \
	X (CALLER, "caller")     /* the interval, or other feature, that it was begun in */        \
	X (THREAD, "thread")

enum ppi_features_by {
#define X(id, name) PPI_FEATURES_BY_##id,
	PPI_FEATURES_BY (X)
#undef X
		PPI_FEATURES_BYS
};

struct ppi_feature_part {
	char *name;
	double time; /* s */
	uint64_t samples;
};

struct ppi_feature {
	char *name; /* "library.feature" */
	double time;
	uint64_t samples;              /* 0: it was never seen */
	struct ppi_feature_part *part; /* by falling time */
	size_t parts;
};

struct ppi_features {
	char *program;
	bool is_cpu;
	/* s: of threads that were seen in a mark, from their first sample to their last */
	double total;
	uint64_t samples; /* of those threads */
	size_t threads;
	struct ppi_feature *feature; /* by falling time */
	size_t features;
};

/*
 * Of samples by mark (read.h). False: no memory. OUT is freed by ppi_features_clear, also then.
 * Features and instances that were never seen are there, with no samples.
 */
bool ppi_features_analyse (const struct ppi_samples *samples, enum ppi_features_by by,
			   struct ppi_features *out);
void ppi_features_clear (struct ppi_features *features);

/*
 * By how much a share that was seen SEEN times in N samples may be off: half of Wilson's interval
 * for 95 %, as if samples knew nothing of each other. NaN without any.
 */
double ppi_features_margin (uint64_t seen, uint64_t n);

#endif
