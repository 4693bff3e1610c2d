/* SPDX-License-Identifier: MIT */
/*
 * sql.h: a recording as tables of SQL, of SQLite: what is asked is read from the recording while
 * the statement runs, and nothing is copied before.
 *
 *     records         event records, one by one, with their dimensions as columns
 *     samples         of profiles: who ran, in which functions
 *     sites           what the program can measure
 *     history         what the library did: fires, knobs, policies
 *     metric_values   what threads had measured of metrics, as of the times at which it was written
 *
 * Times are ns since the recording's start, durations ns.
 */
#ifndef PPI_ANALYSIS_SQL_H
#define PPI_ANALYSIS_SQL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct ppi_recording;
struct ppi_sql;

enum ppi_sql_format { PPI_SQL_TEXT, PPI_SQL_CSV, PPI_SQL_JSON };

/*
 * RECORDING, which is the file at PATH, must stay until the close. NULL: with one sentence in WHY.
 */
struct ppi_sql *ppi_sql_open (const struct ppi_recording *recording, const char *path, char *why,
			      size_t room);
/* NULL is allowed. */
void ppi_sql_close (struct ppi_sql *sql);

/*
 * Runs the statements in TEXT, one after the other, and prints what those have that have rows.
 * False: with one sentence in WHY. What is said of the data (records that are missing) goes to
 * NOTES, a line each.
 */
bool ppi_sql_run (struct ppi_sql *sql, const char *text, enum ppi_sql_format format, FILE *out,
		  FILE *notes, char *why, size_t room);

#endif
