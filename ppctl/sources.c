/* SPDX-License-Identifier: MIT */
/*
 * sources.c: ppctl sources [SOURCE...] [--json]: what can be measured, what a reading costs here,
 * and what this machine lacks.
 */
#include "ppctl/ppctl.h"
#include "report/model.h"
#include "stdmetrics/listing.h"

#include <getopt.h>
#include <math.h>
#include <string.h>

static void help (FILE *out)
{
	fprintf (out,
		 "usage: ppctl sources [--verbose] [--json] [SOURCE...]\n\n"
		 "Lists what metrics can be made of: for which sites, in which unit, what one\n"
		 "reading is (an interval is read at its begin and at its end) and what it costs\n"
		 "on this machine, measured now; or why this machine lacks it. SOURCE is one as a\n"
		 "metric names it, like papi:PAPI_L1_DCM; without any, all are listed.\n\n"
		 "  --verbose   of each also what it counts\n"
		 "  --json      one JSON object\n");
}

struct output {
	struct ppi_table *table;
	bool verbose;
	char reason[600]; /* of the source before this one, without its name */
};

/* WHY with "X" in the place of NAME: the same for many counters. */
static void put_reason (const char *why, const char *name, char *out, size_t room)
{
	const char *at = strstr (why, name);

	if (at)
		snprintf (out, room, "%.*sX%s", (int) (at - why), why, at + strlen (name));
	else
		snprintf (out, room, "%s", why);
}

/* One that is missing for the reason that the one before was needs no sentence of its own. */
static void say_why (struct ppi_row *row, const struct ppi_listed_source *s, struct output *output)
{
	char reason[sizeof output->reason];

	put_reason (s->why, s->tried ? s->tried : s->name, reason, sizeof reason);
	if (strcmp (reason, output->reason) == 0)
		ppi_say (row, "    not here either\n");
	else
		ppi_say (row,
			 s->tried ? "    not here ({tried}): {why}\n" : "    not here: {why}\n");
	memcpy (output->reason, reason, sizeof reason);
}

static const char *kept (const struct output *output, const char *text)
{
	return text ? ppi_report_copy (output->table->report, "%s", text) : NULL;
}

static void put_source (const struct ppi_listed_source *s, void *arg)
{
	struct output *output = arg;
	struct ppi_row *row = ppi_row (output->table);

	ppi_put_text (row, "name", kept (output, s->name));
	ppi_put_text (row, "help", kept (output, s->help));
	ppi_put_flag (row, "points", s->points);
	ppi_put_flag (row, "intervals", s->intervals);
	ppi_show (row, "for", "%s",
		  s->points && s->intervals ? "both"
		  : s->points               ? "points"
					    : "intervals");
	ppi_put_text (row, "unit", kept (output, s->unit));
	if (!*s->unit)
		ppi_show (row, "unit", "-");
	ppi_put_text (row, "samples", kept (output, s->type));
	ppi_put_text (row, "reading", kept (output, s->reading));
	ppi_put_double (row, "ns", PPI_CELL_NUMBER, s->ns);
	if (!isnan (s->ns))
		ppi_show (row, "ns", s->ns < 99.95 ? "%.1f" : "%.0f", s->ns);
	ppi_put_flag (row, "available", !s->why);
	ppi_put_text (row, "tried", kept (output, s->tried));
	ppi_put_text (row, "why", kept (output, s->why));
	ppi_say (row, output->verbose ? "\n    {help}\n" : "\n");
	if (s->why)
		say_why (row, s, output);
	else if (s->tried)
		ppi_say (row, "    measured with {tried}\n");
}

static void put_wrong (const char *name, const char *why, void *arg)
{
	(void) arg;
	ppctl_fail (0, "sources", "%s: %s", name, why);
}

static int sources (const char *const *names, size_t n, bool json, bool verbose)
{
	struct ppi_report *report = ppi_report_begin (NULL);
	struct output output = {report ? ppi_table (report, "sources", NULL) : NULL, verbose, ""};
	struct ppi_row *headings = ppi_row (output.table);
	size_t wrong;
	int status;

	if (!headings) {
		ppi_report_free (report);
		return ppctl_fail (PPCTL_PROBLEM, "sources", "no memory");
	}
	ppi_form (output.table,
		  "{name:-21}  {for:-9}  {unit:-4}  {samples:-7}  {reading:-22}  {ns:6}");
	ppi_show (headings, "name", "source");
	ppi_show (headings, "for", "for");
	ppi_show (headings, "unit", "unit");
	ppi_show (headings, "samples", "samples");
	ppi_show (headings, "reading", "one reading is");
	ppi_show (headings, "ns", "ns");
	ppi_say (headings, "\n");
	wrong = ppi_list_sources (names, n, put_source, put_wrong, &output);
	status = ppctl_print (report, json, "sources");
	return wrong ? PPCTL_PROBLEM : status;
}

int ppctl_sources (int argc, char **argv)
{
	bool verbose = false, json = false;
	const struct ppctl_option options[] = {
		{"verbose", PPCTL_FLAG, &verbose, 0}, {"json", PPCTL_FLAG, &json, 0}, {0}};
	int status = ppctl_options (argc, argv, "sources", options, help);

	if (status != PPCTL_GO_ON)
		return status;
	return sources ((const char *const *) argv + optind, (size_t) (argc - optind), json,
			verbose);
}
