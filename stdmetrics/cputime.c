/* SPDX-License-Identifier: MIT */
/*
 * cputime.c: processor time of the thread, and of the whole process. A reading is a system call
 * (about 0.6 µs).
 */
#include "stdmetrics/stdmetrics.h"

#include <time.h>

static int read_clock (struct ppi_source_instance *instance, uint64_t *now_ns)
{
	struct timespec t;

	if (clock_gettime (instance->source->which, &t) != 0)
		return PP_ESTATE;
	*now_ns = (uint64_t) t.tv_sec * 1000000000u + (uint64_t) t.tv_nsec;
	return 0;
}

const struct ppi_source ppi_source_cpu_time = {
	.name = "cpu_time",
	.help = "processor time of the calling thread, user and system",
	PPI_COUNTER (SECONDS, 1e-9, SYSTEM_CALL),
	.which = CLOCK_THREAD_CPUTIME_ID,
	.read = read_clock,
};

const struct ppi_source ppi_source_process_cpu_time = {
	.name = "process_cpu_time",
	.help = "processor time of all threads of the process, user and system",
	PPI_COUNTER (SECONDS, 1e-9, SYSTEM_CALL),
	.which = CLOCK_PROCESS_CPUTIME_ID,
	.read = read_clock,
};
