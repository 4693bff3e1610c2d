/* SPDX-License-Identifier: MIT */
/*
 * pattern.c: which sites a name or pattern means.
 *
 *   i1  trace_pixel/i1  tracer!src/render.c:trace_pixel/i1   suffixes of module!file:function/site
 *   trace_*  / *        src/ ** /i1                                                     globs
 *   group:io  file:src/io/ *  fn:handle_*  module:libfoo.so                             one property
 *   feature:lib.parse_*                   features of that name; without a dot its library is its
 *                                         module
 */
#include "libmetrics/registry/pattern.h"

#include "base/glob.h"
#include "base/names.h"
#include "libmetrics/registry/site.h"
#include "libmetrics/tables/site.h"

#include <stdio.h>
#include <string.h>

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

bool ppi_site_is_of_feature (const pp_site *site, const char *glob)
{
	char name[512];

	if (ppi_glob_whole (glob, site->name))
		return true;
	return !strchr (site->name, '.') &&
	       (size_t) snprintf (name, sizeof name, "%s.%s", site->module, site->name) <
		       sizeof name &&
	       ppi_glob_whole (glob, name);
}

/*
 * A point behind a call that may return twice is the library's: PATTERN means it where it ends in
 * its very name, "main/setjmp", and not where it means whatever there is.
 */
static bool is_meant (const pp_site *site, const char *pattern)
{
	const char *last = strrchr (pattern, '/');

	if (!(site->flags & PP_ABI_SITE_RETURN))
		return true;
	last = last ? last + 1 : pattern;
	return ppi_pattern_names (pattern) && !last[strcspn (last, "*?")];
}

bool ppi_site_is_called (const pp_site *site, const char *pattern, bool literally)
{
	struct ppi_name_parts parts;

	if (!is_meant (site, pattern))
		return false;
	if (!literally && ppi_glob_suffix (pattern, site->base))
		return true;
	if (!literally && !ppi_pattern_tells (pattern))
		return false;
	parts = ppi_site_parts (site);
	return ppi_name_matches (&parts, pattern, literally);
}

bool ppi_pattern_may_be_literal (const char *pattern)
{
	return pattern[strcspn (pattern, "*?\\")] &&
	       (strchr (pattern, '(') || strstr (pattern, "operator"));
}

bool ppi_site_matches (const pp_site *site, const char *pattern)
{
	struct ppi_name_parts parts = ppi_site_parts (site);
	const char *rest;

	if (!is_meant (site, pattern))
		return false;
	if ((rest = ppi_pattern_property (pattern, "group")))
		return in_group (site->groups, rest);
	if ((rest = ppi_pattern_property (pattern, "file")))
		return ppi_glob_suffix (rest, site->file);
	if ((rest = ppi_pattern_property (pattern, "fn")))
		return ppi_function_matches (&parts, rest);
	if ((rest = ppi_pattern_property (pattern, "module")))
		return ppi_glob_whole (rest, site->module);
	if ((rest = ppi_pattern_property (pattern, "feature")))
		return site->kind == PP_ABI_SITE_FEATURE && ppi_site_is_of_feature (site, rest);
	return ppi_site_is_called (site, pattern, false);
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
	if (end != pattern + n ||
	    (n && pattern[n - 1] == '\\' && (n < 2 || pattern[n - 2] != '\\'))) {
		snprintf (why, room, "'\\' at the end of \"%s\" escapes nothing", pattern);
		return false;
	}
	if (ppi_pattern_is_plain (pattern) && open_parentheses (pattern)) {
		snprintf (why, room,
			  "the parentheses of \"%s\" don't match: in YAML a name with commas in it "
			  "stands in quotes",
			  pattern);
		return false;
	}
	if (strchr ("!:/", pattern[n - 1])) {
		snprintf (why, room,
			  "\"%s\" ends in '%c': the name of a site is missing (\"%s*\" means all)",
			  pattern, pattern[n - 1], pattern);
		return false;
	}
	return true;
}
