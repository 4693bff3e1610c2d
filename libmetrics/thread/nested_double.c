/* SPDX-License-Identifier: MIT */
/* nested_double.c: the part of nested.c that needs vector registers. */
#include "libmetrics/keep/accumulate_double.h"
#include "libmetrics/tables/plan.h"
#include "libmetrics/thread/nested.h"

/* The bits of doubles: who calls it may use general registers only, and has had the others kept. */
void ppi_nested_add_double (uintptr_t into, const struct ppi_plan *unused, uintptr_t bits)
{
	uint64_t *sum = (uint64_t *) into;

	(void) unused;
	*sum = ppi_bits_of (ppi_double_of (*sum) + ppi_double_of (bits));
}
