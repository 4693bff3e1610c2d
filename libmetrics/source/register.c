/* SPDX-License-Identifier: MIT */
/*
 * register.c: operators come from the program, by calls and by static records. Apart from
 * operator.c, which ppctl has without the runtime.
 */
#include "base/lock.h"
#include "base/message.h"
#include "base/named.h"
#include "base/part.h"
#include "libmetrics/source/operator.h"

#include <errno.h>
#include <string.h>

void ppi_named_add_record (struct ppi_named **list, struct pp_abi_record *head, const char *kind)
{
	const struct pp_abi_function *record = (const struct pp_abi_function *) head;
	int error = memchr (record->name, 0, sizeof record->name)
			    ? ppi_named_add (list, record->name, record->function, NULL, head)
			    : PP_EINVAL;

	if (!error)
		head->runtime = ppi_named_find (list, record->name);
	else
		ppi_message (
			"%s: %s \"%.63s\" can't be used: %s", record->where, kind, record->name,
			error == PP_EEXIST ? "there is another of that name" : pp_strerror (error));
}

int pp_operator_new (const char *name, pp_operator_fn fn)
{
	int error, saved = errno;

	if (!name || !fn)
		return PP_EINVAL;
	ppi_lock ();
	error = ppi_operator_parse (name) == PPI_OPERATOR_USERS
			? ppi_named_add (&ppi_operators, name, (ppi_any_fn) fn, NULL, NULL)
			: PP_EEXIST;
	if (!error)
		ppi_parts_names_changed ();
	ppi_unlock ();
	errno = saved;
	return error;
}

void ppi_operator_add (struct pp_abi_record *record)
{
	ppi_named_add_record (&ppi_operators, record, "operator");
}

void ppi_operator_remove (struct pp_abi_record *record)
{
	ppi_named_remove_record (&ppi_operators, record);
}
