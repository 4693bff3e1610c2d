/* SPDX-License-Identifier: MIT */
/*
 * recording.c: a recording, or a live region, that anybody wrote: opened as a file, and attached to
 * as memory; reported as text and as JSON, and read by ppctl suggest. What it is made of is
 * mutate_recording.c's.
 */
#include "base/chunk.h"
#include "ppctl/ppctl.h"
#include "profiler/analysis/records.h"
#include "recording/layout.h"
#include "recording/load.h"
#include "recording/merge.h"
#include "recording/pprec.h"
#include "recording/read.h"
#include "report/render.h"
#include "report/screen.h"
#include "tests/fuzz/fuzz.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static FILE *nowhere;

static void print_screen (struct ppi_report *screen)
{
	if (screen)
		ppi_report_text (nowhere, screen, &(struct ppi_look){80, true});
	ppi_report_free (screen);
}

static void print (const struct ppi_recording *r, bool json)
{
	struct ppi_report *report =
		ppi_report_build (r, json ? PPI_EXTENT_WHOLE : PPI_EXTENT_BRIEF);
	const struct ppi_screen first = {.columns = 80, .path = "x"},
				sites = {.columns = 200, .sort = "max"};

	if (report && json)
		ppi_report_json (nowhere, report);
	else if (report)
		ppi_report_text (nowhere, report, NULL);
	if (report && !json) {
		print_screen (ppi_screen_first (report, &first));
		print_screen (ppi_screen_sites (report, &sites));
	}
	ppi_report_free (report);
}

#ifdef FUZZ_TEST
/* What a policy that is tried on a recording may ask of it. */
static const char policy[] =
	"version: 1\n"
	"metrics: {share: {expr: sums.sum / sums.count}}\n"
	"assertions:\n"
	"  avg: {every: 100ms, expect: pairs.avg < 1us, after: 2, clear: 2}\n"
	"  p99: {every: 300ms, expect: 'spread.p99[500ms] < 1us'}\n"
	"  rate: {every: 100ms, expect: 'counted.count[200ms] > 10', for: 2}\n"
	"  deviation: {every: 100ms, expect: 'real.stddev[1s] < real.max'}\n"
	"  site: {every: 200ms, expect: 'sums@given.sum[200ms] + share < 100'}\n"
	"  ring: {every: 100ms, expect: kept.avg + newest + all.n < 10}\n";
static char policy_path[64];

static void forget_policy (void)
{
	unlink (policy_path);
}

static int write_policy (void)
{
	FILE *f;

	snprintf (policy_path, sizeof policy_path, "/dev/shm/pp-fuzz-%d.yaml", (int) getpid ());
	f = fopen (policy_path, "w");
	if (!f || fputs (policy, f) < 0 || fclose (f) != 0)
		return 1;
	return atexit (forget_policy);
}

static void try_policy (char *path)
{
	char test[] = "test", *arguments[] = {test, policy_path, path, NULL};

	optind = 0;
	ppctl_test (3, arguments);
}
#else
static int write_policy (void)
{
	return 0;
}

static void try_policy (char *path)
{
	(void) path;
}
#endif

int LLVMFuzzerInitialize (int *argc, char ***argv)
{
	(void) argc;
	(void) argv;
	fuzz_be_quiet ();
	nowhere = fopen ("/dev/null", "w");
	return nowhere ? write_policy () : 1;
}

/* What libpprec goes through, and what a merged recording has of it. */
static void read_over_time (const char *path)
{
	struct ppi_merge_result result;
	char why[600];
	pprec *r;
	pprec_value value;
	pprec_block block;
	volatile double sum = 0;
	int fd;

	if (pprec_open (path, &r, why, sizeof why) < 0)
		return;
	while (pprec_value_next (r, &value) > 0)
		sum = sum + value.total;
	while (pprec_block_next (r, &block) > 0)
		sum = sum + block.first_s + (block.content ? *(const char *) block.content : 0);
	pprec_close (r);
	fd = memfd_create ("merged", MFD_CLOEXEC);
	if (fd < 0)
		return;
	(void) ppi_recordings_merge (fd, &path, 1, &result, why, sizeof why);
	close (fd);
}

static bool sum_up (const struct ppi_record *record, void *arg)
{
	volatile double *sum = arg;

	*sum = *sum + record->time_ns + record->depth;
	for (unsigned i = 0; i < record->n_dims; i++)
		*sum = *sum + (double) record->dim[i].is.integer;
	return true;
}

/* Its records of events, one by one. */
static void read_records (const struct ppi_recording *r)
{
	struct ppi_records_info info;
	volatile double sum = 0;
	char why[600];
	struct ppi_records *records = ppi_records_open (r, why, sizeof why);

	if (!records)
		return;
	(void) ppi_records_each (records, sum_up, (void *) (uintptr_t) &sum, why, sizeof why);
	ppi_records_info (records, &info);
	ppi_records_close (records);
}

static void read_as_file (const uint8_t *data, size_t bytes)
{
	struct ppi_recording *r = NULL;
	char why[600], suggest[] = "suggest", least[] = "--least", one[] = "1",
		       *arguments[5] = {suggest, least, one};

	arguments[3] = (char *) (uintptr_t) fuzz_file (data, bytes, ".pprec");
	if (ppi_recording_open (arguments[3], &r, why, sizeof why) != 0)
		return;
	print (r, false);
	print (r, true);
	read_records (r);
	ppi_recording_close (r);
	read_over_time (arguments[3]);
	optind = 0;
	ppctl_suggest (4, arguments);
	try_policy (arguments[3]);
}

static void read_as_memory (const uint8_t *data, size_t bytes)
{
	struct ppi_recording *r = NULL;
	char why[600];
	void *region = aligned_alloc (PPI_CHUNK_ALIGN,
				      (bytes + PPI_CHUNK_ALIGN) & ~(size_t) (PPI_CHUNK_ALIGN - 1));

	if (!region)
		abort ();
	memcpy (region, data, bytes);
	if (ppi_recording_attach (region, bytes, "memory", &r, why, sizeof why) == 0) {
		print (r, false);
		read_records (r);
		ppi_recording_close (r);
	}
	free (region);
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t bytes)
{
	if (bytes && data[bytes - 1] % 4 == 0 && !ppi_is_of_blocks (data, bytes))
		read_as_memory (data, bytes);
	else
		read_as_file (data, bytes);
	fuzz_forget ();
	return 0;
}
