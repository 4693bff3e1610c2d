/* SPDX-License-Identifier: MIT */
/*
 * query.c: ppctl query: event records of a recording as tables by their dimensions; ppctl trace:
 * the records themselves; and ppctl shell: both, time and again.
 */
#include "base/types.h"
#include "ppctl/plugins.h"
#include "ppctl/ppctl.h"
#include "ppctl/report.h"
#include "profiler/analysis/query.h"
#include "profiler/analysis/shell.h"
#include "profiler/analysis/trace.h"
#include "recording/file.h"
#include "recording/names.h"
#include "recording/read.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *verb = "query";

#define DEFINE_HELP                                                                                \
	"  --define NAME=EXPR    a dimension of your own: 'size_class = log2(bytes)'; several\n"   \
	"                        times\n"
#define PLUGIN_HELP                                                                                \
	"  --plugin FILE.so      dimensions and formatters of your own in C (pp_analysis.h);\n"    \
	"                        several times; @FILE: those that FILE names, a line each\n"

static void help (FILE *out)
{
	fprintf (
		out,
		"usage: ppctl query [OPTION]... RECORDING [DIMENSION...] [where CONDITION]\n\n"
		"Shows event records of a program that ran with 'events' in its policy as tables:\n"
		"one by the first dimension, one by the second for each value of the first, and "
		"so\n"
		"on; by event without a dimension. Words may be one argument or several:\n\n"
		"  ppctl query a.pprec \"name cached where parent.name = 'decl' and depth > 3\"\n\n"
		"  --stat STATISTIC      a column more: p99 (of times), avg(self), sum(bytes);\n"
		"                        several times\n"
		"  --sort COLUMN         total, self, desc, count, value, or one of --stat\n"
		"  --limit N             rows of a table; all unless said\n"
		"  --max-groups N        values of a dimension, 100000 unless said; the others "
		"are\n"
		"                        one row\n"
		"  --unit UNIT           of whole times: s, ms, us, ns; ms unless "
		"said\n" DEFINE_HELP PLUGIN_HELP
		"  --aggregate           of executions that were counted in groups, not of "
		"records;\n"
		"                        likewise where there are no records\n"
		"  --raw                 with what recording took: nothing is deducted\n"
		"  --csv                 all rows as lines with commas, times in ns\n"
		"  --json                the same as JSON\n"
		"  --dot                 what runs inside what, with counts, for Graphviz\n");
}

static void help_trace (FILE *out)
{
	fprintf (
		out,
		"usage: ppctl trace [OPTION]... RECORDING [DIMENSION...] [where CONDITION]\n\n"
		"Shows event records one by one, by the time at which they began, with these\n"
		"dimensions, or all that they have:\n\n"
		"  ppctl trace a.pprec where \"time > 1ms\"\n\n"
		"  --limit N             the first so many, 1000 unless said; 0: all\n" DEFINE_HELP
			PLUGIN_HELP
		"  --chrome              all of them as JSON that Chrome's trace viewer, Perfetto\n"
		"                        and Speedscope read\n"
		"  --perfetto            all of them as Perfetto's own format; -o FILE says where "
		"to\n"
		"  -o, --output FILE     where it goes\n");
}

struct asked {
	const char *sort, *limit, *groups, *unit, *output;
	struct ppctl_list stats, defines, plugins;
	bool csv, json, dot, chrome, perfetto, aggregate, raw;
	const char *path;
	char *text; /* dimensions and condition */
};

/* ---- the command line ------------------------------------------------------------------------ */

static char *joined (char **word, int n)
{
	size_t bytes = 1;
	char *text, *at;

	for (int i = 0; i < n; i++)
		bytes += strlen (word[i]) + 1;
	text = at = malloc (bytes);
	if (!text)
		return NULL;
	*at = '\0';
	for (int i = 0; i < n; i++)
		at += sprintf (at, "%s%s", i ? " " : "", word[i]);
	return text;
}

static bool take_number (const char *option, const char *text, uint64_t least, uint64_t most,
			 uint64_t *out)
{
	char *end;

	if (!text)
		return true;
	errno = 0;
	*out = strtoull (text, &end, 10);
	if (errno || end == text || *end || *text == '-' || *out < least || *out > most) {
		ppctl_wrong (verb, "--%s: '%s' is no number from %" PRIu64 " to %" PRIu64, option,
			     text, least, most);
		return false;
	}
	return true;
}

/* Which of NAMES, which end with NULL. */
static bool choose (const char *option, const char *text, const char *const *names, unsigned *out)
{
	char why[512];

	for (*out = 0; names[*out]; ++*out)
		if (strcmp (text, names[*out]) == 0)
			return true;
	ppi_query_none_of (text, names, why, sizeof why);
	ppctl_wrong (verb, "--%s: %s", option, why);
	return false;
}

/* A column of the query's own, or one that every table has. */
static bool take_sort (const struct asked *asked, unsigned *sort)
{
	const char *names[PPI_SORT_STAT + PPCTL_TEXTS_MOST + 1] = {"total", "self", "desc", "count",
								   "value"};

	for (size_t i = 0; i < asked->stats.n; i++)
		names[PPI_SORT_STAT + i] = asked->stats.text[i];
	return !asked->sort || choose ("sort", asked->sort, names, sort);
}

/* ---- the recording --------------------------------------------------------------------------- */

static const char *site_name (uint32_t site, void *arg)
{
	return ppi_report_site_name (arg, site);
}

/* How long the program ran; NaN: not known. */
static double total_ns (const struct ppi_recording *recording)
{
	const struct ppi_region_header *header = ppi_recording_header (recording);

	return header->now_ns > header->start_ns ? (double) (header->now_ns - header->start_ns)
						 : (double) NAN;
}

static int describe (const struct asked *asked, const struct ppi_recording *recording,
		     const struct ppctl_plugins *plugins, struct ppi_query_source *source)
{
	char why[512];

	*source = (struct ppi_query_source){
		.records = ppi_records_open (recording, why, sizeof why),
		.plugin = plugins->table,
		.n_plugins = plugins->n,
		.total_ns = total_ns (recording),
		.is_raw = asked->raw,
		.site_name = site_name,
		.arg = (void *) (uintptr_t) recording,
	};
	return source->records ? PPCTL_OK
			       : ppctl_fail (PPCTL_PROBLEM, verb, "%s: %s", asked->path, why);
}

/* Reads what was asked; PPCTL_USAGE and a message where that is wrong. */
static int understand (const struct asked *asked, const struct ppi_query_source *source,
		       const char *text, struct ppi_terms **terms, struct ppi_query_list *list)
{
	char why[512];

	*terms = ppi_terms_create (source);
	if (!*terms)
		return ppctl_fail (PPCTL_PROBLEM, verb, "no memory");
	for (size_t i = 0; i < asked->defines.n; i++)
		if (!ppi_terms_define (*terms, asked->defines.text[i], why, sizeof why))
			return ppctl_wrong (verb, "--define: %s", why);
	return ppi_terms_list (*terms, text, list, why, sizeof why) ? PPCTL_OK
								    : ppctl_wrong (verb, "%s", why);
}

typedef int asking (const struct asked *asked, const struct ppi_query_source *source,
		    const struct ppi_recording *recording);

static int with_records (const struct asked *asked, const struct ppi_recording *recording,
			 asking *fn)
{
	struct ppctl_plugins plugins;
	struct ppi_query_source source;
	int status = ppctl_plugins_open (&asked->plugins, verb, &plugins);

	if (status != PPCTL_OK)
		return status;
	status = describe (asked, recording, &plugins, &source);
	if (status == PPCTL_OK) {
		status = fn (asked, &source, recording);
		ppi_records_close (source.records);
	}
	ppctl_plugins_close (&plugins);
	return status;
}

/* FN with the records of the recording that was asked for. */
static int open_and (const struct asked *asked, asking *fn)
{
	struct ppi_recording *recording;
	int status = ppctl_open (verb, asked->path, &recording);

	if (status == PPCTL_OK) {
		status = with_records (asked, recording, fn);
		ppi_recording_close (recording);
	}
	return status;
}

/* ---- query ----------------------------------------------------------------------------------- */

static int draw (const struct asked *asked, struct ppi_query *query,
		 const struct ppi_query_source *source)
{
	char why[512];

	if (!ppi_query_dot (query, source, stdout, why, sizeof why))
		return ppctl_fail (PPCTL_PROBLEM, verb, "%s: %s", asked->path, why);
	/* in a graph there is no place for it */
	ppi_records_put_losses (&query->info, stderr);
	return PPCTL_OK;
}

static int print (const struct asked *asked, const struct ppi_query *query,
		  enum ppi_query_unit unit)
{
	bool ok;

	if (asked->csv)
		ok = ppi_query_print_csv (query, stdout);
#ifdef HAVE_JANSSON
	else if (asked->json)
		ok = ppi_query_print_json (query, stdout);
#endif
	else
		ok = ppi_query_print_text (query, unit, stdout);
	return ok ? PPCTL_OK : ppctl_fail (PPCTL_PROBLEM, verb, "no memory");
}

/* The options that all queries have. */
static int take_options (const struct asked *asked, struct ppi_query *query, unsigned *unit)
{
	static const char *const units[] = {"s", "ms", "us", "ns", NULL};
	uint64_t groups = 0;

	*unit = PPI_UNIT_MS;
	if (!take_number ("limit", asked->limit, 0, UINT64_MAX, &query->limit) ||
	    !take_number ("max-groups", asked->groups, 1, 100000000, &groups) ||
	    !take_sort (asked, &query->sort) ||
	    (asked->unit && !choose ("unit", asked->unit, units, unit)))
		return PPCTL_USAGE;
	query->groups = (uint32_t) groups;
	return PPCTL_OK;
}

static int take_stats (const struct asked *asked, struct ppi_query *query)
{
	char why[512];

	for (size_t i = 0; i < asked->stats.n; i++)
		if (!ppi_query_stat (query, asked->stats.text[i], why, sizeof why))
			return ppctl_wrong (verb, "--stat: %s", why);
	return PPCTL_OK;
}

static int run (const struct asked *asked, const struct ppi_query_source *source,
		const struct ppi_recording *recording)
{
	struct ppi_query query = {.sort = PPI_SORT_TOTAL};
	unsigned unit;
	char why[512];
	int status = take_options (asked, &query, &unit);

	(void) recording;
	if (status == PPCTL_OK)
		status = understand (asked, source, *asked->text ? asked->text : "event",
				     &query.terms, &query.list);
	if (status == PPCTL_OK && !query.list.n)
		status = ppctl_wrong (verb, "it needs a dimension before 'where'");
	if (status == PPCTL_OK)
		status = take_stats (asked, &query);
	if (status == PPCTL_OK && asked->dot)
		status = draw (asked, &query, source);
	else if (status == PPCTL_OK && !ppi_query_run (&query, source, why, sizeof why))
		status = ppctl_fail (PPCTL_PROBLEM, verb, "%s: %s", asked->path, why);
	else if (status == PPCTL_OK)
		status = print (asked, &query, (enum ppi_query_unit) unit);
	ppi_query_clear (&query);
	return status;
}

/* Of executions that were counted in groups while the program ran. */
static int run_aggregate (const struct asked *asked, const struct ppi_query_source *source,
			  const struct ppi_recording *recording)
{
	struct ppi_query query = {.sort = PPI_SORT_TOTAL};
	unsigned unit;
	char why[512];
	int status = take_options (asked, &query, &unit);

	if (status == PPCTL_OK && (asked->dot || asked->defines.n || asked->plugins.n))
		status =
			ppctl_wrong (verb, "--dot, --define and --plugin need records, not groups");
	query.terms = ppi_terms_create (source);
	if (status == PPCTL_OK && !query.terms)
		status = ppctl_fail (PPCTL_PROBLEM, verb, "no memory");
	if (status == PPCTL_OK)
		status = take_stats (asked, &query);
	if (status == PPCTL_OK &&
	    !ppi_query_run_aggregate (&query, source, recording, asked->text, why, sizeof why))
		status = ppctl_fail (PPCTL_PROBLEM, verb, "%s: %s", asked->path, why);
	if (status == PPCTL_OK)
		status = print (asked, &query, (enum ppi_query_unit) unit);
	ppi_query_clear (&query);
	return status;
}

/*
 * RECORDS with those of the recording; GROUPS where it has none but groups, or they are asked for.
 */
static int open_either (const struct asked *asked, asking *records, asking *groups)
{
	struct ppi_recording *recording;
	struct ppi_records *any = NULL;
	char why[512];
	bool has_groups;
	int status = ppctl_open (verb, asked->path, &recording);

	if (status != PPCTL_OK)
		return status;
	has_groups = asked->aggregate || ppi_recording_next (recording, PPI_CHUNK_AGGREGATE, NULL);
	if (has_groups && !asked->aggregate)
		any = ppi_records_open (recording, why, sizeof why);
	if (has_groups && !any) {
		const struct ppi_query_source source = {.total_ns = total_ns (recording)};

		status = groups (asked, &source, recording);
	} else
		status = with_records (asked, recording, records);
	if (any)
		ppi_records_close (any);
	ppi_recording_close (recording);
	return status;
}

/* Path and words; an exit status where they are missing. */
static int arguments (struct asked *asked, int argc, char **argv)
{
	if (optind >= argc)
		return ppctl_wrong (verb, "it needs a recording");
	asked->path = argv[optind];
	asked->text = joined (argv + optind + 1, argc - optind - 1);
	return asked->text ? PPCTL_OK : ppctl_fail (PPCTL_PROBLEM, verb, "no memory");
}

int ppctl_query (int argc, char **argv)
{
	struct asked asked = {.sort = NULL};
	const struct ppctl_option options[] = {{"stat", PPCTL_TEXTS, &asked.stats, 0},
					       {"sort", PPCTL_TEXT, &asked.sort, 0},
					       {"limit", PPCTL_TEXT, &asked.limit, 0},
					       {"max-groups", PPCTL_TEXT, &asked.groups, 0},
					       {"unit", PPCTL_TEXT, &asked.unit, 0},
					       {"define", PPCTL_TEXTS, &asked.defines, 0},
					       {"plugin", PPCTL_TEXTS, &asked.plugins, 0},
					       {"raw", PPCTL_FLAG, &asked.raw, 0},
					       {"csv", PPCTL_FLAG, &asked.csv, 0},
					       {"json", PPCTL_FLAG, &asked.json, 0},
					       {"dot", PPCTL_FLAG, &asked.dot, 0},
					       {"aggregate", PPCTL_FLAG, &asked.aggregate, 0},
					       {0}};
	int status = ppctl_options (argc, argv, verb, options, help);

	if (status != PPCTL_GO_ON)
		return status;
	if (asked.csv + asked.json + asked.dot > 1)
		return ppctl_wrong (verb, "--csv, --json and --dot: one format at a time");
#ifndef HAVE_JANSSON
	if (asked.json)
		return ppctl_fail (PPCTL_PROBLEM, verb,
				   "this ppctl was built without JSON: install libjansson-dev and "
				   "build again");
#endif
	status = arguments (&asked, argc, argv);
	if (status == PPCTL_OK)
		status = open_either (&asked, run, run_aggregate);
	free (asked.text);
	return status;
}

/* ---- trace ----------------------------------------------------------------------------------- */

/* To a file beside it, which takes its place when it is whole. */
static int write_trace (const struct asked *asked, struct ppi_trace *trace,
			const struct ppi_query_source *source)
{
	struct ppi_new_file file;
	char why[512];
	const char *guard = ppctl_guarded (asked->output, asked->path);

	if (*guard)
		return ppctl_fail (PPCTL_PROBLEM, verb, "%s is not replaced: %s", asked->output,
				   guard);
	if (ppi_file_begin (asked->output, PPI_REPLACE_FILE, NULL, &file, why, sizeof why) != PP_OK)
		return ppctl_fail (PPCTL_PROBLEM, verb, "%s can't be written: %s", asked->output,
				   why);
	if (!ppi_trace_perfetto (trace, source, file.fd, why, sizeof why)) {
		ppi_file_abandon (&file);
		return ppctl_fail (PPCTL_PROBLEM, verb, "%s: %s", asked->path, why);
	}
	if (ppi_file_commit (&file, why, sizeof why) != PP_OK)
		return ppctl_fail (PPCTL_PROBLEM, verb, "%s can't be written: %s", asked->output,
				   why);
	close (file.fd);
	printf ("%s: %" PRIu64 " record%s\n", asked->output, trace->chosen,
		trace->chosen == 1 ? "" : "s");
	ppi_records_put_losses (&trace->info, stdout);
	return PPCTL_OK;
}

static int run_trace (const struct asked *asked, const struct ppi_query_source *source,
		      const struct ppi_recording *recording)
{
	const struct ppi_region_header *header = ppi_recording_header (recording);
	struct ppi_trace trace = {.limit = 1000, .program = header->program, .pid = header->pid};
	char why[512];
	int status;

	if (!take_number ("limit", asked->limit, 0, UINT64_MAX, &trace.limit))
		return PPCTL_USAGE;
	status = understand (asked, source, asked->text, &trace.terms, &trace.list);
	if (status == PPCTL_OK && asked->perfetto)
		status = write_trace (asked, &trace, source);
	else if (status == PPCTL_OK && !(asked->chrome ? ppi_trace_chrome : ppi_trace_print) (
					       &trace, source, stdout, why, sizeof why))
		status = ppctl_fail (PPCTL_PROBLEM, verb, "%s: %s", asked->path, why);
	ppi_trace_clear (&trace);
	return status;
}

int ppctl_trace (int argc, char **argv)
{
	struct asked asked = {.sort = NULL};
	const struct ppctl_option options[] = {{"limit", PPCTL_TEXT, &asked.limit, 0},
					       {"define", PPCTL_TEXTS, &asked.defines, 0},
					       {"plugin", PPCTL_TEXTS, &asked.plugins, 0},
					       {"chrome", PPCTL_FLAG, &asked.chrome, 0},
					       {"perfetto", PPCTL_FLAG, &asked.perfetto, 0},
					       {"output", PPCTL_TEXT, &asked.output, 'o'},
					       {0}};
	int status;

	verb = "trace";
	status = ppctl_options (argc, argv, verb, options, help_trace);
	if (status != PPCTL_GO_ON)
		return status;
	if (asked.chrome && asked.perfetto)
		return ppctl_wrong (verb, "--chrome and --perfetto: one format at a time");
	if (asked.perfetto != (asked.output != NULL))
		return ppctl_wrong (verb, asked.perfetto ? "--perfetto needs -o FILE: it is no text"
							 : "-o FILE goes with --perfetto");
	status = arguments (&asked, argc, argv);
	if (status == PPCTL_OK)
		status = open_and (&asked, run_trace);
	free (asked.text);
	return status;
}

/* ---- shell ----------------------------------------------------------------------------------- */

static void help_shell (FILE *out)
{
	fprintf (out, "usage: ppctl shell [OPTION]... RECORDING\n\n"
		      "Reads queries line by line, as ppctl query has them, and commands; 'help' "
		      "tells\n"
		      "which. On a terminal with a history, and TAB completes dimensions and "
		      "values.\n\n" PLUGIN_HELP);
}

static int run_shell (const struct asked *asked, const struct ppi_query_source *source,
		      const struct ppi_recording *recording)
{
	(void) asked;
	return ppi_shell (source, recording, "ppctl", stdin, stdout)
		       ? PPCTL_OK
		       : ppctl_fail (PPCTL_PROBLEM, verb, "no memory");
}

int ppctl_shell (int argc, char **argv)
{
	struct asked asked = {.sort = NULL};
	const struct ppctl_option options[] = {{"plugin", PPCTL_TEXTS, &asked.plugins, 0}, {0}};
	int status;

	verb = "shell";
	status = ppctl_options (argc, argv, verb, options, help_shell);
	if (status != PPCTL_GO_ON)
		return status;
	if (argc - optind != 1)
		return ppctl_wrong (verb, "it needs a recording, and just one");
	asked.path = argv[optind];
	return open_either (&asked, run_shell, run_shell);
}
