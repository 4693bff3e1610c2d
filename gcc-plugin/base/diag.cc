// SPDX-License-Identifier: GPL-3.0-or-later
//
// diag.cc: "did you mean": one place, so that every message says it the same way.

#include "gcc-plugin/base/diag.h"

const char *ppgcc_closest (const char *word, const ppgcc_words &candidates)
{
	return find_closest_string (word, &candidates);
}

void ppgcc_unknown_word (location_t loc, const char *what, const char *word,
			 const ppgcc_words &candidates)
{
	const char *closest = ppgcc_closest (word, candidates);
	if (closest)
		error_at (loc, "unknown %s %qs; did you mean %qs?", what, word, closest);
	else
		error_at (loc, "unknown %s %qs", what, word);
}
