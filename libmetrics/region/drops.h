/* SPDX-License-Identifier: MIT */
/*
 * drops.h: what was not measured, where no thread could count it.
 */
#ifndef PPI_REGION_DROPS_H
#define PPI_REGION_DROPS_H

#include "base/atomic.h"

#include <pp.h>
#include <stdint.h>

/* Counts N under CAUSE. Any context. */
PPI_HIDDEN void ppi_drop_nowhere (enum pp_drop cause, uint64_t n);

/* By cause, since they were published last (thread/thread_life.h). Atomic. */
PPI_HIDDEN extern uint64_t ppi_drops_nowhere[PP_DROPS];

#endif
