/* SPDX-License-Identifier: MIT */
/*
 * groups.h: what executions took, by groups, in the running process: the entries that threads have
 * of an aggregate (thread/aggregate.h), merged by values of some of its dimensions, now and over a
 * window of time.
 *
 *     entries of threads × sites × groups ──look──► rows: one for each value   ──► statistics
 *                                                   └─ moments, for windows
 *
 * A look takes all that there is: figures are those of the last one. For a window what there was is
 * kept at moments, a tenth of the window apart; a window's samples are what came between such a
 * moment and the look, those of the last 9/10 W to W.
 *
 * What can't be known is unknown, and not a part of it: what fell into the rest, where not all of a
 * group is told apart; a metric that is bound at a site which the aggregate does not count.
 *
 * All with the runtime's lock; ordinary context.
 */
#ifndef PPI_STATS_GROUPS_H
#define PPI_STATS_GROUPS_H

#include "base/atomic.h"

#include <pp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ppi_aggregate;

#define PPI_GROUP_TEXT_BYTES 256u /* of a group's name; longer ones end in "…" */

/* A value that one group is to have. */
struct ppi_group_want {
	uint8_t type; /* enum pp_abi_value */
	uint64_t bits;
	const char *text; /* of a string */
};

struct ppi_grouping;

/*
 * The executions of METRIC's sites in AGGREGATE, by its dimensions DIM, N of them; of the group
 * with WANT's values (copied), or (NULL) each. WINDOW_NS 0: since the aggregate began. NULL: no
 * memory.
 */
PPI_HIDDEN struct ppi_grouping *ppi_grouping_new (const pp_metric *metric,
						  const struct ppi_aggregate *aggregate,
						  const unsigned *dim, unsigned n,
						  const struct ppi_group_want *want,
						  uint64_t window_ns);
PPI_HIDDEN void ppi_grouping_free (struct ppi_grouping *g); /* or NULL */

/* Is there an execution of METRIC that AGGREGATE does not count? Then SITE is one of where. */
PPI_HIDDEN bool ppi_grouping_misses (const pp_metric *metric, const struct ppi_aggregate *aggregate,
				     const pp_site **site);

/*
 * Merges anew. False: no memory; all is unknown until the next look. What was known of another
 * process, a parent, is forgotten: rows begin at 0 again.
 */
PPI_HIDDEN bool ppi_grouping_look (struct ppi_grouping *g, uint64_t now_ns);
/* When it wants to be looked at for its window; UINT64_MAX: it has none. */
PPI_HIDDEN uint64_t ppi_grouping_due (const struct ppi_grouping *g);

/*
 * Is what was wanted not told apart, by the last look, because there was no room for its group
 * (max_groups, or strings), as far as can be known?
 */
PPI_HIDDEN bool ppi_grouping_is_crowded (const struct ppi_grouping *g);

/* Rows by the last look; their numbers stay. */
PPI_HIDDEN size_t ppi_grouping_rows (const struct ppi_grouping *g);
/* How often rows began at 0 again. */
PPI_HIDDEN unsigned ppi_grouping_round (const struct ppi_grouping *g);
/* The row of G that has the values of OF's row; -1: none. */
PPI_HIDDEN int ppi_grouping_like (const struct ppi_grouping *g, const struct ppi_grouping *of,
				  size_t row);
/* In the metric's unit. NaN: unknown. ROW may be -1. */
PPI_HIDDEN double ppi_grouping_value (const struct ppi_grouping *g, int row,
				      enum pp_statistic statistic);
/* command="GET", cached=1. Returns OUT. */
PPI_HIDDEN const char *ppi_grouping_name (const struct ppi_grouping *g, size_t row, char *out,
					  size_t room);

/* Of a group by its number among those of AGGREGATE; "" where there is none. Returns OUT. */
PPI_HIDDEN const char *ppi_group_name (const struct ppi_aggregate *aggregate, uint32_t group,
				       char *out, size_t room);
/* The number of the group of all of AGGREGATE's dimensions that a row is; 0: not known. */
PPI_HIDDEN uint32_t ppi_grouping_group (const struct ppi_grouping *g, int row);

#endif
