/* SPDX-License-Identifier: MIT */
/*
 * instances.h: what features cost, instance by instance and caller by caller, as analyses of the
 * user's own have it: <pp_analysis.h>.
 */
#ifndef PPI_ANALYSIS_INSTANCES_H
#define PPI_ANALYSIS_INSTANCES_H

#include "profiler/analysis/features.h"

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
};

/*
 * Of samples by mark, which must stay; of what RECORDING has measured. False: no memory. OUT is
 * freed by ppi_instances_clear, also then.
 */
bool ppi_instances_sampled (const struct ppi_samples *samples, struct ppi_instances *out);
bool ppi_instances_measured (const struct ppi_recording *recording, struct ppi_instances *out);
void ppi_instances_clear (struct ppi_instances *instances);

#endif
