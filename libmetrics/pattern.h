/* SPDX-License-Identifier: MIT */
/* pattern.h: globs over site names. */
#ifndef PPI_PATTERN_H
#define PPI_PATTERN_H

#include <stdbool.h>

/*
 * Does the whole TEXT match GLOB? `*` any characters but '/', `**` any, `?` one but '/', `\` takes the next
 * literally.
 */
bool ppi_glob_whole (const char *glob, const char *text) __attribute__ ((visibility ("hidden")));
/* Does a suffix of TEXT that begins at a component border ('!', ':', '/' or the start) match? */
bool ppi_glob_suffix (const char *glob, const char *text) __attribute__ ((visibility ("hidden")));

#endif
