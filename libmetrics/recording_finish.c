/* SPDX-License-Identifier: MIT */
/* recording_finish.c: completes the recordings of processes that died; see recording_read.h. */
#include "recording_read.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S UINT64_C (1000000000)
#define COPY_BYTES 65536

static uint64_t clock_ns (clockid_t clock)
{
	struct timespec t = {0, 0};

	(void) clock_gettime (clock, &t);
	return (uint64_t) t.tv_sec * NS_PER_S + (uint64_t) t.tv_nsec;
}

/*
 * When process PID was started, CLOCK_REALTIME ns; 0: unknown. Its state, 'Z' for one that is dead but not waited
 * for.
 */
static uint64_t started_ns (uint32_t pid, char *state)
{
	char path[64], text[1024];
	unsigned long long ticks = 0;
	const char *end;
	FILE *file;
	size_t n;

	snprintf (path, sizeof path, "/proc/%u/stat", pid);
	file = fopen (path, "re");
	if (!file)
		return 0;
	n = fread (text, 1, sizeof text - 1, file);
	fclose (file);
	text[n] = '\0';
	/* the name, in parentheses, may hold anything; starttime is the 20th field after it */
	end = strrchr (text, ')');
	if (!end || sscanf (end + 1, " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu",
			    state, &ticks) != 2)
		return 0;
	return clock_ns (CLOCK_REALTIME) - clock_ns (CLOCK_BOOTTIME) +
	       ticks * (NS_PER_S / (uint64_t) sysconf (_SC_CLK_TCK));
}

bool ppi_recording_is_running (const struct ppi_region_header *header)
{
	char state = '?';
	uint64_t started;

	if (header->pid == 0 || (kill ((pid_t) header->pid, 0) != 0 && errno == ESRCH))
		return false;
	started = started_ns (header->pid, &state);
	if (state == 'Z' || state == 'X')
		return false;
	/*
	 * another process with the same number began after the region was made; 2 s for clocks that were set
	 * meanwhile
	 */
	return started == 0 || started <= header->start_realtime_ns + 2 * NS_PER_S;
}

static int say (int result, char *why, size_t room, const char *what, const char *path)
{
	snprintf (why, room, "%s: %s (%s)", path, what, strerror (errno));
	return result;
}

/* Is LEFT what the process of RECORDED left? */
static bool belongs (const struct ppi_region_header *left, const struct ppi_region_header *recorded)
{
	return memcmp (left->magic, recorded->magic, sizeof left->magic) == 0 && left->version == recorded->version &&
	       left->pid == recorded->pid && left->start_ticks == recorded->start_ticks &&
	       left->start_realtime_ns == recorded->start_realtime_ns;
}

static bool copy_bytes (int from, int to, uint64_t bytes)
{
	char buffer[COPY_BYTES];

	for (uint64_t done = 0; done < bytes;) {
		size_t want = bytes - done < sizeof buffer ? (size_t) (bytes - done) : sizeof buffer;
		ssize_t n = pread (from, buffer, want, (off_t) done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0 || pwrite (to, buffer, (size_t) n, (off_t) done) != n)
			return false;
		done += (uint64_t) n;
	}
	return true;
}

/* Writes what LEFT_FD holds beside PATH and puts it in PATH's place. */
static bool replace (const char *path, int left_fd, struct ppi_region_header *left, const struct stat *file)
{
	char temporary[4096];
	bool done;
	int fd;

	if ((size_t) snprintf (temporary, sizeof temporary, "%s.%d.tmp", path, (int) getpid ()) >= sizeof temporary) {
		errno = ENAMETOOLONG;
		return false;
	}
	fd = open (temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, file->st_mode & 0666);
	if (fd < 0)
		return false;
	if (fchown (fd, file->st_uid, file->st_gid) != 0)
		errno = 0; /* only root can, and only root needs to */
	left->state = PPI_RECORDING_LEFT;
	done = copy_bytes (left_fd, fd, left->used) && pwrite (fd, left, sizeof *left, 0) == (ssize_t) sizeof *left;
	done = close (fd) == 0 && done && rename (temporary, path) == 0;
	if (!done)
		unlink (temporary);
	return done;
}

/* FD is open on PATH's recording, which its process did not complete. */
static int finish_from (int fd, const char *path, const struct ppi_region_header *recorded, char *why, size_t room)
{
	struct ppi_region_header left;
	int result, left_fd = open (recorded->live_path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat file, live;

	if (left_fd < 0)
		return say (PP_ENOENT, why, room,
			    "its process died, and what it left in memory is gone; this is the last copy", path);
	if (fstat (fd, &file) != 0 || fstat (left_fd, &live) != 0 || !S_ISREG (live.st_mode) ||
	    live.st_uid != file.st_uid || pread (left_fd, &left, sizeof left, 0) != (ssize_t) sizeof left ||
	    !belongs (&left, recorded) || left.used > (uint64_t) live.st_size) {
		errno = EINVAL;
		result = say (PP_ENOENT, why, room,
			      "its process died, and what is in its place in memory is not what it left", path);
	} else if (file.st_dev == live.st_dev && file.st_ino == live.st_ino) {
		result = 0; /* PATH is the region itself */
	} else if (!replace (path, left_fd, &left, &file)) {
		result = say (PP_EIO, why, room, "can't be replaced by what its process left", path);
	} else {
		(void) unlink (recorded->live_path);
		result = 1;
	}
	close (left_fd);
	return result;
}

int ppi_recording_finish (const char *path, char *why, size_t room)
{
	struct ppi_region_header header;
	int result = 0, fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return say (PP_EIO, why, room, "can't be opened", path);
	/* what is no recording is for ppi_recording_open to say */
	if (pread (fd, &header, sizeof header, 0) == (ssize_t) sizeof header &&
	    memcmp (header.magic, PPI_RECORDING_MAGIC, sizeof header.magic) == 0 &&
	    header.version == PPI_RECORDING_VERSION && header.state == PPI_RECORDING_LIVE &&
	    memchr (header.live_path, '\0', sizeof header.live_path) && header.live_path[0] &&
	    !ppi_recording_is_running (&header))
		result = finish_from (fd, path, &header, why, room);
	close (fd);
	return result;
}
