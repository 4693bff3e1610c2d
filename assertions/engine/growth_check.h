/* SPDX-License-Identifier: MIT */
/*
 * growth_check.h: assertions about how a cost grows (growth: {of: M, with: N, at_most: CLASS}).
 * Markers leave pairs (newest sample of N, newest of M) in a ring; the owner takes them out at each
 * tick, and fits them when it is due.
 */
#ifndef PPI_GROWTH_CHECK_H
#define PPI_GROWTH_CHECK_H

#include "assertions/engine/ring.h"
#include "assertions/language/growth.h"

#define PPI_GROWTH_RING 1024u /* pairs between two looks; a power of two */
#define PPI_GROWTH_DETAIL_BYTES 256

struct ppi_assertion;
struct ppi_at;

struct ppi_growth_check {
	enum ppi_growth_class at_most;
	uint64_t every_ns, due_ns;
	/* the owner's */
	struct ppi_growth growth;
	char detail[PPI_GROWTH_DETAIL_BYTES]; /* the last fit in words [lock] */
	/* markers write it */
	struct ppi_ring ring;
	uint32_t turn[PPI_GROWTH_RING]; /* atomic */
	struct ppi_growth_pair {
		double n, value;
	} pair[PPI_GROWTH_RING];
};

/* NULL: no memory. The caller's: free. */
struct ppi_growth_check *ppi_growth_check_create (enum ppi_growth_class at_most, uint64_t every_ns,
						  uint64_t now_ns);
/* Forgets everything, in a child. */
void ppi_growth_check_reset (struct ppi_growth_check *check, uint64_t now_ns);
/* What the thread sampled at the site just now; inside a marker. */
void ppi_growth_feed (struct ppi_assertion *a, struct ppi_at *at);
/*
 * Takes the pairs out; fits and steps the assertion when due [lock]. Returns when that is, ns; it
 * is to be called sooner where there is much in the ring, which is news.
 */
uint64_t ppi_growth_tick (struct ppi_assertion *a, uint64_t now_ns);

#endif
