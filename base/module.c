/* SPDX-License-Identifier: MIT */
/* module.c: see module.h. */
#include "base/module.h"

#include "base/environment.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* NULL: WHY says what was wrong with DIRECTORY's module; *THERE whether there was one */
static const void *load_from (const struct ppi_module_wish *wish, const char *directory,
			      size_t length, bool *there, char *why, size_t room)
{
	const struct ppi_module_head *found;
	char path[1024];
	void *handle;

	if ((size_t) snprintf (path, sizeof path, "%.*s/%s", (int) length, directory, wish->file) >=
	    sizeof path)
		return NULL;
	handle = dlopen (path, RTLD_NOW | RTLD_LOCAL);
	if (!handle) {
		const char *error = dlerror ();

		*there = error && !strstr (error, "cannot open shared object file: No such file");
		snprintf (why, room, "%s", error ? error : path);
		return NULL;
	}
	*there = true;
	found = dlsym (handle, wish->symbol);
	if (found && found->version == wish->head.version && found->size >= wish->head.size)
		return found;
	snprintf (why, room, "%s is of another version of libpp", path);
	dlclose (handle);
	return NULL;
}

/*
 * The program comes first; without an interpreter nothing dynamic may be loaded into it: a second
 * libc would come along.
 */
static int has_interpreter (struct dl_phdr_info *info, size_t size, void *arg)
{
	(void) size;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_INTERP)
			*(bool *) arg = true;
	return 1;
}

const void *ppi_module_load (const struct ppi_module_wish *wish, char *why, size_t room)
{
	const char *path = ppi_environment (PPI_ENVIRONMENT_MODULE_PATH);
	bool there = false, dynamic = false;
	const void *found = NULL;

	(void) dl_iterate_phdr (has_interpreter, &dynamic);
	if (!dynamic) {
		snprintf (why, room,
			  "%s a module that can't be loaded into a statically linked program",
			  wish->who);
		return NULL;
	}
	while (path && *path && !found && !there) {
		size_t length = strcspn (path, ":");

		if (length > 0)
			found = load_from (wish, path, length, &there, why, room);
		path += length + (path[length] == ':');
	}
	if (!found && !there)
		found = load_from (wish, wish->directory, strlen (wish->directory), &there, why,
				   room);
	if (!found && !there)
		snprintf (why, room,
			  "%s libpp's module %s, which is neither in %s nor in a directory of "
			  "PP_MODULE_PATH",
			  wish->who, wish->file, wish->directory);
	return found;
}
