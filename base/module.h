/* SPDX-License-Identifier: MIT */
/*
 * module.h: modules of libpp, shared objects that are loaded on first use: what they need is not in
 * every program then. A module exports one symbol, a table that begins with a head.
 */
#ifndef PPI_BASE_MODULE_H
#define PPI_BASE_MODULE_H

#include <stddef.h>
#include <stdint.h>

struct ppi_module_head {
	uint32_t size;    /* of the table */
	uint32_t version; /* of what libpp and this module agree on */
};

struct ppi_module_wish {
	const char
		*who; /* "PAPI metrics need": begins a sentence about a module that is not there */
	const char *file, *symbol;
	const char *directory; /* where libpp was installed */
	struct ppi_module_head head;
};

/*
 * The table of a module, from the directories of PP_MODULE_PATH, then from where libpp was
 * installed; NULL, and WHY. Loading it twice is loading it once. Ordinary context, better without a
 * lock: dlopen waits for constructors of other modules.
 */
const void *ppi_module_load (const struct ppi_module_wish *wish, char *why, size_t room)
	__attribute__ ((visibility ("hidden")));

#endif
