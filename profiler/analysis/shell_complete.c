/* SPDX-License-Identifier: MIT */
/* shell_complete.c: see shell_complete.h. */
#include "profiler/analysis/shell_complete.h"

#include "base/memory.h"
#include "profiler/analysis/terms_int.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS_MOST = 1000, KEYS_MOST = 1024 };

static const char *const derived[] = {
#define X(id, word) word,
	PPI_TERM_DERIVED (X)
#undef X
		"parent.",
	"root.",
	"where",
	"and",
	"or",
	"not",
	NULL};

/* One more that begins with the N bytes at TYPED, if it is new; false: no memory. */
static bool add (struct ppi_completions *out, const char *word, const char *typed, size_t n)
{
	char **more;

	if (strncmp (word, typed, n) != 0 || out->n == WORDS_MOST)
		return true;
	for (size_t i = 0; i < out->n; i++)
		if (strcmp (out->word[i], word) == 0)
			return true;
	more = ppi_list_reach (out->word, out->n, &out->room, sizeof *more);
	if (!more)
		return false;
	out->word = more;
	out->word[out->n] = strdup (word);
	return out->word[out->n] && ++out->n;
}

static bool add_all (struct ppi_completions *out, const char *const *words, const char *typed,
		     size_t n)
{
	for (; *words; words++)
		if (!add (out, *words, typed, n))
			return false;
	return true;
}

static bool add_keys (struct ppi_completions *out, const struct ppi_records *records,
		      const char *typed, size_t n)
{
	uint32_t key[KEYS_MOST];
	size_t keys = ppi_records_keys (records, key, KEYS_MOST);

	for (size_t i = 0; i < keys; i++)
		if (!add (out, ppi_records_text (records, key[i]), typed, n))
			return false;
	return true;
}

/* ---- values ---------------------------------------------------------------------------------- */

struct looking {
	struct ppi_records *records;
	struct ppi_completions *out;
	uint32_t key; /* UINT32_MAX: the event */
	const char *typed;
	size_t n;
	uint32_t last; /* the same text often follows itself */
	bool failed;
};

static bool look (const struct ppi_record *record, void *arg)
{
	struct looking *l = arg;
	uint32_t text = UINT32_MAX;

	if (l->key == UINT32_MAX)
		text = record->event;
	for (unsigned i = 0; i < record->n_dims && l->key != UINT32_MAX; i++)
		if (record->dim[i].key == l->key && record->dim[i].type == PP_ABI_VALUE_STRING)
			text = record->dim[i].is.text;
	if (text == UINT32_MAX || text == l->last)
		return true;
	l->last = text;
	l->failed = !add (l->out, ppi_records_text (l->records, text), l->typed, l->n);
	return !l->failed && l->out->n < WORDS_MOST;
}

/* What stands before an operator that ends at END of LINE: the word there. Its length, and *AT. */
static size_t word_before (const char *line, size_t end, size_t *at)
{
	size_t to;

	while (end && strchr (" \t", line[end - 1]))
		end--;
	to = end;
	while (end && strchr ("=!~", line[end - 1]))
		end--;
	if (end == to)
		return 0;
	while (end && strchr (" \t", line[end - 1]))
		end--;
	to = end;
	while (end && !strchr (" \t(),=", line[end - 1]))
		end--;
	*at = end;
	return to - end;
}

/* Of the dimension that what is quoted from QUOTE on is compared with. */
static bool add_values (struct ppi_completions *out, struct ppi_records *records, const char *line,
			size_t quote, size_t n)
{
	struct looking l = {.records = records,
			    .out = out,
			    .typed = line + quote + 1,
			    .n = n - quote - 1,
			    .last = UINT32_MAX};
	char name[PPI_TERM_WORD], why[256];
	size_t at = 0, length = word_before (line, quote, &at);

	out->typed = l.n;
	out->closing = line[quote];
	/* parent.name has the values of name */
	for (size_t i = 0; i < length; i++)
		if (line[at + i] == '.') {
			length -= i + 1;
			at += i + 1;
			i = (size_t) -1;
		}
	if (!length || length >= sizeof name)
		return true;
	memcpy (name, line + at, length);
	name[length] = '\0';
	l.key = strcmp (name, "event") == 0 ? UINT32_MAX : ppi_records_id (records, name);
	if (l.key == UINT32_MAX && strcmp (name, "event") != 0)
		return true;
	/* what can't be read is told by the query itself */
	(void) ppi_records_each (records, look, &l, why, sizeof why);
	return !l.failed;
}

/* ---- all ------------------------------------------------------------------------------------- */

static int compare (const void *a, const void *b)
{
	return strcmp (*(char *const *) a, *(char *const *) b);
}

/* Where the quote is that is open behind N bytes of LINE; N: none is. */
static size_t open_quote (const char *line, size_t n)
{
	size_t at = n;

	for (size_t i = 0; i < n; i++)
		if (at == n && (line[i] == '"' || line[i] == '\''))
			at = i;
		else if (at < n && line[i] == line[at])
			at = n;
	return at;
}

bool ppi_shell_complete (struct ppi_records *records, const char *line, size_t n,
			 const char *const *commands, const char *const *defined,
			 struct ppi_completions *out)
{
	size_t quote = open_quote (line, n), start = n;
	const char *typed;
	bool ok;

	*out = (struct ppi_completions){.closing = ' '};
	if (quote < n && !records)
		ok = true;
	else if (quote < n) {
		ok = add_values (out, records, line, quote, n);
	} else {
		while (start && !strchr (" \t(),=<>~+*/%", line[start - 1]))
			start--;
		ok = start || add_all (out, commands, line, n);
		/* what is behind "parent." is a dimension, too */
		for (size_t i = start; i < n; i++)
			if (line[i] == '.')
				start = i + 1;
		typed = line + start;
		out->typed = n - start;
		ok = ok && add_all (out, defined, typed, n - start);
		if (records)
			ok = ok && add_all (out, derived, typed, n - start) &&
			     add_keys (out, records, typed, n - start);
	}
	if (out->n)
		qsort (out->word, out->n, sizeof *out->word, compare);
	return ok;
}

void ppi_completions_clear (struct ppi_completions *completions)
{
	for (size_t i = 0; i < completions->n; i++)
		free (completions->word[i]);
	free (completions->word);
	*completions = (struct ppi_completions){.n = 0};
}

size_t ppi_completions_common (const struct ppi_completions *completions)
{
	size_t common = completions->n ? strlen (completions->word[0]) : completions->typed;

	for (size_t i = 1; i < completions->n; i++) {
		size_t k = 0;

		while (k < common && completions->word[i][k] == completions->word[0][k])
			k++;
		common = k;
	}
	return common;
}
