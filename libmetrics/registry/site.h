/* SPDX-License-Identifier: MIT */
/*
 * site.h: the registry of sites. Several descriptors (a header's inline function in many files,
 * comdat copies) of one place in the source in one module are one site. A site outlives its module:
 * its data stays when the module is closed, and goes on when it is opened again.
 */
#ifndef PPI_REGISTRY_SITE_H
#define PPI_REGISTRY_SITE_H

#include "base/estimate.h"

#include <stdbool.h>

struct ppi_module;

/*
 * A site that has no code of the program's: DESCRIPTOR, which stays, has a name only, and its
 * module is the program. With the lock; NULL: no memory.
 */
pp_site *ppi_site_add_named (struct pp_abi_site *descriptor)
	__attribute__ ((visibility ("hidden")));
/* The first of all sites; with the lock. */
pp_site *ppi_site_first (void) __attribute__ ((visibility ("hidden")));
/* How many there are, with or without code; with the lock. */
uint32_t ppi_site_count (void) __attribute__ ((visibility ("hidden")));
/* How often code of sites has come or gone, from 1; with the lock. */
uint64_t ppi_site_changes (void) __attribute__ ((visibility ("hidden")));
/* What there was at the last look of somebody's; zeroed: nobody has looked. */
struct ppi_sites_seen {
	pp_site *newest;
	uint64_t changes;
	uint32_t n;
};
/*
 * The first of the sites that have come since the look that SEEN is of, which is of now then; they
 * and no others follow it, NULL: none has come. *ALL: code of older ones has come or gone, too, or
 * that was the first look, and it is the first of all. With the lock.
 */
pp_site *ppi_sites_news (struct ppi_sites_seen *seen, bool *all)
	__attribute__ ((visibility ("hidden")));
/*
 * The sites that PATTERN matches: calls FN for each with the lock held, until it returns non-zero.
 */
int ppi_site_each_matching (const char *pattern, int (*fn) (pp_site *site, void *arg), void *arg)
	__attribute__ ((visibility ("hidden")));
/* The chunk that tells readers of the site, made when it is first bound. 0 or PP_ENOMEM. */
int ppi_site_describe (pp_site *site) __attribute__ ((visibility ("hidden")));
/* In a child with a region of its own. */
void ppi_site_after_fork (void) __attribute__ ((visibility ("hidden")));

/*
 * The one site that a plain name means [lock]: PP_ENOENT, or PP_EAMBIGUOUS with the candidates in
 * WHY.
 */
int ppi_site_find_plain (const char *name, pp_site **out, char *why, size_t room);

uint32_t ppi_site_id (const pp_site *site);

enum pp_abi_site_kind ppi_site_kind_of (const pp_site *site);

/*
 * What the compiler knows of the site's copies that are there now. It looks through whole tables:
 * ask once.
 */
struct ppi_statics ppi_site_statics (const pp_site *site);

/* Takes a module's sites in: markers join their sites, new sites are made. With the lock. */
void ppi_sites_add (const struct ppi_module *module) __attribute__ ((visibility ("hidden")));

/* Does a site of the module name metrics in its pragma? Only reads. */
bool ppi_sites_name_metrics (const struct ppi_module *module)
	__attribute__ ((visibility ("hidden")));

/*
 * Lets them go: disabled, and no descriptor of the module is referred to any more. With the lock.
 */
void ppi_sites_remove (const struct ppi_module *module) __attribute__ ((visibility ("hidden")));

#endif
