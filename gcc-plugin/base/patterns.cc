// SPDX-License-Identifier: GPL-3.0-or-later
//
// patterns.cc: globs over names and paths, as policies have them.

#include "gcc-plugin/base/patterns.h"

// The alternatives of one "*" are tried from short to long; only the last "*" need ever be tried
// again.
bool ppgcc_glob (const char *glob, const char *text)
{
	const char *star = NULL,
		   *kept = NULL; // behind the last "*", and the text that it has not taken yet
	bool over_slashes = false;
	for (;;) {
		if (*glob == '*') {
			over_slashes = glob[1] == '*';
			glob += 1 + over_slashes;
			star = glob;
			kept = text;
			continue;
		}
		bool escaped = *glob == '\\' && glob[1];
		const char *one = glob + escaped;
		if (*text && (*one == *text || (!escaped && *one == '?' && *text != '/'))) {
			glob = one + 1;
			text++;
			continue;
		}
		if (!*text && !*glob)
			return true;
		if (!star || !*kept || (*kept == '/' && !over_slashes))
			return false;
		text = ++kept;
		glob = star;
	}
}

bool ppgcc_glob_path (const char *glob, const char *path)
{
	if (ppgcc_glob (glob, path))
		return true;
	if (*glob == '/')
		return false;
	for (const char *slash = strchr (path, '/'); slash; slash = strchr (slash + 1, '/'))
		if (ppgcc_glob (glob, slash + 1))
			return true;
	return false;
}

bool ppgcc_glob_scope (const char *glob, const char *name)
{
	for (const char *colons = strstr (name, "::"); colons; colons = strstr (colons + 2, "::"))
		if (ppgcc_glob (glob, std::string (name, colons - name).c_str ()))
			return true;
	return false;
}
