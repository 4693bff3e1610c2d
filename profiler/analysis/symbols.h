/* SPDX-License-Identifier: MIT */
/*
 * symbols.h: which functions are at an address of an object's file: by its debugging information
 * (functions that were inlined there too), else by its symbols, else by none.
 */
#ifndef PPI_ANALYSIS_SYMBOLS_H
#define PPI_ANALYSIS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ppi_symbols;

/*
 * Valid inside the call of FN only. NAME "": not known; FILE: of the source, or the object's path.
 */
struct ppi_symbol {
	const char *name, *file;
	unsigned line; /* of the function's declaration */
	unsigned at;   /* where in it that is, in AT_FILE; 0: not known */
	const char *at_file;
};

/*
 * From now on debugging information is looked for in the object and by its build id under
 * /usr/lib/debug: nothing asks a server (DEBUGINFOD_URLS), which may take minutes.
 */
void ppi_symbols_stay_local (void);

/*
 * The object at PATH, if its build id still begins with the ID_BYTES of BUILD_ID (0: any). NULL: no
 * memory. Where the file is gone or is another one, all names are "", and ppi_symbols_problem says
 * why.
 */
struct ppi_symbols *ppi_symbols_open (const char *path, const uint8_t *build_id, size_t id_bytes);
void ppi_symbols_close (struct ppi_symbols *symbols);
/* A sentence's end, "is not the file that was sampled"; NULL: none. */
const char *ppi_symbols_problem (const struct ppi_symbols *symbols);

/*
 * Calls FN for each function at ADDRESS: the one that has code of its own first, then those that
 * were inlined into it, the innermost last. Once at least.
 */
void ppi_symbols_at (struct ppi_symbols *symbols, uint64_t address,
		     void (*fn) (const struct ppi_symbol *symbol, void *arg), void *arg);

#endif
