/* SPDX-License-Identifier: MIT */
/*
 * site_index.c: the sites whose full names end alike, behind the last border. What a plain name means is among those that end as it does;
 * without them each pp_bind of one site would look at all there are. It is made by the first look-up, so that a program
 * that binds by patterns only, or nothing, needs none.
 */
#include "base.h"
#include "site.h"

#include <stdlib.h>
#include <string.h>

/* open addressing, at most half full: all sites of one ending are one list */
static struct ending {
	pp_site *first, *last;
	uint32_t hash;
} * endings;
static uint32_t size, used; /* size: a power of two */
static bool given_up;

static bool is_border (char c)
{
	return c == '!' || c == ':' || c == '/';
}

/* Names of sites and plain patterns have the same borders. */
static const char *ending_of (const char *name)
{
	const char *at = name + strlen (name);

	while (at > name && !is_border (at[-1]))
		at--;
	return at;
}

static struct ending *find (const char *ending, uint32_t hash)
{
	uint32_t i = hash & (size - 1);

	while (endings[i].first &&
	       (endings[i].hash != hash || strcmp (ending_of (endings[i].first->full), ending) != 0))
		i = (i + 1) & (size - 1);
	return &endings[i];
}

static void put (pp_site *site)
{
	const char *ending = ending_of (site->full);
	uint32_t hash = (uint32_t) ppi_hash (ending, strlen (ending), 0);
	struct ending *e = find (ending, hash);

	site->next_of_tail = NULL;
	if (e->first)
		e->last->next_of_tail = site;
	else
		*e = (struct ending){site, site, hash}, used++;
	e->last = site;
}

/* All anew, twice as large or as large as there are sites, from their list. */
static bool make (pp_site *first)
{
	uint32_t n = 0, larger = size ? size * 2 : 256;
	struct ending *fresh;

	for (const pp_site *s = first; s && !size; s = s->next)
		n++;
	while (larger < UINT64_C (2) * n && larger < UINT32_C (1) << 31)
		larger *= 2;
	fresh = calloc (larger, sizeof (*fresh));
	if (!fresh)
		return false;
	free (endings);
	endings = fresh;
	size = larger;
	used = 0;
	for (pp_site *s = first; s; s = s->next)
		put (s);
	return true;
}

bool ppi_site_ends_with (const pp_site *site, const char *pattern, size_t n)
{
	size_t all = strlen (site->full);
	const char *at = site->full + all - n;

	return n <= all && memcmp (at, pattern, n) == 0 && (n == all || is_border (at[-1]));
}

void ppi_site_index_add (pp_site *site, pp_site *first)
{
	if (!size || given_up)
		return;
	if (used < size / 2)
		put (site);
	else
		given_up = !make (first);
}

bool ppi_site_index_find (const char *pattern, pp_site *first, pp_site **out)
{
	const char *ending = ending_of (pattern);

	if (given_up || strchr (pattern, '\\') || (!size && !make (first)))
		return false;
	*out = find (ending, (uint32_t) ppi_hash (ending, strlen (ending), 0))->first;
	return true;
}
