/* SPDX-License-Identifier: MIT */
/*
 * site_alloc.h: what a site is called, and memory for sites, which is never given back. With the
 * lock.
 */
#ifndef PPI_REGISTRY_SITE_ALLOC_H
#define PPI_REGISTRY_SITE_ALLOC_H

#include <pp.h>
#include <pp_abi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ppi_module;

#define PPI_SITE_NAME_MAX 2048u

/* A descriptor's full name, module!file:function/name, and where its last part begins. */
struct ppi_site_name {
	char full[PPI_SITE_NAME_MAX];
	size_t n;  /* without the NUL */
	size_t at; /* of the name */
};

/* The text at OFFSET of a descriptor; "" without. */
static inline const char *ppi_site_text (const struct pp_abi_site *d, uint32_t offset)
{
	return offset ? (const char *) d + offset : "";
}

/*
 * The plugin has named what has no name in the source. Sites of calls are module!name. False: it is
 * too long.
 */
bool ppi_site_name (struct ppi_site_name *out, const struct ppi_module *module,
		    const struct pp_abi_site *descriptor) __attribute__ ((visibility ("hidden")));
/*
 * A site whose texts are copies, since descriptors go with their module, and nothing else filled
 * in. NULL: no memory.
 */
pp_site *ppi_site_alloc (const struct ppi_site_name *name, const struct ppi_module *module,
			 const struct pp_abi_site *descriptor)
	__attribute__ ((visibility ("hidden")));
/* A copy of the N bytes of TEXT with a NUL behind them, for good. NULL: no memory. */
char *ppi_site_text_copy (const char *text, size_t n) __attribute__ ((visibility ("hidden")));
/* site_names.c: there are several sites of one name, this is the first of them, and one is new. */
void ppi_site_crowd_add (pp_site *first_of_them) __attribute__ ((visibility ("hidden")));
/*
 * All sites of a module are there: the new ones get names of their own. Those up to number SETTLED
 * keep the ones that others may know by now.
 */
void ppi_site_settle_names (uint32_t settled) __attribute__ ((visibility ("hidden")));

#endif
