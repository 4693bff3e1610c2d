/* SPDX-License-Identifier: MIT */
/*
 * plugins.h: objects with analyses of the user's own (include/pp_analysis.h), as named on the
 * command line.
 */
#ifndef PPCTL_PLUGINS_H
#define PPCTL_PLUGINS_H

#include "ppctl/ppctl.h"

#include <pp_analysis.h>

struct ppctl_plugins {
	const struct pp_analysis
		*table[PPCTL_TEXTS_MOST]; /* as far as this ppctl knows it; checked */
	void *object[PPCTL_TEXTS_MOST];
	size_t n;
};

/*
 * Loads the objects at PATHS, and those that the file names of which one is "@FILE", a line each,
 * and checks their tables. Returns PPCTL_OK, or the exit status, told, and nothing is loaded then.
 * ppctl_plugins_close frees OUT.
 */
int ppctl_plugins_open (const struct ppctl_list *paths, const char *command,
			struct ppctl_plugins *out);
void ppctl_plugins_close (struct ppctl_plugins *plugins);

#endif
