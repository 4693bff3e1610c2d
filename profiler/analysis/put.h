/* SPDX-License-Identifier: MIT */
/*
 * put.h: texts of programs, which may be anything, as formats for people and programs have them. Of
 * JSON: render.h.
 */
#ifndef PPI_ANALYSIS_PUT_H
#define PPI_ANALYSIS_PUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A field of CSV (RFC 4180) in quotes. */
void ppi_put_csv (FILE *out, const char *text);
/* On a terminal: what is a character of control, or none, as \x1b, byte by byte. */
void ppi_put_clean (FILE *out, const char *text);
/* One character or byte of it, which is not the end; returns what is behind it. */
const char *ppi_put_character (FILE *out, const char *text);
/*
 * Of TEXT the bytes that take at most COLUMNS, and how many columns they take. A byte that begins
 * no character is a column.
 */
size_t ppi_put_fit (const char *text, unsigned columns, unsigned *taken);
/*
 * Of N records of BYTES each, which begin with their name, a char pointer: which names more than
 * one of them has. Malloced; NULL: no memory.
 */
bool *ppi_names_shared (const void *record, size_t bytes, size_t n);
/* What tells one of several of a name: " file.c:12"; nothing where the line is not known. */
void ppi_put_place (const char *file, unsigned line, FILE *out);
/* The shortest text that is read back as X, to OUT, which is returned. */
const char *ppi_real_text (double x, char *out, size_t room);

#endif
