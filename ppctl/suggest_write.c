/* SPDX-License-Identifier: MIT */
/* suggest_write.c: the policy that ppctl suggest writes; see suggest.h. */
#include "base/chunk.h"
#include "base/glob.h"
#include "base/types.h"
#include "libmetrics/keep/accumulator.h"
#include "ppctl/report.h"
#include "ppctl/suggest.h"
#include "ppctl/suggest_text.h"
#include "recording/layout.h"
#include "recording/read.h"
#include "base/quantity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NAME_ROOM 96  /* of an assertion */
#define CONSTANT 48   /* text of one */
#define CHECKS 100    /* in a run as long as the recorded one, at least */
#define AFTER 10      /* of them are left out at first, while there is little to speak of */
#define WINDOW_S 10.0 /* of runs that were long enough to be made of many of them */
#define WINDOWS 6
#define SITE_ROOM 1400

/* What a row becomes. */
struct line {
	const struct suggest_row *row;
	const char *suffix; /* of the site's name: enough to tell it from the others */
	const char *skip;   /* why there is no constant, or NULL */
	enum pp_statistic statistic;
	double value;
	char name[NAME_ROOM];
};

struct policy {
	FILE *out;
	const struct suggest_gathered *g;
	const struct suggest_options *options;
	struct line *line; /* as many as rows */
	size_t n;
	double every_s;
};

/* ---- sites and names ------------------------------------------------------------------------- */

/* Does SUFFIX mean another site of the recordings too? */
static bool is_ambiguous (const struct suggest_gathered *g, const char *suffix, const char *site)
{
	char pattern[SITE_ROOM];

	if (!suggest_make_pattern (suffix, pattern, sizeof pattern))
		return false;
	for (size_t r = 0; r < g->n_recordings; r++)
		for (const struct ppi_site_chunk *s = NULL;
		     (s = ppi_recording_next (g->recording[r], PPI_CHUNK_SITE, s));)
			if (strcmp (s->name, site) != 0 && ppi_glob_suffix (pattern, s->name))
				return true;
	return false;
}

/* "file.c:function/site" of "module!folder/file.c:function/site", or as much more as it takes. */
static const char *suffix_of (const struct suggest_gathered *g, const char *site)
{
	const char *module = strchr (site, '!'), *file = module ? module + 1 : site,
		   *colon = strchr (file, ':');
	const char *suffix = file;

	for (const char *p = file; colon && p < colon; p++)
		if (*p == '/')
			suffix = p + 1;
	while (suffix > site && is_ambiguous (g, suffix, site)) {
		suffix--;
		while (suffix > site && !strchr ("!:/", suffix[-1]))
			suffix--;
	}
	return suffix;
}

/*
 * "latency_serve_i1" for the metric latency at serve.c:serve/i1; numbered where there is one
 * already.
 */
static void make_name (struct policy *p, struct line *line)
{
	const char *colon = strchr (line->suffix, ':'), *from = colon ? colon + 1 : line->suffix;
	int used = snprintf (line->name, sizeof line->name - 8, "%s_", line->row->metric->name);
	char *end = line->name +
		    (used < (int) sizeof line->name - 9 ? used : (int) sizeof line->name - 9),
	     *base;

	for (; *from && end < line->name + sizeof line->name - 9; from++)
		if (suggest_is_word_character (*from) || end[-1] != '_')
			*end++ = suggest_is_word_character (*from) ? *from : '_';
	*end = '\0';
	base = end;
	for (unsigned number = 2, again = 1; again; number++) {
		again = 0;
		for (const struct line *other = p->line; other < line; other++)
			again |= !other->skip && strcmp (other->name, line->name) == 0;
		if (again)
			snprintf (base, (size_t) (line->name + sizeof line->name - base), "_%u",
				  number % 100000);
	}
}

/* ---- what is expected ------------------------------------------------------------------------ */

static const char *why_not (const struct line *line)
{
	const struct suggest_row *row = line->row;
	enum ppi_accumulator kept = row->metric->accumulator;
	char pattern[SITE_ROOM];

	if (!suggest_is_name (row->metric->name))
		return "its name can't be said in a policy";
	if (!ppi_statistic_exists (kept, PP_STAT_AVG))
		return "it keeps no average; \"keep: stats\" or \"histogram\" does";
	if (row->n == 0)
		return "no samples";
	if (row->processes == row->short_of)
		return "too few samples";
	if (!row->site)
		return "added by pp_sample, at no site";
	if (!suggest_is_clean (line->suffix) ||
	    !suggest_make_pattern (line->suffix, pattern, sizeof pattern) ||
	    !suggest_quote_for (pattern))
		return "the name of its site can't be said in an expression";
	if (!isfinite (line->value))
		return "its value is unknown";
	if (line->value == 0)
		return "it was always 0";
	return NULL;
}

static void choose (struct policy *p, struct line *line, const struct suggest_row *row)
{
	bool quantile = ppi_statistic_exists (row->metric->accumulator, PP_STAT_P50) &&
			!row->lost && !isnan (row->quantile);

	line->row = row;
	line->suffix = row->site ? suffix_of (p->g, row->site) : "";
	line->statistic = quantile ? p->options->quantile : PP_STAT_AVG;
	line->value = quantile ? row->quantile : row->avg;
	line->skip = why_not (line);
	if (!line->skip)
		make_name (p, line);
}

/*
 * A round time in which a run as long as the recorded one is checked a hundred times; a second is
 * enough for any.
 */
static double choose_every (double seconds)
{
	static const double times[] = {1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01};
	size_t i = 0;

	while (i + 1 < sizeof times / sizeof *times && times[i] > seconds / CHECKS)
		i++;
	return times[i];
}

/* ---- the parts ------------------------------------------------------------------------------- */

static void put_head (const struct policy *p)
{
	FILE *out = p->out;

	fprintf (out, "# Suggested by ppctl from what was measured, to be read and edited:\n");
	for (size_t i = 0; i < p->g->n_recordings; i++) {
		const struct ppi_region_header *h = ppi_recording_header (p->g->recording[i]);
		time_t started = (time_t) (h->start_realtime_ns / 1000000000u);
		char when[64] = "?";
		struct tm tm;

		if (localtime_r (&started, &tm))
			strftime (when, sizeof when, "%Y-%m-%d %H:%M:%S", &tm);
		fprintf (out, "#   ");
		suggest_put_clean (out, h->program[0] ? h->program : "?");
		fprintf (out, ", process %u, %s, %.3g s\n", h->pid, when,
			 ((double) h->now_ns - (double) h->start_ns) / 1e9);
	}
	if (p->g->n_recordings > 1)
		fprintf (out, "# Each constant is the largest that one of these processes had.\n");
	fprintf (out, "# Only upper limits are suggested; where more is better, turn <= and the "
		      "factor round.\n");
	fprintf (out, "version: 1\n");
}

static bool is_used (const struct policy *p, const struct line *line)
{
	for (const struct line *other = p->line; other < line; other++)
		if (!other->skip && strcmp (other->row->metric->name, line->row->metric->name) == 0)
			return false;
	return !line->skip;
}

/* A word as it is, anything else in quotes. */
static void put_scalar (FILE *out, const char *text)
{
	if (suggest_is_name (text))
		fputs (text, out);
	else
		suggest_put_quoted (out, text);
}

/* "a,b" as a list of YAML */
static void put_list (FILE *out, const char *list)
{
	char one[512];

	fputc ('[', out);
	for (const char *end; *list; list = *end ? end + 1 : end) {
		end = strchrnul (list, ',');
		snprintf (one, sizeof one, "%.*s", (int) (end - list), list);
		put_scalar (out, one);
		fputs (*end ? ", " : "]", out);
	}
}

static bool can_be_declared (const struct ppi_metric_chunk *m)
{
	return m->asked && suggest_is_clean (ppi_chunk_text (m, m->asked)) &&
	       suggest_is_clean (ppi_chunk_text (m, m->combine)) &&
	       suggest_is_clean (ppi_chunk_text (m, m->fallback)) &&
	       m->scope <= PPI_SCOPE_OUTERMOST;
}

/*
 * Just as it was declared: only so it is the same metric where the program or another policy
 * declares it too.
 */
static void put_declaration (FILE *out, const struct ppi_metric_chunk *m)
{
	const struct ppi_keep_size *size = &ppi_keep_of (m->accumulator)->size;
	char text[CONSTANT];

	fprintf (out, "  %s: {%s: ", m->name, m->kind == PP_ABI_SITE_POINT ? "point" : "interval");
	put_scalar (out, ppi_chunk_text (m, m->asked));
	fprintf (out, ", keep: %s", ppi_accumulator_name (m->accumulator));
	if (size->option)
		fprintf (out, ", %s: %llu", size->option, (unsigned long long) m->size);
	if (m->scope)
		fprintf (out, ", scope: %s", ppi_scope_name ((enum ppi_scope) m->scope));
	if (m->combine) {
		fputs (", operator: ", out);
		put_scalar (out, ppi_chunk_text (m, m->combine));
	}
	if (m->corrected)
		fputs (", corrected: true", out);
	if (m->jumped)
		fputs (", jumped: true", out);
	if (m->every > 1)
		fprintf (out, ", every: %u", m->every);
	if (m->window_ns)
		fprintf (out, ", window: %s",
			 suggest_put_duration (m->window_ns, text, sizeof text));
	if (m->optional)
		fputs (", optional: true", out);
	if (m->fallback) {
		fputs (", fallback: ", out);
		put_list (out, ppi_chunk_text (m, m->fallback));
	}
	fputs ("}\n", out);
}

static void put_metrics (const struct policy *p)
{
	bool any = false;

	for (const struct line *line = p->line; line < p->line + p->n; line++) {
		const struct ppi_metric_chunk *m = line->row->metric;

		if (!is_used (p, line))
			continue;
		if (!can_be_declared (m)) {
			fprintf (p->out, "# %s, %s of ", m->name,
				 ppi_accumulator_name (m->accumulator));
			suggest_put_clean (p->out, ppi_chunk_text (m, m->source));
			fprintf (
				p->out,
				", measures by functions of the program's: it is declared there\n");
			continue;
		}
		if (m->instead) {
			fprintf (p->out, "# constants of %s are of ", m->name);
			suggest_put_clean (p->out, ppi_chunk_text (m, m->source));
			fputs (", instead of ", p->out);
			suggest_put_clean (p->out, ppi_chunk_text (m, m->instead));
			fputc ('\n', p->out);
		}
		if (!any)
			fputs ("\nmetrics:\n", p->out);
		put_declaration (p->out, m);
		any = true;
	}
}

static void put_bindings (const struct policy *p)
{
	fprintf (p->out, "\nbind:\n");
	for (const struct line *line = p->line; line < p->line + p->n; line++) {
		char pattern[SITE_ROOM];

		if (line->skip || !suggest_make_pattern (line->suffix, pattern, sizeof pattern))
			continue;
		fprintf (p->out, "  - {metric: %s, sites: [", line->row->metric->name);
		suggest_put_quoted (p->out, pattern);
		fprintf (p->out, "]");
		if (line->row->every > 1)
			fprintf (p->out, ", every: %u", line->row->every);
		fprintf (p->out, "}\n");
	}
}

static void put_origin (const struct policy *p, const struct line *line)
{
	const struct suggest_row *row = line->row;
	enum ppi_unit unit = row->metric->unit;
	char text[PPI_QUANTITY_BYTES];

	fprintf (p->out, "    # %s of %llu samples", ppi_statistic_name (line->statistic),
		 (unsigned long long) row->n);
	if (row->processes > 1)
		fprintf (p->out, " of %u processes", row->processes);
	if (row->short_of)
		fprintf (p->out, ", %u of them with too few", row->short_of);
	fprintf (p->out, ": %s", ppctl_quantity (line->value, unit, text));
	if (line->statistic != PP_STAT_AVG)
		fprintf (p->out, "; average %s", ppctl_quantity (row->avg, unit, text));
	if (!isnan (row->p50))
		fprintf (p->out, ", median %s", ppctl_quantity (row->p50, unit, text));
	if (!isnan (row->max))
		fprintf (p->out, "; largest %s", ppctl_quantity (row->max, unit, text));
	fputc ('\n', p->out);
	if (row->lost)
		fprintf (p->out, "    # quantiles are unknown: the histogram had no room for all "
				 "of them (PP_REGION_MAX)\n");
	else if (line->statistic == PP_STAT_AVG)
		fprintf (p->out, "    # with \"keep: histogram\" it could be a quantile, like %s\n",
			 ppi_statistic_name (p->options->quantile));
}

/*
 * Over recent time where the run was long enough, and the samples many enough, for that to be about
 * as the whole; so it recovers when what was wrong is over. Else since the start.
 */
static void put_operand (const struct policy *p, const struct line *line)
{
	char pattern[SITE_ROOM], text[CONSTANT], quote;

	if (!suggest_make_pattern (line->suffix, pattern, sizeof pattern))
		return;
	quote = suggest_quote_for (pattern);
	fprintf (p->out, "%s@", line->row->metric->name);
	if (quote == '\'')
		fprintf (p->out, "''");
	else
		fputc (quote, p->out);
	suggest_put_doubled (p->out, pattern);
	if (quote == '\'')
		fprintf (p->out, "''");
	else
		fputc (quote, p->out);
	fprintf (p->out, ".%s", ppi_statistic_name (line->statistic));
	if (p->g->seconds >= WINDOWS * WINDOW_S &&
	    line->row->rate * WINDOW_S >= (double) p->options->least)
		fprintf (p->out, "[%s]",
			 suggest_put_constant (WINDOW_S, PPI_UNIT_SECONDS, text, sizeof text));
}

static void put_assertions (const struct policy *p)
{
	fprintf (p->out, "\nassertions:\n");
	for (const struct line *line = p->line; line < p->line + p->n; line++) {
		char constant[CONSTANT];

		if (line->skip)
			continue;
		fprintf (p->out, "  %s:\n", line->name);
		put_origin (p, line);
		fprintf (p->out, "    every: %s\n    expect: '",
			 suggest_put_constant (p->every_s, PPI_UNIT_SECONDS, constant,
					       sizeof constant));
		put_operand (p, line);
		suggest_put_constant (line->value, line->row->metric->unit, constant,
				      sizeof constant);
		/* of what is below 0 the margin is less of it */
		fprintf (p->out, " <= %g * %s%s'\n",
			 line->value > 0 ? 1 + p->options->margin : 1 - p->options->margin,
			 line->value > 0 ? "" : "-", constant);
		fprintf (p->out, "    after: %d\n    for: 3\n    on_fire: [{log: warning}]\n",
			 AFTER);
	}
}

static void put_skipped (const struct policy *p)
{
	bool any = false;

	for (const struct line *line = p->line; line < p->line + p->n; line++) {
		if (!line->skip)
			continue;
		fprintf (p->out, "%s#   ", any ? "" : "\n# Nothing is suggested of:\n");
		suggest_put_clean (p->out, line->row->metric->name);
		fprintf (p->out, " at ");
		suggest_put_clean (p->out, line->row->site ? line->row->site : "no site");
		fprintf (p->out, ": %s (%llu sample%s)\n", line->skip,
			 (unsigned long long) line->row->n, line->row->n == 1 ? "" : "s");
		any = true;
	}
	for (size_t r = 0; r < p->g->n_recordings; r++)
		for (const struct ppi_metric_chunk *m = NULL;
		     (m = ppi_recording_next (p->g->recording[r], PPI_CHUNK_METRIC, m));)
			if (m->unavailable) {
				fprintf (p->out, "%s#   ",
					 any ? "" : "\n# Nothing is suggested of:\n");
				suggest_put_clean (p->out, m->name);
				fprintf (p->out, ": ");
				suggest_put_clean (p->out, ppi_chunk_text (m, m->unavailable));
				fputc ('\n', p->out);
				any = true;
			}
}

/* Why there is nothing to suggest at all, and what to do. */
static void say_why_not (const struct policy *p, char *why, size_t room)
{
	const struct line *few = NULL;

	for (const struct line *line = p->line; line < p->line + p->n; line++)
		if (!few || line->row->n > few->row->n)
			few = line;
	if (!few && p->options->n_sites)
		snprintf (why, room, "no site with samples has a name that --site says");
	else if (!few)
		snprintf (why, room, "nothing was measured in %s",
			  p->g->n_recordings == 1 ? "this run" : "these runs");
	else
		snprintf (why, room,
			  "nothing was measured that could be expected: %s at %.300s has %llu "
			  "samples (%s)",
			  few->row->metric->name, few->row->site ? few->row->site : "no site",
			  (unsigned long long) few->row->n, few->skip);
}

bool suggest_write (FILE *out, const struct suggest_gathered *g,
		    const struct suggest_options *options, char *why, size_t room)
{
	struct policy p = {.out = out,
			   .g = g,
			   .options = options,
			   .n = g->n_rows,
			   .every_s = choose_every (g->seconds)};
	size_t told = 0;

	p.line = calloc (g->n_rows + 1, sizeof *p.line);
	if (!p.line) {
		snprintf (why, room, "no memory");
		return false;
	}
	for (size_t i = 0; i < p.n; i++) {
		choose (&p, &p.line[i], &g->row[i]);
		told += !p.line[i].skip;
	}
	if (told) {
		put_head (&p);
		put_metrics (&p);
		put_bindings (&p);
		put_assertions (&p);
		put_skipped (&p);
	} else {
		say_why_not (&p, why, room);
	}
	free (p.line);
	return told > 0;
}
