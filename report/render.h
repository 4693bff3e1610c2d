/* SPDX-License-Identifier: MIT */
/* render.h: prints a report. Write errors are OUT's (ferror). */
#ifndef PPI_REPORT_RENDER_H
#define PPI_REPORT_RENDER_H

#include "report/model.h"

#include <stdio.h>

struct ppi_look {
	/* 0: those of OUT's terminal; where it is none names are in full and nothing is wrapped */
	int columns;
	bool is_coloured;
};

/* For people. LOOK NULL: without colour. */
void ppi_report_text (FILE *out, const struct ppi_report *report, const struct ppi_look *look);
/* One table of it. */
void ppi_table_text (FILE *out, const struct ppi_table *table, const struct ppi_look *look);
#define PPI_REPORT_VERSION 1 /* of the JSON */
/*
 * One JSON object with a key for each table; what is unknown is null. In ppctl only. False: no
 * memory.
 */
bool ppi_report_json (FILE *out, const struct ppi_report *report);
/* The same of tables that are no recording's, whose figures have units of their own. */
bool ppi_tables_json (FILE *out, const struct ppi_report *report);

#endif
