/* SPDX-License-Identifier: MIT */
/*
 * sinks.c: the descriptors of sinks by their number (sink.h), and of those that have nothing to do
 * at markers: of marks, which frames have by themselves, and of what leaves frames behind, which
 * such plans' points do.
 */
#include "libmetrics/marker/sink.h"

/* Its frame says it all, whoever opens and closes it (thread/mark.h). */
const struct ppi_sink ppi_sink_mark = {.name = "mark", .marks = true, .intervals_only = true};

const struct ppi_sink ppi_sink_leave = {.name = "leave", .leaves = true};

const struct ppi_sink *const ppi_sinks[PPI_SINKS_COUNT] = {
#define X(id, name) [PPI_SINK_##id] = &ppi_sink_##name,
	PPI_SINKS (X)
#undef X
};
