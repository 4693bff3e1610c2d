/* SPDX-License-Identifier: MIT */
/* model.c: makes the tables of a report; see model.h. */
#include "report/model.h"
#include "report/sections.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PIECE ((size_t) 16 * 1024)

/* Memory that is given out from its end, and freed as a whole. */
struct ppi_memory {
	struct ppi_memory *next;
	_Alignas(16) char bytes[];
};

void *ppi_report_take (struct ppi_report *report, size_t bytes)
{
	if (report->has_failed)
		return NULL;
	bytes = (bytes + 15) & ~(size_t) 15;
	if (bytes > report->left) {
		size_t room = bytes > PIECE ? bytes : PIECE;
		struct ppi_memory *piece = calloc (1, sizeof *piece + room);

		if (!piece) {
			report->has_failed = true;
			return NULL;
		}
		piece->next = report->memory;
		report->memory = piece;
		report->left = room;
	}
	report->left -= bytes;
	return report->memory->bytes + report->left;
}

static char *copy (struct ppi_report *report, const char *before, size_t length, size_t *used,
		   const char *format, va_list ap) __attribute__ ((format (printf, 5, 0)));
/* LENGTH bytes of BEFORE, then FORMAT; *USED bytes in all */
static char *copy (struct ppi_report *report, const char *before, size_t length, size_t *used,
		   const char *format, va_list ap)
{
	va_list again;
	int more;
	char *text;

	va_copy (again, ap);
	more = vsnprintf (NULL, 0, format, again);
	va_end (again);
	*used = length + (more > 0 ? (size_t) more : 0);
	text = ppi_report_take (report, *used + 1);
	if (!text)
		return NULL;
	if (length)
		memcpy (text, before, length);
	vsnprintf (text + length, *used - length + 1, format, ap);
	return text;
}

const char *ppi_report_copy (struct ppi_report *report, const char *format, ...)
{
	va_list ap;
	size_t used;
	const char *text;

	va_start (ap, format);
	text = copy (report, NULL, 0, &used, format, ap);
	va_end (ap);
	return text;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static struct ppi_table *new_table (struct ppi_report *report, const char *key,
				    struct ppi_columns *columns)
{
	struct ppi_table *table = ppi_report_take (report, sizeof *table);

	if (!columns)
		columns = ppi_report_take (report, sizeof *columns);
	if (!table || !columns)
		return NULL;
	table->report = report;
	table->key = key;
	table->columns = columns;
	table->next_alike = columns->tables;
	columns->tables = table;
	return table;
}

struct ppi_table *ppi_table (struct ppi_report *report, const char *key, const char *title)
{
	struct ppi_table *table = new_table (report, key, NULL);

	if (!table)
		return NULL;
	table->title = title;
	*(report->newest ? &report->newest->next : &report->tables) = table;
	report->newest = table;
	return table;
}

void ppi_move_last (struct ppi_report *report, struct ppi_table *table)
{
	struct ppi_table **at = &report->tables;

	if (!table || report->newest == table)
		return;
	while (*at != table)
		at = &(*at)->next;
	*at = table->next;
	table->next = NULL;
	report->newest->next = table;
	report->newest = table;
}

void ppi_form (struct ppi_table *table, const char *form)
{
	if (table)
		table->columns->form = form;
}

static struct ppi_column *column_of (struct ppi_table *table, const char *key)
{
	struct ppi_columns *columns = table->columns;
	struct ppi_column *c = columns->first;

	while (c && strcmp (c->key, key) != 0)
		c = c->next;
	if (c)
		return c;
	c = ppi_report_take (table->report, sizeof *c);
	if (!c)
		return NULL;
	c->key = key;
	c->number = columns->newest ? columns->newest->number + 1 : 0;
	*(columns->newest ? &columns->newest->next : &columns->first) = c;
	columns->newest = c;
	return c;
}

void ppi_head (struct ppi_table *table, const char *key, const char *heading)
{
	struct ppi_column *column = table ? column_of (table, key) : NULL;

	if (column)
		column->heading = heading;
}

/* ---- rows and cells -------------------------------------------------------------------------- */

struct ppi_row *ppi_row (struct ppi_table *table)
{
	struct ppi_row *row = table ? ppi_report_take (table->report, sizeof *row) : NULL;

	if (!row)
		return NULL;
	row->table = table;
	*(table->newest ? &table->newest->next : &table->rows) = row;
	table->newest = row;
	table->n_rows++;
	return row;
}

/* The cell of KEY, made where there is none yet. */
static struct ppi_cell *cell_of (struct ppi_row *row, const char *key)
{
	struct ppi_column *column = row ? column_of (row->table, key) : NULL;
	struct ppi_cell *cell = row ? row->cells : NULL;

	while (cell && cell->column != column)
		cell = cell->next;
	if (cell || !column)
		return cell;
	cell = ppi_report_take (row->table->report, sizeof *cell);
	if (!cell)
		return NULL;
	cell->column = column;
	*(row->newest ? &row->newest->next : &row->cells) = cell;
	row->newest = cell;
	return cell;
}

static struct ppi_cell *put (struct ppi_row *row, const char *key, enum ppi_cell_kind kind,
			     enum ppi_cell_state state)
{
	struct ppi_cell *cell = cell_of (row, key);

	if (!cell)
		return NULL;
	column_of (row->table, key)->kind = cell->kind = kind;
	cell->state = state;
	return cell;
}

static void put_text (struct ppi_row *row, const char *key, enum ppi_cell_kind kind,
		      const char *text)
{
	struct ppi_cell *cell = put (row, key, kind, text ? PPI_CELL_KNOWN : PPI_CELL_UNKNOWN);

	if (cell)
		cell->text = text;
}

void ppi_put_double (struct ppi_row *row, const char *key, enum ppi_cell_kind kind, double value)
{
	struct ppi_cell *cell =
		put (row, key, kind, isnan (value) ? PPI_CELL_UNKNOWN : PPI_CELL_KNOWN);

	if (cell)
		cell->number = value;
}

void ppi_put_text (struct ppi_row *row, const char *key, const char *text)
{
	put_text (row, key, PPI_CELL_TEXT, text);
}

void ppi_put_site (struct ppi_row *row, const char *key, const char *text)
{
	put_text (row, key, PPI_CELL_SITE, text);
}

void ppi_put_list (struct ppi_row *row, const char *key, const char *text)
{
	put_text (row, key, PPI_CELL_LIST, text);
}

void ppi_put_count (struct ppi_row *row, const char *key, uint64_t value)
{
	struct ppi_cell *cell = put (row, key, PPI_CELL_COUNT, PPI_CELL_KNOWN);

	if (cell)
		cell->count = value;
}

void ppi_put_integer (struct ppi_row *row, const char *key, int64_t value)
{
	struct ppi_cell *cell = put (row, key, PPI_CELL_INTEGER, PPI_CELL_KNOWN);

	if (cell)
		cell->integer = value;
}

void ppi_put_quantity (struct ppi_row *row, const char *key, double value, int seconds, int bytes,
		       double resolution)
{
	struct ppi_cell *cell;

	ppi_put_double (row, key, PPI_CELL_QUANTITY, value);
	cell = cell_of (row, key);
	if (!cell)
		return;
	cell->seconds = (int8_t) seconds;
	cell->bytes = (int8_t) bytes;
	cell->resolution = resolution;
}

void ppi_put_flag (struct ppi_row *row, const char *key, bool value)
{
	struct ppi_cell *cell = put (row, key, PPI_CELL_FLAG, PPI_CELL_KNOWN);

	if (cell)
		cell->flag = value;
}

struct ppi_table *ppi_put_table (struct ppi_row *row, const char *key, const struct ppi_table *like)
{
	struct ppi_cell *cell = put (row, key, PPI_CELL_TABLE, PPI_CELL_KNOWN);

	return cell ? cell->table = new_table (row->table->report, key, like ? like->columns : NULL)
		    : NULL;
}

void ppi_put_cell (struct ppi_row *row, const char *key, const struct ppi_cell *cell)
{
	struct ppi_cell *out = cell ? put (row, key, cell->kind, cell->state) : NULL, own;

	if (!out)
		return;
	own = *out;
	*out = *cell;
	out->next = own.next;
	out->column = own.column;
	out->tone = own.tone;
}

void ppi_put_cells (struct ppi_row *row, const struct ppi_row *from, const char *const *keys)
{
	for (; *keys; keys++)
		ppi_put_cell (row, *keys, ppi_find_cell (from, *keys));
}

void ppi_tone (struct ppi_row *row, const char *key, enum ppi_tone tone)
{
	struct ppi_cell *cell = cell_of (row, key);

	if (cell)
		cell->tone = tone;
}

void ppi_hide (struct ppi_row *row, const char *key)
{
	struct ppi_cell *cell = cell_of (row, key);

	if (cell)
		cell->state = PPI_CELL_HIDDEN;
}

void ppi_show (struct ppi_row *row, const char *key, const char *format, ...)
{
	struct ppi_cell *cell = cell_of (row, key);
	size_t used;
	va_list ap;

	if (!cell)
		return;
	va_start (ap, format);
	cell->shown = copy (row->table->report, NULL, 0, &used, format, ap);
	va_end (ap);
}

void ppi_say (struct ppi_row *row, const char *format, ...)
{
	va_list ap;

	if (!row)
		return;
	va_start (ap, format);
	row->sentence =
		copy (row->table->report, row->sentence, row->length, &row->length, format, ap);
	va_end (ap);
}

/* ---- reading --------------------------------------------------------------------------------- */

const struct ppi_table *ppi_find_table (const struct ppi_report *report, const char *key)
{
	const struct ppi_table *table = report->tables;

	while (table && (!table->key || strcmp (table->key, key) != 0))
		table = table->next;
	return table;
}

const struct ppi_row *ppi_first_row (const struct ppi_report *report, const char *key)
{
	const struct ppi_table *table = ppi_find_table (report, key);

	return table ? table->rows : NULL;
}

const struct ppi_cell *ppi_find_cell (const struct ppi_row *row, const char *key)
{
	const struct ppi_cell *cell = row ? row->cells : NULL;

	while (cell && strcmp (cell->column->key, key) != 0)
		cell = cell->next;
	return cell;
}

const char *ppi_text_of (const struct ppi_row *row, const char *key)
{
	const struct ppi_cell *cell = ppi_find_cell (row, key);
	bool is_text = cell && (cell->kind == PPI_CELL_TEXT || cell->kind == PPI_CELL_SITE);

	return is_text && cell->state == PPI_CELL_KNOWN ? cell->text : "";
}

double ppi_number_of (const struct ppi_row *row, const char *key)
{
	const struct ppi_cell *cell = ppi_find_cell (row, key);

	if (!cell || cell->state != PPI_CELL_KNOWN)
		return (double) NAN;
	return cell->kind == PPI_CELL_COUNT ? (double) cell->count : cell->number;
}

/* ---- the whole report ------------------------------------------------------------------------ */

struct ppi_report *ppi_report_begin (const struct ppi_recording *recording)
{
	struct ppi_report *report = calloc (1, sizeof *report);

	if (report)
		report->recording = recording;
	return report;
}

struct ppi_report *ppi_report_build (const struct ppi_recording *recording, enum ppi_extent extent)
{
	static void (*const sections[]) (struct ppi_report *, const struct ppi_recording *) = {
#define X(name) ppi_section_##name,
		PPI_SECTIONS (X)
#undef X
	};
	struct ppi_report *report = ppi_report_begin (recording);

	if (!report)
		return NULL;
	report->extent = extent;
	for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
		sections[i](report, recording);
	if (!report->has_failed)
		return report;
	ppi_report_free (report);
	return NULL;
}

void ppi_report_free (struct ppi_report *report)
{
	if (!report)
		return;
	while (report->memory) {
		struct ppi_memory *next = report->memory->next;

		free (report->memory);
		report->memory = next;
	}
	free (report);
}
