/* SPDX-License-Identifier: MIT */
/*
 * rusage.c: page faults and context switches of the calling thread, by getrusage (RUSAGE_THREAD): a system call (about 0.5 µs) that every
 * kernel and container allows, which perf's software counters are not.
 */
#include "stdmetrics/stdmetrics.h"

#include <sys/resource.h>

static uint64_t all_faults (const struct rusage *usage)
{
	return (uint64_t) usage->ru_minflt + (uint64_t) usage->ru_majflt;
}

static uint64_t major_faults (const struct rusage *usage)
{
	return (uint64_t) usage->ru_majflt;
}

static uint64_t switches (const struct rusage *usage)
{
	return (uint64_t) usage->ru_nvcsw + (uint64_t) usage->ru_nivcsw;
}

static int begin_with (uint64_t (*field) (const struct rusage *), void *slot)
{
	struct rusage usage;

	if (getrusage (RUSAGE_THREAD, &usage) != 0)
		return PP_EUNAVAILABLE;
	*(uint64_t *) slot = field (&usage);
	return 0;
}

static int end_with (uint64_t (*field) (const struct rusage *), const void *slot, union ppi_sample *out)
{
	uint64_t now;
	int error = begin_with (field, &now);

	return error ? error : ppi_difference (now, slot, out);
}

/* The sources differ in name, words and field only. */
#define RUSAGE_SOURCE(source, field, words)                                                                            \
	static int source##_begin (struct ppi_source_instance *instance, void *slot)                                   \
	{                                                                                                              \
		(void) instance;                                                                                       \
		return begin_with (field, slot);                                                                       \
	}                                                                                                              \
	static int source##_end (struct ppi_source_instance *instance, const void *slot, union ppi_sample *out)        \
	{                                                                                                              \
		(void) instance;                                                                                       \
		return end_with (field, slot, out);                                                                    \
	}                                                                                                              \
	const struct ppi_source ppi_source_##source = {                                                                \
		.name = #source,                                                                                       \
		.help = words,                                                                                         \
		.class = PPI_SOURCE_FUNCTION,                                                                          \
		.kinds = PPI_FOR_INTERVALS,                                                                            \
		.sample_type = PP_ABI_SAMPLE_INT,                                                                      \
		.unit = PPI_UNIT_PLAIN,                                                                                \
		.scale = 1,                                                                                            \
		.begin_bytes = 8,                                                                                      \
		.begin = source##_begin,                                                                               \
		.end = source##_end,                                                                                   \
	};

RUSAGE_SOURCE (page_faults, all_faults, "page faults of the calling thread, with and without input or output")
RUSAGE_SOURCE (major_faults, major_faults, "page faults of the calling thread that waited for input or output")
RUSAGE_SOURCE (context_switches, switches, "context switches of the calling thread, voluntary and not")
