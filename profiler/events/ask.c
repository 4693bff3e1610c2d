/* SPDX-License-Identifier: MIT */
/* ask.c: see ask.h. */
#include "profiler/events/ask.h"

#include "libmetrics/registry/pattern.h"

#include <stdlib.h>

void *ppi_ask_add (struct ppi_ask **list, const void *owner, size_t bytes)
{
	struct ppi_ask *ask = calloc (1, bytes);

	if (!ask)
		return NULL;
	while (*list)
		list = &(*list)->next;
	ask->owner = owner;
	*list = ask;
	return ask;
}

void ppi_asks_take_back (struct ppi_ask **list, const void *owner,
			 void (*forget) (struct ppi_ask *ask))
{
	while (*list) {
		struct ppi_ask *ask = *list;

		if (ask->owner != owner) {
			list = &ask->next;
			continue;
		}
		*list = ask->next;
		ppi_tapped_clear (&ask->tapped);
		if (forget)
			forget (ask);
		free (ask->tapped.site);
		free (ask);
	}
}

bool ppi_asks_look (struct ppi_ask *list)
{
	bool all = false;

	for (struct ppi_ask *ask = list; ask; ask = ask->next)
		all |= ppi_tapped_look (&ask->tapped);
	return all;
}

bool ppi_ask_is_valid (const char *const *site, size_t n, char *why, size_t room)
{
	for (size_t i = 0; i < n; i++)
		if (!ppi_pattern_valid (site[i], why, room))
			return false;
	return true;
}
