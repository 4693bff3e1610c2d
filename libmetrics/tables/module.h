/* SPDX-License-Identifier: MIT */
/*
 * module.h: a program or shared object that brought a site table.
 */
#ifndef PPI_TABLES_MODULE_H
#define PPI_TABLES_MODULE_H

#include <stdbool.h>

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

#endif
