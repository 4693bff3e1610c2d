/* SPDX-License-Identifier: MIT */
/*
 * feature.h: the sink `feature`: what is the own time of each mark and antimark goes into a table of
 * the thread's, by site and payload; which mark is in which, thread/feature.h says.
 *
 *     site, payload ──hash──► slot (private) ──► entry in a chunk `features` of the live region
 *
 * A table has room for 4,096 payloads; what is beyond that is one entry a site. Tables and chunks
 * are a thread state's: when its thread has ended, the next one goes on in them.
 */
#ifndef PPI_MARKER_FEATURE_H
#define PPI_MARKER_FEATURE_H

#include "base/atomic.h"
#include "libmetrics/marker/sink.h"

#include <stdbool.h>
#include <stdint.h>

#define PPI_FEATURE_PAYLOADS 4096u

/*
 * How often marks of the site with number ID ended in the calling thread, and their own time in
 * ticks; of those without a payload. False: none did.
 */
bool ppi_feature_own (uint32_t id, uint64_t *n, uint64_t *ticks) PPI_HIDDEN;

#endif
