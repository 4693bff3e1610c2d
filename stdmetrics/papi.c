/* SPDX-License-Identifier: MIT */
/*
 * papi.c: the source papi:EVENT, e.g. papi:PAPI_TOT_INS or papi:sde:::library::event. The module
 * that knows PAPI is loaded when the first such metric is declared, from the directories of
 * PP_MODULE_PATH (separated by colons), then from where libpp was installed.
 */
#include "base/environment.h"
#include "base/types.h"
#include "libmetrics/source/source.h"
#include "stdmetrics/papi_module.h"
#include "stdmetrics/stdmetrics.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_PAPI

/* atomic: whoever loads it first; loading it twice is loading it once */
static const struct ppi_papi_module *module;

/* false: WHY says what was wrong with DIRECTORY's module; *THERE whether there was one */
static bool load_from (const char *directory, size_t length, bool *there, char *why, size_t room)
{
	const struct ppi_papi_module *found;
	char path[1024];
	void *handle;

	if ((size_t) snprintf (path, sizeof path, "%.*s/%s", (int) length, directory,
			       PPI_PAPI_FILE) >= sizeof path)
		return false;
	handle = dlopen (path, RTLD_NOW | RTLD_LOCAL);
	if (!handle) {
		const char *error = dlerror ();

		*there = error && !strstr (error, "cannot open shared object file: No such file");
		snprintf (why, room, "%s", error ? error : path);
		return false;
	}
	*there = true;
	found = dlsym (handle, PPI_PAPI_SYMBOL);
	if (found && found->version == PPI_PAPI_MODULE_VERSION && found->size >= sizeof *found) {
		__atomic_store_n (&module, found, __ATOMIC_RELEASE);
		return true;
	}
	snprintf (why, room, "%s is of another version of libpp", path);
	dlclose (handle);
	return false;
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

static bool load_module (char *why, size_t room)
{
	const char *path = ppi_environment (PPI_ENVIRONMENT_MODULE_PATH);
	bool there = false, dynamic = false;

	if (__atomic_load_n (&module, __ATOMIC_ACQUIRE))
		return true;
	(void) dl_iterate_phdr (has_interpreter, &dynamic);
	if (!dynamic) {
		snprintf (why, room,
			  "PAPI metrics need a module that can't be loaded into a statically "
			  "linked program");
		return false;
	}
	while (path && *path) {
		size_t length = strcspn (path, ":");

		if (length > 0 && load_from (path, length, &there, why, room))
			return true;
		if (there)
			return false;
		path += length + (path[length] == ':');
	}
	if (load_from (PP_MODULE_DIR, strlen (PP_MODULE_DIR), &there, why, room))
		return true;
	if (!there)
		snprintf (why, room,
			  "PAPI metrics need libpp's module " PPI_PAPI_FILE
			  ", which is neither in " PP_MODULE_DIR
			  " nor in a directory of PP_MODULE_PATH");
	return false;
}

/*
 * dlopen waits for constructors of other modules, and those for the runtime's lock: better without
 * it.
 */
static void prepare_papi (void)
{
	char why[512];

	(void) load_module (why, sizeof why);
}

static int open_papi (struct ppi_source_instance *instance, char *why, size_t room)
{
	if (!instance->argument || !*instance->argument) {
		snprintf (why, room,
			  "papi needs an event: papi:PAPI_TOT_INS; papi_avail and "
			  "papi_native_avail list them");
		return PP_EINVAL;
	}
	if (!load_module (why, room))
		return PP_EUNAVAILABLE;
	instance->state = module->open (instance->argument, why, room);
	return instance->state ? 0 : PP_EUNAVAILABLE;
}

static int read_papi (struct ppi_source_instance *instance, int64_t *out)
{
	return module->read (instance->state, ppi_reading_number, out) == 0 ? 0 : PP_ESTATE;
}

#else

static int open_papi (struct ppi_source_instance *instance, char *why, size_t room)
{
	(void) instance;
	snprintf (why, room,
		  "this libpp was built without PAPI: install PAPI's headers (libpapi-dev) and "
		  "configure it again");
	return PP_EUNAVAILABLE;
}

static int read_papi (struct ppi_source_instance *instance, int64_t *out)
{
	(void) instance;
	(void) out;
	return PP_EUNAVAILABLE;
}

#endif

static int papi_begin (struct ppi_source_instance *instance, void *slot)
{
	return read_papi (instance, slot);
}

static int papi_end (struct ppi_source_instance *instance, const void *slot, union ppi_sample *out)
{
	int64_t now;
	int error = read_papi (instance, &now);

	return error ? error : ppi_difference ((uint64_t) now, slot, out);
}

static int papi_point (struct ppi_source_instance *instance, union ppi_sample *out)
{
	return read_papi (instance, &out->i);
}

const struct ppi_source ppi_source_papi = {
	.name = "papi",
	.help = "papi:EVENT, a preset, native or software-defined event of PAPI, of the calling "
		"thread",
	.prefix = true,
	.example = "PAPI_TOT_INS",
	.form = "EVENT",
	.reading = PPI_READING_SYSTEM_CALL,
	.class = PPI_SOURCE_FUNCTION,
	.kinds = PPI_FOR_POINTS | PPI_FOR_INTERVALS,
	.sample_type = PP_ABI_SAMPLE_INT,
	.unit = PPI_UNIT_PLAIN,
	.scale = 1,
	.begin_bytes = 8,
#ifdef HAVE_PAPI
	.prepare = prepare_papi,
#endif
	.open = open_papi,
	.begin = papi_begin,
	.end = papi_end,
	.point = papi_point,
};
