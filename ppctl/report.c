/* SPDX-License-Identifier: MIT */
/* report.c: ppctl report: the first screen of a recording, or what else of it is asked for. */
#include "ppctl/report.h"
#include "ppctl/door.h"
#include "ppctl/ppctl.h"
#include "profiler/analysis/broken.h"
#include "recording/finish.h"
#include "recording/read.h"
#include "base/glob.h"
#include "base/types.h"
#include "report/screen.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <string.h>
#include <stdlib.h>
#include <getopt.h>
#include <errno.h>
#include <fcntl.h>
#include <pp.h>
#include <unistd.h>

static void help (FILE *out)
{
	fprintf (out,
		 "usage: ppctl report [OPTION]... FILE|WHO\n\n"
		 "Tells at a glance what a program measured, how that compares with what was\n"
		 "expected, and what was done about it. FILE is a recording (record: in a\n"
		 "policy), complete or of a program that runs, or a live region in /dev/shm. The\n"
		 "recording of a program that was killed is completed first from what the program\n"
		 "left in memory; then FILE is replaced. WHO is a process that runs: its number,\n"
		 "or its program's name.\n\n"
		 "  --all               everything\n"
		 "  --sites             each metric at each of its sites, and their markers\n"
		 "  --metric METRIC     metrics of that name, by site; a pattern\n"
		 "  --site PATTERN      what was measured at sites of such names\n"
		 "  --history           what happened, in its order\n"
		 "  --sort KEY          of metrics: name, n, avg, p50, p99, max, total or last\n"
		 "  --top N             the first N rows of each table; 0: all\n"
		 "  --json              one JSON object with everything, as report.schema.json\n"
		 "                      says: seconds, bytes, plain counts; null is unknown\n"
		 "  --fail-on SEVERITY  exit status 3 where an assertion fired that is so bad, or\n"
		 "                      worse: info, warning, error, critical\n");
}

struct view {
	const char *path;
	bool all, sites, history, json;
	const char *fail_on;
	enum pp_severity least;
	struct ppi_screen screen;
};

/* ---- the command line ------------------------------------------------------------------------ */

int ppctl_severity (const char *command, const char *text, enum pp_severity *out)
{
	const char *names[PP_SEVERITY_CRITICAL + 2] = {NULL}, *nearest;

	for (unsigned i = 0; i <= PP_SEVERITY_CRITICAL; i++) {
		names[i] = ppi_severity_name ((enum pp_severity) i);
		if (strcmp (text, names[i]) == 0) {
			*out = (enum pp_severity) i;
			return PPCTL_GO_ON;
		}
	}
	nearest = ppi_nearest (text, names);
	return ppctl_wrong (command, "--fail-on: there is no severity '%s'; %s%s%s", text,
			    nearest ? "did you mean '" : "it is info, warning, error or critical",
			    nearest ? nearest : "", nearest ? "'?" : "");
}

static int check_order (const char *text)
{
	const char *nearest = ppi_nearest (text, (const char **) ppi_screen_orders);

	for (const char *const *word = ppi_screen_orders; *word; word++)
		if (strcmp (*word, text) == 0)
			return PPCTL_GO_ON;
	return ppctl_wrong ("report", "--sort: metrics can't be sorted by '%s'; %s%s%s", text,
			    nearest ? "did you mean '"
				    : "name, n, avg, p50, p99, max, total and last can be",
			    nearest ? nearest : "", nearest ? "'?" : "");
}

static int check_top (const char *text, unsigned *out)
{
	char *end;
	unsigned long number;

	errno = 0;
	number = strtoul (text, &end, 10);
	if (errno || end == text || *end || *text == '-' || number > 1000000000)
		return ppctl_wrong ("report",
				    "--top: it is a number of rows, or 0 for all, not '%s'", text);
	*out = (unsigned) number;
	return PPCTL_GO_ON;
}

static bool is_of_sites (const struct view *view)
{
	return view->sites || view->screen.metric || view->screen.site;
}

static int read_view (int argc, char **argv, struct view *view)
{
	const char *top = NULL;
	const struct ppctl_option options[] = {{"json", PPCTL_FLAG, &view->json, 0},
					       {"all", PPCTL_FLAG, &view->all, 0},
					       {"sites", PPCTL_FLAG, &view->sites, 0},
					       {"history", PPCTL_FLAG, &view->history, 0},
					       {"metric", PPCTL_TEXT, &view->screen.metric, 0},
					       {"site", PPCTL_TEXT, &view->screen.site, 0},
					       {"sort", PPCTL_TEXT, &view->screen.sort, 0},
					       {"top", PPCTL_TEXT, &top, 0},
					       {"fail-on", PPCTL_TEXT, &view->fail_on, 0},
					       {0}};
	int status = ppctl_options (argc, argv, "report", options, help);

	if (status == PPCTL_GO_ON && argc - optind != 1)
		status = ppctl_wrong ("report", "it needs a recording or a process, and just one");
	if (status == PPCTL_GO_ON && top)
		status = check_top (top, &view->screen.top);
	if (status == PPCTL_GO_ON && view->screen.sort)
		status = check_order (view->screen.sort);
	if (status == PPCTL_GO_ON && view->fail_on)
		status = ppctl_severity ("report", view->fail_on, &view->least);
	if (status == PPCTL_GO_ON && (view->json || view->all) &&
	    (is_of_sites (view) || view->history || view->screen.sort || top ||
	     (view->json && view->all)))
		status = ppctl_wrong ("report",
				      "--%s has everything: nothing can be chosen beside it",
				      view->json ? "json" : "all");
	if (status == PPCTL_GO_ON)
		view->path = argv[optind];
	return status;
}

/* ---- what is printed ------------------------------------------------------------------------- */

static bool put_screen (FILE *out, struct ppi_report *screen, const struct ppi_look *look)
{
	if (screen)
		ppi_report_text (out, screen, look);
	ppi_report_free (screen);
	return screen != NULL;
}

/* What was asked for and is not there: 0, or the exit status. */
static int check_names (const struct ppi_recording *recording, const struct ppi_screen *screen)
{
	const char *names[1024], *nearest;
	const struct ppi_metric_chunk *m = NULL;
	const struct ppi_site_chunk *s = NULL;
	size_t n = 0;

	while (screen->metric && (m = ppi_recording_next (recording, PPI_CHUNK_METRIC, m))) {
		if (ppi_glob_whole (screen->metric, m->name))
			break;
		if (n + 1 < sizeof names / sizeof *names)
			names[n++] = m->name;
	}
	names[n] = NULL;
	nearest = ppi_nearest (screen->metric ? screen->metric : "", names);
	if (screen->metric && !m)
		return ppctl_fail (PPCTL_PROBLEM, "report", "there is no metric '%s'%s%s%s",
				   screen->metric, nearest ? "; did you mean '" : "",
				   nearest ? nearest : "", nearest ? "'?" : "");
	while (screen->site && (s = ppi_recording_next (recording, PPI_CHUNK_SITE, s)) &&
	       !ppi_glob_suffix (screen->site, s->name))
		;
	if (screen->site && !s)
		return ppctl_fail (PPCTL_PROBLEM, "report",
				   "no site's name ends with '%s'; ppctl report --sites lists "
				   "those that there are",
				   screen->site);
	return PPCTL_OK;
}

static bool print (const struct view *view, const struct ppi_report *report)
{
	struct ppi_look look = ppctl_look (stdout);
	const struct ppi_table *history = ppi_find_table (report, "history");
	bool done = true;

#ifdef HAVE_JANSSON
	if (view->json)
		return ppi_report_json (stdout, report);
#endif
	if (view->all) {
		look.columns = 0;
		ppi_report_text (stdout, report, &look);
	} else if (is_of_sites (view)) {
		done = put_screen (stdout, ppi_screen_sites (report, &view->screen), &look);
	} else if (!view->history) {
		done = put_screen (stdout, ppi_screen_first (report, &view->screen), &look);
	}
	if (view->history && history) {
		look.columns = 0;
		ppi_table_text (stdout, history, &look);
	}
	return done;
}

bool ppctl_has_fired (const struct ppi_recording *recording, enum pp_severity least)
{
	const struct ppi_assertion_chunk *a = NULL;

	while ((a = ppi_recording_next (recording, PPI_CHUNK_ASSERTION, a)))
		if (a->fired && a->severity >= least)
			return true;
	return false;
}

int ppctl_first_screen (FILE *out, const struct ppi_recording *recording, const char *path)
{
	struct ppi_look look = ppctl_look (out);
	const struct ppi_screen screen = {.columns = look.columns, .path = path};
	struct ppi_report *report = ppi_report_build (recording, PPI_EXTENT_BRIEF);
	bool done = ppctl_put_where (report, recording) &&
		    put_screen (out, ppi_screen_first (report, &screen), &look);

	ppi_report_free (report);
	return done ? PPCTL_OK : PPCTL_PROBLEM;
}

static int report (const struct view *view, const struct ppi_recording *recording)
{
	bool is_first = !view->json && !view->all && !view->history && !is_of_sites (view);
	struct ppi_report *built;
	int status = check_names (recording, &view->screen);
	bool done;

	if (status != PPCTL_OK)
		return status;
	ppi_report_sentences_set (ppi_broken_sentence);
	built = ppi_report_build (recording, is_first || view->all ? PPI_EXTENT_BRIEF
					     : view->history       ? PPI_EXTENT_LONG
								   : PPI_EXTENT_WHOLE);
	done = ppctl_put_where (built, recording) && print (view, built);
	ppi_report_free (built);
	if (!done)
		return ppctl_fail (PPCTL_PROBLEM, "report", "no memory");
	return view->fail_on && ppctl_has_fired (recording, view->least) ? PPCTL_FIRED : PPCTL_OK;
}

int ppctl_open (const char *command, const char *path, struct ppi_recording **out)
{
	char why[600] = "";
	int finished = ppi_recording_finish (path, why, sizeof why);

	if (finished == PP_ENOENT || (finished < 0 && access (path, R_OK) == 0))
		/* what can be read is reported all the same */
		fprintf (stderr, "ppctl %s: %s\n", command, why);
	if (ppi_recording_open (path, out, why, sizeof why) != 0)
		return ppctl_fail (PPCTL_PROBLEM, command, "%s", why);
	return PPCTL_OK;
}

bool ppctl_is_recording (const char *path)
{
	char magic[sizeof PPI_RECORDING_MAGIC - 1] = "";
	int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool is = fd >= 0 && read (fd, magic, sizeof magic) == (ssize_t) sizeof magic &&
		  memcmp (magic, PPI_RECORDING_MAGIC, sizeof magic) == 0;

	if (fd >= 0)
		close (fd);
	return is;
}

/*
 * What WHO has measured until now, read in its live region. One that does not answer has older
 * figures there.
 */
static int report_running (struct view *view)
{
	const char *word[] = {"figures"};
	struct ppctl_process process;
	struct ppctl_reply reply;
	struct ppi_recording *recording;
	int status = ppctl_find ("report", view->path, &process);
	char why[600] = "";
	char path[64];

	if (status != PPCTL_OK)
		return status;
	view->screen.is_running = true;
	if (ppctl_ask ("report", &process, word, 1, &reply) == PPCTL_OK)
		free (reply.text);
	/* what others write is copied before it is looked at, as of every region */
	snprintf (path, sizeof path, "/proc/self/fd/%d", process.fd);
	if (ppi_recording_open (path, &recording, why, sizeof why) != 0) {
		status = ppctl_fail (PPCTL_PROBLEM, "report", "process %d: %s", (int) process.pid,
				     why);
	} else {
		status = report (view, recording);
		ppi_recording_close (recording);
	}
	ppctl_leave (&process);
	return status;
}

int ppctl_report (int argc, char **argv)
{
	struct view view = {.screen = {.columns = ppctl_look (stdout).columns}};
	struct ppi_recording *recording;
	int status = read_view (argc, argv, &view);

	if (status != PPCTL_GO_ON)
		return status;
	view.screen.path = view.path;
	/* a program that runs where it lies is a file of that name, too */
	if (!strchr (view.path, '/') && !ppctl_is_recording (view.path) &&
	    ppctl_means_process (view.path))
		return report_running (&view);
	status = ppctl_open ("report", view.path, &recording);
	if (status != PPCTL_OK)
		return status;
	status = report (&view, recording);
	ppi_recording_close (recording);
	return status;
}
