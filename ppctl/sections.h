/* SPDX-License-Identifier: MIT */
/* sections.h: analyses of features that the user's own objects have (include/pp_analysis.h). */
#ifndef PPCTL_SECTIONS_H
#define PPCTL_SECTIONS_H

#include "ppctl/plugins.h"
#include "profiler/analysis/features.h"
#include "profiler/analysis/instances.h"

#include <stdbool.h>

/* Is there a section called NAME? Else it is told; the exit status. */
int ppctl_sections_find (const struct ppctl_plugins *plugins, const char *name,
			 const char *command);

/*
 * Prints the section called NAME; NULL: all but those that are for being asked for by name. Of ALL
 * the head is used. Returns the exit status.
 */
int ppctl_sections_print (const struct ppctl_plugins *plugins, const char *name,
			  const struct ppi_features *all, const struct ppi_instances *instances,
			  const char *command);

#endif
