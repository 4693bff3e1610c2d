/* SPDX-License-Identifier: MIT */
/*
 * stdmetrics.h: the library's own sources, a file per subject. A new one is a constant here and a line in PPI_STANDARD_SOURCES; everything
 * else (names in metrics, "did you mean", listings) follows from the registration.
 */
#ifndef PPI_STDMETRICS_H
#define PPI_STDMETRICS_H

#include "libmetrics/source.h"

#include <stddef.h>

#define PPI_STANDARD_SOURCES(X)                                                                                        \
	X (count)                                                                                                      \
	X (elapsed)                                                                                                    \
	X (value)                                                                                                      \
	X (dim)                                                                                                        \
	X (cpu_time)                                                                                                   \
	X (process_cpu_time)                                                                                           \
	X (page_faults)                                                                                                \
	X (major_faults)                                                                                               \
	X (context_switches)                                                                                           \
	X (heap_allocs)                                                                                                \
	X (heap_bytes)                                                                                                 \
	X (papi)

#define X(name) extern const struct ppi_source ppi_source_##name;
PPI_STANDARD_SOURCES (X)
#undef X

/* bits of ppi_source.kinds */
#define PPI_FOR_POINTS 1
#define PPI_FOR_INTERVALS 2

/* An interval's sample is the reading at its end less that at its begin: what most sources here are. */
static inline int ppi_difference (uint64_t now, const void *slot, union ppi_sample *out)
{
	out->i = (int64_t) (now - *(const uint64_t *) slot);
	return 0;
}

/*
 * Lets heap sources see objects that were loaded since they were bound. Cheap when none was; any thread, but not from markers or signal
 * handlers. Meant for whoever hears of new modules or has a timer.
 */
void ppi_heap_rescan (void);

/* This thread's counts, as the heap sources read them (for tests). */
uint64_t ppi_heap_allocs (void);
uint64_t ppi_heap_bytes (void);

#endif
