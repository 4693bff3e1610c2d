// SPDX-License-Identifier: GPL-3.0-or-later
//
// patterns.h: globs, in rules and statements.

#ifndef PPGCC_PATTERNS_H
#define PPGCC_PATTERNS_H

#include "gcc-plugin/base/gcc-compat.h"

// Whether TEXT matches GLOB: "*" stops at "/", "**" does not, "?" is one character, "\" takes the
// next as it is.
bool ppgcc_glob (const char *glob, const char *text);
// Whether GLOB matches PATH, or the end of it behind a "/".
bool ppgcc_glob_path (const char *glob, const char *path);
// Whether GLOB matches one of the scopes around NAME: "a" and "a::b" of "a::b::f".
bool ppgcc_glob_scope (const char *glob, const char *name);

#endif
