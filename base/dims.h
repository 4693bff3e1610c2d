/* SPDX-License-Identifier: MIT */
/* dims.h: the dimensions of a site as its table has them: "n:i,ratio:d,node:p,name:s". Pure. */
#ifndef PPI_BASE_DIMS_H
#define PPI_BASE_DIMS_H

#include <pp_abi.h>
#include <stdbool.h>

struct ppi_dim {
	const char *key; /* not NUL-terminated */
	size_t length;
	enum pp_abi_value type; /* PP_ABI_VALUE_NONE: of a later version */
};

/* The first of *TEXT, which moves on behind it. False: there is none left. */
bool ppi_dim_next (const char **text, struct ppi_dim *out);
/* The place of KEY among them, from 0, and its type; -1: it is not there. */
int ppi_dim_find (const char *dims, const char *key, enum pp_abi_value *type);
/* "integer", "double", "pointer", "string"; "none", "?" */
const char *ppi_value_name (unsigned type);

#endif
