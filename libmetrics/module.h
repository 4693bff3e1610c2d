/* SPDX-License-Identifier: MIT */
/* module.h: programs and shared objects that brought a site table. */
#ifndef PPI_MODULE_H
#define PPI_MODULE_H

#include "site.h"

struct ppi_module {
	const void *sites_begin, *sites_end;
	const void *guards_begin, *guards_end;
	const void *records_begin, *records_end;
	char *name; /* base name of its file */
	bool is_program;
	unsigned users; /* registrations by its translation units */
	struct ppi_module *next;
};

/* Takes a module's sites in: markers join their sites, new sites are made. With the lock. */
void ppi_sites_add (const struct ppi_module *module) __attribute__ ((visibility ("hidden")));
/* Lets them go: disabled, and no descriptor of the module is referred to any more. With the lock. */
void ppi_sites_remove (const struct ppi_module *module) __attribute__ ((visibility ("hidden")));
/* A metric's declaration goes: its functions are not called any more. */
void ppi_metric_remove_record (struct pp_abi_record *record) __attribute__ ((visibility ("hidden")));
/* A declaration of a module that is still there: where its metric has lost its functions, it has this one's. */
void ppi_metric_lend_functions (struct pp_abi_record *record) __attribute__ ((visibility ("hidden")));

#endif
