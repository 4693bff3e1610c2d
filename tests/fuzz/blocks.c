/* SPDX-License-Identifier: MIT */
/*
 * blocks.c: a recording that anybody wrote, as libpprec gives it to programs: everything of it is
 * asked for, nothing is printed. So it tries many more inputs than the target `recording`.
 */
#include "recording/pprec.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

int LLVMFuzzerInitialize (int *argc, char ***argv)
{
	(void) argc;
	(void) argv;
	return 0;
}

/* So that a sanitizer sees all of TEXT. */
static size_t read_text (const char *text)
{
	return text ? strlen (text) : 0;
}

static double read_rows (pprec *r)
{
	double sum = 0;
	pprec_metric metric;
	pprec_event event;
	pprec_site site;
	pprec_info info = {.size = sizeof info};

	pprec_info_get (r, &info);
	sum += (double) (read_text (info.host) + read_text (info.program) +
			 read_text (info.damage));
	for (size_t i = 0; pprec_metric_get (r, i, &metric); i++)
		sum += (double) (read_text (metric.name) + read_text (metric.source)) +
		       pprec_statistic (r, metric.id, PPREC_ALL_SITES, i % 2 ? "p99" : "stddev");
	for (size_t i = 0; pprec_site_get (r, i, &site); i++)
		sum += (double) (read_text (site.name) + read_text (site.kind));
	for (size_t i = 0; pprec_event_get (r, i, &event); i++)
		sum += (double) (read_text (event.name) + read_text (event.text));
	return sum;
}

static double read_blocks (pprec *r)
{
	double sum = 0;
	pprec_value value;
	pprec_block block;

	while (pprec_value_next (r, &value) > 0)
		sum += value.total + value.max;
	while (pprec_block_next (r, &block) > 0)
		for (uint64_t i = 0; block.content && i < block.content_bytes; i += 64)
			sum += ((const char *) block.content)[i];
	return sum;
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t bytes)
{
	volatile double sum;
	char why[512];
	pprec *r;

	if (pprec_open (fuzz_file (data, bytes, ".pprec"), &r, why, sizeof why) == 0) {
		sum = read_rows (r);
		sum = sum + read_blocks (r);
		pprec_close (r);
	}
	fuzz_forget ();
	return 0;
}
