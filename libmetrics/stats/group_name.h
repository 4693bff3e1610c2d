/* SPDX-License-Identifier: MIT */
/* group_name.h: groups as people read them: command="GET", cached=1. */
#ifndef PPI_STATS_GROUP_NAME_H
#define PPI_STATS_GROUP_NAME_H

#include "base/atomic.h"

#include <stddef.h>
#include <stdint.h>

struct ppi_group_said {
	char *out;
	size_t room, used; /* USED: without the 0 at its end */
};

/*
 * One dimension more, behind a comma; of a string VALUE is the text's number. What has no room ends
 * in "…", not amid a character. Any context: no lock, no allocation; doubles by printf.
 */
PPI_HIDDEN void ppi_group_say (struct ppi_group_said *said, const char *key, unsigned type,
			       uint64_t value);

#endif
