/* SPDX-License-Identifier: MIT */
/* site_alloc.h: what a site is called, and memory for sites, which is never given back. With the lock. */
#ifndef PPI_SITE_ALLOC_H
#define PPI_SITE_ALLOC_H

#include "module.h"

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

/* The plugin has named what has no name in the source. Sites of calls are module!name. False: it is too long. */
bool ppi_site_name (struct ppi_site_name *out, const struct ppi_module *module, const struct pp_abi_site *descriptor)
	__attribute__ ((visibility ("hidden")));
/* A site whose texts are copies, since descriptors go with their module, and nothing else filled in. NULL: no memory. */
pp_site *ppi_site_alloc (const struct ppi_site_name *name, const struct ppi_module *module,
			 const struct pp_abi_site *descriptor) __attribute__ ((visibility ("hidden")));
/*
 * As calloc; where it is much, its pages are there in one go: a fault for each takes longer than filling it. Of malloc's
 * memory, so that who looks for leaks follows the pointers in it.
 */
void *ppi_calloc_at_once (size_t bytes) __attribute__ ((visibility ("hidden")));

#endif
