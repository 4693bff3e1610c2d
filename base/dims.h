/* SPDX-License-Identifier: MIT */
/*
 * dims.h: the dimensions of a site as its table has them: "n:i,ratio:d,node:p,name:s,ok:b,size:u".
 * Pure.
 */
#ifndef PPI_BASE_DIMS_H
#define PPI_BASE_DIMS_H

#include <pp_abi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* By enum pp_abi_value, with '-' and '?' for what is none; see ppi_value_of_letter. */
#define PPI_VALUE_LETTERS "-idps?bu"

/* One that a dimension may have. */
static inline bool ppi_is_value (uint64_t type)
{
	return (type >= PP_ABI_VALUE_INT && type <= PP_ABI_VALUE_STRING) ||
	       type == PP_ABI_VALUE_BOOL || type == PP_ABI_VALUE_UNSIGNED;
}

/* An integer, which booleans are, too. */
static inline bool ppi_is_integer (unsigned type)
{
	return type == PP_ABI_VALUE_INT || type == PP_ABI_VALUE_BOOL ||
	       type == PP_ABI_VALUE_UNSIGNED;
}

/* NONE: it is no letter, or of a later version. */
static inline enum pp_abi_value ppi_value_of_letter (char letter)
{
	switch (letter) {
	case 'i':
		return PP_ABI_VALUE_INT;
	case 'd':
		return PP_ABI_VALUE_DOUBLE;
	case 'p':
		return PP_ABI_VALUE_POINTER;
	case 's':
		return PP_ABI_VALUE_STRING;
	case 'b':
		return PP_ABI_VALUE_BOOL;
	case 'u':
		return PP_ABI_VALUE_UNSIGNED;
	default:
		return PP_ABI_VALUE_NONE;
	}
}

struct ppi_dim {
	const char *key; /* not NUL-terminated */
	size_t length;
	enum pp_abi_value type; /* PP_ABI_VALUE_NONE: of a later version */
};

/* The first of *TEXT, which moves on behind it. False: there is none left. */
bool ppi_dim_next (const char **text, struct ppi_dim *out);
/* The place of KEY among them, from 0, and its type; -1: it is not there. */
int ppi_dim_find (const char *dims, const char *key, enum pp_abi_value *type);
/* "integer", "double", "pointer", "string", "boolean", "unsigned"; "none", "?" */
const char *ppi_value_name (unsigned type);

#endif
