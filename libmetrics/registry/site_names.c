/* SPDX-License-Identifier: MIT */
/*
 * site_names.c: gives sites that have one module!file:function/name names of their own, once all
 * sites of a module are there.
 */
#include "base/names.h"
#include "libmetrics/registry/site.h"
#include "libmetrics/registry/site_alloc.h"
#include "libmetrics/tables/site.h"

#include <stdlib.h>

/*
 * Those of which there are several, and that have new ones among them; their names are settled
 * when all are there.
 */
static pp_site **crowds;
static uint32_t n_crowds, crowds_room;

void ppi_site_crowd_add (pp_site *first_of_them)
{
	if (n_crowds && crowds[n_crowds - 1] == first_of_them)
		return;
	if (n_crowds == crowds_room) {
		uint32_t room = crowds_room ? 2 * crowds_room : 64;
		pp_site **fresh = realloc (crowds, room * sizeof (pp_site *));

		if (!fresh)
			return; /* their names say less than they could */
		crowds = fresh;
		crowds_room = room;
	}
	crowds[n_crowds++] = first_of_them;
}

/* Gives S, which is new, a name of its own. */
static void name_apart (pp_site *s, const struct ppi_namesake *how)
{
	char name[PPI_SITE_NAME_MAX];
	size_t n =
		how->telling ? ppi_name_write (name, sizeof (name), &how->parts, how->telling) : 0;
	char *full = n ? ppi_site_text_copy (name, n) : NULL;

	s->nth = how->parts.nth;
	if (full)
		s->full = full;
}

/* Whoever was there before SETTLED sites keeps the name that others may know by now. */
static void settle (pp_site *first_of_them, uint32_t settled)
{
	struct ppi_namesake *of;
	size_t n = 0;

	for (const pp_site *s = first_of_them; s; s = s->namesake)
		n++;
	of = calloc (n ? n : 1, sizeof (*of));
	n = 0;
	for (pp_site *s = of ? first_of_them : NULL; s; s = s->namesake)
		of[n++] = (struct ppi_namesake){.parts = ppi_site_parts (s),
						.column = s->column,
						.kind = s->kind,
						.value = s->value,
						.flags = s->flags,
						.dims = s->dims,
						.site = s,
						.settled = s->id <= settled};
	ppi_namesakes_tell (of, n);
	for (size_t i = 0; i < n; i++)
		if (!of[i].settled)
			name_apart (of[i].site, &of[i]);
	free (of);
}

void ppi_site_settle_names (uint32_t settled)
{
	for (uint32_t i = 0; i < n_crowds; i++)
		settle (crowds[i], settled);
	n_crowds = 0;
}
