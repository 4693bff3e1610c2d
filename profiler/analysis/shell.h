/* SPDX-License-Identifier: MIT */
/*
 * shell.h: asks a recording's records, and its groups, time and again: queries and settings are
 * read line by line, with a history and completion where libedit was there when this was built.
 */
#ifndef PPI_ANALYSIS_SHELL_H
#define PPI_ANALYSIS_SHELL_H

#include "profiler/analysis/terms.h"

#include <stdio.h>

struct ppi_recording;

/*
 * Reads lines from IN until its end or `quit`, and answers on OUT. On a terminal, IN and OUT, there
 * is a prompt. NAME is what is asked. SOURCE has RECORDING's records; where it has none, queries
 * are of RECORDING's groups. False: no memory.
 */
bool ppi_shell (const struct ppi_query_source *source, const struct ppi_recording *recording,
		const char *name, FILE *in, FILE *out);

#endif
