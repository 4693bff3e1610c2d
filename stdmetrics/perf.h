/* SPDX-License-Identifier: MIT */
/* perf.h: why an event of perf can't be counted. */
#ifndef PPI_PERF_H
#define PPI_PERF_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#define PPI_PERF_PARANOID_UNKNOWN INT_MIN

/* kernel.perf_event_paranoid. */
int ppi_perf_paranoid (void);
/* A sentence on why perf_event_open refused NAME with ERROR, an errno. Pure. */
void ppi_perf_explain (const char *name, int error, bool hardware, bool in_kernel, int paranoid,
		       char *why, size_t room);

#endif
