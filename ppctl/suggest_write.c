/* SPDX-License-Identifier: MIT */
/* suggest_write.c: the policy that ppctl suggest writes; see suggest.h. */
#include "ppctl/suggest.h"

#include "libmetrics/pattern.h"
#include "libmetrics/report.h"
#include "report/quantity.h"

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

/* ---- text -------------------------------------------------------------------------------------------------------- */

/* The bytes of the character at TEXT, in UTF-8, 0 where YAML can't have it: no such character, or one of control. */
static size_t character (const char *text)
{
	const unsigned char *p = (const unsigned char *) text;
	size_t n = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : p[0] < 0xf5 ? 4 : 0;
	unsigned long code = n == 1 ? p[0] : n ? p[0] & (0x7fu >> n) : 0;

	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (p[i] & 0x3f);
	}
	if (code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0xd800 && code < 0xe000) || code == 0xfeff ||
	    code == 0xfffe || code == 0xffff || (n == 3 && code < 0x800) || (n == 4 && code < 0x10000) ||
	    code > 0x10ffff)
		return 0;
	return n;
}

static bool is_clean (const char *text)
{
	size_t n;

	while ((n = character (text)) > 0)
		text += n;
	return !*text;
}

/* In a comment. Names come from files: a line must stay one, and be text. */
static void put_clean (FILE *out, const char *text)
{
	while (*text) {
		size_t n = character (text);

		fwrite (n ? text : "?", 1, n ? n : 1, out);
		text += n ? n : 1;
	}
}

/* VALUE > 0 with three digits, rounded UP or down so that what is expected holds for what it was taken from. */
static void put_rounded (double value, bool up, char *out, size_t room)
{
	double step = pow (10, floor (log10 (value)) - 2);
	double rounded = (up ? ceil (value / step - 1e-9) : floor (value / step + 1e-9)) * step;
	int digits = (int) fmax (0, 2 - floor (log10 (value)));

	if (!isfinite (rounded)) /* beyond what doubles hold three digits of */
		rounded = value;
	if (digits > 8 || rounded >= 1e15)
		snprintf (out, room, "%.2e", rounded);
	else
		snprintf (out, room, "%.*f", digits, rounded);
	if (strchr (out, '.') && !strchr (out, 'e')) {
		size_t n = strlen (out);

		while (out[n - 1] == '0')
			out[--n] = '\0';
		if (out[n - 1] == '.')
			out[n - 1] = '\0';
	}
}

/* As expressions have it: "4.03ms", "1.5MiB", "12". Of VALUE without its sign. */
static const char *put_constant (double signed_value, enum ppi_unit unit, char *out, size_t room)
{
	static const struct {
		enum ppi_unit unit;
		double factor;
		const char *name;
	} units[] = {{PPI_UNIT_SECONDS, 1, "s"},      {PPI_UNIT_SECONDS, 1e-3, "ms"},  {PPI_UNIT_SECONDS, 1e-6, "us"},
		     {PPI_UNIT_SECONDS, 1e-9, "ns"},  {PPI_UNIT_BYTES, 0x1p30, "GiB"}, {PPI_UNIT_BYTES, 0x1p20, "MiB"},
		     {PPI_UNIT_BYTES, 0x1p10, "KiB"}, {PPI_UNIT_BYTES, 1, "B"},        {PPI_UNIT_PLAIN, 0, ""}};
	double value = fabs (signed_value);
	size_t i = 0;
	char number[CONSTANT];

	while (units[i].unit != unit || (value < units[i].factor && units[i + 1].unit == unit))
		i++;
	put_rounded (unit == PPI_UNIT_PLAIN ? value : value / units[i].factor, signed_value > 0, number, sizeof number);
	snprintf (out, room, "%.40s%s", number, units[i].name);
	return out;
}

/* A length of time as policies have it, exactly. */
static const char *put_duration (uint64_t ns, char *out, size_t room)
{
	static const struct {
		uint64_t ns;
		const char *name;
	} units[] = {{UINT64_C (1000000000), "s"}, {1000000, "ms"}, {1000, "us"}, {1, "ns"}};
	size_t i = 0;

	while (ns % units[i].ns)
		i++;
	snprintf (out, room, "%llu%s", (unsigned long long) (ns / units[i].ns), units[i].name);
	return out;
}

static bool is_word_character (char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool is_name (const char *text)
{
	if (!*text || (*text >= '0' && *text <= '9'))
		return false;
	while (is_word_character (*text))
		text++;
	return !*text;
}

/* SUFFIX as a pattern that means just this; false: there is no room. */
static bool make_pattern (const char *suffix, char *out, size_t room)
{
	size_t used = 0;

	for (; *suffix; suffix++) {
		if (used + 3 > room)
			return false;
		if (strchr ("*?\\", *suffix))
			out[used++] = '\\';
		out[used++] = *suffix;
	}
	out[used] = '\0';
	return true;
}

/* TEXT as a scalar of YAML in double quotes. */
static void put_quoted (FILE *out, const char *text)
{
	fputc ('"', out);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc ('\\', out);
		fputc (*text, out);
	}
	fputc ('"', out);
}

/* In a scalar in single quotes. */
static void put_doubled (FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputc ('\'', out);
		fputc (*text, out);
	}
}

/* The quote in which an expression may have PATTERN; '\0': none. */
static char quote_for (const char *pattern)
{
	for (const char *q = "\"`'"; *q; q++)
		if (!strchr (pattern, *q))
			return *q;
	return '\0';
}

/* ---- sites and names --------------------------------------------------------------------------------------------- */

/* Does SUFFIX mean another site of the recordings too? */
static bool is_ambiguous (const struct suggest_gathered *g, const char *suffix, const char *site)
{
	char pattern[SITE_ROOM];

	if (!make_pattern (suffix, pattern, sizeof pattern))
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
	const char *module = strchr (site, '!'), *file = module ? module + 1 : site, *colon = strchr (file, ':');
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

/* "latency_serve_i1" for the metric latency at serve.c:serve/i1; numbered where there is one already. */
static void make_name (struct policy *p, struct line *line)
{
	const char *colon = strchr (line->suffix, ':'), *from = colon ? colon + 1 : line->suffix;
	int used = snprintf (line->name, sizeof line->name - 8, "%s_", line->row->metric->name);
	char *end = line->name + (used < (int) sizeof line->name - 9 ? used : (int) sizeof line->name - 9), *base;

	for (; *from && end < line->name + sizeof line->name - 9; from++)
		if (is_word_character (*from) || end[-1] != '_')
			*end++ = is_word_character (*from) ? *from : '_';
	*end = '\0';
	base = end;
	for (unsigned number = 2, again = 1; again; number++) {
		again = 0;
		for (const struct line *other = p->line; other < line; other++)
			again |= !other->skip && strcmp (other->name, line->name) == 0;
		if (again)
			snprintf (base, (size_t) (line->name + sizeof line->name - base), "_%u", number % 100000);
	}
}

/* ---- what is expected -------------------------------------------------------------------------------------------- */

static const char *why_not (const struct line *line)
{
	const struct suggest_row *row = line->row;
	enum ppi_accumulator kept = row->metric->accumulator;
	char pattern[SITE_ROOM];

	if (!is_name (row->metric->name))
		return "its name can't be said in a policy";
	if (kept == PPI_COUNT || kept == PPI_SCALAR)
		return "it keeps no average; \"keep: stats\" or \"histogram\" does";
	if (row->n == 0)
		return "no samples";
	if (row->processes == row->short_of)
		return "too few samples";
	if (!row->site)
		return "added by pp_sample, at no site";
	if (!is_clean (line->suffix) || !make_pattern (line->suffix, pattern, sizeof pattern) || !quote_for (pattern))
		return "the name of its site can't be said in an expression";
	if (!isfinite (line->value))
		return "its value is unknown";
	if (line->value == 0)
		return "it was always 0";
	return NULL;
}

static void choose (struct policy *p, struct line *line, const struct suggest_row *row)
{
	bool quantile = row->metric->accumulator == PPI_HISTOGRAM && !row->lost && !isnan (row->quantile);

	line->row = row;
	line->suffix = row->site ? suffix_of (p->g, row->site) : "";
	line->statistic = quantile ? p->options->quantile : PP_STAT_AVG;
	line->value = quantile ? row->quantile : row->avg;
	line->skip = why_not (line);
	if (!line->skip)
		make_name (p, line);
}

/* A round time in which a run as long as the recorded one is checked a hundred times; a second is enough for any. */
static double choose_every (double seconds)
{
	static const double times[] = {1, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01};
	size_t i = 0;

	while (i + 1 < sizeof times / sizeof *times && times[i] > seconds / CHECKS)
		i++;
	return times[i];
}

/* ---- the parts --------------------------------------------------------------------------------------------------- */

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
		put_clean (out, h->program[0] ? h->program : "?");
		fprintf (out, ", process %u, %s, %.3g s\n", h->pid, when,
			 ((double) h->now_ns - (double) h->start_ns) / 1e9);
	}
	if (p->g->n_recordings > 1)
		fprintf (out, "# Each constant is the largest that one of these processes had.\n");
	fprintf (out, "# Only upper limits are suggested; where more is better, turn <= and the factor round.\n");
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
	if (is_name (text))
		fputs (text, out);
	else
		put_quoted (out, text);
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
	return m->asked && is_clean (ppi_chunk_text (m, m->asked)) && is_clean (ppi_chunk_text (m, m->combine)) &&
	       is_clean (ppi_chunk_text (m, m->fallback)) && m->scope <= PPI_SCOPE_OUTERMOST;
}

/* Just as it was declared: only so it is the same metric where the program or another policy declares it too. */
static void put_declaration (FILE *out, const struct ppi_metric_chunk *m)
{
	char text[CONSTANT];

	fprintf (out, "  %s: {%s: ", m->name, m->kind == PP_ABI_SITE_POINT ? "point" : "interval");
	put_scalar (out, ppi_chunk_text (m, m->asked));
	fprintf (out, ", keep: %s", ppi_accumulator_name (m->accumulator));
	if (m->accumulator == PPI_BOUNDED_SERIES)
		fprintf (out, ", size: %llu", (unsigned long long) m->size);
	if (m->accumulator == PPI_UNBOUNDED_SERIES)
		fprintf (out, ", maxSize: %llu", (unsigned long long) m->size);
	if (m->scope)
		fprintf (out, ", scope: %s", ppi_scope_name ((enum ppi_scope) m->scope));
	if (m->combine) {
		fputs (", operator: ", out);
		put_scalar (out, ppi_chunk_text (m, m->combine));
	}
	if (m->corrected)
		fputs (", corrected: true", out);
	if (m->every > 1)
		fprintf (out, ", every: %u", m->every);
	if (m->window_ns)
		fprintf (out, ", window: %s", put_duration (m->window_ns, text, sizeof text));
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
			fprintf (p->out, "# %s, %s of ", m->name, ppi_accumulator_name (m->accumulator));
			put_clean (p->out, ppi_chunk_text (m, m->source));
			fprintf (p->out, ", measures by functions of the program's: it is declared there\n");
			continue;
		}
		if (m->instead) {
			fprintf (p->out, "# constants of %s are of ", m->name);
			put_clean (p->out, ppi_chunk_text (m, m->source));
			fputs (", instead of ", p->out);
			put_clean (p->out, ppi_chunk_text (m, m->instead));
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

		if (line->skip || !make_pattern (line->suffix, pattern, sizeof pattern))
			continue;
		fprintf (p->out, "  - {metric: %s, sites: [", line->row->metric->name);
		put_quoted (p->out, pattern);
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
	char text[80];

	fprintf (p->out, "    # %s of %llu samples", ppi_statistic_name (line->statistic), (unsigned long long) row->n);
	if (row->processes > 1)
		fprintf (p->out, " of %u processes", row->processes);
	if (row->short_of)
		fprintf (p->out, ", %u of them with too few", row->short_of);
	fprintf (p->out, ": %s", ppi_report_quantity (line->value, unit, 1, text, sizeof text));
	if (line->statistic != PP_STAT_AVG)
		fprintf (p->out, "; average %s", ppi_report_quantity (row->avg, unit, 1, text, sizeof text));
	if (!isnan (row->p50))
		fprintf (p->out, ", median %s", ppi_report_quantity (row->p50, unit, 1, text, sizeof text));
	if (!isnan (row->max))
		fprintf (p->out, "; largest %s", ppi_report_quantity (row->max, unit, 1, text, sizeof text));
	fputc ('\n', p->out);
	if (row->lost)
		fprintf (p->out,
			 "    # quantiles are unknown: the histogram had no room for all of them (PP_REGION_MAX)\n");
	else if (line->statistic == PP_STAT_AVG)
		fprintf (p->out, "    # with \"keep: histogram\" it could be a quantile, like %s\n",
			 ppi_statistic_name (p->options->quantile));
}

/*
 * Over recent time where the run was long enough, and the samples many enough, for that to be about as the whole; so it recovers when what was wrong is over.
 * Else since the start.
 */
static void put_operand (const struct policy *p, const struct line *line)
{
	char pattern[SITE_ROOM], text[CONSTANT], quote;

	if (!make_pattern (line->suffix, pattern, sizeof pattern))
		return;
	quote = quote_for (pattern);
	fprintf (p->out, "%s@", line->row->metric->name);
	if (quote == '\'')
		fprintf (p->out, "''");
	else
		fputc (quote, p->out);
	put_doubled (p->out, pattern);
	if (quote == '\'')
		fprintf (p->out, "''");
	else
		fputc (quote, p->out);
	fprintf (p->out, ".%s", ppi_statistic_name (line->statistic));
	if (p->g->seconds >= WINDOWS * WINDOW_S && line->row->rate * WINDOW_S >= (double) p->options->least)
		fprintf (p->out, "[%s]", put_constant (WINDOW_S, PPI_UNIT_SECONDS, text, sizeof text));
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
			 put_constant (p->every_s, PPI_UNIT_SECONDS, constant, sizeof constant));
		put_operand (p, line);
		put_constant (line->value, line->row->metric->unit, constant, sizeof constant);
		/* of what is below 0 the margin is less of it */
		fprintf (p->out, " <= %g * %s%s'\n", line->value > 0 ? 1 + p->options->margin : 1 - p->options->margin,
			 line->value > 0 ? "" : "-", constant);
		fprintf (p->out, "    after: %d\n    for: 3\n    on_fire: [{log: warning}]\n", AFTER);
	}
}

static void put_skipped (const struct policy *p)
{
	bool any = false;

	for (const struct line *line = p->line; line < p->line + p->n; line++) {
		if (!line->skip)
			continue;
		fprintf (p->out, "%s#   ", any ? "" : "\n# Nothing is suggested of:\n");
		put_clean (p->out, line->row->metric->name);
		fprintf (p->out, " at ");
		put_clean (p->out, line->row->site ? line->row->site : "no site");
		fprintf (p->out, ": %s (%llu sample%s)\n", line->skip, (unsigned long long) line->row->n,
			 line->row->n == 1 ? "" : "s");
		any = true;
	}
	for (size_t r = 0; r < p->g->n_recordings; r++)
		for (const struct ppi_metric_chunk *m = NULL;
		     (m = ppi_recording_next (p->g->recording[r], PPI_CHUNK_METRIC, m));)
			if (m->unavailable) {
				fprintf (p->out, "%s#   ", any ? "" : "\n# Nothing is suggested of:\n");
				put_clean (p->out, m->name);
				fprintf (p->out, ": ");
				put_clean (p->out, ppi_chunk_text (m, m->unavailable));
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
		snprintf (why, room, "nothing was measured in %s", p->g->n_recordings == 1 ? "this run" : "these runs");
	else
		snprintf (why, room, "nothing was measured that could be expected: %s at %.300s has %llu samples (%s)",
			  few->row->metric->name, few->row->site ? few->row->site : "no site",
			  (unsigned long long) few->row->n, few->skip);
}

bool suggest_write (FILE *out, const struct suggest_gathered *g, const struct suggest_options *options, char *why,
		    size_t room)
{
	struct policy p = {
		.out = out, .g = g, .options = options, .n = g->n_rows, .every_s = choose_every (g->seconds)};
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
