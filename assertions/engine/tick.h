/* SPDX-License-Identifier: MIT */
/* tick.h: the engine's tick. */
#ifndef PPI_ENGINE_TICK_H
#define PPI_ENGINE_TICK_H

#include <stdint.h>

#define PPI_TICK_NS UINT64_C (10000000) /* while there are assertions at sites */

/*
 * Something was left for the owner of the tick, or the list has changed: it looks at all assertions
 * next time, and now if it sleeps. Any thread, also at markers.
 */
void ppi_assertions_news (void);
/* How often it has. */
uint64_t ppi_assertions_passes (void);

/* All assertions, where something is due: the engine's tick (base/part.h). Without the lock. */
uint64_t ppi_assertions_tick_all (uint64_t now_ns);

#endif
