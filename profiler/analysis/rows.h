/* SPDX-License-Identifier: MIT */
/*
 * rows.h: records as rows that are fetched one by one, each with its parent and its own time. A
 * record comes when it has ended, so behind those inside it. A thread of its own goes through the
 * recording meanwhile, a few thousand records ahead.
 */
#ifndef PPI_ANALYSIS_ROWS_H
#define PPI_ANALYSIS_ROWS_H

#include "profiler/analysis/walk.h"

struct ppi_record_row {
	uint64_t parent;               /* the sequence of its parent, from 1; 0: it has none */
	struct ppi_record_frame frame; /* but UP, which says nothing any more */
	double own_ns;                 /* as ppi_walker's; of a point 0 */
};

struct ppi_rows;

/*
 * SOURCE and TERMS must stay, and be used by nobody else but to read texts, until the close. NULL:
 * no memory, or no thread.
 */
struct ppi_rows *ppi_rows_open (const struct ppi_query_source *source, struct ppi_terms *terms);
/* NULL is allowed. Ends the pass where it is. */
void ppi_rows_close (struct ppi_rows *rows);

/*
 * The next row and the values of its slots, until the next call. NULL: there are no more, or
 * *FAILED: a sentence.
 */
const struct ppi_record_row *ppi_rows_next (struct ppi_rows *rows, const struct ppi_value **slot,
					    const char **failed);

#endif
