/* SPDX-License-Identifier: MIT */
/* sections.c: see sections.h. */
#include "ppctl/sections.h"

#include "base/glob.h"
#include "base/types.h"

#include <stdlib.h>
#include <string.h>

enum { SECTIONS_MOST = PPCTL_TEXTS_MOST * 64 };

int ppctl_sections_find (const struct ppctl_plugins *plugins, const char *name, const char *command)
{
	const char *names[SECTIONS_MOST + 1], *nearest;
	size_t n = 0;

	for (size_t i = 0; i < plugins->n; i++)
		for (size_t k = 0; k < plugins->table[i]->n_sections; k++) {
			names[n++] = plugins->table[i]->sections[k].name;
			if (strcmp (names[n - 1], name) == 0)
				return PPCTL_OK;
		}
	names[n] = NULL;
	nearest = ppi_nearest (name, names);
	return ppctl_wrong (command, "--section: no plug-in has a section '%s'%s%s%s%s", name,
			    nearest ? "; did you mean '" : "", nearest ? nearest : "",
			    nearest ? "'?" : "",
			    plugins->n ? "" : ": name the plug-in, too, --plugin FILE.so");
}

/* The section's own instances go to CHOSEN. */
static int print (const struct pp_analysis_section *section, const struct ppi_features *all,
		  const struct ppi_instances *instances, struct pp_analysis_instance *chosen,
		  const char *command)
{
	struct pp_analysis_features features = {.program = all->program,
						.is_exact = all->is_exact,
						.is_cpu = all->is_cpu,
						.total_s = all->total,
						.times = all->times,
						.instance = chosen};

	for (size_t i = 0; i < instances->n; i++)
		if (ppi_glob_whole (section->features, instances->instance[i].feature))
			chosen[features.n++] = instances->instance[i];
	if (!features.n)
		return ppctl_fail (PPCTL_OK, command, "%s: no feature that matches '%s' was seen",
				   section->name, section->features);
	return section->print (&features, stdout) == 0
		       ? PPCTL_OK
		       : ppctl_fail (PPCTL_PROBLEM, command, "%s: no memory", section->name);
}

int ppctl_sections_print (const struct ppctl_plugins *plugins, const char *name,
			  const struct ppi_features *all, const struct ppi_instances *instances,
			  const char *command)
{
	struct pp_analysis_instance *chosen = calloc (instances->n + 1, sizeof *chosen);
	int status = chosen ? PPCTL_OK : ppctl_fail (PPCTL_PROBLEM, command, "no memory");

	for (size_t i = 0; chosen && i < plugins->n; i++)
		for (size_t k = 0; status == PPCTL_OK && k < plugins->table[i]->n_sections; k++) {
			const struct pp_analysis_section *is = &plugins->table[i]->sections[k];

			if (name ? strcmp (is->name, name) != 0
				 : (is->flags & PP_ANALYSIS_ON_REQUEST) != 0)
				continue;
			if (!name)
				printf ("\n");
			status = print (is, all, instances, chosen, command);
		}
	free (chosen);
	return status;
}
