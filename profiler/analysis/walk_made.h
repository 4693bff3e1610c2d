/* SPDX-License-Identifier: MIT */
/*
 * walk_made.h: dimensions of plug-ins, worked out during a walk: it stands between the walk and its
 * walker, and what a dimension gives is a slot of the record's.
 *
 * One that sees what is around a record is worked out when the record begins. One that sees what
 * ran inside is known at the end of the outermost record only: until then all that comes is held,
 * and then the walker is told of it.
 */
#ifndef PPI_ANALYSIS_WALK_MADE_H
#define PPI_ANALYSIS_WALK_MADE_H

#include "profiler/analysis/walk.h"

struct ppi_making;

/*
 * What goes to IN of the walker that it returns comes to WALKER with slots filled in; both must
 * stay. NULL: no memory. What fails besides puts a sentence to WHY. ppi_making_end frees it.
 */
struct ppi_making *ppi_making_begin (const struct ppi_query_source *source, struct ppi_terms *terms,
				     const struct ppi_walker *walker, struct ppi_walker *in,
				     char *why, size_t room);
void ppi_making_end (struct ppi_making *making);

#endif
