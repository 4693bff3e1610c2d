/* SPDX-License-Identifier: MIT */
/*
 * pattern.c: which sites a name or pattern means.
 *
 *   i1  trace_pixel/i1  tracer!src/render.c:trace_pixel/i1   suffixes of module!file:function/site
 *   trace_*  / *        src/ ** /i1                                                     globs
 *   group:io  file:src/io/ *  fn:handle_*  module:libfoo.so                             one property
 *   feature:parse_*                                                   features of that name
 */
#include "pattern.h"

#include "site.h"

#include <stdio.h>
#include <string.h>

/*
 * Backtracking to the last star of each sort only: what a later single star could not match, an earlier one can't
 * either, unless a slash stops it, and then a double star before it goes on.
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
		if (*text && ((*glob == '?' && *text != '/') || (*glob == '\\' && glob[1] == *text) ||
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

static bool is_border (char c)
{
	return c == '!' || c == ':' || c == '/';
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

	return strncmp (pattern, name, n) == 0 && pattern[n] == ':' && pattern[n + 1] != ':' ? pattern + n + 1 : NULL;
}

static bool in_group (const char *groups, const char *glob)
{
	char name[256];

	while (*groups) {
		size_t n = strcspn (groups, ",");

		if (n < sizeof (name)) {
			memcpy (name, groups, n);
			name[n] = '\0';
			if (ppi_glob_whole (glob, name))
				return true;
		}
		groups += n + (groups[n] == ',');
	}
	return false;
}

bool ppi_site_is_called (const pp_site *site, const char *pattern, bool literally)
{
	struct ppi_name_parts parts;

	if (!literally && ppi_glob_suffix (pattern, site->base))
		return true;
	if (!literally && !ppi_pattern_tells (pattern))
		return false;
	parts = ppi_site_parts (site);
	return ppi_name_matches (&parts, pattern, literally);
}

bool ppi_pattern_may_be_literal (const char *pattern)
{
	return pattern[strcspn (pattern, "*?\\")] && (strchr (pattern, '(') || strstr (pattern, "operator"));
}

bool ppi_site_matches (const pp_site *site, const char *pattern)
{
	struct ppi_name_parts parts = ppi_site_parts (site);
	const char *rest;

	if ((rest = ppi_pattern_property (pattern, "group")))
		return in_group (site->groups, rest);
	if ((rest = ppi_pattern_property (pattern, "file")))
		return ppi_glob_suffix (rest, site->file);
	if ((rest = ppi_pattern_property (pattern, "fn")))
		return ppi_function_matches (&parts, rest);
	if ((rest = ppi_pattern_property (pattern, "module")))
		return ppi_glob_whole (rest, site->module);
	if ((rest = ppi_pattern_property (pattern, "feature")))
		return site->kind == PP_ABI_SITE_FEATURE && ppi_glob_whole (rest, site->name);
	return ppi_site_is_called (site, pattern, false);
}

bool ppi_pattern_names (const char *pattern)
{
	static const char *const properties[] = {"group", "file", "fn", "module", "feature"};

	for (unsigned i = 0; i < sizeof (properties) / sizeof (properties[0]); i++)
		if (ppi_pattern_property (pattern, properties[i]))
			return false;
	return true;
}

bool ppi_pattern_is_plain (const char *pattern)
{
	if (!ppi_pattern_names (pattern))
		return false;
	for (; *pattern; pattern++) {
		if (*pattern == '\\' && pattern[1])
			pattern++;
		else if (*pattern == '*' || *pattern == '?')
			return false;
	}
	return true;
}

/* How many of PATTERN's parentheses are not closed; negative: some were never opened. */
static int open_parentheses (const char *pattern)
{
	int n = 0;

	for (; *pattern; pattern++)
		n += (*pattern == '(') - (*pattern == ')');
	return n;
}

bool ppi_pattern_valid (const char *pattern, char *why, size_t room)
{
	size_t n = strlen (pattern);
	const char *end = pattern;

	if (!n) {
		snprintf (why, room, "the pattern is empty");
		return false;
	}
	while (*end)
		end += *end == '\\' && end[1] ? 2 : 1;
	if (end != pattern + n || (n && pattern[n - 1] == '\\' && (n < 2 || pattern[n - 2] != '\\'))) {
		snprintf (why, room, "'\\' at the end of \"%s\" escapes nothing", pattern);
		return false;
	}
	if (ppi_pattern_is_plain (pattern) && open_parentheses (pattern)) {
		snprintf (why, room,
			  "the parentheses of \"%s\" don't match: in YAML a name with commas in it stands in quotes",
			  pattern);
		return false;
	}
	if (is_border (pattern[n - 1])) {
		snprintf (why, room, "\"%s\" ends in '%c': the name of a site is missing (\"%s*\" means all)", pattern,
			  pattern[n - 1], pattern);
		return false;
	}
	return true;
}
