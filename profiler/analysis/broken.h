/* SPDX-License-Identifier: MIT */
/*
 * broken.h: the entries of a history about events whose nesting a program broke
 * (PPI_HISTORY_NESTING): functions and lines instead of the addresses in them.
 */
#ifndef PPI_ANALYSIS_BROKEN_H
#define PPI_ANALYSIS_BROKEN_H

#include "recording/layout.h"

#include <stddef.h>
#include <stdio.h>

struct ppi_recording;

/*
 * The sentence of ENTRY, with "function (file:line)" for each place whose file is still there and
 * has debugging information. False: it is of another kind; OUT stays.
 */
bool ppi_broken_sentence (const struct ppi_history_chunk *entry, char *out, size_t room);
/* All of RECORDING, a line for each; none where there are none. */
void ppi_broken_put (const struct ppi_recording *recording, FILE *out);

#endif
