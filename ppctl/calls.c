/* SPDX-License-Identifier: MIT */
/*
 * calls.c: see calls.h.
 *
 *   -calls            point FUNCTION/calls     how often
 *   -calls=interval   interval FUNCTION/body   how often, and how long: of executions that are in
 *                                              no other of the same function, so that recursion
 *                                              counts nothing twice
 */
#include "ppctl/calls.h"

#include "base/types.h"
#include "libmetrics/keep/summary.h"
#include "ppctl/elf_read.h"
#include "ppctl/ppctl.h"
#include "recording/read.h"
#include "report/read.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- what is measured ------------------------------------------------------------------------ */

/* Where execvp would find NAME; false: nowhere. */
static bool find_program (const char *name, char *out, size_t room)
{
	const char *path = getenv ("PATH");

	if (strchr (name, '/'))
		return (size_t) snprintf (out, room, "%s", name) < room;
	while (path && *path) {
		size_t bytes = strcspn (path, ":");

		if ((size_t) snprintf (out, room, "%.*s/%s", (int) bytes, path, name) < room &&
		    access (out, X_OK) == 0)
			return true;
		path += bytes + (path[bytes] == ':');
	}
	return false;
}

/* Which of the two kinds PROGRAM has in its own table. */
static void look_at (const char *program, bool *points, bool *intervals)
{
	struct ppctl_binary binary;
	char path[PATH_MAX], why[256];

	*points = *intervals = false;
	if (!find_program (program, path, sizeof path) ||
	    ppctl_binary_open (path, &binary, why, sizeof why) != 0)
		return;
	for (size_t i = 0; i < binary.n_sites; i++) {
		const struct ppctl_site *s = &binary.site[i];

		*points |= s->abi->kind == PP_ABI_SITE_POINT && strcmp (s->name, "calls") == 0;
		*intervals |= s->abi->kind == PP_ABI_SITE_INTERVAL && strcmp (s->name, "body") == 0;
	}
	ppctl_binary_close (&binary);
}

void ppctl_calls_policy (FILE *out, const char *program)
{
	bool points, intervals;

	look_at (program, &points, &intervals);
	/* a script, or its libraries have them: what there is not is said at the end */
	if (!points && !intervals)
		points = intervals = true;
	fputs ("metrics:\n"
	       "  ppctl_calls: {point: count, keep: count}\n"
	       "  ppctl_runs: {interval: count, keep: count, jumped: true}\n"
	       "  ppctl_time: {interval: elapsed, keep: sumcount, scope: outermost, jumped: true}\n"
	       "bind:\n",
	       out);
	if (points)
		fputs ("  - {metric: ppctl_calls, sites: [\"**/calls\"]}\n", out);
	if (intervals)
		fputs ("  - {metric: ppctl_runs, sites: [\"**/body\"]}\n"
		       "  - {metric: ppctl_time, sites: [\"**/body\"]}\n",
		       out);
}

/* ---- what was measured ----------------------------------------------------------------------- */

struct procedure {
	char *name; /* of the function; of those with the same name, of the file, too */
	const char *site;
	double calls, seconds; /* NaN: not measured */
};

struct table {
	struct procedure *row;
	size_t n, room;
};

static const struct ppi_metric_chunk *metric_of (const struct ppi_recording *recording,
						 const char *name)
{
	const struct ppi_metric_chunk *m = NULL;

	while ((m = ppi_recording_next (recording, PPI_CHUNK_METRIC, m)))
		if (strcmp (m->name, name) == 0)
			return m;
	return NULL;
}

/* STAT of METRIC at SITE; NaN: there is none. */
static double figure (const struct ppi_recording *recording, const struct ppi_metric_chunk *metric,
		      uint32_t site, enum pp_statistic stat)
{
	struct ppi_summary summary;
	double value;

	if (!metric)
		return (double) NAN;
	ppi_recording_summary (recording, metric, site, &summary);
	value = ppi_summary_get (&summary, stat, ppi_recording_scale (recording, metric));
	ppi_summary_clear (&summary);
	return value;
}

/* "module!file:function/calls": FUNCTION; WITH_FILE: file:function. Malloced. */
static char *name_of (const char *site, bool with_file)
{
	const char *file = strchr (site, '!'), *end = strrchr (site, '/'), *begin;

	file = file ? file + 1 : site;
	begin = with_file ? NULL : strchr (file, ':');
	begin = begin ? begin + 1 : file;
	return end > begin ? strndup (begin, (size_t) (end - begin)) : strdup (begin);
}

static bool add (struct table *table, struct procedure row)
{
	struct procedure *grown;

	row.name = name_of (row.site, false);
	if (!row.name)
		return false;
	if (table->n == table->room) {
		grown = reallocarray (table->row, 2 * table->room + 64, sizeof *grown);
		if (!grown) {
			free (row.name);
			return false;
		}
		table->row = grown;
		table->room = 2 * table->room + 64;
	}
	table->row[table->n++] = row;
	return true;
}

static bool collect (const struct ppi_recording *recording, struct table *table)
{
	const struct ppi_metric_chunk *points = metric_of (recording, "ppctl_calls"),
				      *runs = metric_of (recording, "ppctl_runs"),
				      *time = metric_of (recording, "ppctl_time");
	const struct ppi_site_chunk *s = NULL;
	bool ok = true;

	while (ok && (s = ppi_recording_next (recording, PPI_CHUNK_SITE, s))) {
		bool is_point = s->kind == PP_ABI_SITE_POINT;
		const struct ppi_metric_chunk *metric = is_point ? points : runs;
		double calls = figure (recording, metric, s->chunk.id, PP_STAT_COUNT);

		if (calls > 0)
			ok = add (table,
				  (struct procedure){
					  .site = s->name,
					  .calls = calls,
					  .seconds = is_point ? (double) NAN
							      : figure (recording, time,
									s->chunk.id, PP_STAT_SUM),
				  });
	}
	return ok;
}

static int by_name (const void *a, const void *b)
{
	const struct procedure *x = a, *y = b;

	return strcmp (x->name, y->name);
}

static int by_time (const void *a, const void *b)
{
	const struct procedure *x = a, *y = b;
	double p = isnan (x->seconds) ? -1 : x->seconds, q = isnan (y->seconds) ? -1 : y->seconds;

	if (p > q || p < q)
		return p > q ? -1 : 1;
	if (x->calls > y->calls || x->calls < y->calls)
		return x->calls > y->calls ? -1 : 1;
	return strcmp (x->name, y->name);
}

/* Functions of the same name are told apart by their files. */
static bool tell_apart (struct table *table)
{
	size_t i = 0, next;

	qsort (table->row, table->n, sizeof *table->row, by_name);
	for (; i < table->n; i = next) {
		for (next = i + 1;
		     next < table->n && by_name (&table->row[i], &table->row[next]) == 0; next++)
			continue;
		for (size_t k = i; next - i > 1 && k < next; k++) {
			char *longer = name_of (table->row[k].site, true);

			if (!longer)
				return false;
			free (table->row[k].name);
			table->row[k].name = longer;
		}
	}
	return true;
}

static void put_row (FILE *out, const struct procedure *row, double most)
{
	for (const char *c = row->name; *c; c++)
		fputc ((unsigned char) *c < 32 || *c == 127 ? '?' : *c, out);
	fprintf (out, " %.0f", row->calls);
	if (isnan (row->seconds))
		fputs (" - - -\n", out);
	else
		fprintf (out, " %.3f %.9f %.3f\n", row->seconds, row->seconds / row->calls,
			 most > 0 ? 100 * row->seconds / most : 0);
}

static void put (FILE *out, const struct table *table)
{
	double most = 0;

	for (size_t i = 0; i < table->n; i++)
		most = fmax (most, table->row[i].seconds);
	fputs ("procedure calls seconds average percent\n", out);
	for (size_t i = 0; i < table->n; i++)
		put_row (out, &table->row[i], most);
}

/* Nothing is missing silently. */
static void put_drops (FILE *out, const struct ppi_recording *recording)
{
	for (int i = 0; i < PP_DROPS; i++) {
		uint64_t n = ppi_recording_drops (recording, (enum pp_drop) i);

		if (n && !ppi_report_is_inexact ((enum pp_drop) i) && i != PP_DROP_HISTORY)
			fprintf (out, "not in it: %llu %s\n", (unsigned long long) n,
				 ppi_drop_sentence ((enum pp_drop) i));
	}
}

int ppctl_calls_show (FILE *out, const struct ppi_recording *recording)
{
	struct table table = {NULL, 0, 0};
	int status = PPCTL_OK;

	if (!collect (recording, &table) || (table.n && !tell_apart (&table)))
		status = ppctl_fail (PPCTL_PROBLEM, "run", "no memory");
	else if (!table.n)
		status = ppctl_fail (
			PPCTL_PROBLEM, "run",
			"--calls: no function was counted: compile the program with "
			"-fplugin-arg-ppgcc-calls or -fplugin-arg-ppgcc-calls=interval");
	else {
		qsort (table.row, table.n, sizeof *table.row, by_time);
		put (out, &table);
		put_drops (out, recording);
	}
	for (size_t i = 0; i < table.n; i++)
		free (table.row[i].name);
	free (table.row);
	return status;
}
