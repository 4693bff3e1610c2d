/* SPDX-License-Identifier: MIT */
/*
 * got.h: sends calls of some functions through wrappers, by changing the global offset tables of
 * the loaded objects, and back.
 *
 * An entry is changed only where it leads to the function itself, or is not resolved yet (lazy
 * binding) in an object from which a look-up finds the same function. All other entries, and the
 * object that holds the wrappers, are left alone. Every store is one aligned word, so other threads
 * call either the one or the other. Needs no memory; works after fork as before.
 */
#ifndef PPI_GOT_H
#define PPI_GOT_H

#include <stdbool.h>

struct ppi_got_hook {
	const char *name; /* of the function */
	void *wrapper;
	/*
	 * filled in before the first entry is changed; NULL where the process has no such function.
	 * Atomic
	 */
	void *real;
};

/*
 * Hooks N functions in all objects loaded now. Returns the number of entries that lead to wrappers
 * now. Serialised by the caller or not:
 *   two at once do the same.
 */
int ppi_got_hook (struct ppi_got_hook *hooks, int n);
/* How many that would be, or are already; changes nothing. */
int ppi_got_count (struct ppi_got_hook *hooks, int n);
/* The reverse. Wrappers may still be running for a moment; REAL stays. */
void ppi_got_unhook (struct ppi_got_hook *hooks, int n);
/* Was anything loaded since the last ppi_got_hook? */
bool ppi_got_changed (void);

#endif
