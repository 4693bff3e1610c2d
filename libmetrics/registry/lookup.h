/* SPDX-License-Identifier: MIT */
/*
 * lookup.h: the sites that a pattern matches, without looking at every site of a large program for
 * every pattern. All with the lock held.
 */
#ifndef PPI_REGISTRY_LOOKUP_H
#define PPI_REGISTRY_LOOKUP_H

#include <pp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ppi_lookup {
	const char *pattern; /* NULL: all sites */
	bool names;          /* it is one of names, not of a property */
	bool literally;      /* there are sites that are called just so, wildcards and all */
	/*
	 * how long it is where it has neither wildcards nor '\\' nor what tells namesakes apart,
	 * else 0
	 */
	size_t plain;
	/* those of the index that may match, in the order in which they appeared; owned */
	pp_site **found;
	uint32_t n_found, at;
	/* the last one that was looked at without the index, or that it knows; NULL: none yet */
	pp_site *behind;
};

/*
 * PATTERN is valid and stays until the end. Always succeeds: without memory every site is looked
 * at.
 */
void ppi_lookup_begin (struct ppi_lookup *lookup, const char *pattern)
	__attribute__ ((visibility ("hidden")));
/*
 * The next site that has code and matches, in the order of appearance; NULL: there is no more. The
 * lock may be given up between two calls: sites are for good, and one that appears meanwhile comes,
 * too.
 */
pp_site *ppi_lookup_next (struct ppi_lookup *lookup) __attribute__ ((visibility ("hidden")));
void ppi_lookup_end (struct ppi_lookup *lookup) __attribute__ ((visibility ("hidden")));

/* Is SITE one of those that a look-up of PATTERN finds? As one does, but without looking at others. */
bool ppi_lookup_has (const char *pattern, const pp_site *site)
	__attribute__ ((visibility ("hidden")));

/*
 * What PATTERN, which matches no site, may have been meant for: "FUNCTION/SITE" where it matches a
 * function, or the name of a site that is near; of feature:NAME a feature. To OUT, which is
 * returned; NULL: nothing is.
 */
const char *ppi_lookup_meant (const char *pattern, char *out, size_t room)
	__attribute__ ((visibility ("hidden")));

#endif
