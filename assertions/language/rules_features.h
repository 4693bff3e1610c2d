/* SPDX-License-Identifier: MIT */
/* rules_features.h: the map `features` of an instrument file, for rules_file.c. */
#ifndef PPI_LANGUAGE_RULES_FEATURES_H
#define PPI_LANGUAGE_RULES_FEATURES_H

#include "base/atomic.h"

#include <stdbool.h>

struct ppi_diagnostics;
struct ppi_offline_rules;
struct ppi_yaml;

/* Checks MAP; OUT gets its rules, one for each glob, as the plugin has them, and its features. */
PPI_HIDDEN void ppi_offline_features_check (struct ppi_diagnostics *d, const struct ppi_yaml *map,
					    struct ppi_offline_rules *out);
/* Has NODE, the value of a key `features`, names of features as keys, and not a policy's? */
PPI_HIDDEN bool ppi_offline_features_are (const struct ppi_yaml *node);

#endif
