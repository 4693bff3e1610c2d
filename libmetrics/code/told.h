/* SPDX-License-Identifier: MIT */
/*
 * told.h: code that is made at run time tells debuggers and profilers of itself: gdb by its JIT
 * interface, always, and perf by a file /tmp/perf-PID.map, where PP_PERF_MAP=1 asks for it. All
 * with the runtime's lock.
 */
#ifndef PPI_CODE_TOLD_H
#define PPI_CODE_TOLD_H

#include "libmetrics/code/arena.h"

/* There is a block of BYTES at AT, for a marker of PLAN's site. It is told with the next batch. */
PPI_HIDDEN void ppi_told_add (const struct ppi_arena *arena, uintptr_t at, size_t bytes,
			      const struct ppi_plan *plan);
/* Tells of those that were added since. At the end of a batch. */
PPI_HIDDEN void ppi_told_now (void);
/* The arena's memory is about to go. */
PPI_HIDDEN void ppi_told_forget (const struct ppi_arena *arena);
/* In a child: it has the parent's blocks, and a map of its own. */
PPI_HIDDEN void ppi_told_after_fork (void);

#endif
