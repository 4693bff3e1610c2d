/* SPDX-License-Identifier: MIT */
/* marks.h: what marks of features are called, and their payloads, as a recording has them. */
#ifndef PPI_ANALYSIS_MARKS_H
#define PPI_ANALYSIS_MARKS_H

#include "recording/layout.h"

#include <stddef.h>
#include <stdint.h>

struct ppi_recording;

/* The file of SITE, "" where it has none; returns "function/site". */
const char *ppi_mark_file (const struct ppi_site_chunk *site, char *file, size_t room);
/* The feature of a mark or antimark: "library.feature". */
void ppi_mark_feature (const struct ppi_site_chunk *site, char *out, size_t room);
/*
 * A payload as text; TYPE is an enum pp_abi_value but NONE, or PPI_FEATURE_OTHERS. It is OUT, or
 * lies in RECORDING.
 */
const char *ppi_mark_payload (const struct ppi_recording *recording, unsigned type,
			      uint64_t payload, char *out, size_t room);

#endif
