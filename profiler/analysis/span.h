/* SPDX-License-Identifier: MIT */
/* span.h: some of the samples of a recording, and what is known of the time that they are of. */
#ifndef PPI_ANALYSIS_SPAN_H
#define PPI_ANALYSIS_SPAN_H

#include "recording/layout_profile.h"

#include <stdbool.h>
#include <stdint.h>

struct ppi_samples_span {
	uint64_t since_ns, until_ns; /* CLOCK_MONOTONIC; UINT64_MAX: to the end */
	/*
	 * What follows is of that time; else it is the whole profile's, or, where samples are left
	 * out, not known.
	 */
	bool is_known;
	uint64_t wall_ns, cpu_ns, own_ns, period_ns; /* as of struct ppi_profile_chunk */
	uint64_t lost[PPI_SAMPLE_LOSSES];
};

#define PPI_SAMPLES_ALL                                                                            \
	{                                                                                          \
		.until_ns = UINT64_MAX                                                             \
	}

#endif
