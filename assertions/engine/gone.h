/* SPDX-License-Identifier: MIT */
/* gone.h: what is freed when no marker can be looking at it any more. */
#ifndef PPI_ENGINE_GONE_H
#define PPI_ENGINE_GONE_H

#include <stdbool.h>
#include <stddef.h>

struct ppi_gone {
	size_t next_at;                 /* where in one the pointer to the next is */
	bool (*is_held) (const void *); /* is it used otherwise? NULL: none is [lock] */
	void (*destroy) (void *);       /* without the lock */
	unsigned patience_ms;           /* for markers that are under way */
};

/*
 * Frees those of *LIST that no marker can be looking at and nobody holds. Not with the lock, not
 * from a check.
 */
void ppi_gone_free (void **list, const struct ppi_gone *what);

#endif
