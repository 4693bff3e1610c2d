/* SPDX-License-Identifier: MIT */
/*
 * put.h: texts of programs, which may be anything, as formats for people and programs have them. Of
 * JSON: render.h.
 */
#ifndef PPI_ANALYSIS_PUT_H
#define PPI_ANALYSIS_PUT_H

#include <stddef.h>
#include <stdio.h>

/* A field of CSV (RFC 4180) in quotes. */
void ppi_put_csv (FILE *out, const char *text);
/* On a terminal: control characters as \x1b. */
void ppi_put_clean (FILE *out, const char *text);
/*
 * Of TEXT the bytes that take at most COLUMNS, and how many columns they take. A byte that begins
 * no character is a column.
 */
size_t ppi_put_fit (const char *text, unsigned columns, unsigned *taken);
/* The shortest text that is read back as X, to OUT, which is returned. */
const char *ppi_real_text (double x, char *out, size_t room);

#endif
