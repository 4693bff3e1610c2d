/* SPDX-License-Identifier: MIT */
/*
 * ask.h: what policies ask for, entry by entry: which sites have a sink as long as the policy is
 * there. One list a key. With the runtime's lock.
 */
#ifndef PPI_EVENTS_ASK_H
#define PPI_EVENTS_ASK_H

#include "base/atomic.h"
#include "libmetrics/registry/tapped.h"

#include <stdbool.h>
#include <stddef.h>

/* What the key keeps of an entry begins with this. */
struct ppi_ask {
	struct ppi_ask *next;
	const void *owner; /* the policy */
	struct ppi_tapped tapped;
};

/* One more of OWNER's at the end of *LIST: BYTES of zeros behind its head. NULL: no memory. */
PPI_HIDDEN void *ppi_ask_add (struct ppi_ask **list, const void *owner, size_t bytes);
/*
 * OWNER's go, and their sites have no sink from them any more. FORGET, if not NULL, is called for
 * each, which is freed then.
 */
PPI_HIDDEN void ppi_asks_take_back (struct ppi_ask **list, const void *owner,
				    void (*forget) (struct ppi_ask *ask));
/* Sites may have come that are meant too. True: for some of them all sites were looked at. */
PPI_HIDDEN bool ppi_asks_look (struct ppi_ask *list);
/* Are these N patterns of sites? Else WHY says it. */
PPI_HIDDEN bool ppi_ask_is_valid (const char *const *site, size_t n, char *why, size_t room);

#endif
