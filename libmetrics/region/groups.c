/* SPDX-License-Identifier: MIT */
/* groups.c: aggregates are made, found again, and given up in a child; see groups.h. */
#include "libmetrics/region/groups.h"
#include "libmetrics/region/region.h"

#include <stdlib.h>
#include <string.h>

static struct ppi_aggregate *aggregate[PPI_AGGREGATES];
static uint32_t n_aggregates;

/* ---- what readers find in the region --------------------------------------------------------- */

static char *put (char *at, const char *text)
{
	size_t n = strlen (text) + 1;

	memcpy (at, text, n);
	return at + n;
}

static bool describe (const struct ppi_aggregate *a)
{
	size_t bytes = strlen (a->sites) + 1;
	struct ppi_aggregate_chunk *c;
	char *at;

	for (unsigned i = 0; i < a->dims; i++)
		bytes += strlen (a->by[i]) + 1;
	c = ppi_region_alloc (sizeof *c + bytes);
	if (!c)
		return false;
	c->accumulator = a->accumulator;
	c->dims = a->dims;
	c->max_groups = a->max_groups;
	at = c->text;
	for (unsigned i = 0; i < a->dims; i++)
		at = put (at, a->by[i]);
	put (at, a->sites);
	ppi_region_publish (&c->chunk, PPI_CHUNK_AGGREGATE, a->number);
	return true;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static struct ppi_groups *groups_new (const struct ppi_aggregate *a)
{
	struct ppi_groups *g = ppi_own_alloc_fast (sizeof *g);

	if (!g)
		return NULL;
	/* of a group that is new in all its values */
	g->most = a->max_groups * (2u * a->dims - 1) + 1;
	for (g->slots = 64; g->slots < 2 * g->most;)
		g->slots *= 2;
	g->slot = ppi_own_alloc_fast (g->slots * sizeof *g->slot);
	g->block = ppi_own_alloc_fast ((g->most / PPI_GROUP_NODES_BLOCK + 1) * sizeof *g->block);
	return g->slot && g->block ? g : NULL;
}

static bool begin (struct ppi_aggregate *a)
{
	struct ppi_groups *groups;

	if (a->groups)
		return true;
	groups = describe (a) ? groups_new (a) : NULL;
	__atomic_store_n (&a->groups, groups, __ATOMIC_RELEASE);
	return groups != NULL;
}

/* ---- aggregates ------------------------------------------------------------------------------ */

static bool is_like (const struct ppi_aggregate *a, const char *const *by, unsigned dims,
		     const char *sites, unsigned accumulator, uint32_t max_groups)
{
	if (a->dims != dims || a->accumulator != accumulator || a->max_groups != max_groups ||
	    strcmp (a->sites, sites) != 0)
		return false;
	for (unsigned i = 0; i < dims; i++)
		if (strcmp (a->by[i], by[i]) != 0)
			return false;
	return true;
}

/* They live for good: frames and plans may know them. NULL: no memory. */
static struct ppi_aggregate *create (const char *const *by, unsigned dims, const char *sites,
				     unsigned accumulator, uint32_t max_groups)
{
	struct ppi_aggregate *a = calloc (1, sizeof *a);
	bool ok = a != NULL;

	for (unsigned i = 0; ok && i < dims; i++)
		ok = (a->by[i] = strdup (by[i])) != NULL;
	if (ok && (a->sites = strdup (sites))) {
		a->number = n_aggregates + 1;
		a->max_groups = max_groups;
		a->accumulator = (uint8_t) accumulator;
		a->dims = (uint8_t) dims;
		return a;
	}
	for (unsigned i = 0; a && i < dims; i++)
		free ((char *) (uintptr_t) a->by[i]);
	free (a);
	return NULL;
}

struct ppi_aggregate *ppi_aggregate_acquire (const char *const *by, unsigned dims,
					     const char *sites, unsigned accumulator,
					     uint32_t max_groups)
{
	struct ppi_aggregate *a = NULL;

	for (uint32_t i = 0; i < n_aggregates && !a; i++)
		if (is_like (aggregate[i], by, dims, sites, accumulator, max_groups))
			a = aggregate[i];
	if (!a) {
		if (n_aggregates == PPI_AGGREGATES)
			return NULL;
		a = create (by, dims, sites, accumulator, max_groups);
		if (!a)
			return NULL;
		aggregate[n_aggregates++] = a;
	}
	if (!begin (a))
		return NULL;
	a->wanted++;
	return a;
}

void ppi_aggregate_release (struct ppi_aggregate *a)
{
	a->wanted -= a->wanted > 0;
}

const struct ppi_aggregate *ppi_aggregate_at (uint32_t number)
{
	return number && number <= n_aggregates ? aggregate[number - 1] : NULL;
}

void ppi_groups_forget (void)
{
	for (uint32_t i = 0; i < n_aggregates; i++)
		__atomic_store_n (&aggregate[i]->groups, NULL, __ATOMIC_RELEASE);
}

void ppi_groups_renew (void)
{
	for (uint32_t i = 0; i < n_aggregates; i++)
		if (aggregate[i]->wanted)
			(void) begin (aggregate[i]);
}
