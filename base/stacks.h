/* SPDX-License-Identifier: MIT */
/*
 * stacks.h: where the stacks of threads are.
 */
#ifndef PPI_BASE_STACKS_H
#define PPI_BASE_STACKS_H

#include "base/atomic.h"

#include <stdint.h>

/* may grow to there; ends there */
extern uintptr_t ppi_main_stack_lo PPI_HIDDEN, ppi_main_stack_hi PPI_HIDDEN;
extern uintptr_t ppi_stack_bytes PPI_HIDDEN; /* of threads that were not told otherwise */
extern uint32_t ppi_main_tid PPI_HIDDEN;     /* the process's number */

/* Finds out. With the lock, when the region is made; ordinary context. */
PPI_HIDDEN void ppi_stacks_learn (void);

#endif
