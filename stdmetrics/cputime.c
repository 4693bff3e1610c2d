/* SPDX-License-Identifier: MIT */
/* cputime.c: processor time of the thread, and of the whole process. A reading is a system call (about 0.6 µs). */
#include "stdmetrics/stdmetrics.h"

#include <time.h>

static int read_clock (clockid_t clock, uint64_t *out_ns)
{
	struct timespec t;

	if (clock_gettime (clock, &t) != 0)
		return PP_EUNAVAILABLE;
	*out_ns = (uint64_t) t.tv_sec * 1000000000u + (uint64_t) t.tv_nsec;
	return 0;
}

static int begin_on (clockid_t clock, void *slot)
{
	return read_clock (clock, slot);
}

static int end_on (clockid_t clock, const void *slot, union ppi_sample *out)
{
	uint64_t now;
	int error = read_clock (clock, &now);

	return error ? error : ppi_difference (now, slot, out);
}

static int thread_begin (struct ppi_source_instance *instance, void *slot)
{
	(void) instance;
	return begin_on (CLOCK_THREAD_CPUTIME_ID, slot);
}

static int thread_end (struct ppi_source_instance *instance, const void *slot, union ppi_sample *out)
{
	(void) instance;
	return end_on (CLOCK_THREAD_CPUTIME_ID, slot, out);
}

static int process_begin (struct ppi_source_instance *instance, void *slot)
{
	(void) instance;
	return begin_on (CLOCK_PROCESS_CPUTIME_ID, slot);
}

static int process_end (struct ppi_source_instance *instance, const void *slot, union ppi_sample *out)
{
	(void) instance;
	return end_on (CLOCK_PROCESS_CPUTIME_ID, slot, out);
}

const struct ppi_source ppi_source_cpu_time = {
	.name = "cpu_time",
	.help = "processor time of the calling thread, user and system",
	.class = PPI_SOURCE_FUNCTION,
	.kinds = PPI_FOR_INTERVALS,
	.sample_type = PP_ABI_SAMPLE_INT,
	.unit = PPI_UNIT_SECONDS,
	.scale = 1e-9,
	.begin_bytes = 8,
	.begin = thread_begin,
	.end = thread_end,
};

const struct ppi_source ppi_source_process_cpu_time = {
	.name = "process_cpu_time",
	.help = "processor time of all threads of the process, user and system",
	.class = PPI_SOURCE_FUNCTION,
	.kinds = PPI_FOR_INTERVALS,
	.sample_type = PP_ABI_SAMPLE_INT,
	.unit = PPI_UNIT_SECONDS,
	.scale = 1e-9,
	.begin_bytes = 8,
	.begin = process_begin,
	.end = process_end,
};
