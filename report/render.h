/* SPDX-License-Identifier: MIT */
/* render.h: prints a report. Write errors are OUT's (ferror). */
#ifndef PPI_REPORT_RENDER_H
#define PPI_REPORT_RENDER_H

#include "report/model.h"

#include <stdio.h>

/* For people; on a terminal lines are fitted to it. */
void ppi_report_text (FILE *out, const struct ppi_report *report);
/* One JSON object with a key for each table; what is unknown is null. In ppctl only. False: no memory. */
bool ppi_report_json (FILE *out, const struct ppi_report *report);

#endif
