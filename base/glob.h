/* SPDX-License-Identifier: MIT */
/*
 * glob.h: globs over names, and what a pattern is of. Pure.
 */
#ifndef PPI_BASE_GLOB_H
#define PPI_BASE_GLOB_H

#include <stdbool.h>

/*
 * Does the whole TEXT match GLOB? `*` any characters but '/', `**` any, `?` one but '/', `\` takes
 * the next literally.
 */
bool ppi_glob_whole (const char *glob, const char *text) __attribute__ ((visibility ("hidden")));

/* Does a suffix of TEXT that begins at a component border ('!', ':', '/' or the start) match? */
bool ppi_glob_suffix (const char *glob, const char *text) __attribute__ ((visibility ("hidden")));

/* What stands behind the next border in TEXT; NULL: there is none. */
const char *ppi_glob_border (const char *text) __attribute__ ((visibility ("hidden")));

/* What stands behind "NAME:" at the start of PATTERN; NULL: something else stands there. */
const char *ppi_pattern_property (const char *pattern, const char *name)
	__attribute__ ((visibility ("hidden")));

/* Is PATTERN one of names, and not of a property? */
bool ppi_pattern_names (const char *pattern) __attribute__ ((visibility ("hidden")));

#endif
