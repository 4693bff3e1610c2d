/* SPDX-License-Identifier: MIT */
/* elf_names.c: sites of one name get the names that the runtime gives them. */
#include "ppctl/elf_read.h"

#include <stdlib.h>
#include <string.h>

/* Of N sites that have the same base. */
static bool tell_apart (struct ppctl_site *site, size_t n)
{
	struct ppi_namesake *of = calloc (n, sizeof *of);
	char name[4096];
	bool done = of;

	for (size_t i = 0; of && i < n; i++)
		of[i] = (struct ppi_namesake){.parts = site[i].parts,
					      .column = site[i].abi->column,
					      .kind = site[i].abi->kind,
					      .value = site[i].abi->value,
					      .flags = site[i].abi->flags & PP_ABI_SITE_TELLING,
					      .dims = site[i].dims,
					      .site = &site[i]};
	if (of)
		ppi_namesakes_tell (of, n);
	for (size_t i = 0; done && i < n; i++) {
		struct ppctl_site *s = of[i].site;

		s->parts.nth = of[i].parts.nth;
		if (!of[i].telling ||
		    !ppi_name_write (name, sizeof name, &of[i].parts, of[i].telling))
			continue;
		s->own_name = strdup (name);
		s->full = s->own_name ? s->own_name : s->full;
		done = s->own_name;
	}
	free (of);
	return done;
}

bool ppctl_name_sites (struct ppctl_binary *binary)
{
	for (size_t from = 0, to; from < binary->n_sites; from = to) {
		for (to = from + 1; to < binary->n_sites &&
				    strcmp (binary->site[from].base, binary->site[to].base) == 0;)
			to++;
		if (to - from > 1 && !tell_apart (binary->site + from, to - from))
			return false;
	}
	return true;
}
