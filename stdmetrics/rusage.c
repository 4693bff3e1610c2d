/* SPDX-License-Identifier: MIT */
/*
 * rusage.c: what getrusage (RUSAGE_THREAD) tells of the calling thread: a system call (about 0.3 µs) that every kernel and container
 * allows, which perf's software counters are not. One call serves all of these sources at a marker.
 */
#include "stdmetrics/stdmetrics.h"

#include <sys/resource.h>

enum field {
	USER_TIME,
	SYSTEM_TIME,
	ALL_FAULTS,
	MINOR_FAULTS,
	MAJOR_FAULTS,
	ALL_SWITCHES,
	VOLUNTARY,
	INVOLUNTARY,
	BLOCKS_IN,
	BLOCKS_OUT,
	PEAK,
	FIELDS
};

/* A handler may write here while the thread does: each field is right at some moment of the marker all the same. */
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
	newest.field[USER_TIME] = in_us (u.ru_utime);
	newest.field[SYSTEM_TIME] = in_us (u.ru_stime);
	newest.field[ALL_FAULTS] = (uint64_t) u.ru_minflt + (uint64_t) u.ru_majflt;
	newest.field[MINOR_FAULTS] = (uint64_t) u.ru_minflt;
	newest.field[MAJOR_FAULTS] = (uint64_t) u.ru_majflt;
	newest.field[ALL_SWITCHES] = (uint64_t) u.ru_nvcsw + (uint64_t) u.ru_nivcsw;
	newest.field[VOLUNTARY] = (uint64_t) u.ru_nvcsw;
	newest.field[INVOLUNTARY] = (uint64_t) u.ru_nivcsw;
	newest.field[BLOCKS_IN] = (uint64_t) u.ru_inblock;
	newest.field[BLOCKS_OUT] = (uint64_t) u.ru_oublock;
	newest.field[PEAK] = (uint64_t) u.ru_maxrss;
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

/* id, its unit, a reading's factor to it, its field, words */
#define FIELD_SOURCES(X)                                                                                               \
	X (user_time, SECONDS, 1e-6, USER_TIME, "processor time of the calling thread in user mode")                   \
	X (system_time, SECONDS, 1e-6, SYSTEM_TIME, "processor time of the calling thread in the kernel")              \
	X (page_faults, PLAIN, 1, ALL_FAULTS, "page faults of the calling thread, with and without input or output")   \
	X (minor_faults, PLAIN, 1, MINOR_FAULTS, "page faults of the calling thread that needed no input or output")   \
	X (major_faults, PLAIN, 1, MAJOR_FAULTS, "page faults of the calling thread that waited for input or output")  \
	X (context_switches, PLAIN, 1, ALL_SWITCHES, "context switches of the calling thread, voluntary and not")      \
	X (voluntary_switches, PLAIN, 1, VOLUNTARY, "context switches of the calling thread because it waited")        \
	X (involuntary_switches, PLAIN, 1, INVOLUNTARY, "context switches of the calling thread that was interrupted") \
	X (block_reads, PLAIN, 1, BLOCKS_IN, "blocks of 512 bytes that the calling thread had read from devices")      \
	X (block_writes, PLAIN, 1, BLOCKS_OUT, "blocks of 512 bytes that the calling thread caused to be written")

#define X(id, its_unit, factor, field, words)                                                                          \
	const struct ppi_source ppi_source_##id = {                                                                    \
		.name = #id,                                                                                           \
		.help = (words),                                                                                       \
		PPI_COUNTER (its_unit, factor, SYSTEM_CALL),                                                           \
		.which = (field),                                                                                      \
		.read = read_field,                                                                                    \
	};
FIELD_SOURCES (X)
#undef X

const struct ppi_source ppi_source_max_resident = {
	.name = "max_resident",
	.help = "the most memory that the process had resident so far; by how much an interval raised that",
	PPI_COUNTER_FOR (PPI_FOR_POINTS | PPI_FOR_INTERVALS, BYTES, 1024, SYSTEM_CALL),
	.which = PEAK,
	.read = read_field,
	.point = point_field,
};
