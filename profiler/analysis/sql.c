/* SPDX-License-Identifier: MIT */
/* sql.c: the database, and statements; see sql.h. */
#include "profiler/analysis/sql_int.h"

#include <stdlib.h>
#include <string.h>

/* Rows are sorted in so much memory, by two more threads; what is more goes to temporary files. */
#define SETTINGS "PRAGMA cache_size = -65536; PRAGMA threads = 2"

struct ppi_sql *ppi_sql_open (const struct ppi_recording *recording, const char *path, char *why,
			      size_t room)
{
	struct ppi_sql *sql = calloc (1, sizeof *sql);
	int status = sql ? sqlite3_open (":memory:", &sql->db) : SQLITE_NOMEM;

	if (status == SQLITE_OK) {
		sql->recording = recording;
		sql->path = path;
		status = ppi_sql_records (sql);
	}
	if (status == SQLITE_OK)
		status = ppi_sql_tables (sql);
	if (status == SQLITE_OK)
		status = sqlite3_exec (sql->db, SETTINGS, NULL, NULL, NULL);
	if (status == SQLITE_OK)
		return sql;
	snprintf (why, room, "SQLite can't be used: %s", sqlite3_errstr (status));
	ppi_sql_close (sql);
	return NULL;
}

void ppi_sql_close (struct ppi_sql *sql)
{
	if (!sql)
		return;
	sqlite3_close (sql->db);
	for (struct ppi_sql_reader *r = sql->readers, *next; r; r = next) {
		next = r->next;
		ppi_records_close (r->records);
		free (r);
	}
	if (sql->has_samples)
		for (unsigned i = 0; i < 2; i++)
			ppi_samples_clear (&sql->samples[i]);
	free (sql);
}

/* Where in TEXT the statement that begins at AT is wrong, if SQLite says so. */
static void say_error (const struct ppi_sql *sql, const char *text, const char *at, char *why,
		       size_t room)
{
	int offset = sqlite3_error_offset (sql->db);

	if (offset < 0)
		snprintf (why, room, "%s", sqlite3_errmsg (sql->db));
	else
		snprintf (why, room, "column %td: %s", at - text + offset + 1,
			  sqlite3_errmsg (sql->db));
}

bool ppi_sql_run (struct ppi_sql *sql, const char *text, enum ppi_sql_format format, FILE *out,
		  FILE *notes, char *why, size_t room)
{
	const char *at = text, *next;
	sqlite3_stmt *statement;
	bool is_first = true;
	int status = SQLITE_OK;

	for (; status == SQLITE_OK && *at; at = next) {
		status = sqlite3_prepare_v2 (sql->db, at, -1, &statement, &next);
		if (status != SQLITE_OK) {
			say_error (sql, text, at, why, room);
			return false;
		}
		if (!statement)
			continue;
		if (sqlite3_column_count (statement)) {
			if (!is_first && format != PPI_SQL_JSON)
				fputs (format == PPI_SQL_CSV ? "\r\n" : "\n", out);
			is_first = false;
		}
		status = ppi_sql_print (statement, format, out);
		if (status != SQLITE_OK)
			snprintf (why, room, "%s", sqlite3_errmsg (sql->db));
		sqlite3_finalize (statement);
	}
	ppi_records_put_losses (&sql->info, notes);
	return status == SQLITE_OK;
}
