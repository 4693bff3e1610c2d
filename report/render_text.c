/* SPDX-License-Identifier: MIT */
/*
 * render_text.c: a report for people: the sentences of its rows, and nothing of tables that have
 * none.
 */
#include "base/quantity.h"
#include "base/utf8.h"
#include "report/read.h"
#include "report/render.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define CELL 80
#define COLUMNS 48 /* that may be as wide as their widest cell */
enum { NO_GROUP = 10, NARROWEST = 12, REST_LEAST = 24, SHARED_LEAST = 6 };

/* How much of a site's name is left where a table is wider than its terminal */
enum shortened { WHOLE, FILE_FUNCTION_SITE, FUNCTION_SITE };

struct printer {
	FILE *out;
	int room;   /* columns of the terminal; INT_MAX: it is none, names are in full */
	int at;     /* column on the line */
	int blanks; /* that are printed when something follows them on the line */
	bool is_begun;
	bool is_ascii, is_coloured;
	/* of the newest columns that were measured */
	const struct ppi_columns *of;
	enum shortened shortened;
	int dropped; /* groups of the form from that number on */
	int width[COLUMNS];
	bool has_value[COLUMNS];
};

static int terminal_of (FILE *out)
{
	struct winsize size;
	int file = fileno (out);

	return file >= 0 && isatty (file) && ioctl (file, TIOCGWINSZ, &size) == 0 && size.ws_col > 0
		       ? size.ws_col
		       : INT_MAX;
}

/* Behind the character at TEXT, and what it is where the locale has no UTF-8, or NULL */
static const char *next_of (const struct printer *p, const char *text, const char **ascii)
{
	uint32_t code;
	size_t bytes = ppi_utf8 (text, &code);

	*ascii = p->is_ascii && bytes > 1 ? ppi_character_ascii (text, &bytes) : NULL;
	return text + (bytes ? bytes : 1);
}

/* Columns that TEXT takes on a screen */
static int width_of (const struct printer *p, const char *text)
{
	const char *ascii;
	int n = 0;

	while (*text) {
		text = next_of (p, text, &ascii);
		n += ascii ? (int) strlen (ascii) : 1;
	}
	return n;
}

static void flush_blanks (struct printer *p)
{
	fprintf (p->out, "%*s", p->blanks, "");
	p->blanks = 0;
}

/* The character at TEXT; returns what is behind it. */
static const char *put_character (struct printer *p, const char *text)
{
	const char *ascii, *next = next_of (p, text, &ascii);

	p->at = *text == '\n' ? 0 : p->at + (ascii ? (int) strlen (ascii) : 1);
	p->blanks = *text == ' ' ? p->blanks + 1 : *text == '\n' ? 0 : p->blanks;
	if (*text == ' ')
		return next;
	flush_blanks (p);
	if (ascii)
		fputs (ascii, p->out);
	else
		fwrite (text, 1, (size_t) (next - text), p->out);
	return next;
}

static void put_blanks (struct printer *p, int n)
{
	for (; n > 0; n--)
		put_character (p, " ");
}

/*
 * At most MOST columns of TEXT; what is too much is left out AT_START, or behind them. Names come
 * from files: nothing in them may talk to a terminal.
 */
static void put_clean (struct printer *p, const char *text, int most, bool at_start)
{
	int end = p->at + (most < INT_MAX - p->at ? most : INT_MAX - p->at);
	int excess = width_of (p, text) - most, dots = width_of (p, "…");
	bool is_cut = excess > 0, is_behind = is_cut && !at_start;
	const char *ascii;

	if (is_cut && at_start)
		put_character (p, "…");
	for (; is_cut && at_start && *text && width_of (p, text) > most - dots;)
		text = next_of (p, text, &ascii);
	if (is_behind)
		end -= dots;
	while (*text && p->at < end) {
		const char *next = next_of (p, text, &ascii);

		put_character (p, ppi_utf8_shown (text) ? text : "?");
		text = next;
	}
	if (is_behind && end >= 0)
		put_character (p, "…");
}

static void begin_tone (struct printer *p, enum ppi_tone tone)
{
	static const char *const codes[PPI_TONES] = {[PPI_TONE_BAD] = "1;31",
						     [PPI_TONE_DOUBTFUL] = "33",
						     [PPI_TONE_GOOD] = "32",
						     [PPI_TONE_STRONG] = "1"};

	if (!p->is_coloured || !tone)
		return;
	flush_blanks (p);
	fprintf (p->out, "\033[%sm", codes[tone]);
}

static void end_tone (const struct printer *p, enum ppi_tone tone)
{
	if (p->is_coloured && tone)
		fputs ("\033[0m", p->out);
}

/* ---- cells ----------------------------------------------------------------------------------- */

static const struct ppi_cell *cell_of (const struct ppi_row *row, const struct ppi_column *column)
{
	const struct ppi_cell *cell = row->cells;

	while (cell && cell->column != column)
		cell = cell->next;
	return cell;
}

static const char *site_text (const struct printer *p, const struct ppi_row *row,
			      const struct ppi_cell *cell)
{
	if (p->shortened == WHOLE)
		return cell->text;
	return ppi_report_short_name (row->table->report, cell->text,
				      p->shortened == FUNCTION_SITE ? 2 : 3);
}

/* The cell of ROW in COLUMN as people read it; OUT is for it where it is made. */
static const char *text_of (const struct printer *p, const struct ppi_row *row,
			    const struct ppi_column *column, char out[CELL])
{
	const struct ppi_cell *cell = cell_of (row, column);

	if (cell && cell->shown)
		return cell->shown;
	if (!cell || cell->state == PPI_CELL_ABSENT || cell->state == PPI_CELL_UNKNOWN)
		return "-";
	switch (cell->kind) {
	case PPI_CELL_TEXT:
	case PPI_CELL_LIST:
		return cell->text;
	case PPI_CELL_SITE:
		return site_text (p, row, cell);
	case PPI_CELL_COUNT:
		snprintf (out, CELL, "%llu", (unsigned long long) cell->count);
		break;
	case PPI_CELL_INTEGER:
		snprintf (out, CELL, "%lld", (long long) cell->integer);
		break;
	case PPI_CELL_WHOLE:
		return ppi_quantity_format (cell->number, ppi_dimension_of (PPI_UNIT_PLAIN, 1), out,
					    CELL);
	case PPI_CELL_NUMBER:
		snprintf (out, CELL, "%.6g", cell->number);
		break;
	case PPI_CELL_QUANTITY:
		return ppi_quantity_measured (cell->number,
					      (struct ppi_dimension){cell->seconds, cell->bytes},
					      cell->resolution, out, CELL);
	case PPI_CELL_SHARE:
		return ppi_share_format (cell->number, out, CELL);
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

/* ---- sentences ------------------------------------------------------------------------------- */

/* {KEY}, {KEY:9}, {KEY:-9}, {KEY:*}, {KEY:-*}, {KEY:-+}, {KEY:~}, {#KEY} */
struct field {
	const struct ppi_column *column;
	int width;
	bool is_widest, is_left, is_headings, is_rest, is_shared;
};

/*
 * Of TABLE, at *AT, behind the brace. Moves *AT to its end. False: there is no such column, so no
 * cell either.
 */
static bool read_field (const struct ppi_columns *columns, const char **at, struct field *f)
{
	const char *key = *at + (**at == '#'), *end = key + strcspn (key, ":}");

	*f = (struct field){.is_headings = **at == '#', .column = columns->first};
	while (f->column && (strncmp (f->column->key, key, (size_t) (end - key)) != 0 ||
			     f->column->key[end - key]))
		f->column = f->column->next;
	if (*end == ':') {
		f->is_left = *++end == '-';
		end += f->is_left;
		f->is_shared = *end == '+';
		f->is_widest = *end == '*' || f->is_shared;
		f->is_rest = *end == '~';
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
	memset (p->has_value, 0, sizeof p->has_value);
	for (const struct ppi_column *c = columns->first; c && c->number < COLUMNS; c = c->next) {
		int *width = &p->width[c->number];

		*width = c->heading ? width_of (p, c->heading) : 0;
		for (const struct ppi_table *t = columns->tables; t && c->kind != PPI_CELL_TABLE;
		     t = t->next_alike)
			for (const struct ppi_row *row = t->rows; row; row = row->next) {
				const struct ppi_cell *cell = cell_of (row, c);
				int one = width_of (p, text_of (p, row, c, text));

				*width = one > *width ? one : *width;
				p->has_value[c->number] |=
					cell && (cell->state == PPI_CELL_KNOWN || cell->shown);
			}
	}
}

static int width_of_field (const struct printer *p, const struct field *f)
{
	int width = f->column->number < COLUMNS ? p->width[f->column->number] : 0;

	return f->is_widest         ? width
	       : !f->is_rest        ? f->width
	       : width < REST_LEAST ? width
				    : REST_LEAST;
}

/* Is the group at FORM, "<3  {p50:*}>", not printed? */
static bool is_dropped (const struct printer *p, const struct ppi_columns *columns,
			const char *form)
{
	bool has_value = false;
	struct field f;

	if (form[1] - '0' >= p->dropped)
		return true;
	for (const char *s = form; *s && *s != '>'; s++)
		if (*s == '{' && (s++, read_field (columns, &s, &f)))
			has_value |= f.column->number < COLUMNS && p->has_value[f.column->number];
	return !has_value;
}

/*
 * Steps over the marks of groups in FORM at S, and over groups that are not printed. Returns what
 * is to be printed next.
 */
static const char *skip_groups (const struct printer *p, const struct ppi_columns *columns,
				const char *s)
{
	while (*s == '<' || *s == '>')
		s += *s == '>' ? 1 : is_dropped (p, columns, s) ? strcspn (s, ">") : 2;
	return s;
}

/*
 * Of what all rows begin with; *WIDEST: the widest of the columns that begin at the left, or NULL.
 */
static int width_of_form (const struct printer *p, const struct ppi_columns *columns,
			  const struct ppi_column **widest)
{
	struct field f;
	int width = 0;

	*widest = NULL;
	for (const char *s = skip_groups (p, columns, columns->form ? columns->form : ""); *s;
	     s = skip_groups (p, columns, s + 1)) {
		if (*s != '{') {
			width++;
			continue;
		}
		s++;
		if (!read_field (columns, &s, &f))
			continue;
		width += width_of_field (p, &f);
		if (f.is_left && f.is_widest && f.column->number < COLUMNS &&
		    (!*widest || p->width[f.column->number] > p->width[(*widest)->number]))
			*widest = f.column;
	}
	return width;
}

/* *WIDTH is not more than MOST, if that is not less than LEAST */
static void cut_to (int *width, int most, int least)
{
	most = most > least ? most : least;
	*width = *width > most ? most : *width;
}

/* The first column, where the form has groups, leaves two thirds of the line to others. */
static void cut_first (struct printer *p, const struct ppi_columns *columns)
{
	const char *s =
		columns->form && strchr (columns->form, '<') ? strchr (columns->form, '{') : NULL;
	struct field f;

	if (!s || p->room == INT_MAX)
		return;
	s++;
	if (read_field (columns, &s, &f) && f.column->number < COLUMNS && !f.is_shared)
		cut_to (&p->width[f.column->number], p->room / 3, 2 * NARROWEST);
}

/*
 * Columns that share a third of the line get narrower, the widest first, until they do: so each of
 * them is seen.
 */
static void cut_shared (struct printer *p, const struct ppi_columns *columns)
{
	int *widest, sum;
	struct field f;

	do {
		widest = NULL;
		sum = 0;
		for (const char *s = columns->form; s && *s; s++) {
			if (*s != '{' || (s++, !read_field (columns, &s, &f)) || !f.is_shared ||
			    f.column->number >= COLUMNS)
				continue;
			sum += p->width[f.column->number];
			if (!widest || p->width[f.column->number] > *widest)
				widest = &p->width[f.column->number];
		}
		if (widest && sum > p->room / 3 && *widest > SHARED_LEAST)
			--*widest;
		else
			widest = NULL;
	} while (widest);
}

/* Names are shortened, then groups are left out, and where there are such what is widest is cut. */
static void fit (struct printer *p, const struct ppi_columns *columns)
{
	const struct ppi_column *widest;
	int excess;

	if (p->of == columns)
		return;
	p->of = columns;
	p->shortened = WHOLE;
	p->dropped = NO_GROUP;
	measure (p, columns);
	while (p->shortened < FUNCTION_SITE && width_of_form (p, columns, &widest) > p->room) {
		p->shortened++;
		measure (p, columns);
	}
	cut_first (p, columns);
	if (width_of_form (p, columns, &widest) > p->room)
		cut_shared (p, columns);
	while (p->dropped > 1 && width_of_form (p, columns, &widest) > p->room)
		p->dropped--;
	excess = width_of_form (p, columns, &widest) - p->room;
	if (excess > 0 && widest && strchr (columns->form, '<'))
		cut_to (&p->width[widest->number], p->width[widest->number] - excess, NARROWEST);
}

static void put_rows (struct printer *p, const struct ppi_table *table);

/* A cell of ROW; of no row: the heading of its column */
static void put_field (struct printer *p, const struct ppi_row *row, const struct field *f)
{
	const struct ppi_cell *cell = row ? cell_of (row, f->column) : NULL;
	enum ppi_tone tone = cell ? cell->tone : row ? PPI_TONE_NONE : PPI_TONE_STRONG;
	const char *text;
	char made[CELL];
	int width = width_of_field (p, f), most = INT_MAX, blanks;

	if (row)
		text = text_of (p, row, f->column, made);
	else
		text = f->column->heading ? f->column->heading : f->column->key;
	if (f->is_rest && p->room < INT_MAX)
		most = p->room > p->at ? p->room - p->at : 0;
	else if (f->is_widest && f->is_left)
		most = width;
	blanks = width - width_of (p, text);
	if (!f->is_left && !f->is_rest)
		put_blanks (p, blanks);
	begin_tone (p, *text ? tone : PPI_TONE_NONE);
	/* what tells sites apart is their names' end */
	put_clean (p, text, most, row && strcmp (f->column->key, "site") == 0);
	end_tone (p, *text ? tone : PPI_TONE_NONE);
	if (f->is_left)
		put_blanks (p, blanks);
}

/* SENTENCE of ROW; NULL: of the headings */
static void put_sentence (struct printer *p, const struct ppi_columns *columns,
			  const struct ppi_row *row, const char *sentence)
{
	bool is_form = sentence && sentence == columns->form;
	const struct ppi_cell *cell;
	struct field f;

	if (is_form)
		fit (p, columns);
	for (const char *s = sentence ? sentence : ""; *s;) {
		bool is_known;

		if (is_form && *(s = skip_groups (p, columns, s)) == '\0')
			break;
		if (*s != '{') {
			s = put_character (p, s);
			continue;
		}
		s++;
		is_known = read_field (columns, &s, &f);
		s += *s == '}';
		if (!is_known)
			continue;
		cell = row && f.column->kind == PPI_CELL_TABLE ? cell_of (row, f.column) : NULL;
		if (cell && f.is_headings)
			put_sentence (p, cell->table->columns, NULL, cell->table->columns->form);
		else if (cell)
			put_rows (p, cell->table);
		else
			put_field (p, row, &f);
	}
}

static void put_row (struct printer *p, const struct ppi_row *row)
{
	if (row->is_unread)
		return;
	/* a note has no columns */
	if (row->cells)
		put_sentence (p, row->table->columns, row, row->table->columns->form);
	put_sentence (p, row->table->columns, row, row->sentence);
}

/* ---- lines ----------------------------------------------------------------------------------- */

/*
 * The end of the longest part of LINE that takes at most ROOM columns, at a blank where there is
 * one.
 */
static const char *end_of_line (const char *line, int room)
{
	const char *p = line, *blank = NULL;

	for (int used = 0; *p && used <= room; p++) {
		if (*p == '\033') { /* a colour takes no room */
			p += strcspn (p, "m");
			continue;
		}
		if (*p == ' ' && p > line && p[-1] != ' ')
			blank = p;
		used += (p[1] & 0xc0) != 0x80;
		if (used > room)
			break;
	}
	return !*p ? p : blank ? blank : p;
}

/*
 * LINE, and where it is wider than ROOM the rest of it in further ones, which begin with INDENT
 * blanks.
 */
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
		if (row->sentence && row->cells && table->indent && p->room < INT_MAX &&
		    p->room > 2 * table->indent)
			put_wrapped_row (p, row);
		else
			put_row (p, row);
}

static bool is_worth_printing (const struct ppi_table *table)
{
	for (const struct ppi_row *row = table->rows; row; row = row->next)
		if (row->sentence)
			return true;
	return false;
}

static void put_table (struct printer *p, const struct ppi_table *table)
{
	if (!is_worth_printing (table))
		return;
	if (table->title && p->is_begun)
		fputc ('\n', p->out);
	p->is_begun = true;
	if (table->title && *table->title) {
		begin_tone (p, PPI_TONE_STRONG);
		fputs (table->title, p->out);
		end_tone (p, PPI_TONE_STRONG);
		fputc ('\n', p->out);
	}
	put_rows (p, table);
}

static struct printer printer_of (FILE *out, const struct ppi_look *look)
{
	return (struct printer){.out = out,
				.room = look && look->columns ? look->columns : terminal_of (out),
				.is_ascii = !ppi_locale_is_utf8 (),
				.is_coloured = look && look->is_coloured};
}

void ppi_report_text (FILE *out, const struct ppi_report *report, const struct ppi_look *look)
{
	struct printer p = printer_of (out, look);

	for (const struct ppi_table *table = report->tables; table; table = table->next)
		put_table (&p, table);
}

void ppi_table_text (FILE *out, const struct ppi_table *table, const struct ppi_look *look)
{
	struct printer p = printer_of (out, look);

	put_table (&p, table);
}
