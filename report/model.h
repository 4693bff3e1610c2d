/* SPDX-License-Identifier: MIT */
/*
 * model.h: a report as typed tables. Each section builds its tables once from a recording,
 * renderers print them:
 *
 *     section (assertions.c)                       text: fired {fired}, cleared {cleared}
 *       row = ppi_row (table)                        →  "fired 3, cleared 2"
 *       ppi_put_count (row, "fired", a->fired)     JSON: the cells
 *       ppi_say (row, "fired {fired}, ...")          →  {"fired": 3, "cleared": 2}
 *
 * A cell is a value of a kind. It may be unknown, and it may be absent: then programs get nothing.
 * A sentence is how people read a row; it names cells in braces, and the renderer formats them
 * there. Rows without a sentence are not worth a line; rows without values are notes between the
 * others, for people only.
 *
 * Whatever is built lies in the report's own memory, or in the recording, which has to stay open.
 * Without memory the report has failed, every function here is harmless, and no renderer is to be
 * called.
 */
#ifndef PPI_REPORT_MODEL_H
#define PPI_REPORT_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ppi_memory;
struct ppi_recording;

enum ppi_cell_kind {
	PPI_CELL_TEXT,
	PPI_CELL_SITE,     /* a text, of which the end may do on a narrow terminal */
	PPI_CELL_LIST,     /* a text, "a,b": of two; "" of none */
	PPI_CELL_COUNT,    /* uint64_t */
	PPI_CELL_INTEGER,  /* int64_t */
	PPI_CELL_WHOLE,    /* a count that is a double */
	PPI_CELL_NUMBER,   /* a double without unit */
	PPI_CELL_QUANTITY, /* a double in seconds^a × bytes^b */
	PPI_CELL_SHARE,    /* a double, 1 is all */
	PPI_CELL_INSTANT,  /* seconds since the start */
	PPI_CELL_FLAG,
	PPI_CELL_TABLE,
};

struct ppi_column {
	struct ppi_column *next;
	const char *key;         /* stays as it is: scripts rely on it */
	const char *heading;     /* for people; NULL: the key will do */
	enum ppi_cell_kind kind; /* of its newest cell: only numbers differ among the others */
	uint32_t number;         /* from 0 */
};

enum ppi_cell_state {
	PPI_CELL_ABSENT,
	PPI_CELL_HIDDEN, /* people only get it */
	PPI_CELL_UNKNOWN,
	PPI_CELL_KNOWN
};

/* How it looks where there is colour; what it means is said in words, too. */
enum ppi_tone {
	PPI_TONE_NONE,
	PPI_TONE_BAD,
	PPI_TONE_DOUBTFUL,
	PPI_TONE_GOOD,
	PPI_TONE_STRONG,
	PPI_TONES
};

struct ppi_cell {
	struct ppi_cell *next;
	const struct ppi_column *column;
	enum ppi_cell_kind kind;
	enum ppi_cell_state state;
	enum ppi_tone tone;
	int8_t seconds, bytes; /* powers, of a quantity */
	double resolution;     /* of a quantity: from 0 up to that it can't be told from 0 */
	union {
		const char *text;
		uint64_t count;
		int64_t integer;
		double number;
		bool flag;
		struct ppi_table *table;
	};
	const char *shown; /* what people read instead of the value, or NULL */
};

struct ppi_row {
	struct ppi_row *next;
	struct ppi_table *table;
	struct ppi_cell *cells, *newest;
	const char *sentence; /* or NULL */
	size_t length;
	bool is_unread; /* people are not shown it, its form neither */
};

/* The columns of a table; several tables that are parts of one have the same ones. */
struct ppi_columns {
	struct ppi_column *first, *newest;
	struct ppi_table *tables;
	const char *form; /* how a row begins for people, before its own sentence; or NULL */
};

struct ppi_table {
	struct ppi_table *next, *next_alike; /* of the report; of the same columns */
	struct ppi_report *report;
	struct ppi_columns *columns;
	struct ppi_row *rows, *newest;
	size_t n_rows;
	const char *key;   /* NULL: for people only */
	const char *title; /* or NULL */
	bool is_single;    /* at most one row, which is the thing itself */
	int indent;        /* of what does not fit a terminal's line; 0: it is not wrapped */
};

enum ppi_extent {
	PPI_EXTENT_BRIEF, /* rows that are not worth a line may be left out */
	PPI_EXTENT_WHOLE, /* all rows; of long lists people read the ends */
	PPI_EXTENT_LONG   /* ... people read all of the history */
};

struct ppi_report {
	const struct ppi_recording *recording;
	struct ppi_table *tables, *newest;
	enum ppi_extent extent;
	bool has_failed;
	struct ppi_known_names *names; /* of sites, for short ones; made when they are asked for */
	struct ppi_memory *memory;
	size_t left; /* bytes in the newest piece of memory */
};

/*
 * FN may say more of an entry of the history than the recording does: who builds reports and can
 * read debugging information sets it once, before the first. It returns false for other entries.
 */
struct ppi_history_chunk;
void ppi_report_sentences_set (bool (*fn) (const struct ppi_history_chunk *entry, char *out,
					   size_t room));

/*
 * Builds the report of RECORDING with every section (sections.h). NULL: no memory. ppi_report_free.
 */
struct ppi_report *ppi_report_build (const struct ppi_recording *recording, enum ppi_extent extent);
/*
 * One without tables, for those that are made of another report's; that has to stay. NULL: no
 * memory.
 */
struct ppi_report *ppi_report_begin (const struct ppi_recording *recording);
void ppi_report_free (struct ppi_report *report);

/*
 * BYTES that are 0, until the report is freed; a copy of a text made printf-like. NULL: no memory.
 */
void *ppi_report_take (struct ppi_report *report, size_t bytes);
const char *ppi_report_copy (struct ppi_report *report, const char *format, ...)
	__attribute__ ((format (printf, 2, 3)));

/*
 * The table of the report with KEY; its first row; the cell of ROW with KEY. NULL: there is none.
 */
const struct ppi_table *ppi_find_table (const struct ppi_report *report, const char *key);
const struct ppi_row *ppi_first_row (const struct ppi_report *report, const char *key);
const struct ppi_cell *ppi_find_cell (const struct ppi_row *row, const char *key);
/* Its text, "" without one; its number, NaN without one. */
const char *ppi_text_of (const struct ppi_row *row, const char *key);
double ppi_number_of (const struct ppi_row *row, const char *key);

/* The next table of the report; KEY or TITLE may be NULL. */
struct ppi_table *ppi_table (struct ppi_report *report, const char *key, const char *title);
/* TABLE of the report is its last one from now on, so far. */
void ppi_move_last (struct ppi_report *report, struct ppi_table *table);
/* A table in a cell of ROW. LIKE: has the columns of that one; NULL: its own. */
struct ppi_table *ppi_put_table (struct ppi_row *row, const char *key,
				 const struct ppi_table *like);
/*
 * How all rows of TABLE begin. In forms and sentences {KEY} is a cell; {KEY:9} takes at least 9
 * columns, {KEY:-9} too and begins at the left, {KEY:*} and {KEY:-*} as many as the widest of the
 * table does; {KEY:-+} as {KEY:-*}, but on narrow terminals all of those together take a third of
 * the line; {KEY:~} is cut where the line ends; {#KEY} is the line of headings of a table, by its
 * form. In forms <N...> is left out where nothing in it has a value, and on narrow terminals, the
 * largest N, from 1 to 9, first.
 */
void ppi_form (struct ppi_table *table, const char *form);
/* Columns in their order, where no row says it, or their heading is not their key. */
void ppi_head (struct ppi_table *table, const char *key, const char *heading);

/* The next row. NULL: no memory. */
struct ppi_row *ppi_row (struct ppi_table *table);
/* Values. TEXT NULL and NaN are unknown; texts are not copied. */
void ppi_put_text (struct ppi_row *row, const char *key, const char *text);
void ppi_put_site (struct ppi_row *row, const char *key, const char *text);
void ppi_put_list (struct ppi_row *row, const char *key, const char *text);
void ppi_put_count (struct ppi_row *row, const char *key, uint64_t value);
void ppi_put_integer (struct ppi_row *row, const char *key, int64_t value);
/* A count, number, share or moment. */
void ppi_put_double (struct ppi_row *row, const char *key, enum ppi_cell_kind kind, double value);
void ppi_put_quantity (struct ppi_row *row, const char *key, double value, int seconds, int bytes,
		       double resolution);
void ppi_put_flag (struct ppi_row *row, const char *key, bool value);
/* The value of another row's cell, which has to stay; CELL may be NULL. */
void ppi_put_cell (struct ppi_row *row, const char *key, const struct ppi_cell *cell);
/* Those cells of FROM with KEYS, which end with NULL; FROM has to stay and may be NULL. */
void ppi_put_cells (struct ppi_row *row, const struct ppi_row *from, const char *const *keys);
void ppi_tone (struct ppi_row *row, const char *key, enum ppi_tone tone);
/* What KEY has is for people only. */
void ppi_hide (struct ppi_row *row, const char *key);
/* What people read for KEY, printf-like; programs read its value, or nothing where it has none. */
void ppi_show (struct ppi_row *row, const char *key, const char *format, ...)
	__attribute__ ((format (printf, 3, 4)));
/*
 * Goes on with the sentence of ROW, printf-like. Numbers and fixed words only: texts of the
 * recording are cells, for they may have braces.
 */
void ppi_say (struct ppi_row *row, const char *format, ...) __attribute__ ((format (printf, 2, 3)));

#endif
