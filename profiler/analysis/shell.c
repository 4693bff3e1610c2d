/* SPDX-License-Identifier: MIT */
/* shell.c: see shell.h. */
#include "profiler/analysis/shell.h"

#include "base/types.h"
#include "profiler/analysis/query.h"
#include "profiler/analysis/shell_complete.h"
#include "profiler/analysis/trace.h"
#include "recording/groups.h"
#include "recording/read.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <errno.h>
#include <pp_analysis.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef HAVE_LIBEDIT
#include <histedit.h>
#endif

enum { DEFINED_MOST = 32, NAMES_MOST = 256, LINES_KEPT = 1000 };

struct shell {
	const struct ppi_query_source *source;
	const struct ppi_recording *recording;
	const char *name;
	FILE *in, *out;
	char *defined[DEFINED_MOST]; /* "NAME = EXPRESSION" */
	size_t n_defined;
	char *stat[PPI_QUERY_STATS];
	size_t n_stats;
	enum ppi_query_unit unit;
	unsigned sort;
	uint64_t limit;
	bool is_over;
};

/* ---- asking ---------------------------------------------------------------------------------- */

static void tell (const struct shell *s, const char *why)
{
	fprintf (s->out, "%s\n", why);
}

/* New terms with what was defined so far; NULL: told. */
static struct ppi_terms *terms_of (const struct shell *s)
{
	struct ppi_terms *terms = ppi_terms_create (s->source);
	char why[512] = "no memory";
	bool ok = terms != NULL;

	for (size_t i = 0; ok && i < s->n_defined; i++)
		ok = ppi_terms_define (terms, s->defined[i], why, sizeof why);
	if (ok)
		return terms;
	tell (s, why);
	ppi_terms_destroy (terms);
	return NULL;
}

/* False, and told: executions were counted in groups, and there is nothing else. */
static bool has_records (const struct shell *s)
{
	if (!s->source->records)
		tell (s, "this needs records: these executions were counted in groups; 'events: "
			 "{records: ...}' records them");
	return s->source->records != NULL;
}

/* False, and told: there is no such column. */
static bool take_stats (const struct shell *s, struct ppi_query *query)
{
	char why[512];

	for (size_t i = 0; i < s->n_stats; i++)
		if (!ppi_query_stat (query, s->stat[i], why, sizeof why)) {
			tell (s, why);
			return false;
		}
	return true;
}

/* Of executions that were counted in groups while the program ran. */
static void groups (struct shell *s, const char *text)
{
	struct ppi_query_source source = *s->source;
	struct ppi_query query = {.sort = s->sort, .limit = s->limit};
	char why[512] = "no memory";

	source.records = NULL;
	query.terms = ppi_terms_create (&source);
	if (query.terms && take_stats (s, &query) &&
	    !(ppi_query_run_aggregate (&query, &source, s->recording, text, why, sizeof why) &&
	      ppi_query_print_text (&query, s->unit, s->out)))
		tell (s, why);
	ppi_query_clear (&query);
}

static void ask (struct shell *s, const char *text, bool as_graph)
{
	struct ppi_query query = {.sort = s->sort, .limit = s->limit, .terms = terms_of (s)};
	char why[512] = "no memory";
	bool ok;

	if (!query.terms)
		return;
	ok = ppi_terms_list (query.terms, *text ? text : "event", &query.list, why, sizeof why);
	if (ok && !query.list.n) {
		snprintf (why, sizeof why, "it needs a dimension before 'where'");
		ok = false;
	}
	if (!ok)
		tell (s, why);
	else if (take_stats (s, &query) &&
		 !(as_graph ? ppi_query_dot (&query, s->source, s->out, why, sizeof why)
			    : ppi_query_run (&query, s->source, why, sizeof why) &&
				      ppi_query_print_text (&query, s->unit, s->out)))
		tell (s, why);
	ppi_query_clear (&query);
}

static void query (struct shell *s, const char *text)
{
	if (s->source->records)
		ask (s, text, false);
	else
		groups (s, text);
}

static void draw (struct shell *s, const char *text)
{
	if (has_records (s))
		ask (s, text, true);
}

static void trace (struct shell *s, const char *text)
{
	const struct ppi_region_header *header = ppi_recording_header (s->recording);
	struct ppi_trace asked = {.limit = s->limit ? s->limit : 1000,
				  .program = header->program,
				  .pid = header->pid};
	char why[512];

	if (!has_records (s))
		return;
	asked.terms = terms_of (s);
	if (!asked.terms)
		return;
	if (!ppi_terms_list (asked.terms, text, &asked.list, why, sizeof why) ||
	    !ppi_trace_print (&asked, s->source, s->out, why, sizeof why))
		tell (s, why);
	ppi_trace_clear (&asked);
}

/* ---- settings -------------------------------------------------------------------------------- */

static void define (struct shell *s, const char *text)
{
	struct ppi_terms *terms;
	char why[512];
	bool ok;

	if (!has_records (s))
		return;
	if (s->n_defined == DEFINED_MOST) {
		tell (s, "these are too many dimensions of your own");
		return;
	}
	terms = terms_of (s);
	if (!terms)
		return;
	ok = ppi_terms_define (terms, text, why, sizeof why);
	ppi_terms_destroy (terms);
	if (!ok) {
		tell (s, why);
		return;
	}
	s->defined[s->n_defined] = strdup (text);
	s->n_defined += s->defined[s->n_defined] != NULL;
}

/* Which of NAMES, which end with NULL, TEXT is; -1: none, which is told. */
static int choose (const struct shell *s, const char *text, const char *const *names)
{
	char why[512];

	for (int i = 0; names[i]; i++)
		if (strcmp (names[i], text) == 0)
			return i;
	ppi_query_none_of (text, names, why, sizeof why);
	tell (s, why);
	return -1;
}

static void set_unit (struct shell *s, const char *text)
{
	static const char *const units[] = {"s", "ms", "us", "ns", NULL};
	int unit = choose (s, text, units);

	if (unit >= 0)
		s->unit = (enum ppi_query_unit) unit;
}

static void set_sort (struct shell *s, const char *text)
{
	const char *names[PPI_SORT_STAT + PPI_QUERY_STATS + 1] = {"total", "self", "desc", "count",
								  "value"};
	int sort;

	for (size_t i = 0; i < s->n_stats; i++)
		names[PPI_SORT_STAT + i] = s->stat[i];
	sort = choose (s, text, names);
	if (sort >= 0)
		s->sort = (unsigned) sort;
}

static void set_limit (struct shell *s, const char *text)
{
	char *end;
	unsigned long long limit;

	errno = 0;
	limit = strtoull (text, &end, 10);
	if (errno || end == text || *end || *text == '-')
		fprintf (s->out, "'%s' is no number of rows; 0: all\n", text);
	else
		s->limit = limit;
}

static void forget_stats (struct shell *s)
{
	while (s->n_stats)
		free (s->stat[--s->n_stats]);
	s->sort = s->sort >= PPI_SORT_STAT ? PPI_SORT_TOTAL : s->sort;
}

/* Is wrong what no query could have as a column. */
static void set_stat (struct shell *s, const char *text)
{
	struct ppi_query trial = {.terms = NULL};
	char why[512];
	bool ok;

	if (strcmp (text, "none") == 0) {
		forget_stats (s);
		return;
	}
	if (s->n_stats == PPI_QUERY_STATS) {
		tell (s, "these are too many columns; 'stat none' forgets them");
		return;
	}
	trial.terms = terms_of (s);
	if (!trial.terms)
		return;
	ok = ppi_query_stat (&trial, text, why, sizeof why);
	if (!ok)
		tell (s, why);
	ppi_query_clear (&trial);
	s->stat[s->n_stats] = ok ? strdup (text) : NULL;
	s->n_stats += s->stat[s->n_stats] != NULL;
}

static void list_records (const struct shell *s)
{
	uint32_t key[1024];
	size_t n = ppi_records_keys (s->source->records, key, sizeof key / sizeof *key);

	for (size_t i = 0; i < n; i++)
		fprintf (s->out, "%s\n", ppi_records_text (s->source->records, key[i]));
	for (size_t i = 0; i < s->source->n_plugins; i++)
		for (size_t k = 0; k < s->source->plugin[i]->n_dimensions; k++)
			fprintf (s->out, "%s\n", s->source->plugin[i]->dimensions[k].name);
	for (size_t i = 0; i < s->n_defined; i++)
		fprintf (s->out, "%s\n", s->defined[i]);
}

/* An aggregate a line, where there are any. */
static void list_groups (const struct shell *s)
{
	const struct ppi_aggregate_chunk *a = NULL;

	while ((a = ppi_recording_next (s->recording, PPI_CHUNK_AGGREGATE, a))) {
		fputs ("groups by", s->out);
		for (unsigned i = 0; i < a->dims; i++)
			fprintf (s->out, " %s", ppi_aggregate_key (a, i));
		fputc ('\n', s->out);
	}
}

static void list (struct shell *s, const char *text)
{
	(void) text;
	if (s->source->records)
		list_records (s);
	list_groups (s);
}

static void quit (struct shell *s, const char *text)
{
	(void) text;
	s->is_over = true;
}

static void help (struct shell *s, const char *text);

static const struct command {
	const char *name;
	void (*run) (struct shell *s, const char *text);
	const char *help;
} commands[] = {
	{"query", query, "[DIMENSION...] [where CONDITION]   tables; 'query' may be left out"},
	{"groups", groups, "[DIMENSION...]                     of what was counted in groups"},
	{"trace", trace, "[DIMENSION...] [where CONDITION]   records one by one"},
	{"dot", draw, "DIMENSION... [where CONDITION]     what runs inside what, for Graphviz"},
	{"define", define, "NAME = EXPRESSION                  a dimension of your own"},
	{"dimensions", list,
	 "                                   those that records and groups have"},
	{"stat", set_stat, "p99 | avg(self) | ... | none       a column more"},
	{"sort", set_sort, "total | self | desc | count | value, or one of stat"},
	{"limit", set_limit, "N                                  rows of a table; 0: all"},
	{"unit", set_unit, "s | ms | us | ns                   of whole times"},
	{"help", help, "                                   this"},
	{"quit", quit, "                                   or the end of input"},
};

enum { COMMANDS = sizeof commands / sizeof *commands };

static void help (struct shell *s, const char *text)
{
	(void) text;
	for (size_t i = 0; i < COMMANDS; i++)
		fprintf (s->out, "  %-10s %s\n", commands[i].name, commands[i].help);
}

/* Whatever begins with no command is a query. */
static void obey (struct shell *s, char *line)
{
	size_t n;

	line += strspn (line, " \t");
	for (n = strlen (line); n && strchr (" \t\r\n", line[n - 1]);)
		line[--n] = '\0';
	n = strcspn (line, " \t");
	for (size_t i = 0; n && i < COMMANDS; i++)
		if (strlen (commands[i].name) == n && strncmp (line, commands[i].name, n) == 0) {
			line += n;
			commands[i].run (s, line + strspn (line, " \t"));
			return;
		}
	if (n)
		query (s, line);
}

/* ---- lines ----------------------------------------------------------------------------------- */

static bool read_plainly (struct shell *s, bool is_terminal)
{
	char *line = NULL;
	size_t room = 0;

	while (!s->is_over) {
		if (is_terminal)
			fputs ("> ", s->out);
		fflush (s->out);
		if (getline (&line, &room, s->in) < 0)
			break;
		obey (s, line);
	}
	free (line);
	return true;
}

#ifdef HAVE_LIBEDIT
static char *prompt (EditLine *edit)
{
	static char text[] = "> ";

	(void) edit;
	return text;
}

/*
 * What is said here, not in records. A definition is "NAME = ...": words that end there. Without
 * records there are the dimensions of groups.
 */
static bool names_here (const struct shell *s, char *name[NAMES_MOST + 1])
{
	const struct ppi_aggregate_chunk *a = NULL;
	size_t n = 0;

	for (; n < s->n_defined; n++) {
		name[n] = strndup (s->defined[n], strcspn (s->defined[n], " \t="));
		if (!name[n])
			return false;
	}
	while ((a = ppi_recording_next (s->recording, PPI_CHUNK_AGGREGATE, a)))
		for (unsigned i = 0; i < a->dims && n < NAMES_MOST; i++, n++) {
			name[n] = strdup (ppi_aggregate_key (a, i));
			if (!name[n])
				return false;
		}
	return true;
}

/* Goes on as far as all words do; where they part they are shown. */
static unsigned char insert (EditLine *edit, const struct shell *s,
			     const struct ppi_completions *words)
{
	size_t common = ppi_completions_common (words), n;
	char text[256];

	if (!words->n)
		return CC_ERROR;
	if (common > words->typed || words->n == 1) {
		n = common - words->typed < sizeof text - 2 ? common - words->typed
							    : sizeof text - 2;
		memcpy (text, words->word[0] + words->typed, n);
		if (words->n == 1 && (!n || text[n - 1] != '.') &&
		    words->word[0][strlen (words->word[0]) - 1] != '.')
			text[n++] = words->closing;
		text[n] = '\0';
		return el_insertstr (edit, text) < 0 ? CC_ERROR : CC_REFRESH;
	}
	fputc ('\n', s->out);
	for (size_t i = 0; i < words->n; i++)
		fprintf (s->out, "%s%s", i ? "  " : "", words->word[i]);
	fputc ('\n', s->out);
	fflush (s->out);
	return CC_REDISPLAY;
}

static unsigned char complete (EditLine *edit, int key)
{
	const LineInfo *line = el_line (edit);
	char *name[NAMES_MOST + 1] = {NULL}, *text;
	const char *command[COMMANDS + 1] = {NULL};
	struct ppi_completions words = {.n = 0};
	unsigned char result = CC_ERROR;
	struct shell *s;

	(void) key;
	el_get (edit, EL_CLIENTDATA, &s);
	for (size_t i = 0; i < COMMANDS; i++)
		command[i] = commands[i].name;
	/* what is edited does not end with 0 */
	text = strndup (line->buffer, (size_t) (line->cursor - line->buffer));
	if (text && names_here (s, name) &&
	    ppi_shell_complete (s->source->records, text, strlen (text), command,
				(const char *const *) name, &words))
		result = insert (edit, s, &words);
	ppi_completions_clear (&words);
	for (size_t i = 0; i < NAMES_MOST; i++)
		free (name[i]);
	free (text);
	return result;
}

static void read_edited (struct shell *s, EditLine *edit, History *lines)
{
	HistEvent event;
	const char *line;
	char *copy;
	int n;

	while (!s->is_over && (line = el_gets (edit, &n)) && n > 0) {
		copy = strdup (line);
		if (!copy)
			return;
		if (strspn (copy, " \t\n") < strlen (copy))
			history (lines, &event, H_ENTER, line);
		obey (s, copy);
		fflush (s->out);
		free (copy);
	}
	fputc ('\n', s->out);
}

static bool read_lines (struct shell *s)
{
	EditLine *edit = el_init (s->name, s->in, s->out, stderr);
	History *lines = history_init ();
	HistEvent event;
	bool ok = edit && lines;

	if (ok) {
		history (lines, &event, H_SETSIZE, LINES_KEPT);
		el_set (edit, EL_CLIENTDATA, s);
		el_set (edit, EL_PROMPT, prompt);
		el_set (edit, EL_EDITOR, "emacs");
		el_set (edit, EL_HIST, history, lines);
		el_set (edit, EL_SIGNAL, 1);
		el_set (edit, EL_ADDFN, "complete", "completes what is typed", complete);
		el_set (edit, EL_BIND, "^I", "complete", NULL);
		el_source (edit, NULL);
		read_edited (s, edit, lines);
	}
	if (lines)
		history_end (lines);
	if (edit)
		el_end (edit);
	return ok;
}
#endif

bool ppi_shell (const struct ppi_query_source *source, const struct ppi_recording *recording,
		const char *name, FILE *in, FILE *out)
{
	struct shell s = {.source = source,
			  .recording = recording,
			  .name = name,
			  .in = in,
			  .out = out,
			  .unit = PPI_UNIT_MS};
	bool is_terminal = isatty (fileno (in)) && isatty (fileno (out)), ok;

	if (is_terminal)
		fprintf (out,
			 "%s of %s. A query is a list of dimensions: \"name cached\"; "
			 "'help' tells more.\n",
			 source->records ? "Records" : "Groups",
			 ppi_recording_header (recording)->program);
#ifdef HAVE_LIBEDIT
	ok = is_terminal ? read_lines (&s) : read_plainly (&s, false);
#else
	ok = read_plainly (&s, is_terminal);
#endif
	forget_stats (&s);
	while (s.n_defined)
		free (s.defined[--s.n_defined]);
	return ok;
}
