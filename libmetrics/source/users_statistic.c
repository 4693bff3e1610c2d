/* SPDX-License-Identifier: MIT */
/* users_statistic.c: see users_statistic.h. */
#include "libmetrics/source/users_statistic.h"

#include "base/lock.h"
#include "base/named.h"
#include "base/part.h"
#include "base/types.h"

#include <errno.h>

static struct ppi_named *users;

static int register_statistic (const char *name, pp_statistic_fn fn, void *arg, int power)
{
	int error;

	if (power < 0 || power > 2)
		return PP_EINVAL;
	if (ppi_statistic_parse (name) >= 0)
		return PP_EEXIST;
	error = ppi_named_add (&users, name, (ppi_any_fn) fn, arg, NULL);
	if (!error)
		ppi_named_find (&users, name)->power = (uint8_t) power;
	return error;
}

int pp_statistic_new (const char *name, pp_statistic_fn fn, void *arg, int power)
{
	int error, saved = errno;

	if (!name || !fn)
		return PP_EINVAL;
	ppi_lock ();
	error = register_statistic (name, fn, arg, power);
	if (!error)
		ppi_parts_names_changed ();
	ppi_unlock ();
	errno = saved;
	return error;
}

void ppi_statistic_add (struct pp_abi_record *record)
{
	const char *name = ((const struct pp_abi_function *) record)->name;
	struct ppi_named *one;

	ppi_named_add_record (&users, record, "statistic");
	one = ppi_named_find (&users, name);
	if (one && one->record == record)
		one->power = record->flags;
}

void ppi_statistic_remove (struct pp_abi_record *record)
{
	ppi_named_remove_record (&users, record);
}

int ppi_users_statistic (const char *name, int *power)
{
	const struct ppi_named *one = ppi_named_find (&users, name);

	if (one && power)
		*power = one->power;
	return one ? (int) one->number : -1;
}

const struct ppi_named *ppi_users_statistic_numbered (unsigned number)
{
	const struct ppi_named *one = __atomic_load_n (&users, __ATOMIC_ACQUIRE);

	while (one && one->number != number)
		one = __atomic_load_n (&one->next, __ATOMIC_ACQUIRE);
	return one;
}

const char *ppi_users_statistic_name (unsigned number)
{
	const struct ppi_named *one = ppi_users_statistic_numbered (number);

	return one ? one->name : NULL;
}

int ppi_users_statistic_power (unsigned number)
{
	const struct ppi_named *one = ppi_users_statistic_numbered (number);

	return one ? one->power : 0;
}
