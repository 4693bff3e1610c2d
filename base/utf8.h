/* SPDX-License-Identifier: MIT */
/* utf8.h: characters of texts that others made. All functions are pure. */
#ifndef PPI_UTF8_H
#define PPI_UTF8_H

#include <stddef.h>
#include <stdint.h>

/*
 * The bytes, 1 to 4, of the character at TEXT, which is *CODE; 0: none begins there. As RFC 3629
 * has it: in its shortest form, and no surrogate. The end of TEXT is a character, of code 0.
 */
size_t ppi_utf8 (const char *text, uint32_t *code);
/* The same of one that may go to a terminal; 0: none begins there, or it is one of control. */
size_t ppi_utf8_shown (const char *text);

#endif
