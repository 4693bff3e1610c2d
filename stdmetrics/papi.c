/* SPDX-License-Identifier: MIT */
/*
 * papi.c: the source papi:EVENT, e.g. papi:PAPI_TOT_INS or papi:sde:::library::event. The module
 * that knows PAPI is loaded when the first such metric is declared (base/module.h).
 */
#include "base/types.h"
#include "libmetrics/source/source.h"
#include "stdmetrics/papi_module.h"
#include "stdmetrics/stdmetrics.h"

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <stdio.h>

#ifdef HAVE_PAPI

/* atomic: whoever loads it first; loading it twice is loading it once */
static const struct ppi_papi_module *module;

static bool load_module (char *why, size_t room)
{
	static const struct ppi_module_wish wish = {
		.who = "PAPI metrics need",
		.file = PPI_PAPI_FILE,
		.symbol = PPI_PAPI_SYMBOL,
		.directory = PP_MODULE_DIR,
		.head = {sizeof *module, PPI_PAPI_MODULE_VERSION}};
	const struct ppi_papi_module *found = __atomic_load_n (&module, __ATOMIC_ACQUIRE);

	if (!found) {
		found = ppi_module_load (&wish, why, room);
		__atomic_store_n (&module, found, __ATOMIC_RELEASE);
	}
	return found != NULL;
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
