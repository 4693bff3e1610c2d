/* SPDX-License-Identifier: MIT */
/*
 * expr_lex.c: the words of expressions. A site's path may hold "/", ":" and ".", which are
 * operators elsewhere: it is read up to the first ".avg" or the like; paths with other characters
 * are quoted.
 */
#include "assertions/language/expr.h"
#include "base/estimate.h"
#include "base/types.h"

#include <string.h>

static bool is_first (char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_inner (char c)
{
	return is_first (c) || (c >= '0' && c <= '9');
}

const char *ppi_lex_blanks (const char *p)
{
	while (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r')
		p++;
	return p;
}

const char *ppi_lex_name (const char *p)
{
	if (!is_first (*p))
		return NULL;
	while (is_inner (*p))
		p++;
	return p;
}

const char *ppi_lex_word (const char *p, const char *word)
{
	size_t bytes = strlen (word);

	return strncmp (p, word, bytes) == 0 && !is_inner (p[bytes]) ? p + bytes : NULL;
}

bool ppi_lex_is_path (char c)
{
	return is_inner (c) || (c && strchr ("/:.!~$", c)) || (unsigned char) c >= 0x80;
}

const char *ppi_lex_quoted (const char *p)
{
	const char *end;

	if (*p != '\'' && *p != '"' && *p != '`')
		return NULL;
	end = strchr (p + 1, *p);
	return end ? end + 1 : NULL;
}

static int find (const char *const *words, const char *p, size_t bytes)
{
	for (int i = 0; words[i]; i++)
		if (strlen (words[i]) == bytes && memcmp (words[i], p, bytes) == 0)
			return i;
	return -1;
}

int ppi_lex_site_property (const char *p, size_t bytes)
{
	static const char *const words[] = {"open_age", "in_flight", NULL};

	return find (words, p, bytes);
}

int ppi_lex_assertion_property (const char *p, size_t bytes)
{
	static const char *const words[] = {"violations", "checks", "fired", NULL};

	return find (words, p, bytes);
}

int ppi_lex_static (const char *p, size_t bytes)
{
	return find (ppi_static_names (), p, bytes);
}

const char *const *ppi_lex_statistics (void)
{
	static const char *words[PP_STATISTICS + 1];

	if (!words[0])
		for (int i = PP_STATISTICS - 1; i >= 0; i--)
			words[i] = ppi_statistic_name ((enum pp_statistic) i);
	return words;
}

int ppi_lex_statistic (const char *p, size_t bytes)
{
	return find (ppi_lex_statistics (), p, bytes);
}

const char *ppi_lex_property (const char *p)
{
	const char *last = NULL;

	for (; ppi_lex_is_path (*p); p++) {
		const char *end;

		if (*p != '.' || !(end = ppi_lex_name (p + 1)))
			continue;
		last = p;
		if (ppi_lex_statistic (p + 1, (size_t) (end - p - 1)) >= 0 ||
		    ppi_lex_site_property (p + 1, (size_t) (end - p - 1)) >= 0)
			return p;
	}
	return last;
}
