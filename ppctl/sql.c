/* SPDX-License-Identifier: MIT */
/* sql.c: ppctl sql: a recording as tables of SQL. */
#include "ppctl/ppctl.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <getopt.h>

#ifdef HAVE_SQLITE
#include "ppctl/report.h"
#include "profiler/analysis/sql.h"
#include "recording/read.h"
#endif

static void help (FILE *out)
{
	fprintf (
		out,
		"usage: ppctl sql [OPTION]... RECORDING STATEMENTS\n\n"
		"Runs statements of SQL (SQLite's) over a recording and prints what they give:\n\n"
		"  ppctl sql a.pprec \"select event, sum(self) from records group by event\"\n\n"
		"Tables, whose times are ns:\n\n"
		"  records        event records: id, parent, thread, site, event, kind, begin,\n"
		"                 time, self, depth, and each dimension\n"
		"  samples        of profiles: profile, thread, thread_name, at, cost, times,\n"
		"                 name, file, line, stack\n"
		"  sites          id, name, own_name, kind, line\n"
		"  history        what happened: id, time, thread, kind, name, text, knob_from,\n"
		"                 knob_to\n"
		"  metric_values  what a thread had measured by then: time, metric, site, thread,\n"
		"                 shard, epoch, n, total, last, min, max\n\n"
		"  --csv          lines with commas\n"
		"  --json         an object of JSON for each statement that gives rows\n");
}

#ifdef HAVE_SQLITE
static int run (const struct ppi_recording *recording, const char *path, const char *text,
		enum ppi_sql_format format)
{
	char why[600];
	struct ppi_sql *sql = ppi_sql_open (recording, path, why, sizeof why);
	int status = PPCTL_OK;

	if (!sql || !ppi_sql_run (sql, text, format, stdout, stderr, why, sizeof why))
		status = ppctl_fail (PPCTL_PROBLEM, "sql", "%s: %s", path, why);
	ppi_sql_close (sql);
	return status;
}

static int open_and_run (const char *path, const char *text, enum ppi_sql_format format)
{
	struct ppi_recording *recording;
	int status = ppctl_open ("sql", path, &recording);

	if (status == PPCTL_OK) {
		status = run (recording, path, text, format);
		ppi_recording_close (recording);
	}
	return status;
}
#endif

int ppctl_sql (int argc, char **argv)
{
	bool csv = false, json = false;
	const struct ppctl_option options[] = {
		{"csv", PPCTL_FLAG, &csv, 0}, {"json", PPCTL_FLAG, &json, 0}, {0}};
	int status = ppctl_options (argc, argv, "sql", options, help);

	if (status != PPCTL_GO_ON)
		return status;
	if (csv && json)
		return ppctl_wrong ("sql", "--csv and --json are two formats");
	if (argc - optind != 2)
		return ppctl_wrong ("sql", "it needs a recording, and statements in one argument");
#ifdef HAVE_SQLITE
	return open_and_run (argv[optind], argv[optind + 1],
			     csv    ? PPI_SQL_CSV
			     : json ? PPI_SQL_JSON
				    : PPI_SQL_TEXT);
#else
	return ppctl_fail (PPCTL_PROBLEM, "sql",
			   "this ppctl was built without SQL: install libsqlite3-dev and build "
			   "again");
#endif
}
