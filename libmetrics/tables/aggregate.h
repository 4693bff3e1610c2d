/* SPDX-License-Identifier: MIT */
/*
 * aggregate.h: into which aggregates a site's executions go, and where the values of their
 * dimensions come from. A set lives for good, since frames name the one that they began with, and
 * only learns which dimensions come late.
 */
#ifndef PPI_TABLES_AGGREGATE_H
#define PPI_TABLES_AGGREGATE_H

#include "libmetrics/region/groups.h"

#define PPI_SET_AGGREGATES 4u /* of a site */
#define PPI_SET_KEYS 8u       /* different ones of all of them */

enum ppi_key_from {
	PPI_KEY_UNKNOWN,  /* the site has none; only calls and #pragma pp dim can say it */
	PPI_KEY_CAPTURED, /* the site does, at its begin */
	PPI_KEY_EVENT,    /* it is the site's name */
};

struct ppi_aggregate_set {
	uint32_t n, keys;
	uint32_t late; /* bits of keys: such values came after a begin; atomic */
	/* which captures are texts of keys */
	uint8_t texts, text[PPI_SET_KEYS];
	struct {
		const char *name;
		uint8_t from;    /* enum ppi_key_from */
		uint8_t type;    /* enum pp_abi_value, of what is captured */
		uint8_t capture; /* which one */
	} key[PPI_SET_KEYS];
	struct {
		const struct ppi_aggregate *aggregate;
		uint8_t key[PPI_GROUP_DIMS]; /* places in KEY */
		uint32_t mask;               /* likewise, a bit each */
		/*
		 * where the site captures them all, the key but for its values, and which those are
		 */
		bool is_captured;
		uint8_t capture[PPI_GROUP_DIMS];
		struct ppi_group_key like;
	} at[PPI_SET_AGGREGATES];
	struct ppi_aggregate_set *next; /* of the same site */
};

#endif
