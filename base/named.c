/* SPDX-License-Identifier: MIT */
/* named.c: lists of functions by name. */
#include "base/named.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct ppi_named *ppi_named_find (struct ppi_named *const *list, const char *name)
{
	struct ppi_named *one = __atomic_load_n (list, __ATOMIC_ACQUIRE);

	while (one && strcmp (one->name, name) != 0)
		one = __atomic_load_n (&one->next, __ATOMIC_ACQUIRE);
	return one;
}

bool ppi_is_identifier (const char *name)
{
	if (!isalpha ((unsigned char) *name) && *name != '_')
		return false;
	while (isalnum ((unsigned char) *name) || *name == '_')
		name++;
	return !*name;
}

int ppi_named_add (struct ppi_named **list, const char *name, ppi_any_fn function, void *arg,
		   const struct pp_abi_record *record)
{
	struct ppi_named *one = ppi_named_find (list, name);
	uint32_t n = 0;

	if (!ppi_is_identifier (name) || strlen (name) >= PP_ABI_NAME_BYTES || !function)
		return PP_EINVAL;
	if (one && one->function)
		return one->function == function && one->arg == arg ? PP_OK : PP_EEXIST;
	if (one) { /* its module was closed */
		one->arg = arg;
		one->record = record;
		__atomic_store_n (&one->function, function, __ATOMIC_RELEASE);
		return PP_OK;
	}
	one = calloc (1, sizeof *one);
	if (!one)
		return PP_ENOMEM;
	strcpy (one->name, name);
	one->function = function;
	one->arg = arg;
	one->record = record;
	for (; *list; list = &(*list)->next)
		n++;
	one->number = n;
	/* release: who follows the list finds it filled in */
	__atomic_store_n (list, one, __ATOMIC_RELEASE);
	return PP_OK;
}

void ppi_named_remove_record (struct ppi_named **list, struct pp_abi_record *record)
{
	record->runtime = NULL;
	for (struct ppi_named *one = *list; one; one = one->next)
		if (one->record == record) {
			one->record = NULL;
			__atomic_store_n (&one->function, NULL, __ATOMIC_RELEASE);
		}
}
