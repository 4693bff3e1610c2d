/* SPDX-License-Identifier: MIT */
/*
 * rusage.c: what getrusage (RUSAGE_THREAD) tells of the calling thread: a system call (about 0.3
 * µs) that every kernel and container allows, which perf's software counters are not. One call
 * serves all of these sources at a marker.
 */
#include "stdmetrics/stdmetrics.h"

#include <sys/resource.h>

/* id, its unit, a reading's factor to it, the reading of a struct rusage u, words */
#define FIELD_SOURCES(X)                                                                           \
	X (user_time, SECONDS, 1e-6, in_us (u.ru_utime),                                           \
	   "processor time of the calling thread in user mode")                                    \
	X (system_time, SECONDS, 1e-6, in_us (u.ru_stime),                                         \
	   "processor time of the calling thread in the kernel")                                   \
	X (page_faults, PLAIN, 1, u.ru_minflt + u.ru_majflt,                                       \
	   "page faults of the calling thread, with and without input or output")                  \
	X (minor_faults, PLAIN, 1, u.ru_minflt,                                                    \
	   "page faults of the calling thread that needed no input or output")                     \
	X (major_faults, PLAIN, 1, u.ru_majflt,                                                    \
	   "page faults of the calling thread that waited for input or output")                    \
	X (context_switches, PLAIN, 1, u.ru_nvcsw + u.ru_nivcsw,                                   \
	   "context switches of the calling thread, voluntary and not")                            \
	X (voluntary_switches, PLAIN, 1, u.ru_nvcsw,                                               \
	   "context switches of the calling thread because it waited")                             \
	X (involuntary_switches, PLAIN, 1, u.ru_nivcsw,                                            \
	   "context switches of the calling thread that was interrupted")                          \
	X (block_reads, PLAIN, 1, u.ru_inblock,                                                    \
	   "blocks of 512 bytes that the calling thread had read from devices")                    \
	X (block_writes, PLAIN, 1, u.ru_oublock,                                                   \
	   "blocks of 512 bytes that the calling thread caused to be written")

enum field {
#define X(id, its_unit, factor, reading, words) FIELD_##id,
	FIELD_SOURCES (X)
#undef X
		FIELD_max_resident,
	FIELDS
};

/*
 * A handler may write here while the thread does: each field is right at some moment of the marker
 * all the same.
 */
static __thread struct {
	uint64_t number;
	uint64_t field[FIELDS];
} newest __attribute__ ((tls_model ("initial-exec")));

static uint64_t in_us (struct timeval t)
{
	return (uint64_t) t.tv_sec * 1000000u + (uint64_t) t.tv_usec;
}

static int ask (uint64_t number)
{
	struct rusage u;

	if (getrusage (RUSAGE_THREAD, &u) != 0)
		return PP_ESTATE;
#define X(id, its_unit, factor, reading, words) newest.field[FIELD_##id] = (uint64_t) (reading);
	FIELD_SOURCES (X)
#undef X
	newest.field[FIELD_max_resident] = (uint64_t) u.ru_maxrss;
	newest.number = number;
	return 0;
}

static int read_field (struct ppi_source_instance *instance, uint64_t *now)
{
	int error = ppi_is_read (newest.number) ? 0 : ask (ppi_reading_number);

	*now = newest.field[instance->source->which];
	return error;
}

static int point_field (struct ppi_source_instance *instance, union ppi_sample *out)
{
	uint64_t now;
	int error = read_field (instance, &now);

	out->i = (int64_t) now;
	return error;
}

#define X(id, its_unit, factor, reading, words)                                                    \
	const struct ppi_source ppi_source_##id = {                                                \
		.name = #id,                                                                       \
		.help = (words),                                                                   \
		PPI_COUNTER (its_unit, factor, SYSTEM_CALL),                                       \
		.which = FIELD_##id,                                                               \
		.read = read_field,                                                                \
	};
FIELD_SOURCES (X)
#undef X

const struct ppi_source ppi_source_max_resident = {
	.name = "max_resident",
	.help = "the most memory that the process had resident so far; by how much an interval "
		"raised that",
	PPI_COUNTER_FOR (PPI_FOR_POINTS | PPI_FOR_INTERVALS, BYTES, 1024, SYSTEM_CALL),
	.which = FIELD_max_resident,
	.read = read_field,
	.point = point_field,
};
