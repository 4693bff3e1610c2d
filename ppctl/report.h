/* SPDX-License-Identifier: MIT */
/* report.h: a recording as JSON. */
#ifndef PPCTL_REPORT_H
#define PPCTL_REPORT_H

#include "libmetrics/report.h"

/*
 * Writes the content of the text report as one JSON object: numbers in seconds, bytes and counts, what is unknown as null. Returns
 * false without memory.
 */
bool ppctl_report_json (FILE *out, const struct ppi_recording *recording);

#endif
