/* SPDX-License-Identifier: MIT */
/*
 * users_statistic.h: statistics of the program's own, by name and number.
 */
#ifndef PPI_SOURCE_USERS_STATISTIC_H
#define PPI_SOURCE_USERS_STATISTIC_H

#include "base/atomic.h"

#include <pp_abi.h>

struct ppi_named;

/*
 * Statistics of the program's own, by number from 0: that of NAME, or -1, and the power of the
 * metric's unit that it has; its name, NULL: there is none; its value, which takes the lock and
 * calls the program's function without it: not where the lock is held.
 */
int ppi_users_statistic (const char *name, int *power);

const char *ppi_users_statistic_name (unsigned number);

int ppi_users_statistic_power (unsigned number);

/* A static record of one comes, or goes. [lock] */
void ppi_statistic_add (struct pp_abi_record *record) PPI_HIDDEN;
void ppi_statistic_remove (struct pp_abi_record *record) PPI_HIDDEN;

/* NULL: there is none. Any thread. */
const struct ppi_named *ppi_users_statistic_numbered (unsigned number) PPI_HIDDEN;

#endif
