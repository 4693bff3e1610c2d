/* SPDX-License-Identifier: MIT */
/*
 * record_rates.c: what the recording costs: "record_rates DIRECTORY PPCTL" prints a line "NAME
 * VALUE" for each figure. make bench runs it; it stands here because it looks inside the library.
 *
 *   stream.mib_s        MiB of chunks of streams, before packing, per CPU second of who writes them
 *   stream.disk         how fast they get to the disk, of how fast they do as a plain file (both
 *                       with fsync, in turns; the median, as of the row before, since a disk is
 *                       twice as fast at times)
 *   record.stall        how often the thread that writes streams waited (voluntary switches), while
 *                       twice as much came as could be written
 *   record.copy_ms      how long the runtime's lock was held for an update, with 64 MiB in the
 *                       region
 *   report.1gib         seconds of ppctl report on a recording of 1 GiB; report.1gib.mib: the
 *                       memory that it took
 *   report.first_screen ms of ppctl report on a recording with one of everything
 */
#include "base/chunk.h"
#include "base/lock.h"
#include "base/start.h"
#include "libmetrics/keep/shard.h"
#include "libmetrics/life/recorder.h"
#include "libmetrics/region/region.h"
#include "libmetrics/region/stream.h"
#include "recording/layout.h"
#include "recording/write.h"
#include "tests/unit/sample_region.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Modules register before main: there are none. */
void ppi_runtime_start (void)
{
}

enum { ROUNDS = 9, POOL = 256, STREAM_MIB = 512, SHARDS_MIB = 64, UPDATES = 20, CHANGED = 1000 };

static char path[512];
static struct ppi_record_target target = {.replace = PPI_REPLACE_RECORDING};

static double seconds (clockid_t clock)
{
	struct timespec t;

	clock_gettime (clock, &t);
	return (double) t.tv_sec + (double) t.tv_nsec * 1e-9;
}

static void fail (const char *what)
{
	fprintf (stderr, "record_rates: %s\n", what);
	exit (1);
}

static void record (bool finished)
{
	char why[512] = "";

	if (ppi_recorder_write (&target, finished, why, sizeof why) != PP_OK)
		fail (why);
}

static void begin (const char *directory, const char *name)
{
	snprintf (path, sizeof path, "%s/%s", directory, name);
	snprintf (target.path, sizeof target.path, "%s", path);
	ppi_lock ();
	if (ppi_region_init () != PP_OK)
		fail ("no region");
	ppi_unlock ();
}

/* ---- streams --------------------------------------------------------------------------------- */

static bool stop;
static long switches;

/* Entries as a profiler's: a time that goes up, a thread, a dozen addresses of some functions. */
static void *write_entries (void *arg)
{
	struct ppi_stream stream = {.kind = PPI_STREAM_PROFILE, .thread = (uint32_t) gettid ()};
	struct rusage before, after;
	uint64_t ticks = 1, seed = 1;

	(void) arg;
	getrusage (RUSAGE_THREAD, &before);
	while (!__atomic_load_n (&stop, __ATOMIC_RELAXED)) {
		uint64_t *entry = ppi_stream_begin (&stream, 112);

		if (!entry)
			continue;
		entry[0] = ticks += 1000 + (seed >> 60);
		entry[1] = stream.thread;
		for (int i = 2; i < 14; i++) {
			seed = seed * UINT64_C (6364136223846793005) + 1442695040888963407;
			entry[i] =
				UINT64_C (0x555555554000) + (seed >> 58) * 16 + (uint64_t) i * 4096;
		}
		ppi_stream_end (&stream, 112, ticks);
	}
	getrusage (RUSAGE_THREAD, &after);
	switches = after.ru_nvcsw - before.ru_nvcsw;
	ppi_stream_finish (&stream);
	return NULL;
}

static void sync_file (const char *name)
{
	int fd = open (name, O_RDWR | O_CLOEXEC);

	if (fd < 0 || fsync (fd) != 0)
		fail ("a file can't be synchronized");
	close (fd);
}

/* Seconds that a plain file of BYTES takes. */
static double plain_seconds (const char *directory, uint64_t bytes)
{
	static char data[1 << 20];
	char name[600];
	double began;
	int fd;

	for (size_t i = 0; i < sizeof data; i++)
		data[i] = (char) (i * 2654435761u >> 24);
	snprintf (name, sizeof name, "%s/plain", directory);
	began = seconds (CLOCK_MONOTONIC);
	fd = open (name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	for (uint64_t done = 0; fd >= 0 && done < bytes; done += sizeof data)
		if (write (fd, data, sizeof data) != (ssize_t) sizeof data)
			fail ("a plain file can't be written");
	close (fd);
	sync_file (name);
	began = seconds (CLOCK_MONOTONIC) - began;
	unlink (name);
	return began;
}

struct rates {
	double mib_s, disk;
	long waits;
};

/* PLAIN_FIRST: the plain file is written before the streams, else behind them. */
static struct rates measure_streams (const char *directory, bool plain_first)
{
	double cpu, wall, plain = 0;
	pthread_t writer;
	uint64_t taken = 0;

	if (plain_first)
		plain = plain_seconds (directory, (uint64_t) STREAM_MIB << 20);
	begin (directory, "stream.pprec");
	if (ppi_streams_prepare (POOL) != PP_OK)
		fail ("no pool");
	record (false);
	if (pthread_create (&writer, NULL, write_entries, NULL) != 0)
		fail ("no thread");
	cpu = seconds (CLOCK_THREAD_CPUTIME_ID);
	wall = seconds (CLOCK_MONOTONIC);
	while (taken < (uint64_t) STREAM_MIB << 20) {
		/* as much as the pool has */
		uint32_t full = ppi_streams_full ();

		if (full < POOL / 2)
			continue;
		record (false);
		taken += (uint64_t) full * PPI_STREAM_ROOM;
	}
	cpu = seconds (CLOCK_THREAD_CPUTIME_ID) - cpu;
	sync_file (path);
	wall = seconds (CLOCK_MONOTONIC) - wall;
	__atomic_store_n (&stop, true, __ATOMIC_RELAXED);
	pthread_join (writer, NULL);
	unlink (path);
	if (!plain_first)
		plain = plain_seconds (directory, (uint64_t) STREAM_MIB << 20);
	/* a few chunks more came than were asked for */
	wall *= (double) ((uint64_t) STREAM_MIB << 20) / (double) taken;
	return (struct rates){(double) taken / 1048576 / cpu, plain / wall, switches};
}

static int compare (const void *a, const void *b)
{
	double x = *(const double *) a, y = *(const double *) b;

	return (x > y) - (x < y);
}

/* Each round in a process of its own: a region has no end but the process's. */
static void measure_rounds (const char *directory)
{
	double mib_s[ROUNDS], disk[ROUNDS];
	long waits = 0;

	for (int i = 0; i < ROUNDS; i++) {
		struct rates rates;
		int fd[2], status;
		pid_t child;

		if (pipe (fd) != 0)
			fail ("no pipe");
		child = fork ();
		if (child == 0) {
			rates = measure_streams (directory, i % 2);
			_exit (write (fd[1], &rates, sizeof rates) != sizeof rates);
		}
		if (child < 0 || waitpid (child, &status, 0) != child || status ||
		    read (fd[0], &rates, sizeof rates) != sizeof rates)
			fail ("streams were not written");
		close (fd[0]);
		close (fd[1]);
		mib_s[i] = rates.mib_s;
		disk[i] = rates.disk;
		if (rates.waits > waits)
			waits = rates.waits;
	}
	qsort (mib_s, ROUNDS, sizeof mib_s[0], compare);
	qsort (disk, ROUNDS, sizeof disk[0], compare);
	printf ("stream.mib_s %.1f\nstream.disk %.3f\nrecord.stall %ld\n", mib_s[ROUNDS / 2],
		disk[ROUNDS / 2], waits);
}

/* ---- the lock -------------------------------------------------------------------------------- */

static void measure_lock (const char *directory)
{
	unsigned n = SHARDS_MIB * (1u << 20) / 256, step = n / CHANGED;
	struct ppi_shard **shard = malloc (n * sizeof (struct ppi_shard *));
	struct ppi_recorder_cost before, after;

	begin (directory, "lock.pprec");
	for (unsigned i = 0; shard && i < n; i++) {
		shard[i] = ppi_region_alloc (256);
		if (!shard[i])
			fail ("the region is too small");
		shard[i]->all.n = i;
		ppi_region_publish (&shard[i]->chunk, PPI_CHUNK_SHARD, i + 1);
	}
	if (!shard)
		fail ("no memory");
	record (false);
	before = ppi_recorder_cost ();
	for (int k = 0; k < UPDATES; k++) {
		for (unsigned i = 0; i < n; i += step) {
			shard[i]->all.n++;
			shard[i]->seq += 2;
		}
		record (false);
	}
	after = ppi_recorder_cost ();
	printf ("record.copy_ms %.4f\n", (double) (after.locked_ns - before.locked_ns) * 1e-6 /
						 (double) (after.writes - before.writes));
	free (shard);
	unlink (path);
}

/* ---- a large recording ----------------------------------------------------------------------- */

static void make_large (void)
{
	static _Alignas(64) char region[SAMPLE_REGION_BYTES];
	static uint64_t noise[1 << 16];
	struct ppi_run run = {.host = "host"};
	struct ppi_region_header *header = (void *) region;
	struct ppi_writer writer;
	struct ppi_stream_head head = {.kind = PPI_STREAM_PROFILE};
	uint64_t seed = 1;
	int fd = open (path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	sample_region_make (region);
	run.header = *header;
	run.header.state = header->state = PPI_RECORDING_LIVE;
	if (fd < 0 || ppi_writer_open (&writer, fd, 0) < 0 || ppi_writer_run (&writer, &run) < 0)
		fail ("the large file can't be begun");
	while (writer.end < UINT64_C (1) << 30) {
		for (size_t i = 0; i < sizeof noise / sizeof *noise; i++)
			noise[i] = seed =
				seed * UINT64_C (6364136223846793005) + 1442695040888963407;
		head.chunk++;
		header->now_ns += 1000000000;
		if (ppi_writer_put (&writer, PPI_BLOCK_STREAM, 1, header->now_ns, header->now_ns,
				    &head, sizeof head, noise, sizeof noise) < 0 ||
		    ppi_writer_update (&writer, region, header->used, header, true) < 0)
			fail ("the large file can't be written");
	}
	if (ppi_writer_finish (&writer, PPI_RECORDING_FINISHED, header->now_ns) < 0)
		fail ("the large file can't be ended");
	ppi_writer_close (&writer);
	close (fd);
}

/* Seconds of ppctl report, and what memory it took. */
static double report (const char *ppctl, struct rusage *usage)
{
	double began = seconds (CLOCK_MONOTONIC);
	int status;
	pid_t child;

	fflush (stdout);
	child = fork ();

	if (child == 0) {
		if (!freopen ("/dev/null", "w", stdout))
			_exit (126);
		execl (ppctl, "ppctl", "report", path, (char *) NULL);
		_exit (127);
	}
	if (child < 0 || wait4 (child, &status, 0, usage) != child || status)
		fail ("ppctl report failed");
	return seconds (CLOCK_MONOTONIC) - began;
}

static void measure_report (const char *directory, const char *ppctl)
{
	static _Alignas(64) char region[SAMPLE_REGION_BYTES];
	struct rusage usage;
	double took;

	snprintf (path, sizeof path, "%s/large.pprec", directory);
	make_large ();
	took = report (ppctl, &usage);
	printf ("report.1gib %.2f\nreport.1gib.mib %.0f\n", took, (double) usage.ru_maxrss / 1024);
	sample_region_make (region);
	if (sample_region_record (region, path) != 0)
		fail ("a small recording can't be written");
	printf ("report.first_screen %.1f\n", report (ppctl, &usage) * 1e3);
	unlink (path);
}

int main (int argc, char **argv)
{
	pid_t child;
	int status = 0;

	if (argc != 3)
		fail ("usage: record_rates DIRECTORY PPCTL");
	setenv ("PP_REGION_MAX", "256M", 1);
	/* each in a process of its own: a region has no end but the process's */
	for (int i = 0; i < 3; i++) {
		fflush (stdout);
		child = fork ();
		if (child == 0) {
			if (i == 0)
				measure_rounds (argv[1]);
			else if (i == 1)
				measure_lock (argv[1]);
			else
				measure_report (argv[1], argv[2]);
			exit (0);
		}
		if (child < 0 || waitpid (child, &status, 0) != child || status)
			fail ("a measurement failed");
	}
	return 0;
}
