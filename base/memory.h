/* SPDX-License-Identifier: MIT */
/*
 * memory.h: memory for what there is much of, or for good.
 */
#ifndef PPI_BASE_MEMORY_H
#define PPI_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * As calloc; where it is much, its pages are there in one go: a fault for each takes longer than
 * filling it. Of malloc's memory, so that who looks for leaks follows the pointers in it.
 */
void *ppi_calloc_at_once (size_t bytes) __attribute__ ((visibility ("hidden")));

#define PPI_FOR_GOOD_MOST (16u << 10) /* what is larger is malloced by itself */

/*
 * As calloc, for what is never freed: many small ones lie one behind the other. With the lock.
 * NULL: no memory.
 */
void *ppi_calloc_for_good (size_t bytes) __attribute__ ((visibility ("hidden")));

/*
 * Pages of a file, private to this process, of which nearly each is about to be written: likewise
 * in one go.
 */
void ppi_fill_at_once (const void *from, const void *end) __attribute__ ((visibility ("hidden")));

/*
 * LIST, malloced, of N elements of BYTES each, with room for one more; *ROOM: for how many there
 * is. NULL: no memory, LIST stays as it is.
 */
void *ppi_list_reach (void *list, size_t n, size_t *room, size_t bytes);

/* Memory that is mapped, and grows; 0 to begin with. */
struct ppi_pages {
	char *at;
	size_t room;
};

/* BYTES of them at least, which may move; what is new is 0. False: no memory, nothing changed. */
bool ppi_pages_reach (struct ppi_pages *pages, size_t bytes);
void ppi_pages_free (struct ppi_pages *pages);

#endif
