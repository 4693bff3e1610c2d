/* SPDX-License-Identifier: MIT */
/*
 * io.c: what the calling thread read and wrote, by /proc/thread-self/io, and how much memory the
 * process has resident, by /proc/self/statm.
 *
 * The kernel counts every read and write of a thread (and pread, readv, sendfile ...), of files,
 * pipes, sockets and devices alike, those inside libc too, which wrappers of read and write in
 * global offset tables would not see; it does not count send, recv and mapped files. A reading is a
 * system call (about 1.5 µs), one for all of these sources at a marker. It is a read itself, so
 * what readings have read is taken off.
 */
#include "stdmetrics/per_thread.h"
#include "stdmetrics/stdmetrics.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define IO "/proc/thread-self/io"
#define STATM "/proc/self/statm"

enum field { RCHAR, WCHAR, SYSCR, SYSCW, READ_BYTES, WRITE_BYTES, FIELDS };

static int open_path (struct ppi_per_thread *t, int which)
{
	int fd = open (which == PPI_FILE_IO ? IO : STATM, O_RDONLY | O_CLOEXEC);

	(void) t;
	return fd < 0 ? -errno : fd;
}

/* The next number in TEXT, which moves behind it. false: there is none. */
static bool next_number (const char **text, uint64_t *number)
{
	const char *p = *text;

	while (*p && (*p < '0' || *p > '9'))
		p++;
	if (!*p)
		return false;
	for (*number = 0; *p >= '0' && *p <= '9'; p++)
		*number = *number * 10 + (uint64_t) (*p - '0');
	*text = p;
	return true;
}

/* T's file WHICH into TEXT. */
static int read_file (struct ppi_per_thread *t, enum ppi_file which, char *text, unsigned room)
{
	if (!t || ppi_per_thread_open (t, which, open_path, (int) which) < 0)
		return PP_EUNAVAILABLE;
	return ppi_per_thread_read (t, which, text, room) < 0 ? PP_ESTATE : 0;
}

/*
 * rchar: N, wchar: N, syscr: N, syscw: N, read_bytes: N, write_bytes: N: in this order since there
 * is such a file
 */
static int ask (struct ppi_per_thread *t, uint64_t number)
{
	uint64_t own_bytes = t ? t->own_bytes : 0, own_calls = t ? t->own_calls : 0, field[FIELDS];
	char text[256];
	const char *p = text;
	int error = read_file (t, PPI_FILE_IO, text, sizeof text);

	if (error)
		return error;
	for (int i = 0; i < FIELDS; i++)
		if (!next_number (&p, &field[i]))
			return PP_ESTATE;
	field[RCHAR] -= own_bytes;
	field[SYSCR] -= own_calls;
	memcpy (t->io, field, sizeof field);
	t->io_number = number;
	return 0;
}

static int read_io (struct ppi_source_instance *instance, uint64_t *now)
{
	struct ppi_per_thread *t = ppi_per_thread ();
	int error = t && ppi_is_read (t->io_number) ? 0 : ask (t, ppi_reading_number);

	if (!error)
		*now = t->io[instance->source->which];
	return error;
}

static int read_resident (struct ppi_source_instance *instance, uint64_t *now)
{
	char text[128];
	const char *p = text;
	uint64_t size;
	int error = read_file (ppi_per_thread (), PPI_FILE_STATM, text, sizeof text);

	(void) instance;
	if (error)
		return error;
	if (!next_number (&p, &size) || !next_number (&p, now))
		return PP_ESTATE;
	*now *= (uint64_t) sysconf (_SC_PAGESIZE);
	return 0;
}

static int point_resident (struct ppi_source_instance *instance, union ppi_sample *out)
{
	uint64_t now = 0;
	int error = read_resident (instance, &now);

	out->i = (int64_t) now;
	return error;
}

/* Is PATH there, and does it say what is read from it? */
static int probe (const char *path, const char *what, char *why, size_t room)
{
	int fd = open (path, O_RDONLY | O_CLOEXEC);
	char text[256];
	ssize_t n = fd >= 0 ? read (fd, text, sizeof text - 1) : -1;
	int error = n < 0 ? errno : 0;

	if (fd >= 0)
		close (fd);
	if (n > 0 && ppi_per_thread_start ())
		return 0;
	snprintf (why, room, "%s can't be told here: %s can't be read (%s)", what, path,
		  n < 0 ? strerror (error) : "it is empty, or there is no memory");
	return PP_EUNAVAILABLE;
}

static int open_io (struct ppi_source_instance *instance, char *why, size_t room)
{
	(void) instance;
	return probe (IO, "what a thread reads and writes", why, room);
}

static int open_resident (struct ppi_source_instance *instance, char *why, size_t room)
{
	(void) instance;
	return probe (STATM, "resident memory", why, room);
}

/* id, unit, field, words */
#define IO_SOURCES(X)                                                                              \
	X (bytes_read, BYTES, RCHAR,                                                               \
	   "bytes the calling thread read: read and its kin, of files, pipes, sockets")            \
	X (bytes_written, BYTES, WCHAR, "bytes the calling thread wrote: write and its kin")       \
	X (read_calls, PLAIN, SYSCR, "system calls of the calling thread that read")               \
	X (write_calls, PLAIN, SYSCW, "system calls of the calling thread that wrote")             \
	X (disk_bytes_read, BYTES, READ_BYTES, "bytes the calling thread had read from devices")   \
	X (disk_bytes_written, BYTES, WRITE_BYTES,                                                 \
	   "bytes the calling thread caused to be written to devices")

#define X(id, its_unit, field, words)                                                              \
	const struct ppi_source ppi_source_##id = {                                                \
		.name = #id,                                                                       \
		.help = (words),                                                                   \
		PPI_COUNTER (its_unit, 1, SYSTEM_CALL),                                            \
		.which = (field),                                                                  \
		.open = open_io,                                                                   \
		.read = read_io,                                                                   \
	};
IO_SOURCES (X)
#undef X

const struct ppi_source ppi_source_resident = {
	.name = "resident",
	.help = "memory that the process has resident; by how much an interval changed that",
	PPI_COUNTER_FOR (PPI_FOR_POINTS | PPI_FOR_INTERVALS, BYTES, 1, SYSTEM_CALL),
	.open = open_resident,
	.read = read_resident,
	.point = point_resident,
};
