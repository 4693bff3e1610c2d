/* SPDX-License-Identifier: MIT */
/* seen_other.c: the unit that declares what seen.c only names. */
#include <pp.h>

extern int of_other_unit;

static int read_of_other_unit (void)
{
	return of_other_unit;
}
#pragma pp metric elsewhere point scalar(read_of_other_unit)
