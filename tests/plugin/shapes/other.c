/* SPDX-License-Identifier: MIT */
/* The second unit of two.c. */
#include "pch.h"

SHARED int other (void)
{
	int r = from_header (2);
#ifdef __cplusplus
	r += static_cast<int> (in_both (1) + in_both (2L)) + comdat (3);
#endif
	return r;
}

SHARED pp_metric **metric_address (void)
{
	return &shared_metric;
}
