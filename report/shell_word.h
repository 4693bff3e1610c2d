/* SPDX-License-Identifier: MIT */
#ifndef PPI_REPORT_SHELL_WORD_H
#define PPI_REPORT_SHELL_WORD_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Makes OUT of WORD as it is typed to a POSIX shell: in quotes where it needs them. False, and OUT
 * is empty: ROOM bytes are too few, or WORD has control characters, which no terminal is to see.
 */
bool ppi_shell_word (char *out, size_t room, const char *word)
	__attribute__ ((visibility ("hidden")));

#endif
