/* SPDX-License-Identifier: MIT */
/*
 * series.h: the samples of unbounded series, as a recording's file has them: those that left while
 * the program ran (struct ppi_series_part), then those that were in memory at the end.
 */
#ifndef PPI_RECORDING_SERIES_H
#define PPI_RECORDING_SERIES_H

#include "recording/layout.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ppi_recording;
struct ppi_series;

/* Samples that follow each other. */
struct ppi_series_run {
	uint64_t shard; /* its place: which of several of that thread's it is */
	uint32_t binding;
	uint32_t thread; /* kernel id; 0: of threads that have ended */
	/* the number of the first, from 0, since the shard's start or its last reset */
	uint64_t first;
	uint64_t n;
	const uint64_t *sample; /* integers, or bits of doubles; until the next run */
};

/*
 * 0 and *OUT, or PP_EIO, PP_ENOMEM with WHY. RECORDING must stay until the close. A live region has
 * none here: its series go on.
 */
int ppi_series_open (const struct ppi_recording *recording, struct ppi_series **out, char *why,
		     size_t room);
/* NULL is allowed. */
void ppi_series_close (struct ppi_series *series);

/* The next to *OUT; false: there are no more, or no memory (then ppi_series_failed). */
bool ppi_series_next (struct ppi_series *series, struct ppi_series_run *out);
bool ppi_series_failed (const struct ppi_series *series);

#endif
