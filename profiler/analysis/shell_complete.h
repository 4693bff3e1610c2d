/* SPDX-License-Identifier: MIT */
/*
 * shell_complete.h: how a line of the profiler's shell may go on: commands at its start, dimensions
 * elsewhere, and inside quotes values of the dimension that they are compared with.
 *
 *     name ca▮                  cached
 *     name where kind = "lo▮    lookup"
 */
#ifndef PPI_ANALYSIS_SHELL_COMPLETE_H
#define PPI_ANALYSIS_SHELL_COMPLETE_H

#include "profiler/analysis/records.h"

#include <stddef.h>

/* Words and the first bytes of each that are there already. */
struct ppi_completions {
	char **word; /* malloced, as each of them */
	size_t n, room;
	size_t typed; /* bytes */
	char closing; /* the quote behind a value; 0: a blank */
};

/*
 * How LINE, of which N bytes are before the cursor, may go on. RECORDS may be NULL: there are none.
 * COMMANDS and DEFINED end with NULL.
 * False: no memory. OUT is freed by ppi_completions_clear in each case.
 */
bool ppi_shell_complete (struct ppi_records *records, const char *line, size_t n,
			 const char *const *commands, const char *const *defined,
			 struct ppi_completions *out);
void ppi_completions_clear (struct ppi_completions *completions);
/* How many bytes all words have in common, at least those that are typed. */
size_t ppi_completions_common (const struct ppi_completions *completions);

#endif
