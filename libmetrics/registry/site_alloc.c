/* SPDX-License-Identifier: MIT */
/*
 * site_alloc.c: names of sites, and their memory. A program may have a hundred thousand, which are
 * all made when somebody first looks for one: so they lie one behind the other, texts are shared
 * where neighbours have them in common, and memory comes in blocks that the kernel fills in one go.
 */
#include "libmetrics/registry/site_alloc.h"

#include "base/memory.h"
#include "libmetrics/tables/module.h"
#include "libmetrics/tables/site.h"

#include <errno.h>
#include <pp.h>
#include <pp_abi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

bool ppi_site_name (struct ppi_site_name *out, const struct ppi_module *m,
		    const struct pp_abi_site *d)
{
	const char *parts[] = {m->name,
			       "!",
			       ppi_site_text (d, d->file),
			       ":",
			       ppi_site_text (d, d->function),
			       "/",
			       ppi_site_text (d, d->name)};
	bool is_call = !d->file && !d->function;

	out->n = 0;
	for (unsigned i = 0; i < sizeof (parts) / sizeof (parts[0]); i++) {
		size_t n = is_call && i > 1 && i < 6 ? 0 : strlen (parts[i]);

		if (n >= sizeof (out->full) - out->n)
			return false;
		out->at = out->n;
		memcpy (out->full + out->n, parts[i], n);
		out->n += n;
	}
	out->full[out->n] = '\0';
	return true;
}

/* ---- memory ---------------------------------------------------------------------------------- */

_Static_assert(sizeof (pp_site) + 4 * PPI_SITE_NAME_MAX <= PPI_FOR_GOOD_MOST,
	       "a site whose texts are long fits in a block");

/* A text of its own, or the one that the site before has. */
static const char *share (const char **last, const char *text)
{
	size_t n;
	char *copy;

	if (!*text)
		return "";
	if (*last && strcmp (*last, text) == 0)
		return *last;
	n = strlen (text) + 1;
	copy = malloc (n);
	if (copy)
		*last = memcpy (copy, text, n);
	return copy;
}

pp_site *ppi_site_alloc (const struct ppi_site_name *name, const struct ppi_module *m,
			 const struct pp_abi_site *d)
{
	static const char *module, *file, *groups, *dims, *parameters;
	const char *function = ppi_site_text (d, d->function);
	size_t n = strlen (function) + 1;
	pp_site *s = ppi_calloc_for_good (sizeof (*s) + name->n + 1 + n);

	if (!s)
		return NULL;
	s->full = memcpy (s + 1, name->full, name->n + 1);
	s->base = s->full;
	s->name = s->full + name->at;
	s->function = memcpy (s->full + name->n + 1, function, n);
	s->module = share (&module, m->name);
	s->file = share (&file, ppi_site_text (d, d->file));
	s->groups = share (&groups, ppi_site_text (d, d->groups));
	s->dims = share (&dims, ppi_site_text (d, d->dims));
	s->parameters = share (&parameters, ppi_site_text (d, d->parameters));
	/* what of it can't be used is lost, once memory has run out */
	return s->module && s->file && s->groups && s->dims && s->parameters ? s : NULL;
}

char *ppi_site_text_copy (const char *text, size_t n)
{
	char *copy = ppi_calloc_for_good (n + 1);

	if (copy)
		memcpy (copy, text, n);
	return copy;
}
