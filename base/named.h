/* SPDX-License-Identifier: MIT */
/*
 * named.h: functions of the program's that metrics and expressions name: operators, statistics.
 * With the lock, except what is said to be atomic.
 */
#ifndef PPI_BASE_NAMED_H
#define PPI_BASE_NAMED_H

#include <pp.h>
#include <stdbool.h>

typedef void (*ppi_any_fn) (void);

/* Never freed, nor moved. */
struct ppi_named {
	struct ppi_named *next; /* in the order of registration; atomic */
	char name[PP_ABI_NAME_BYTES];
	ppi_any_fn function; /* NULL: its module was closed; atomic */
	void *arg;
	const struct pp_abi_record *record; /* NULL: registered by a call */
	uint32_t number;                    /* in the list, from 0 */
	uint8_t power;                      /* of statistics: of the metric's unit */
};

/* Letters, digits and _, and no digit first: what expressions and policies can name. */
bool ppi_is_identifier (const char *name) __attribute__ ((visibility ("hidden")));
/* The list's first is atomic too: readers without the lock follow it. */
struct ppi_named *ppi_named_find (struct ppi_named *const *list, const char *name)
	__attribute__ ((visibility ("hidden")));
/*
 * Adds FUNCTION, or gives it to a name whose module was closed. The same again is PP_OK; PP_EINVAL
 * where NAME is no identifier of less than 64 bytes, PP_EEXIST where another function has it,
 * PP_ENOMEM.
 */
int ppi_named_add (struct ppi_named **list, const char *name, ppi_any_fn function, void *arg,
		   const struct pp_abi_record *record) __attribute__ ((visibility ("hidden")));
/* The same for a static record; a message where it can't be used. KIND: "operator". */
void ppi_named_add_record (struct ppi_named **list, struct pp_abi_record *record, const char *kind)
	__attribute__ ((visibility ("hidden")));
/* The record's module goes. */
void ppi_named_remove_record (struct ppi_named **list, struct pp_abi_record *record)
	__attribute__ ((visibility ("hidden")));

#endif
