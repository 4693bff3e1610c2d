/* SPDX-License-Identifier: MIT */
/* init.c: registers the library's sources; what the counters among them have in common. */
#include "base/part.h"
#include "libmetrics/source/source.h"
#include "stdmetrics/listing.h"
#include "stdmetrics/stdmetrics.h"

int ppi_stdmetrics_init (void)
{
#define X(name) &ppi_source_##name,
	static const struct ppi_source *const sources[] = {PP_ABI_SOURCES (X)};
#undef X

	for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
		int error = ppi_source_register (sources[i]);

		if (error)
			return error;
	}
	return 0;
}

static void init (void)
{
	(void) ppi_stdmetrics_init ();
}

static void module_ready (bool is_program)
{
	(void) is_program;
	ppi_heap_rescan ();
}

static void housekeeping (void)
{
	ppi_heap_rescan ();
	ppi_sources_tell ();
}

const struct ppi_part ppi_stdmetrics_part = {.init = init,
					     .module_ready = module_ready,
					     .housekeeping = housekeeping,
					     .fini = ppi_sources_tell};

int ppi_counter_begin (struct ppi_source_instance *instance, void *slot)
{
	return instance->source->read (instance, slot);
}

int ppi_counter_end (struct ppi_source_instance *instance, const void *slot, union ppi_sample *out)
{
	uint64_t now;
	int error = instance->source->read (instance, &now);

	return error ? error : ppi_difference (now, slot, out);
}
