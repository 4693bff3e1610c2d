/* SPDX-License-Identifier: MIT */
/*
 * intern.h: keys of any bytes become numbers, from 1: for what names sites, metrics and processes
 * alike in several recordings.
 */
#ifndef PPI_RECORDING_INTERN_H
#define PPI_RECORDING_INTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ppi_intern_entry {
	char *key; /* malloced; NULL: free */
	size_t bytes;
	uint32_t number;
	void *what; /* the user's, malloced, or NULL */
};

/* Zeroed: empty. */
struct ppi_intern {
	struct ppi_intern_entry *slot; /* ROOM of them, a power of two */
	size_t n, room;
};

/*
 * The entry of the key; *IS_NEW: it was not there. NULL: no memory. It lies there until the next
 * call.
 */
struct ppi_intern_entry *ppi_intern (struct ppi_intern *names, const void *key, size_t bytes,
				     bool *is_new);
/* With what is in it. */
void ppi_intern_free (struct ppi_intern *names);

#endif
