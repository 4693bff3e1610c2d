/* SPDX-License-Identifier: MIT */
/*
 * clock.c: elapsed, the time between an interval's begin and end. The hot path reads the tick
 * counter itself.
 */
#include "stdmetrics/stdmetrics.h"

const struct ppi_source ppi_source_elapsed = {
	.name = "elapsed",
	.help = "wall-clock time of an interval, by the processor's tick counter",
	.class = PPI_SOURCE_TICKS,
	.kinds = PPI_FOR_INTERVALS,
	.sample_type = PP_ABI_SAMPLE_INT,
	.unit = PPI_UNIT_SECONDS,
	.scale = 0, /* seconds per tick */
	.begin_bytes = 8,
	.reading = PPI_READING_INSTRUCTION,
};
