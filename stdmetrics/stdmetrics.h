/* SPDX-License-Identifier: MIT */
/*
 * stdmetrics.h: the library's own sources, a file per subject. A new one is a constant here and a
 * line in PP_ABI_SOURCES (pp_abi.h); everything else (names in metrics, "did you mean", listings)
 * follows from the registration; a test wants a line in the manual's table.
 */
#ifndef PPI_STDMETRICS_H
#define PPI_STDMETRICS_H

#include "base/types.h"
#include "libmetrics/source/source.h"

#include <stddef.h>

#define X(name) extern const struct ppi_source ppi_source_##name;
PP_ABI_SOURCES (X)
#undef X

/* bits of ppi_source.kinds */
#define PPI_FOR_POINTS 1
#define PPI_FOR_INTERVALS 2

/*
 * An interval's sample is the reading at its end less that at its begin: what most sources here
 * are.
 */
static inline int ppi_difference (uint64_t now, const void *slot, union ppi_sample *out)
{
	out->i = (int64_t) (now - *(const uint64_t *) slot);
	return 0;
}

/* begin and end of sources that are so, by their READ */
int ppi_counter_begin (struct ppi_source_instance *instance, void *slot);
int ppi_counter_end (struct ppi_source_instance *instance, const void *slot, union ppi_sample *out);

/*
 * What such a source has beside its name, words, unit and READ. FACTOR: of a reading to the unit.
 */
#define PPI_COUNTER(its_unit, factor, its_reading)                                                 \
	PPI_COUNTER_FOR (PPI_FOR_INTERVALS, its_unit, factor, its_reading)
#define PPI_COUNTER_FOR(its_kinds, its_unit, factor, its_reading)                                  \
	.class = PPI_SOURCE_FUNCTION, .kinds = (its_kinds), .sample_type = PP_ABI_SAMPLE_INT,      \
	.unit = PPI_UNIT_##its_unit, .scale = (factor), .reading = PPI_READING_##its_reading,      \
	.begin_bytes = 8, .begin = ppi_counter_begin, .end = ppi_counter_end

/* Is what was read under number N still to be used at this marker? See ppi_reading_number. */
static inline bool ppi_is_read (uint64_t n)
{
	return n && n == ppi_reading_number;
}

/*
 * Lets heap sources see objects that were loaded since they were bound. Cheap when none was; any
 * thread, but not from markers or signal handlers. Meant for whoever hears of new modules or has a
 * timer.
 */
void ppi_heap_rescan (void);

/* This thread's count, as the heap's source reads it (for tests). */
uint64_t ppi_heap_allocs (void);

/*
 * Says once what could not be opened at markers since the last call. From ordinary context, without
 * the lock.
 */
void ppi_sources_tell (void);

#endif
