/* SPDX-License-Identifier: MIT */
/*
 * screen.h: a report at a glance. A screen is a report of its own, whose few tables are made of the
 * tables of the whole one: it shows nothing that the whole one does not have.
 */
#ifndef PPI_REPORT_SCREEN_H
#define PPI_REPORT_SCREEN_H

#include "report/model.h"

struct ppi_screen {
	int columns;
	/* of the recording, for the line that says where the rest is; NULL: no such line */
	const char *path;
	bool is_running;    /* PATH says a process instead: other commands need a recording */
	const char *metric; /* a glob; NULL: all */
	const char *site;   /* a pattern of names, as in policies; NULL: all */
	/* one of ppi_screen_orders, or NULL: what matters first, sites by name */
	const char *sort;
	unsigned top; /* so many rows of each table; 0: as many as fit, or all */
};

/* Words for `sort`; ends with NULL. */
extern const char *const ppi_screen_orders[] __attribute__ ((visibility ("hidden")));

/*
 * The first screen of ALL, which has to stay: the verdict, assertions by how much they were
 * violated, metrics that matter, knobs. 23 lines at most, so that a terminal of 24 has one for its
 * prompt. NULL: no memory. ppi_report_free.
 */
struct ppi_report *ppi_screen_first (const struct ppi_report *all, const struct ppi_screen *screen);
/* A row for each metric at each site, of those that SCREEN names, and how their markers work. */
struct ppi_report *ppi_screen_sites (const struct ppi_report *all, const struct ppi_screen *screen);

/* ---- screen_measured.c ----------------------------------------------------------------------- */

/* How many metrics have a row; the table of the first MOST of them. */
size_t ppi_screen_count_metrics (const struct ppi_report *all);
void ppi_screen_put_metrics (struct ppi_report *out, const struct ppi_report *all,
			     const struct ppi_screen *screen, size_t most);
/* "metric", or "metric, 4 of 12" */
const char *ppi_screen_heading (struct ppi_report *out, const char *word, size_t shown, size_t n);

/* ---- screen_notes.c -------------------------------------------------------------------------- */

/* A text of parts, "a, b, ...", of which as much as there is room for. */
struct ppi_screen_list {
	char text[400];
	size_t used;
};

/* PART, behind GAP where it is not the first. */
void ppi_screen_list_add (struct ppi_screen_list *list, const char *gap, const char *part);
/* The table in ROW's cell KEY, or NULL. */
const struct ppi_table *ppi_screen_table_in (const struct ppi_row *row, const char *key);
/* A table with a line for each thing that is to be said of ALL, in OUT. */
struct ppi_table *ppi_screen_notes (struct ppi_report *out, const struct ppi_report *all);

#endif
