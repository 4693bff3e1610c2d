/* SPDX-License-Identifier: MIT */
/*
 * accumulator.c: accumulators by their names, and what is asked of their descriptors; see
 * accumulator.h.
 */
#include "libmetrics/keep/accumulator.h"

#include <stdio.h>
#include <string.h>

int ppi_accumulator_parse (const char *name)
{
	for (int i = 0; i < PPI_ACCUMULATORS_MAX; i++)
		if (ppi_keep_table[i] && strcmp (name, ppi_keep_table[i]->name) == 0)
			return i;
	return -1;
}

const char *ppi_accumulator_name (unsigned accumulator)
{
	return ppi_accumulator_exists (accumulator) ? ppi_keep_of (accumulator)->name : "?";
}

const char *ppi_accumulator_with_option (const char *option, char *out, size_t room)
{
	for (unsigned i = 0; ppi_accumulator_exists (i); i++) {
		const struct ppi_keep *keep = ppi_keep_of (i);

		if (keep->size.option && strcmp (keep->size.option, option) == 0) {
			snprintf (out, room, "%s %s", strchr ("aeiou", keep->name[0]) ? "an" : "a",
				  keep->name);
			return out;
		}
	}
	return "nothing";
}

int ppi_accumulator_register (const struct ppi_keep *keep)
{
	/* what has a layout of its own can't have a second one */
	if (keep->keeps & (PPI_KEEPS_SAMPLES | PPI_KEEPS_BUCKETS) ||
	    keep->own_words > PPI_OWN_WORDS ||
	    keep->own_at + keep->own_words * sizeof (uint64_t) > keep->bytes)
		return PP_EINVAL;
	if (ppi_accumulator_parse (keep->name) >= 0)
		return PP_EEXIST;
	for (int i = 0; i < PPI_ACCUMULATORS_MAX; i++)
		if (!ppi_keep_table[i]) {
			__atomic_store_n (&ppi_keep_table[i], keep, __ATOMIC_RELEASE);
			return i;
		}
	return PP_ENOMEM;
}

uint32_t ppi_shard_bytes (unsigned accumulator, uint64_t size)
{
	const struct ppi_keep *keep = ppi_keep_of (accumulator);

	return (uint32_t) (keep->bytes + size * keep->size.sample_bytes);
}

bool ppi_statistic_exists (unsigned accumulator, enum pp_statistic statistic)
{
	return (unsigned) statistic < PP_STATISTICS &&
	       (ppi_keep_of (accumulator)->has >> statistic & 1);
}

bool ppi_statistic_is_cheap (unsigned accumulator, enum pp_statistic statistic)
{
	return ppi_statistic_exists (accumulator, statistic) &&
	       !(ppi_keep_of (accumulator)->scans >> statistic & 1);
}

enum ppi_accumulator ppi_statistic_window_accumulator (unsigned accumulator)
{
	return ppi_keep_of (accumulator)->stats_in_windows ? PPI_STATS
							   : (enum ppi_accumulator) accumulator;
}

bool ppi_statistic_has_window (unsigned accumulator, enum pp_statistic statistic)
{
	/* these are since the start by their meaning */
	return statistic != PP_STAT_TOTAL && statistic != PP_STAT_N && statistic != PP_STAT_LOST &&
	       ppi_statistic_exists (ppi_statistic_window_accumulator (accumulator), statistic);
}

int ppi_statistic_alone (unsigned accumulator)
{
	unsigned alone = ppi_keep_of (accumulator)->alone;

	return alone ? __builtin_ctz (alone) : -1;
}
