/* SPDX-License-Identifier: MIT */
/* user_source.h: sources that are functions of the program. */
#ifndef PPI_SOURCE_USER_SOURCE_H
#define PPI_SOURCE_USER_SOURCE_H

#include "libmetrics/source/source.h"

#include <pp_abi.h>
#include <stdbool.h>

/* What a metric declared with functions uses: instance->user_begin and user_end. */
extern const struct ppi_source ppi_user_functions __attribute__ ((visibility ("hidden")));
static inline bool ppi_is_users (const struct ppi_source_instance *instance)
{
	return instance->source->begin == ppi_user_functions.begin;
}
/*
 * Takes a PP_SOURCE record in, or away; with the lock. False: it can't be used, and that was said.
 */
bool ppi_user_source_add (struct pp_abi_record *record) __attribute__ ((visibility ("hidden")));
void ppi_user_source_remove (struct pp_abi_record *record) __attribute__ ((visibility ("hidden")));

#endif
