/* SPDX-License-Identifier: MIT */
/* finish.c: completes the recordings of processes that died; see finish.h. */
#include "recording/finish.h"

#include "base/chunk.h"
#include "base/memory.h"
#include "base/process.h"
#include "recording/append.h"
#include "recording/check.h"
#include "recording/file.h"
#include "recording/layout.h"
#include "recording/load.h"
#include "recording/read.h"
#include "recording/salvage.h"
#include "recording/scan.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* where limits hold, so many names are looked at, and so many regions opened */
#define NAMES_MOST 1000
#define OPENED_MOST 64
/* so long is waited for another who completes the same recording, looking so often */
#define WAIT_NS UINT64_C (10000000000)
#define LOOK_NS 5000000L

const char *ppi_regions_directory = "/dev/shm";

static void region_name (const struct ppi_region_header *region, char *out, size_t room)
{
	snprintf (out, room, "pp.%u.%llu", region->pid,
		  (unsigned long long) region->start_realtime_ns);
}

void ppi_region_path (const struct ppi_region_header *region, char *out, size_t room)
{
	char name[48];

	region_name (region, name, sizeof name);
	snprintf (out, room, "%s/%s", ppi_regions_directory, name);
}

static int say (int result, char *why, size_t room, const char *path, const char *what)
{
	snprintf (why, room, "%s: %s", path, what);
	return result;
}

static bool is_one_run (const struct ppi_region_header *a, const struct ppi_region_header *b)
{
	return a->version == b->version && a->pid == b->pid && a->start_ticks == b->start_ticks &&
	       a->start_realtime_ns == b->start_realtime_ns &&
	       memcmp (&a->who, &b->who, sizeof a->who) == 0;
}

static bool read_header (int fd, struct ppi_region_header *out)
{
	return pread (fd, out, sizeof *out, 0) == (ssize_t) sizeof *out &&
	       memcmp (out->magic, PPI_RECORDING_MAGIC, sizeof out->magic) == 0 &&
	       out->version == PPI_RECORDING_VERSION;
}

/* ---- what is left ---------------------------------------------------------------------------- */

struct left {
	int fd;
	struct stat st;
	struct ppi_region_header header;
};

static uint64_t now_ns (void)
{
	struct timespec t = {0, 0};

	(void) clock_gettime (CLOCK_MONOTONIC, &t);
	return (uint64_t) t.tv_sec * UINT64_C (1000000000) + (uint64_t) t.tv_nsec;
}

/* The lock of FD; who has it is waited for, for WAIT_NS. 0, or why not: EWOULDBLOCK. */
static int lock_left (int fd, uint64_t wait_ns)
{
	const struct timespec look = {0, LOOK_NS};
	uint64_t began = now_ns ();

	while (flock (fd, LOCK_EX | LOCK_NB) != 0) {
		if (errno != EWOULDBLOCK || now_ns () - began >= wait_ns)
			return errno;
		(void) nanosleep (&look, NULL);
	}
	return 0;
}

/* Is it still what NAME is in DIRECTORY? Who had the lock before may have removed it. */
static bool is_there (int directory, const char *name, const struct left *left)
{
	struct stat st;

	return fstatat (directory, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	       st.st_dev == left->st.st_dev && st.st_ino == left->st.st_ino;
}

/*
 * Opens the region NAME in DIRECTORY if it is this user's and of a process that died. The lock
 * keeps others from completing it at the same time; one that does is waited for, for WAIT_NS.
 * False: it is not, or may not be; errno is EWOULDBLOCK where another had it for all that time.
 */
static bool open_left (int directory, const char *name, uint64_t wait_ns, struct left *left)
{
	char right_name[48];
	int error = 0;

	left->fd =
		openat (directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (left->fd < 0)
		return false;
	if (fstat (left->fd, &left->st) == 0 && S_ISREG (left->st.st_mode) &&
	    left->st.st_uid == geteuid () && read_header (left->fd, &left->header) &&
	    left->header.state == PPI_RECORDING_LIVE) {
		region_name (&left->header, right_name, sizeof right_name);
		if (strcmp (name, right_name) == 0 && !ppi_is_of_another_boot (&left->header.who) &&
		    ppi_process_presence (left->header.pid, &left->header.who) ==
			    PPI_PROCESS_GONE) {
			error = lock_left (left->fd, wait_ns);
			if (!error && is_there (directory, name, left))
				return true;
		}
	}
	close (left->fd);
	left->fd = -1;
	errno = error;
	return false;
}

static void remove_left (int directory, const char *name, const struct left *left)
{
	if (is_there (directory, name, left))
		(void) unlinkat (directory, name, 0);
}

/* ---- the recording --------------------------------------------------------------------------- */

/* Of a file of blocks: whose it is, and the state that it ended in. */
static bool read_run (int fd, uint64_t size, struct ppi_region_header *header)
{
	struct ppi_run run;
	uint32_t state;

	if (!ppi_run_read (fd, size, &run, &state))
		return false;
	*header = run.header;
	header->state = state;
	return true;
}

/*
 * Opens the file at PATH if it is this user's own, no link, and begins as a recording does: its
 * header. Where it can't be looked at errno says why not; it is 0 where something else is there.
 */
static bool read_recording (const char *path, struct ppi_region_header *header, struct stat *st)
{
	struct stat seen;
	int fd = -1;
	bool good;

	errno = 0;
	/* a device is not even opened */
	if (lstat (path, &seen) != 0 || !S_ISREG (seen.st_mode))
		return false;
	fd = open (path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	good = fd >= 0 && fstat (fd, st) == 0 && st->st_dev == seen.st_dev &&
	       st->st_ino == seen.st_ino &&
	       (read_run (fd, (uint64_t) st->st_size, header) || read_header (fd, header));
	if (fd >= 0)
		close (fd);
	return good;
}

/*
 * Is PATH's directory the one that its process recorded to? UNKNOWN where the process did not say
 * which that was.
 */
static bool is_in_place (const char *path, const struct ppi_region_header *left, bool unknown)
{
	char directory[PPI_RECORD_PATH];
	const char *slash = strrchr (path, '/');
	struct stat st;

	if (!slash || (size_t) (slash - path) >= sizeof directory)
		return false;
	memcpy (directory, path, (size_t) (slash - path));
	directory[slash - path] = '\0';
	if (lstat (*directory ? directory : "/", &st) != 0 || !S_ISDIR (st.st_mode))
		return false;
	return left->record_inode
		       ? left->record_device == st.st_dev && left->record_inode == st.st_ino
		       : unknown;
}

enum outcome { NOT_THERE, COMPLETED, DAMAGED, NOT_WRITTEN, BUSY };

/* ---- what is left, whole --------------------------------------------------------------------- */

struct whole {
	char *data; /* malloced */
	struct ppi_recording *recording;
};

static void free_whole (struct whole *whole)
{
	ppi_recording_close (whole->recording);
	free (whole->data);
	*whole = (struct whole){.data = NULL};
}

/* The first USED bytes of what is LEFT; what of them is not whole is as KNOWN has it. */
static enum outcome take (const struct left *left, uint64_t used, const struct ppi_newest *known,
			  struct whole *out)
{
	struct ppi_region_header *header;
	char why[8];
	int error;

	out->data = aligned_alloc (PPI_CHUNK_ALIGN,
				   (used + PPI_CHUNK_ALIGN) & ~(uint64_t) (PPI_CHUNK_ALIGN - 1));
	if (!out->data)
		return NOT_WRITTEN;
	errno = 0;
	if (ppi_read_at (left->fd, out->data, used, 0) != (ssize_t) used)
		/* that it can't be read now says nothing of it */
		return errno ? NOT_WRITTEN : DAMAGED;
	header = (void *) out->data;
	error = ppi_region_salvage (out->data, used, known);
	if (!error)
		error = ppi_recording_attach (out->data, header->used, "", &out->recording, why,
					      sizeof why);
	header->state = PPI_RECORDING_LEFT;
	return !error ? COMPLETED : error == PP_EINVAL ? DAMAGED : NOT_WRITTEN;
}

static bool has_bytes (const struct left *left, uint64_t used)
{
	return used >= sizeof left->header && used <= (uint64_t) left->st.st_size &&
	       used <= (uint64_t) left->st.st_blocks * 512;
}

/* All of what is LEFT; FD, of SIZE, is its recording. COMPLETED: OUT has it. */
static enum outcome take_whole (const struct left *left, int fd, uint64_t size, struct whole *out)
{
	const struct ppi_region_header *header = &left->header;
	enum outcome outcome = DAMAGED;
	struct ppi_newest known;
	uint64_t used = header->used;
	char why[8];
	int error = ppi_blocks_load (fd, size, "", &known, why, sizeof why);

	/* without it there are no places that are known, and no header but the region's own */
	if (error)
		known.n_chunks = 0;
	if (!ppi_header_is_whole (header) || used < known.header.used || !has_bytes (left, used) ||
	    ppi_recording_explains (left->fd, header, &left->st))
		used = known.header.used;
	if (error == PP_ENOMEM)
		outcome = NOT_WRITTEN;
	else if (has_bytes (left, used))
		outcome = take (left, used, &known, out);
	ppi_newest_free (&known);
	return outcome;
}

/* What is LEFT replaces PATH, if that is its recording. */
static enum outcome complete (const char *path, const struct left *left, char *why, size_t room)
{
	struct ppi_region_header recorded;
	struct whole whole = {.data = NULL};
	enum outcome outcome;
	struct stat st;
	int error, fd;

	if (!read_recording (path, &recorded, &st)) {
		error = errno;
		snprintf (why, room, "%s", strerror (error));
		/*
		 * a directory that can't be seen from here, or is another one now, may have been
		 * moved
		 */
		return !error || (error == ENOENT && is_in_place (path, &left->header, true))
			       ? NOT_THERE
			       : NOT_WRITTEN;
	}
	if (recorded.state != PPI_RECORDING_LIVE || st.st_uid != geteuid () ||
	    !is_one_run (&recorded, &left->header) ||
	    (st.st_dev == left->st.st_dev && st.st_ino == left->st.st_ino))
		return NOT_THERE;
	fd = ppi_file_reopen (path, NULL, &st, why, room);
	if (fd < 0)
		return NOT_WRITTEN;
	outcome = take_whole (left, fd, (uint64_t) st.st_size, &whole);
	if (outcome == COMPLETED) {
		error = ppi_region_append (fd, (uint64_t) st.st_size, whole.data, whole.recording);
		if (error < 0) {
			snprintf (why, room, "%s", strerror (-error));
			outcome = NOT_WRITTEN;
		}
	} else if (outcome == NOT_WRITTEN) {
		snprintf (why, room, "no memory, or it can't be read");
	}
	free_whole (&whole);
	close (fd);
	return outcome;
}

/* The same where its process recorded to, by what it says itself. */
static enum outcome complete_own (const struct left *left, char *why, size_t room)
{
	const char *path = left->header.record_path;

	return memchr (path, '\0', sizeof left->header.record_path) && *path == '/'
		       ? complete (path, left, why, room)
		       : NOT_THERE;
}

/* Is PATH what LEFT was copied to, in a directory that may have been moved since? */
static bool is_own (const char *path, const struct ppi_region_header *left)
{
	const char *name = memchr (left->record_path, '\0', sizeof left->record_path)
				   ? strrchr (left->record_path, '/')
				   : NULL;

	return name && strcmp (name, strrchr (path, '/')) == 0 && is_in_place (path, left, false);
}

static int finish_from (const char *path, const struct ppi_region_header *recorded, char *why,
			size_t room)
{
	int directory = open (ppi_regions_directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
	char name[48], problem[256] = "";
	struct left left;
	enum outcome outcome = NOT_THERE;

	region_name (recorded, name, sizeof name);
	errno = 0;
	if (directory >= 0 && open_left (directory, name, WAIT_NS, &left)) {
		outcome = complete (path, &left, problem, sizeof problem);
		/* PATH may be a copy */
		if (outcome == COMPLETED &&
		    (is_own (path, &left.header) ||
		     complete_own (&left, problem, sizeof problem) != NOT_WRITTEN))
			remove_left (directory, name, &left);
		close (left.fd);
	} else if (errno == EWOULDBLOCK) {
		outcome = BUSY;
	}
	if (directory >= 0)
		close (directory);
	switch (outcome) {
	case COMPLETED:
		return 1;
	case NOT_WRITTEN:
		snprintf (why, room, "%s: can't be replaced by what its process left (%s)", path,
			  problem);
		return PP_EIO;
	case BUSY:
		return say (PP_EIO, why, room, path,
			    "its process died, and another process has been completing it for "
			    "10 s; this is what was written before. Ask again later");
	case DAMAGED:
		return say (PP_ENOENT, why, room, path,
			    "its process died, and what it left in memory is damaged; this is the "
			    "last copy");
	default:
		return say (PP_ENOENT, why, room, path,
			    "its process died, and what it left in memory is gone, or was damaged; "
			    "this is the last copy");
	}
}

static bool is_region (const char *path, const struct ppi_region_header *header)
{
	char region[PPI_REGION_PATH];

	ppi_region_path (header, region, sizeof region);
	return strcmp (path, region) == 0;
}

int ppi_recording_finish (const char *path, char *why, size_t room)
{
	struct ppi_region_header header, again;
	char *real = realpath (path, NULL);
	struct stat st;
	int result = 0;

	if (!real) {
		snprintf (why, room, "%s: can't be opened (%s)", path, strerror (errno));
		return PP_EIO;
	}
	/*
	 * what is no recording is for ppi_recording_open to say; a region itself is no copy of it
	 */
	if (read_recording (real, &header, &st) && header.state == PPI_RECORDING_LIVE &&
	    !is_region (real, &header) &&
	    ppi_process_presence (header.pid, &header.who) == PPI_PROCESS_GONE) {
		result = st.st_uid == geteuid () ? finish_from (real, &header, why, room)
						 : say (PP_ENOENT, why, room, path,
							"its process died, and only its own user "
							"may complete it; this "
							"is the last copy");
		/* somebody else may have done it just now */
		if (result < 0 && read_recording (real, &again, &st) &&
		    again.state == PPI_RECORDING_LEFT)
			result = 0;
	}
	free (real);
	return result;
}

/* ---- all that is left ------------------------------------------------------------------------ */

/* Is it gone afterwards? */
static bool finish_region (int directory, const char *name, uint64_t most_bytes)
{
	enum outcome outcome = NOT_THERE;
	struct left left;
	char why[256];

	/* who completes it just now is not waited for: a program that starts may be who looks */
	if (!open_left (directory, name, 0, &left))
		return false;
	if (most_bytes && left.header.used > most_bytes)
		outcome = NOT_WRITTEN; /* for ppctl, which has the time */
	else
		outcome = complete_own (&left, why, sizeof why);
	if (outcome != NOT_WRITTEN)
		remove_left (directory, name, &left);
	close (left.fd);
	return outcome != NOT_WRITTEN;
}

/*
 * "pp.PID.NS". With LIMITS only of numbers that no process has: what another got is for ppctl,
 * which looks at all.
 */
static bool may_be_left (const char *name, const struct ppi_finish_limits *limits)
{
	unsigned pid;
	int n = 0;

	if (sscanf (name, "pp.%u.%*u%n", &pid, &n) != 1 || !n || name[n] || !pid || pid > INT_MAX)
		return false;
	return !limits->most || (kill ((pid_t) pid, 0) != 0 && errno == ESRCH);
}

unsigned ppi_regions_finish (const struct ppi_finish_limits *limits)
{
	DIR *directory = opendir (ppi_regions_directory);
	uint64_t began = now_ns ();
	struct dirent *entry;
	unsigned gone = 0, seen = 0, opened = 0;

	while (directory && (entry = readdir (directory))) {
		if ((limits->most &&
		     (gone == limits->most || seen++ == NAMES_MOST || opened == OPENED_MOST)) ||
		    (limits->ns && now_ns () - began > limits->ns))
			break;
		if (!may_be_left (entry->d_name, limits))
			continue;
		opened++;
		gone += finish_region (dirfd (directory), entry->d_name, limits->bytes);
	}
	if (directory)
		closedir (directory);
	return gone;
}
