/* SPDX-License-Identifier: MIT */
/* pattern.h: globs over site names. */
#ifndef PPI_REGISTRY_PATTERN_H
#define PPI_REGISTRY_PATTERN_H

#include <pp.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Does PATTERN (suffix match at component borders, globs, group:, file:, fn:, module:) match? Pure.
 */
bool ppi_site_matches (const pp_site *site, const char *pattern);

/*
 * The same of a PATTERN of names; LITERALLY: as it is, wildcards and all, as "f(char*)/a" is a
 * name.
 */
bool ppi_site_is_called (const pp_site *site, const char *pattern, bool literally);

/*
 * Of a feature or antimark: does GLOB match its name, "lib.parse", or where it has no dot "parse"
 * of the module lib? Pure.
 */
bool ppi_site_is_of_feature (const pp_site *site, const char *glob);

/*
 * May PATTERN with its wildcards be a site's name as it is? Then sites that it means literally are
 * all that it means.
 */
bool ppi_pattern_may_be_literal (const char *pattern);

/* Does PATTERN have the form of a pattern at all? On false WHY says what is wrong with it. */
bool ppi_pattern_valid (const char *pattern, char *why, size_t room);

/* A plain name, that must mean one site, or a pattern that may mean many? */
bool ppi_pattern_is_plain (const char *pattern);

#endif
