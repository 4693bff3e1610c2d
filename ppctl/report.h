/* SPDX-License-Identifier: MIT */
/* report.h: what verbs that report have in common (report.c, look.c). */
#ifndef PPCTL_REPORT_H
#define PPCTL_REPORT_H

#include "base/quantity.h"
#include "recording/names.h"
#include "report/render.h"

/*
 * Columns and colours of OUT: COLUMNS, its terminal's, or 80; NO_COLOR, CLICOLOR_FORCE, or whether
 * it is a terminal.
 */
struct ppi_look ppctl_look (FILE *out);

/* VALUE as people read it, in the characters of their locale. Returns OUT. */
const char *ppctl_quantity (double value, enum ppi_unit unit, char out[PPI_QUANTITY_BYTES]);

/*
 * Opens the recording at PATH, completed first where its program was killed. PPCTL_OK, or the exit
 * status: why is said.
 */
int ppctl_open (const char *command, const char *path, struct ppi_recording **out);
/*
 * Whose figures the Nth of files that are given has, of which those before are LIST: RECORDING's
 * process, or, where it is NULL, the file PATH itself, which was made of recordings. False: one
 * before it has the same ones, so that it is not to be added to them.
 */
struct ppi_process_entry;
bool ppctl_is_new (const struct ppi_recording *recording, const char *path,
		   struct ppi_process_entry *list, size_t n);
/* Says on stderr that N recordings were left out for that; 0: nothing. */
void ppctl_tell_again (const char *command, size_t n);
/* Does the file PATH begin as recordings do? */
bool ppctl_is_recording (const char *path);
/* Prints the first screen to OUT; PATH is where it says that the rest is, NULL: nowhere. */
int ppctl_first_screen (FILE *out, const struct ppi_recording *recording, const char *path);
/*
 * Adds to the assertions of REPORT, which was made of RECORDING, where the time of executions went
 * that violated them: table "where" of each. False: no memory.
 */
bool ppctl_put_where (struct ppi_report *report, const struct ppi_recording *recording);
/* Has an assertion fired that is as bad as LEAST? */
bool ppctl_has_fired (const struct ppi_recording *recording, enum pp_severity least);
/* The severity called TEXT: PPCTL_GO_ON, or PPCTL_USAGE, said. */
int ppctl_severity (const char *command, const char *text, enum pp_severity *out);

#endif
