/* SPDX-License-Identifier: MIT */
/* drops.c: see drops.h. At markers too: general registers only. */
#include "libmetrics/region/drops.h"

#include <pp.h>
#include <stdint.h>

uint64_t ppi_drops_nowhere[PP_DROPS];

void ppi_drop_nowhere (enum pp_drop cause, uint64_t n)
{
	__atomic_fetch_add (&ppi_drops_nowhere[cause], n, __ATOMIC_RELAXED);
}
