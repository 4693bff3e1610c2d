/* SPDX-License-Identifier: MIT */
/*
 * sql_print.c: what a statement gives, as a table for people, as CSV, or as a line of JSON:
 *
 *     {"columns": ["name", "n"], "rows": [["lookup", 32], [null, 7]]}
 *
 * The columns of a table are as wide as its first rows need: all others are printed as they come.
 */
#include "profiler/analysis/put.h"
#include "profiler/analysis/render.h"
#include "profiler/analysis/sql_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MEASURED = 1000 };

/* "true" or "false", where column I of the present row is a boolean; else what SQLite says. */
static const char *text_of (sqlite3_stmt *statement, int i)
{
	const char *declared = sqlite3_column_decltype (statement, i);

	if (declared && strcmp (declared, &PPI_SQL_TRUTH[1]) == 0 &&
	    sqlite3_column_type (statement, i) == SQLITE_INTEGER &&
	    sqlite3_column_int64 (statement, i) >> 1 == 0)
		return sqlite3_column_int64 (statement, i) ? "true" : "false";
	return (const char *) sqlite3_column_text (statement, i);
}

/* ---- a table --------------------------------------------------------------------------------- */

struct text_table {
	int columns;
	unsigned *width; /* of each column */
	bool *is_number; /* all of its values so far are: they stand at its right */
	char **cell;     /* of the rows that are measured */
	size_t rows;
	FILE *out;
};

/* Of column I of the present row, as people read it: malloced. NULL: no memory. */
static char *cell_text (sqlite3_stmt *statement, int i)
{
	const char *text = text_of (statement, i);
	char *clean = NULL;
	size_t bytes;
	FILE *out;

	if (sqlite3_column_type (statement, i) == SQLITE_NULL)
		return strdup ("(none)");
	out = open_memstream (&clean, &bytes);
	if (!out)
		return NULL;
	ppi_put_clean (out, text ? text : "");
	if (fclose (out) == 0)
		return clean;
	free (clean);
	return NULL;
}

static unsigned columns_of (const char *text)
{
	unsigned taken;

	ppi_put_fit (text, UINT32_MAX / 2, &taken);
	return taken;
}

static void widen (struct text_table *t, int i, const char *text)
{
	unsigned is = columns_of (text);

	t->width[i] = is > t->width[i] ? is : t->width[i];
}

static void put_cell (const struct text_table *t, int i, const char *text)
{
	unsigned is = columns_of (text);
	int blanks = is < t->width[i] ? (int) (t->width[i] - is) : 0;

	if (i)
		fputs ("  ", t->out);
	if (t->is_number[i])
		fprintf (t->out, "%*s%s", blanks, "", text);
	else if (i + 1 < t->columns)
		fprintf (t->out, "%s%*s", text, blanks, "");
	else
		fputs (text, t->out);
	if (i + 1 == t->columns)
		fputc ('\n', t->out);
}

/* The heading and the rows that were measured, which are no longer there then. */
static void put_measured (struct text_table *t, sqlite3_stmt *statement)
{
	for (int i = 0; i < t->columns; i++)
		put_cell (t, i, sqlite3_column_name (statement, i));
	for (size_t k = 0; k < t->rows * (size_t) t->columns; k++) {
		put_cell (t, (int) (k % (size_t) t->columns), t->cell[k]);
		free (t->cell[k]);
	}
	t->rows = 0;
}

/* False: no memory. */
static bool take_row (struct text_table *t, sqlite3_stmt *statement)
{
	char **cell = &t->cell[t->rows * (size_t) t->columns];

	for (int i = 0; i < t->columns; i++) {
		int type = sqlite3_column_type (statement, i);

		cell[i] = cell_text (statement, i);
		if (!cell[i]) {
			while (i--)
				free (cell[i]);
			return false;
		}
		t->is_number[i] &=
			type == SQLITE_INTEGER || type == SQLITE_FLOAT || type == SQLITE_NULL;
		widen (t, i, cell[i]);
	}
	t->rows++;
	return true;
}

/* Behind those that were measured. */
static bool put_row (const struct text_table *t, sqlite3_stmt *statement)
{
	for (int i = 0; i < t->columns; i++) {
		char *text = cell_text (statement, i);

		if (!text)
			return false;
		put_cell (t, i, text);
		free (text);
	}
	return true;
}

static int print_rows (struct text_table *t, sqlite3_stmt *statement)
{
	bool is_measured = false, ok = true;
	int status;

	for (int i = 0; i < t->columns; i++) {
		t->is_number[i] = true;
		widen (t, i, sqlite3_column_name (statement, i));
	}
	while (ok && (status = sqlite3_step (statement)) == SQLITE_ROW) {
		if (!is_measured && t->rows == ROWS_MEASURED) {
			put_measured (t, statement);
			is_measured = true;
		}
		ok = is_measured ? put_row (t, statement) : take_row (t, statement);
	}
	if (!is_measured)
		put_measured (t, statement);
	return ok ? status : SQLITE_NOMEM;
}

static int print_text (sqlite3_stmt *statement, FILE *out)
{
	struct text_table t = {.columns = sqlite3_column_count (statement), .out = out};
	size_t n = (size_t) t.columns;
	int status = SQLITE_NOMEM;

	t.width = calloc (n, sizeof *t.width);
	t.is_number = calloc (n, sizeof *t.is_number);
	t.cell = calloc (n * ROWS_MEASURED, sizeof *t.cell);
	if (t.width && t.is_number && t.cell)
		status = print_rows (&t, statement);
	free (t.width);
	free (t.is_number);
	free (t.cell);
	return status;
}

/* ---- for programs ---------------------------------------------------------------------------- */

/* A missing value is an empty field, an empty text is "". */
static int print_csv (sqlite3_stmt *statement, FILE *out)
{
	int n = sqlite3_column_count (statement), status;

	for (int i = 0; i < n; i++) {
		if (i)
			fputc (',', out);
		ppi_put_csv (out, sqlite3_column_name (statement, i));
	}
	fputs ("\r\n", out);
	while ((status = sqlite3_step (statement)) == SQLITE_ROW) {
		for (int i = 0; i < n; i++) {
			int type = sqlite3_column_type (statement, i);
			const char *text = text_of (statement, i);

			if (i)
				fputc (',', out);
			if (type == SQLITE_INTEGER || type == SQLITE_FLOAT)
				fputs (text ? text : "", out);
			else if (type != SQLITE_NULL)
				ppi_put_csv (out, text ? text : "");
		}
		fputs ("\r\n", out);
	}
	return status;
}

static void put_json_value (sqlite3_stmt *statement, int i, FILE *out)
{
	const char *text = text_of (statement, i);

	switch (sqlite3_column_type (statement, i)) {
	case SQLITE_INTEGER:
		fputs (text, out);
		break;
	case SQLITE_FLOAT: /* JSON has no infinity */
		fputs (text && isfinite (sqlite3_column_double (statement, i)) ? text : "null",
		       out);
		break;
	case SQLITE_NULL:
		fputs ("null", out);
		break;
	default:
		ppi_put_json_text (text ? text : "", out);
		break;
	}
}

static int print_json (sqlite3_stmt *statement, FILE *out)
{
	int n = sqlite3_column_count (statement), status;
	bool has_one = false;

	fputs ("{\"columns\":", out);
	for (int i = 0; i < n; i++) {
		fputc (i ? ',' : '[', out);
		ppi_put_json_text (sqlite3_column_name (statement, i), out);
	}
	fputs ("],\"rows\":[", out);
	while ((status = sqlite3_step (statement)) == SQLITE_ROW) {
		fputs (has_one ? ",\n" : "\n", out);
		has_one = true;
		for (int i = 0; i < n; i++) {
			fputc (i ? ',' : '[', out);
			put_json_value (statement, i, out);
		}
		fputc (']', out);
	}
	fputs ("]}\n", out);
	return status;
}

int ppi_sql_print (sqlite3_stmt *statement, enum ppi_sql_format format, FILE *out)
{
	int status;

	if (!sqlite3_column_count (statement)) {
		while ((status = sqlite3_step (statement)) == SQLITE_ROW)
			;
		return status == SQLITE_DONE ? SQLITE_OK : status;
	}
	status = format == PPI_SQL_CSV    ? print_csv (statement, out)
		 : format == PPI_SQL_JSON ? print_json (statement, out)
					  : print_text (statement, out);
	return status == SQLITE_DONE ? SQLITE_OK : status;
}
