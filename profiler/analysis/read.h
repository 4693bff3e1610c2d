/* SPDX-License-Identifier: MIT */
/* read.h: the samples of a recording, with names. */
#ifndef PPI_ANALYSIS_READ_H
#define PPI_ANALYSIS_READ_H

#include "profiler/analysis/samples.h"
#include "profiler/analysis/span.h"

#include <stdbool.h>

struct ppi_recording;

/*
 * Functions and lines are the interrupter's; intervals the watcher's, or, where it took none, the
 * interrupter's, if it saw features: the two are never mixed. By mark is by interval, too, but
 * marks of features are told apart by their payloads, and those that were never seen are nodes of
 * no stack.
 */
enum ppi_by { PPI_BY_FUNCTION, PPI_BY_LINE, PPI_BY_INTERVAL, PPI_BY_MARK };

/* Does the recording have a profile that can be shown so? */
bool ppi_recording_has_profile (const struct ppi_recording *recording, enum ppi_by by);

/*
 * The samples of RECORDING that are of SPAN, by function, line of the source, interval,
 * or mark. TELL gets the path of each object whose names can't be had, and why. False: no memory.
 * OUT is freed by ppi_samples_clear, also then. One at a time.
 */
bool ppi_samples_read (const struct ppi_recording *recording, enum ppi_by by,
		       const struct ppi_samples_span *span, struct ppi_samples *out,
		       void (*tell) (const char *path, const char *why, void *arg), void *arg);

#endif
