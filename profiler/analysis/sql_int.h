/* SPDX-License-Identifier: MIT */
/* sql_int.h: what sql.c, sql_records.c, sql_tables.c and sql_print.c share. */
#ifndef PPI_ANALYSIS_SQL_INT_H
#define PPI_ANALYSIS_SQL_INT_H

#include "profiler/analysis/records.h"
#include "profiler/analysis/samples.h"
#include "profiler/analysis/sql.h"

#include <sqlite3.h>

struct ppi_sql {
	sqlite3 *db;
	const struct ppi_recording *recording;
	const char *path;
	/* each cursor over records has one of these; texts that rows had stay until the end */
	struct ppi_sql_reader {
		struct ppi_records *records;
		bool is_taken;
		struct ppi_sql_reader *next;
	} * readers;
	/* of the interrupter and the watcher, once they were asked for */
	struct ppi_samples samples[2];
	bool has_samples;
	/* what the newest whole pass over records says */
	struct ppi_records_info info;
};

/* How a column of booleans is declared: they are integers to SQLite, and shown as what they are. */
#define PPI_SQL_TRUTH " BOOLEAN"

/* Registers their tables; a code of SQLite's. */
int ppi_sql_records (struct ppi_sql *sql);
int ppi_sql_tables (struct ppi_sql *sql);

/* Prints what STATEMENT gives; a code of SQLite's. */
int ppi_sql_print (sqlite3_stmt *statement, enum ppi_sql_format format, FILE *out);

#endif
