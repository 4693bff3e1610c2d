/* SPDX-License-Identifier: MIT */
/* assertion_parts.h: the parts of assertions/, in their order, for tests that have no libpp. */
#ifndef ASSERTION_PARTS_H
#define ASSERTION_PARTS_H

#include "libpp/parts.h"

#include <stddef.h>

static inline void start_assertions (void)
{
	static const struct ppi_part *const parts[] = {
#define X(name) &ppi_##name##_part,
		PPI_PARTS_OF_ASSERTIONS (X) PPI_PARTS_THAT_LINK (X)
#undef X
			NULL};

	ppi_parts_set (parts);
	ppi_parts_init ();
}

#endif
