/* SPDX-License-Identifier: MIT */
/* dims.c: reads the dimensions of a site. */
#include "base/dims.h"

#include <string.h>

bool ppi_dim_next (const char **text, struct ppi_dim *out)
{
	const char *at = *text;
	size_t n = strcspn (at, ":,");

	if (!n)
		return false;
	*out = (struct ppi_dim){at, n, PP_ABI_VALUE_NONE};
	at += n;
	if (*at == ':')
		out->type = ppi_value_of_letter (at[1]);
	at += strcspn (at, ",");
	*text = at + (*at == ',');
	return true;
}

int ppi_dim_find (const char *dims, const char *key, enum pp_abi_value *type)
{
	size_t n = strlen (key);
	struct ppi_dim dim;

	for (int i = 0; ppi_dim_next (&dims, &dim); i++)
		if (dim.length == n && memcmp (dim.key, key, n) == 0) {
			*type = dim.type;
			return i;
		}
	return -1;
}

const char *ppi_value_name (unsigned type)
{
	static const char *const names[] = {"none",   "integer", "double",  "pointer",
					    "string", "?",       "boolean", "unsigned"};

	return type < sizeof (names) / sizeof (names[0]) ? names[type] : "?";
}
