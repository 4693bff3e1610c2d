/* SPDX-License-Identifier: MIT */
/* intern.c: a table of hashes; see intern.h. */
#include "recording/intern.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

static struct ppi_intern_entry *look_up (struct ppi_intern *names, const char *key, size_t bytes)
{
	size_t at = (size_t) ppi_hash (key, bytes, 0) & (names->room - 1);

	while (names->slot[at].key &&
	       (names->slot[at].bytes != bytes || memcmp (names->slot[at].key, key, bytes) != 0))
		at = (at + 1) & (names->room - 1);
	return &names->slot[at];
}

static bool grow (struct ppi_intern *names)
{
	struct ppi_intern larger = {.room = names->room ? 2 * names->room : 256};

	larger.slot = calloc (larger.room, sizeof *larger.slot);
	if (!larger.slot)
		return false;
	for (size_t i = 0; i < names->room; i++)
		if (names->slot[i].key)
			*look_up (&larger, names->slot[i].key, names->slot[i].bytes) =
				names->slot[i];
	larger.n = names->n;
	free (names->slot);
	*names = larger;
	return true;
}

struct ppi_intern_entry *ppi_intern (struct ppi_intern *names, const void *key, size_t bytes,
				     bool *is_new)
{
	struct ppi_intern_entry *name;

	if (2 * names->n >= names->room && !grow (names))
		return NULL;
	name = look_up (names, key, bytes);
	*is_new = !name->key;
	if (name->key)
		return name;
	name->key = malloc (bytes ? bytes : 1);
	if (!name->key)
		return NULL;
	memcpy (name->key, key, bytes);
	name->bytes = bytes;
	name->number = (uint32_t) ++names->n;
	return name;
}

void ppi_intern_free (struct ppi_intern *names)
{
	for (size_t i = 0; i < names->room; i++) {
		free (names->slot[i].key);
		free (names->slot[i].what);
	}
	free (names->slot);
}
