/* SPDX-License-Identifier: MIT */
/* shell.c: see shell.h. */
#include "profiler/analysis/shell.h"

#include "base/types.h"
#include "profiler/analysis/query.h"
#include "profiler/analysis/shell_complete.h"
#include "profiler/analysis/trace.h"

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

enum { DEFINED_MOST = 32, LINES_KEPT = 1000 };

struct shell {
	const struct ppi_query_source *source;
	const char *name, *program;
	uint32_t pid;
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
	for (size_t i = 0; ok && i < s->n_stats; i++)
		ok = ppi_query_stat (&query, s->stat[i], why, sizeof why);
	if (ok && as_graph)
		ok = ppi_query_dot (&query, s->source, s->out, why, sizeof why);
	else if (ok)
		ok = ppi_query_run (&query, s->source, why, sizeof why) &&
		     ppi_query_print_text (&query, s->unit, s->out);
	if (!ok)
		tell (s, why);
	ppi_query_clear (&query);
}

static void query (struct shell *s, const char *text)
{
	ask (s, text, false);
}

static void draw (struct shell *s, const char *text)
{
	ask (s, text, true);
}

static void trace (struct shell *s, const char *text)
{
	struct ppi_trace asked = {.limit = s->limit ? s->limit : 1000,
				  .program = s->program,
				  .pid = s->pid,
				  .terms = terms_of (s)};
	char why[512];

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
	const char *nearest;

	for (int i = 0; names[i]; i++)
		if (strcmp (names[i], text) == 0)
			return i;
	nearest = ppi_nearest (text, names);
	fprintf (s->out, "there is no '%s'%s%s%s\n", text, nearest ? "; did you mean '" : "",
		 nearest ? nearest : "", nearest ? "'?" : "");
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

static void list (struct shell *s, const char *text)
{
	uint32_t key[1024];
	size_t n = ppi_records_keys (s->source->records, key, sizeof key / sizeof *key);

	(void) text;
	for (size_t i = 0; i < n; i++)
		fprintf (s->out, "%s\n", ppi_records_text (s->source->records, key[i]));
	for (size_t i = 0; i < s->source->n_plugins; i++)
		for (size_t k = 0; k < s->source->plugin[i]->n_dimensions; k++)
			fprintf (s->out, "%s\n", s->source->plugin[i]->dimensions[k].name);
	for (size_t i = 0; i < s->n_defined; i++)
		fprintf (s->out, "%s\n", s->defined[i]);
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
	{"trace", trace, "[DIMENSION...] [where CONDITION]   records one by one"},
	{"dot", draw, "DIMENSION... [where CONDITION]     what runs inside what, for Graphviz"},
	{"define", define, "NAME = EXPRESSION                  a dimension of your own"},
	{"dimensions", list, "                                   those that records have"},
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

/* A definition is "NAME = ...": words that end there. */
static bool defined_names (const struct shell *s, char *name[DEFINED_MOST + 1])
{
	for (size_t i = 0; i < s->n_defined; i++) {
		name[i] = strndup (s->defined[i], strcspn (s->defined[i], " \t="));
		if (!name[i])
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
	char *name[DEFINED_MOST + 1] = {NULL}, *text;
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
	if (text && defined_names (s, name) &&
	    ppi_shell_complete (s->source->records, text, strlen (text), command,
				(const char *const *) name, &words))
		result = insert (edit, s, &words);
	ppi_completions_clear (&words);
	for (size_t i = 0; i < DEFINED_MOST; i++)
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

bool ppi_shell (const struct ppi_query_source *source, const char *name, const char *program,
		uint32_t pid, FILE *in, FILE *out)
{
	struct shell s = {.source = source,
			  .name = name,
			  .program = program,
			  .pid = pid,
			  .in = in,
			  .out = out,
			  .unit = PPI_UNIT_MS};
	bool is_terminal = isatty (fileno (in)) && isatty (fileno (out)), ok;

	if (is_terminal)
		fprintf (out,
			 "Records of %s. A query is a list of dimensions: \"name cached\"; "
			 "'help' tells more.\n",
			 program);
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
