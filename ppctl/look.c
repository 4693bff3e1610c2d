/* SPDX-License-Identifier: MIT */
/* look.c: prints tables; how wide they may be, and whether they have colour. */
#include "ppctl/ppctl.h"
#include "ppctl/report.h"
#include "report/render.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { NARROWEST = 40, WIDEST = 1000, USUAL = 80 };

static bool is_set (const char *name)
{
	const char *value = getenv (name);

	return value && *value;
}

static bool has_colour (FILE *out)
{
	const char *force = getenv ("CLICOLOR_FORCE"), *term = getenv ("TERM");

	if (is_set ("NO_COLOR"))
		return false;
	if (force && *force && strcmp (force, "0") != 0)
		return true;
	return isatty (fileno (out)) && (!term || strcmp (term, "dumb") != 0);
}

/* COLUMNS is the user's word; else what the terminal says, or as many as everybody has. */
static int columns_of (FILE *out)
{
	const char *said = getenv ("COLUMNS");
	int columns = said ? atoi (said) : 0;
	struct winsize size;

	if (columns <= 0 && ioctl (fileno (out), TIOCGWINSZ, &size) == 0)
		columns = size.ws_col;
	if (columns <= 0)
		columns = USUAL;
	return columns < NARROWEST ? NARROWEST : columns > WIDEST ? WIDEST : columns;
}

struct ppi_look ppctl_look (FILE *out)
{
	return (struct ppi_look){columns_of (out), has_colour (out)};
}

const char *ppctl_quantity (double value, enum ppi_unit unit, char out[PPI_QUANTITY_BYTES])
{
	ppi_quantity_format (value, ppi_dimension_of (unit, 1), out, PPI_QUANTITY_BYTES);
	ppi_text_for_locale (out);
	return out;
}

int ppctl_print (struct ppi_report *report, bool json, const char *command)
{
	bool done = report && !report->has_failed;

#ifdef HAVE_JANSSON
	if (done && json)
		done = ppi_tables_json (stdout, report);
#endif
	if (done && !json)
		ppi_report_text (stdout, report, NULL);
	ppi_report_free (report);
	return done ? PPCTL_OK : ppctl_fail (PPCTL_PROBLEM, command, "no memory");
}
