/* SPDX-License-Identifier: MIT */
/*
 * finisher.c: what a process that died left in memory, and the recording that it wrote to, either
 * of which may be anything: the input is the one, the other is as it should be. Whether the two are
 * one run's, and that its process is gone, is set, so that the finisher gets further than that. A
 * recording that could be read before can be read afterwards.
 */
#include "recording/finish.h"

#include "base/process.h"
#include "recording/blocks.h"
#include "recording/layout.h"
#include "recording/load.h"
#include "recording/read.h"
#include "recording/write.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/sample_region.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* beyond all that the kernel gives */
#define NOBODY 0x7ffffff0u

static char directory[64], path[80];
static _Alignas(64) char region[SAMPLE_REGION_BYTES];
static size_t region_bytes;
static struct ppi_region_header whose;

static void tidy (void)
{
	unlink (path);
	rmdir (directory);
}

int LLVMFuzzerInitialize (int *argc, char ***argv)
{
	struct stat st;

	(void) argc;
	(void) argv;
	snprintf (directory, sizeof directory, "/dev/shm/pp-fuzz-%d.d", (int) getpid ());
	snprintf (path, sizeof path, "%s/x.pprec", directory);
	if (mkdir (directory, 0700) != 0 || stat (directory, &st) != 0 || atexit (tidy) != 0)
		return 1;
	ppi_regions_directory = directory;
	region_bytes = sample_region_make (region);
	memcpy (&whose, region, sizeof whose);
	whose.pid = NOBODY;
	whose.state = PPI_RECORDING_LIVE;
	ppi_identity_of_self (&whose.who);
	snprintf (whose.record_path, sizeof whose.record_path, "%s", path);
	whose.record_device = st.st_dev;
	whose.record_inode = st.st_ino;
	return 0;
}

/* HEADER becomes one of the process that died. */
static void claim (struct ppi_region_header *header)
{
	memcpy (header->magic, whose.magic, sizeof header->magic);
	header->version = whose.version;
	header->pid = whose.pid;
	header->state = whose.state;
	header->start_ticks = whose.start_ticks;
	header->start_realtime_ns = whose.start_realtime_ns;
	header->who = whose.who;
	memcpy (header->record_path, whose.record_path, sizeof header->record_path);
	header->record_device = whose.record_device;
	header->record_inode = whose.record_inode;
}

static int create (const char *name)
{
	int fd = open (name, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600);

	if (fd < 0)
		abort ();
	return fd;
}

static void put (int fd, const void *data, size_t bytes)
{
	if (write (fd, data, bytes) != (ssize_t) bytes)
		abort ();
}

/* The region's file; what BYTES say beyond a header may be damaged. */
static void leave (const void *data, size_t bytes)
{
	struct ppi_region_header header;
	char name[PPI_REGION_PATH];
	int fd;

	memcpy (&header, data, sizeof header);
	claim (&header);
	ppi_region_path (&header, name, sizeof name);
	fd = create (name);
	put (fd, &header, sizeof header);
	put (fd, (const char *) data + sizeof header, bytes - sizeof header);
	close (fd);
}

/* The recording: its first block is the run's, what follows are the BYTES at DATA. */
static void record (const void *data, size_t bytes)
{
	struct ppi_run run = {.header = whose};
	struct ppi_writer writer;
	int fd = create (path);

	if (ppi_writer_open (&writer, fd, 0) != 0 || ppi_writer_run (&writer, &run) != 0)
		abort ();
	if (lseek (fd, (off_t) writer.end, SEEK_SET) < 0)
		abort ();
	ppi_writer_close (&writer);
	put (fd, data, bytes);
	close (fd);
}

static int can_be_read (int complain)
{
	struct ppi_recording *r;
	char why[512];

	if (ppi_recording_open (path, &r, why, sizeof why) != 0) {
		if (complain)
			fprintf (stderr, "it can't be read any more: %s\n", why);
		return 0;
	}
	ppi_recording_close (r);
	return 1;
}

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t bytes)
{
	static const struct ppi_finish_limits no_limits;
	char name[PPI_REGION_PATH], why[512];
	struct ppi_block head;
	int could;

	if (ppi_is_of_blocks (data, bytes)) {
		memcpy (&head, data, sizeof head);
		if (head.bytes < sizeof head || head.bytes > bytes)
			return 0;
		leave (region, region_bytes);
		record (data + head.bytes, bytes - head.bytes);
	} else if (bytes > sizeof whose) {
		leave (data, bytes);
		record (NULL, 0);
	} else {
		return 0;
	}
	could = can_be_read (0);
	if (bytes % 2)
		ppi_regions_finish (&no_limits);
	else
		(void) ppi_recording_finish (path, why, sizeof why);
	if (could && !can_be_read (1))
		abort ();
	ppi_region_path (&whose, name, sizeof name);
	unlink (name);
	return 0;
}
