/* SPDX-License-Identifier: MIT */
/*
 * measure.h: for tests of sources: what a marker does with one between begin and end, and what
 * there is to measure.
 */
#ifndef PP_MEASURE_H
#define PP_MEASURE_H

#include "stdmetrics/stdmetrics.h"
#include "tests/unit/ppcheck.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct measure {
	struct ppi_source_instance instance;
	uint64_t slot[8];
};

/* Skips where that can't be measured. */
__attribute__ ((unused)) static struct measure open_or_skip (const struct ppi_source *source)
{
	struct measure m = {.instance = {.source = source}};
	char why[400] = "";

	if (source->open (&m.instance, why, sizeof why) < 0)
		ppcheck_skip (why);
	return m;
}

static int begin (struct measure *m)
{
	ppi_reading_number++;
	return m->instance.source->begin (&m->instance, m->slot);
}

static int end (struct measure *m, int64_t *sample)
{
	union ppi_sample out = {.i = -1};
	int error;

	ppi_reading_number++;
	error = m->instance.source->end (&m->instance, m->slot, &out);
	*sample = out.i;
	return error;
}

static int64_t end_of (struct measure *m)
{
	int64_t sample;

	if (end (m, &sample) < 0)
		ck_abort_msg ("end has no value");
	return sample;
}

/* N small pages that nobody has touched */
__attribute__ ((unused)) static char *fresh_pages (size_t n)
{
	size_t bytes = n * (size_t) sysconf (_SC_PAGESIZE);
	char *memory =
		mmap (NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		abort ();
	(void) madvise (memory, bytes, MADV_NOHUGEPAGE);
	return memory;
}

__attribute__ ((unused)) static void touch (char *memory, size_t n)
{
	for (size_t i = 0; i < n; i++)
		((volatile char *) memory)[i * (size_t) sysconf (_SC_PAGESIZE)] = 1;
}

__attribute__ ((unused)) static int open_descriptors (void)
{
	DIR *directory = opendir ("/proc/self/fd");
	int n = 0;

	while (directory && readdir (directory))
		n++;
	if (directory)
		closedir (directory);
	return n;
}

#endif
