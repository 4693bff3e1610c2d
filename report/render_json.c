/* SPDX-License-Identifier: MIT */
/*
 * render_json.c: a report as JSON; report.schema.json says what is in it. The keys are what scripts
 * rely on: they may be added to. What else changes is a new version.
 */
#include "report/render.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static json_t *number (double value)
{
	return isfinite (value) ? json_real (value) : json_null ();
}

/* What is not UTF-8 (file names may be anything) is shown with '?'. */
static json_t *text (const char *string)
{
	json_t *value = json_string (string);
	char *copy;

	if (value)
		return value;
	copy = strdup (string);
	for (char *c = copy; c && *c; c++)
		if ((unsigned char) *c >= 0x80)
			*c = '?';
	value = copy ? json_string (copy) : NULL;
	free (copy);
	return value;
}

/* "a,b" as an array */
static json_t *list (const char *names)
{
	json_t *array = json_array ();

	for (const char *end; *names; names = end + (*end == ',')) {
		end = names + strcspn (names, ",");
		json_array_append_new (array, json_stringn (names, (size_t) (end - names)));
	}
	return array;
}

static json_t *table_of (const struct ppi_table *table);

static json_t *value_of (const struct ppi_cell *cell)
{
	if (cell->state == PPI_CELL_UNKNOWN)
		return json_null ();
	switch (cell->kind) {
	case PPI_CELL_TEXT:
	case PPI_CELL_SITE:
		return text (cell->text);
	case PPI_CELL_LIST:
		return list (cell->text);
	case PPI_CELL_COUNT:
		return json_integer (cell->count <= INT64_MAX ? (json_int_t) cell->count
							      : INT64_MAX);
	case PPI_CELL_INTEGER:
		return json_integer (cell->integer);
	case PPI_CELL_WHOLE:
		return fabs (cell->number) < 0x1p53 ? json_integer ((json_int_t) cell->number)
						    : number (cell->number);
	case PPI_CELL_NUMBER:
	case PPI_CELL_QUANTITY:
	case PPI_CELL_SHARE:
	case PPI_CELL_INSTANT:
		return number (cell->number);
	case PPI_CELL_FLAG:
		return json_boolean (cell->flag);
	case PPI_CELL_TABLE:
		return table_of (cell->table);
	}
	return NULL;
}

static json_t *row_of (const struct ppi_row *row)
{
	json_t *o = json_object ();

	for (const struct ppi_cell *c = row->cells; c; c = c->next)
		if (c->state >= PPI_CELL_UNKNOWN)
			json_object_set_new (o, c->column->key, value_of (c));
	return o;
}

/* Notes between the rows are for people. */
static bool is_note (const struct ppi_row *row)
{
	const struct ppi_cell *c = row->cells;

	while (c && c->state < PPI_CELL_UNKNOWN)
		c = c->next;
	return !c;
}

static json_t *table_of (const struct ppi_table *table)
{
	json_t *list;

	if (table->is_single)
		return table->rows ? row_of (table->rows) : json_null ();
	list = json_array ();
	for (const struct ppi_row *row = table->rows; row; row = row->next)
		if (!is_note (row))
			json_array_append_new (list, row_of (row));
	return list;
}

static bool put (FILE *out, json_t *root, const struct ppi_report *report)
{
	bool done;

	for (const struct ppi_table *table = report->tables; table; table = table->next)
		if (table->key)
			json_object_set_new (root, table->key, table_of (table));
	done = root && json_dumpf (root, out, JSON_INDENT (2) | JSON_REAL_PRECISION (15)) == 0;
	fputc ('\n', out);
	json_decref (root);
	return done;
}

bool ppi_tables_json (FILE *out, const struct ppi_report *report)
{
	return put (out, json_object (), report);
}

bool ppi_report_json (FILE *out, const struct ppi_report *report)
{
	json_t *root = json_object ();

	json_object_set_new (root, "version", json_integer (PPI_REPORT_VERSION));
	json_object_set_new (
		root, "units",
		json_pack ("{s:s, s:s, s:s}", "time", "s", "size", "B", "share", "1 is all"));
	return put (out, root, report);
}
