/* SPDX-License-Identifier: MIT */
/* glob.c: see glob.h. */
#include "base/glob.h"

#include <stdbool.h>
#include <string.h>

static bool is_border (char c)
{
	return c == '!' || c == ':' || c == '/';
}

/*
 * Backtracking to the last star of each sort only: what a later single star could not match, an
 * earlier one can't either, unless a slash stops it, and then a double star before it goes on.
 */
bool ppi_glob_whole (const char *glob, const char *text)
{
	const char *star = NULL, *star_text = NULL, *deep = NULL, *deep_text = NULL;

	for (;;) {
		if (glob[0] == '*' && glob[1] == '*') {
			while (*glob == '*')
				glob++;
			if (!*glob)
				return true;
			deep = glob;
			deep_text = text;
			star = NULL;
			continue;
		}
		if (*glob == '*') {
			star = ++glob;
			star_text = text;
			continue;
		}
		if (*text &&
		    ((*glob == '?' && *text != '/') || (*glob == '\\' && glob[1] == *text) ||
		     (*glob != '?' && *glob != '\\' && *glob == *text))) {
			glob += *glob == '\\' ? 2 : 1;
			text++;
			continue;
		}
		if (!*glob && !*text)
			return true;
		if (star && *star_text && *star_text != '/') {
			glob = star;
			text = ++star_text;
			continue;
		}
		if (!deep || !*deep_text)
			return false;
		glob = deep;
		text = ++deep_text;
		star = NULL;
	}
}

const char *ppi_glob_border (const char *text)
{
	while (*text && !is_border (*text))
		text++;
	return *text ? text + 1 : NULL;
}

bool ppi_glob_suffix (const char *glob, const char *text)
{
	for (; text; text = ppi_glob_border (text))
		if (ppi_glob_whole (glob, text))
			return true;
	return false;
}

const char *ppi_pattern_property (const char *pattern, const char *name)
{
	size_t n = strlen (name);

	return strncmp (pattern, name, n) == 0 && pattern[n] == ':' && pattern[n + 1] != ':'
		       ? pattern + n + 1
		       : NULL;
}

bool ppi_pattern_names (const char *pattern)
{
	static const char *const properties[] = {"group", "file", "fn", "module", "feature"};

	for (unsigned i = 0; i < sizeof (properties) / sizeof (properties[0]); i++)
		if (ppi_pattern_property (pattern, properties[i]))
			return false;
	return true;
}
