/* SPDX-License-Identifier: MIT */
/*
 * instances.h: what features cost, instance by instance and caller by caller, as analyses of the
 * user's own have it: <pp_analysis.h>.
 */
#ifndef PPI_ANALYSIS_INSTANCES_H
#define PPI_ANALYSIS_INSTANCES_H

#include "profiler/analysis/features.h"
#include "recording/intern.h"

#include <pp_analysis.h>

struct ppi_recording;

struct ppi_instances {
	struct pp_analysis_instance *instance; /* by falling time */
	size_t n, room;
	char **text; /* what they point to, unless it is the samples' */
	size_t texts, texts_room;
	const char ***around;
	size_t arounds, arounds_room;
	struct pp_analysis_named **dims;
	size_t dim_lists, dim_lists_room;
	struct ppi_intern keys; /* of a sum: what tells them apart; private */
};

/*
 * Of samples by mark, which must stay; of what RECORDING has measured. False: no memory. OUT is
 * freed by ppi_instances_clear, also then.
 */
bool ppi_instances_sampled (const struct ppi_samples *samples, struct ppi_instances *out);
bool ppi_instances_measured (const struct ppi_recording *recording, struct ppi_instances *out);
void ppi_instances_clear (struct ppi_instances *instances);
/*
 * Adds MORE, of another recording, to SUM, which is empty to begin with: {.n = 0}. Those that are
 * the same but for time and number become one. After the last one SUM is to be sorted. False: no
 * memory.
 */
bool ppi_instances_add (struct ppi_instances *sum, const struct ppi_instances *more);
void ppi_instances_sort (struct ppi_instances *instances);

/* ---- for instances.c and instances_sum.c: NULL: no memory ------------------------------------ */

/*
 * A copy of TEXT that stays with OUT; a new one, behind the others; lists of N that stay with OUT.
 */
const char *ppi_instances_keep (struct ppi_instances *out, const char *text);
struct pp_analysis_instance *ppi_instances_new (struct ppi_instances *out);
const char **ppi_instances_around (struct ppi_instances *out, size_t n);
struct pp_analysis_named *ppi_instances_dims (struct ppi_instances *out, size_t n);

#endif
