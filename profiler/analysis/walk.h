/* SPDX-License-Identifier: MIT */
/*
 * walk.h: goes through records in one pass and knows of each what is around it, and how much of its
 * time is its own. Keeps the records around the present one, and nothing else.
 *
 *     comes   begin (a)   begin (c)   begin (d)   end (d)   end (c)   begin (b)   end (b)   end (a)
 *
 * A record begins here once it is known whether anything ran inside it, so one record late.
 */
#ifndef PPI_ANALYSIS_WALK_H
#define PPI_ANALYSIS_WALK_H

#include "profiler/analysis/terms.h"

/* What is told of all records. */
struct ppi_walk_sums {
	uint64_t records;
	double profiled_ns; /* Σ own */
	double cost_ns;     /* of recording an interval; NaN: not known, so nothing was deducted */
	double deducted_ns; /* all in all; nothing of points, which take no time */
	double kept_ns;     /* what was not deducted, as own times would be below 0 */
	uint64_t clamped;   /* records of which that is so */
	double last_ns;     /* the latest end */
	uint64_t damaged;   /* records whose time or depth can't be */
};

struct ppi_walker {
	/*
	 * A record at PLACE of NEST, and its end. Its frame and slots stay until then. OWN_NS: its
	 * time less that of its direct descendants and the cost of a pair. False ends the walk: no
	 * memory.
	 */
	bool (*begin) (const struct ppi_nest *nest, uint32_t place, void *arg);
	bool (*end) (const struct ppi_nest *nest, uint32_t place, double own_ns, void *arg);
	void *arg;
};

/* How deep a recording may nest; what is deeper counts as damaged, and as that deep. */
#define PPI_NEST_MOST 65536

/*
 * Goes through SOURCE's records with the values that TERMS wants. False: with one sentence in WHY.
 */
bool ppi_walk (const struct ppi_query_source *source, struct ppi_terms *terms,
	       const struct ppi_walker *walker, struct ppi_walk_sums *sums, char *why, size_t room);

/*
 * Works out the late values of TERMS (terms.h), in a pass of its own, where it has some: 4 bytes a
 * record.
 */
bool ppi_walk_late (const struct ppi_query_source *source, struct ppi_terms *terms, char *why,
		    size_t room);

#endif
