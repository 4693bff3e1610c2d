/* SPDX-License-Identifier: MIT */
/* A header with everything that a precompiled one could lose. Included by two.c and other.c. */
#ifndef PCH_H
#define PCH_H
#include <pp.h>

#ifdef __cplusplus
#define SHARED extern "C"
#else
#define SHARED extern
#endif
SHARED int other (void);
SHARED pp_metric **metric_address (void);

__attribute__ ((unused)) static long active (void)
{
	return 7;
}
#pragma pp metric shared_metric point sumcount(active)

__attribute__ ((unused)) static int from_header (int x)
{
#pragma pp interval in_header
#pragma pp feature lib.in_header
#pragma pp point header_point(shared_metric) value(x)
#pragma pp expect fine: shared_metric.last@header_point <= 3ms
#pragma pp bind shared_metric to header_point
	return x + 1;
}

#ifdef __cplusplus
template <class T>
T in_both (T x)
{
#pragma pp interval in_template
	return x;
}
inline int comdat (int x)
{
#pragma pp interval in_comdat
	return x + 2;
}
#endif
#endif
