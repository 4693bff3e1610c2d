/* SPDX-License-Identifier: MIT */
/* trace.h: event records one by one, those that a condition holds for: as text, or for viewers. */
#ifndef PPI_ANALYSIS_TRACE_H
#define PPI_ANALYSIS_TRACE_H

#include "profiler/analysis/terms.h"
#include "profiler/analysis/walk.h"

#include <stdio.h>

struct ppi_trace {
	struct ppi_terms *terms;
	struct ppi_query_list list; /* its condition counts; dimensions, where there are some, are
				       shown instead of all that records have */
	uint64_t limit;             /* the first so many are shown; 0: all, whose text has to fit
				       into memory */
	const char *program;        /* for viewers */
	uint32_t pid;
	/* what came out */
	struct ppi_walk_sums sums;
	struct ppi_records_info info;
	uint64_t chosen;
};

/*
 * A line for each record, by their begin. The caller sets terms, list and limit; what TRACE has is
 * freed by ppi_trace_clear. False: with one sentence in WHY.
 */
bool ppi_trace_print (struct ppi_trace *trace, const struct ppi_query_source *source, FILE *out,
		      char *why, size_t room);
/*
 * JSON in the format of Chrome's trace viewer, which Perfetto and Speedscope read: all records, as
 * they come, whatever the limit.
 */
bool ppi_trace_chrome (struct ppi_trace *trace, const struct ppi_query_source *source, FILE *out,
		       char *why, size_t room);
/*
 * Track events of Perfetto's, all records, into the regular file FD, which is empty. Goes through
 * them twice.
 */
bool ppi_trace_perfetto (struct ppi_trace *trace, const struct ppi_query_source *source, int fd,
			 char *why, size_t room);
void ppi_trace_clear (struct ppi_trace *trace);

#endif
