/* SPDX-License-Identifier: MIT */
/* render_text.c: a report for people: the sentences of its rows, and nothing of tables that have none. */
#include "report/quantity.h"
#include "report/read.h"
#include "report/render.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define CELL 80
#define COLUMNS 48 /* that may be as wide as their widest cell */
enum { TWINS_MOST = 4096 };

/* How much of a site's name is left where a table is wider than its terminal */
enum shortened { WHOLE, FILE_FUNCTION_SITE, FUNCTION_SITE };

struct printer {
	FILE *out;
	int room; /* columns of the terminal; INT_MAX: it is none, names are in full */
	/* of the newest columns that were measured */
	const struct ppi_columns *of;
	enum shortened shortened;
	int width[COLUMNS];
};

static int terminal_of (FILE *out)
{
	struct winsize size;
	int file = fileno (out);

	return file >= 0 && isatty (file) && ioctl (file, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col
												     : INT_MAX;
}

/* Columns that TEXT takes on a screen: its UTF-8 characters. */
static int width_of (const char *text)
{
	int n = 0;

	for (; *text; text++)
		n += ((unsigned char) *text & 0xc0) != 0x80;
	return n;
}

/* Names come from files: nothing in them may talk to a terminal. */
static void put_clean (FILE *out, const char *text)
{
	for (; *text; text++)
		fputc ((unsigned char) *text < 0x20 || *text == 0x7f ? '?' : *text, out);
}

/* ---- cells ------------------------------------------------------------------------------------------------------- */

static const struct ppi_cell *cell_of (const struct ppi_row *row, const struct ppi_column *column)
{
	const struct ppi_cell *cell = row->cells;

	while (cell && cell->column != column)
		cell = cell->next;
	return cell;
}

/* Would another row's site be called the same? Nobody shortens the names of thousands for a terminal. */
static bool has_twin (const struct ppi_row *row, const struct ppi_cell *cell, bool with_file)
{
	const char *name = ppi_report_short_name (cell->text, with_file);

	if (row->table->n_rows >= TWINS_MOST)
		return true;
	for (const struct ppi_row *r = row->table->rows; r; r = r->next) {
		const struct ppi_cell *other = r == row ? NULL : cell_of (r, cell->column);

		if (other && other->state == PPI_CELL_KNOWN &&
		    strcmp (ppi_report_short_name (other->text, with_file), name) == 0)
			return true;
	}
	return false;
}

static const char *site_text (const struct printer *p, const struct ppi_row *row, const struct ppi_cell *cell)
{
	if (p->shortened == FUNCTION_SITE && !has_twin (row, cell, false))
		return ppi_report_short_name (cell->text, false);
	if (p->shortened != WHOLE && !has_twin (row, cell, true))
		return ppi_report_short_name (cell->text, true);
	return cell->text;
}

/* The cell of ROW in COLUMN as people read it; OUT is for it where it is made. */
static const char *text_of (const struct printer *p, const struct ppi_row *row, const struct ppi_column *column,
			    char out[CELL])
{
	const struct ppi_cell *cell = cell_of (row, column);

	if (cell && cell->shown)
		return cell->shown;
	if (!cell || cell->state == PPI_CELL_ABSENT || cell->state == PPI_CELL_UNKNOWN)
		return "-";
	switch (column->kind) {
	case PPI_CELL_TEXT:
		return cell->text;
	case PPI_CELL_SITE:
		return site_text (p, row, cell);
	case PPI_CELL_COUNT:
		snprintf (out, CELL, "%llu", (unsigned long long) cell->count);
		break;
	case PPI_CELL_WHOLE:
		return ppi_report_quantity (cell->number, PPI_UNIT_PLAIN, 1, out, CELL);
	case PPI_CELL_NUMBER:
		snprintf (out, CELL, "%.6g", cell->number);
		break;
	case PPI_CELL_QUANTITY:
		return ppi_report_dimensioned (cell->number, cell->seconds, cell->bytes, cell->resolution, out, CELL);
	case PPI_CELL_SHARE:
		snprintf (out, CELL, "%.3g %%", 100 * cell->number);
		break;
	case PPI_CELL_INSTANT:
		snprintf (out, CELL, "%.3f s", cell->number);
		break;
	case PPI_CELL_FLAG:
		return cell->flag ? "yes" : "no";
	case PPI_CELL_TABLE:
		return "";
	}
	return out;
}

/* ---- sentences --------------------------------------------------------------------------------------------------- */

/* {KEY}, {KEY:9}, {KEY:-9}, {KEY:*}, {KEY:-*}, {#KEY} */
struct field {
	const struct ppi_column *column;
	int width;
	bool is_widest, is_left, is_headings;
};

/* Of TABLE, at *AT, behind the brace. Moves *AT to its end. False: there is no such column, so no cell either. */
static bool read_field (const struct ppi_columns *columns, const char **at, struct field *f)
{
	const char *key = *at + (**at == '#'), *end = key + strcspn (key, ":}");

	*f = (struct field){.is_headings = **at == '#', .column = columns->first};
	while (f->column && (strncmp (f->column->key, key, (size_t) (end - key)) != 0 || f->column->key[end - key]))
		f->column = f->column->next;
	if (*end == ':') {
		f->is_left = *++end == '-';
		end += f->is_left;
		f->is_widest = *end == '*';
		f->width = atoi (end);
	}
	*at = end + strcspn (end, "}");
	return f->column != NULL;
}

/* How wide each column is, of all tables that have COLUMNS, as names are shortened now */
static void measure (struct printer *p, const struct ppi_columns *columns)
{
	char text[CELL];

	memset (p->width, 0, sizeof p->width);
	for (const struct ppi_column *c = columns->first; c && c->number < COLUMNS; c = c->next) {
		int *width = &p->width[c->number];

		*width = c->heading ? width_of (c->heading) : 0;
		for (const struct ppi_table *t = columns->tables; t && c->kind != PPI_CELL_TABLE; t = t->next_alike)
			for (const struct ppi_row *row = t->rows; row; row = row->next) {
				int one = width_of (text_of (p, row, c, text));

				*width = one > *width ? one : *width;
			}
	}
}

static int width_of_field (const struct printer *p, const struct field *f)
{
	return !f->is_widest ? f->width : f->column->number < COLUMNS ? p->width[f->column->number] : 0;
}

/* Of what all rows begin with */
static int width_of_form (const struct printer *p, const struct ppi_columns *columns)
{
	struct field f;
	int width = 0;

	for (const char *s = columns->form ? columns->form : ""; *s; s++)
		if (*s != '{')
			width++;
		else if (s++, read_field (columns, &s, &f))
			width += width_of_field (p, &f);
	return width;
}

static void fit (struct printer *p, const struct ppi_columns *columns)
{
	if (p->of == columns)
		return;
	p->of = columns;
	p->shortened = WHOLE;
	measure (p, columns);
	while (p->shortened < FUNCTION_SITE && width_of_form (p, columns) > p->room) {
		p->shortened++;
		measure (p, columns);
	}
}

static void put_rows (struct printer *p, const struct ppi_table *table);

/* SENTENCE of ROW; NULL: of the headings */
static void put_sentence (struct printer *p, const struct ppi_columns *columns, const struct ppi_row *row,
			  const char *sentence)
{
	for (const char *s = sentence ? sentence : ""; *s; s++) {
		const struct ppi_cell *cell;
		const char *text;
		char made[CELL];
		struct field f;
		int blanks;

		if (*s != '{') {
			fputc (*s, p->out);
			continue;
		}
		s++;
		if (!read_field (columns, &s, &f))
			continue;
		cell = row && f.column->kind == PPI_CELL_TABLE ? cell_of (row, f.column) : NULL;
		if (cell && f.is_headings)
			put_sentence (p, cell->table->columns, NULL, cell->table->columns->form);
		else if (cell)
			put_rows (p, cell->table);
		if (cell)
			continue;
		if (f.is_widest)
			fit (p, columns);
		text = row ? text_of (p, row, f.column, made) : f.column->heading ? f.column->heading : f.column->key;
		blanks = width_of_field (p, &f) - width_of (text);
		fprintf (p->out, "%*s", f.is_left || blanks < 0 ? 0 : blanks, "");
		put_clean (p->out, text);
		fprintf (p->out, "%*s", f.is_left && blanks > 0 ? blanks : 0, "");
	}
}

static void put_row (struct printer *p, const struct ppi_row *row)
{
	/* a note has no columns */
	if (row->cells)
		put_sentence (p, row->table->columns, row, row->table->columns->form);
	put_sentence (p, row->table->columns, row, row->sentence);
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

/* The end of the longest part of LINE that takes at most ROOM columns, at a blank where there is one. */
static const char *end_of_line (const char *line, int room)
{
	const char *p = line, *blank = NULL;

	for (int used = 0; *p && used <= room; p++) {
		if (*p == ' ' && p > line && p[-1] != ' ')
			blank = p;
		used += (p[1] & 0xc0) != 0x80;
		if (used > room)
			break;
	}
	return !*p ? p : blank ? blank : p;
}

/* LINE, and where it is wider than ROOM the rest of it in further ones, which begin with INDENT blanks. */
static void put_wrapped (FILE *out, const char *line, int room, int indent)
{
	const char *end = end_of_line (line, room);

	fprintf (out, "%.*s\n", (int) (end - line), line);
	while (*(line = end + strspn (end, " "))) {
		end = end_of_line (line, room - indent);
		fprintf (out, "%*s%.*s\n", indent, "", (int) (end - line), line);
	}
}

/* On a terminal what is too long is wrapped; in files and pipes it is a line. */
static void put_wrapped_row (struct printer *p, const struct ppi_row *row)
{
	int indent = row->table->indent;
	FILE *out = p->out;
	char *line = NULL;
	size_t bytes = 0;
	FILE *memory = open_memstream (&line, &bytes);

	if (!memory) {
		put_row (p, row);
		return;
	}
	p->out = memory;
	put_row (p, row);
	p->out = out;
	if (fclose (memory) == 0) {
		line[strcspn (line, "\n")] = '\0';
		put_wrapped (out, line, p->room, indent);
	}
	free (line);
}

static void put_rows (struct printer *p, const struct ppi_table *table)
{
	for (const struct ppi_row *row = table->rows; row; row = row->next)
		if (row->sentence && row->cells && table->indent && p->room < INT_MAX && p->room > 2 * table->indent)
			put_wrapped_row (p, row);
		else
			put_row (p, row);
}

static bool has_sentence (const struct ppi_table *table)
{
	for (const struct ppi_row *row = table->rows; row; row = row->next)
		if (row->sentence)
			return true;
	return false;
}

void ppi_report_text (FILE *out, const struct ppi_report *report)
{
	struct printer p = {.out = out, .room = terminal_of (out)};

	for (const struct ppi_table *table = report->tables; table; table = table->next) {
		if (!has_sentence (table))
			continue;
		if (table->title)
			fprintf (out, "\n%s\n", table->title);
		put_rows (&p, table);
	}
}
