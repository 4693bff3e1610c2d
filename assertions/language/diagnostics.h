/* SPDX-License-Identifier: MIT */
/*
 * diagnostics.h: all errors of a policy (or of one expression in the program), gathered and then
 * told together, in the order of the text:
 *
 *     render.yaml:9:13: error: there is no metric 'pixel_tme'; did you mean 'pixel_time'?
 *         expect: pixel_tme.last <= 1.25 * pixel_time.avg
 *                 ^
 */
#ifndef PPI_DIAGNOSTICS_H
#define PPI_DIAGNOSTICS_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A character of a text; lines and columns (in characters) from 1; line 0: the text as a whole */
struct ppi_place {
	uint32_t line, column;
};

struct ppi_diagnostic {
	struct ppi_place place;
	bool warning;
	size_t order;
	char *message;
};

#define PPI_BROKEN_MAX 64 /* ranges of lines */

struct ppi_diagnostics {
	const char *path;    /* as told */
	const char *text;    /* what is quoted, or NULL */
	const char *folder;  /* that relative paths in the text are in; NULL: the process's */
	uint32_t first_line; /* the number of the text's first line, usually 1 */
	struct ppi_diagnostic *list;
	size_t n, errors;
	size_t lost; /* no memory, or more than PPI_DIAGNOSTICS_MAX */
	/*
	 * lines in which something was wrong that hid the rest of them; what follows from that is
	 * not told
	 */
	struct {
		uint32_t from, to;
	} broken[PPI_BROKEN_MAX];
	size_t n_broken;
};

#define PPI_DIAGNOSTICS_MAX 100

/* PATH and TEXT stay the caller's and must outlive D. */
void ppi_diagnostics_init (struct ppi_diagnostics *d, const char *path, const char *text,
			   uint32_t first_line);
void ppi_diagnostics_clear (struct ppi_diagnostics *d);

void ppi_diagnose (struct ppi_diagnostics *d, struct ppi_place place, const char *format, ...)
	__attribute__ ((format (printf, 3, 4)));
void ppi_diagnose_warning (struct ppi_diagnostics *d, struct ppi_place place, const char *format,
			   ...) __attribute__ ((format (printf, 3, 4)));

/* From now on nothing is told of lines FROM to TO. */
void ppi_diagnostics_break (struct ppi_diagnostics *d, uint32_t from, uint32_t to);
bool ppi_diagnostics_is_broken (const struct ppi_diagnostics *d, uint32_t line);

/* Tells everything line by line. */
void ppi_diagnostics_tell (struct ppi_diagnostics *d, void (*line) (const char *line, void *arg),
			   void *arg);

/* The place of the character at byte OFFSET of TEXT. Pure. */
struct ppi_place ppi_place_of (const char *text, size_t offset);

#endif
