/* SPDX-License-Identifier: MIT */
/* module.h: programs and shared objects that brought a site table. */
#ifndef PPI_MODULE_H
#define PPI_MODULE_H

#include "site.h"

struct ppi_module {
	const void *sites_begin, *sites_end;
	const void *guards_begin, *guards_end;
	const void *records_begin, *records_end;
	const void *estimates_begin, *estimates_end; /* struct pp_abi_estimate[] */
	char *name;                                  /* base name of its file */
	bool is_program;
	bool names_metrics; /* one of its sites does: static bindings */
	bool waits;         /* nobody has asked for its sites yet */
	unsigned users;     /* registrations by its translation units */
	struct ppi_module *next;
};

/* Takes a module's sites in: markers join their sites, new sites are made. With the lock. */
void ppi_sites_add (const struct ppi_module *module) __attribute__ ((visibility ("hidden")));
/*
 * Takes in the sites of modules that wait: where nothing can be bound to them as they register, that is left to whoever
 * first looks for a site, so that a program that nobody measures starts as if it had none. With the lock.
 */
void ppi_modules_take_in (void) __attribute__ ((visibility ("hidden")));
/* Does a site of the module name metrics in its pragma? Only reads. */
bool ppi_sites_name_metrics (const struct ppi_module *module) __attribute__ ((visibility ("hidden")));
/* Lets them go: disabled, and no descriptor of the module is referred to any more. With the lock. */
void ppi_sites_remove (const struct ppi_module *module) __attribute__ ((visibility ("hidden")));
/* A metric's declaration goes: its functions are not called any more. */
void ppi_metric_remove_record (struct pp_abi_record *record) __attribute__ ((visibility ("hidden")));
/* A declaration of a module that is still there: where its metric has lost its functions, it has this one's. */
void ppi_metric_lend_functions (struct pp_abi_record *record) __attribute__ ((visibility ("hidden")));
/* A PP_SOURCE record comes: metrics whose source went with its module have functions again. It goes: they lose them, and it is forgotten. */
void ppi_metric_add_source (struct pp_abi_record *record) __attribute__ ((visibility ("hidden")));
void ppi_metric_forget_source (struct pp_abi_record *record) __attribute__ ((visibility ("hidden")));

/*
 * A site that no module brought: the rules and assertions that wait for it have it now. With the lock.
 */
void ppi_site_appeared (pp_site *site) __attribute__ ((visibility ("hidden")));
/* What follows a program's registration, once, for a program that has no table but calls. Without the lock. */
void ppi_program_ready (void) __attribute__ ((visibility ("hidden")));

#endif
