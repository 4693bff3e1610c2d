/* SPDX-License-Identifier: MIT */
/*
 * channel.c: see channel.h. Between a look at descriptor 2 and a write to it another thread may put
 * another file there: so it is duplicated first, and the duplicate is looked at and written to.
 *
 * O_NONBLOCK belongs to what the descriptor stands for, which is shared with the host and with
 * other processes. So a pipe or a terminal is opened once more, through /proc, and that one is
 * non-blocking; a socket has a flag for each message; files don't wait. Without /proc, poll says
 * whether there is room for what a pipe takes in one piece.
 */
#include "base/channel.h"

#include "base/environment.h"
#include "base/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { WAY_WRITE, WAY_SEND, WAY_POLL };
enum { FIRST_FD = 3 }; /* 0 to 2 belong to the host, also while they are closed */

struct identity {
	uint64_t device, inode;
	int64_t born_s; /* 0: not known. An inode's number is given away again */
	uint32_t born_ns;
	uint32_t type;
};

static struct identity first;
static bool has_first, is_started;
static char log_path[PATH_MAX];
static int log_error; /* atomic: reports and messages are written by different threads */
static bool log_told;

static bool identify (int fd, struct identity *out)
{
	struct statx x;
	struct stat st;

	*out = (struct identity){0};
	if (statx (fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_BTIME, &x) == 0) {
		out->device = makedev (x.stx_dev_major, x.stx_dev_minor);
		out->inode = x.stx_ino;
		out->type = x.stx_mode & S_IFMT;
		if (x.stx_mask & STATX_BTIME) {
			out->born_s = x.stx_btime.tv_sec;
			out->born_ns = x.stx_btime.tv_nsec;
		}
		return true;
	}
	/* a sandbox may not know statx */
	if (fstat (fd, &st) != 0)
		return false;
	out->device = st.st_dev;
	out->inode = st.st_ino;
	out->type = st.st_mode & S_IFMT;
	return true;
}

static bool is_same (const struct identity *a, const struct identity *b)
{
	return a->device == b->device && a->inode == b->inode && a->type == b->type &&
	       a->born_s == b->born_s && a->born_ns == b->born_ns;
}

void ppi_channel_start (void)
{
	const char *path = ppi_environment (PPI_ENVIRONMENT_LOG);
	char here[PATH_MAX] = "";
	int n;

	if (is_started)
		return;
	is_started = true;
	has_first = identify (STDERR_FILENO, &first);
	if (!path)
		return;
	/* from the root: the program may change its directory */
	if (*path != '/' && !getcwd (here, sizeof here))
		log_error = errno;
	n = snprintf (log_path, sizeof log_path, "%s%s%s", here, *here ? "/" : "", path);
	if (n < 0 || (size_t) n >= sizeof log_path)
		log_error = ENAMETOOLONG;
}

static bool is_for_later (int error)
{
	return error == EMFILE || error == ENFILE || error == ENOMEM;
}

static int own_log (void)
{
	int fd = open (log_path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK,
		       0600),
	    higher;

	if (fd < 0 || fd >= FIRST_FD)
		return fd;
	higher = fcntl (fd, F_DUPFD_CLOEXEC, FIRST_FD);
	close (fd);
	return higher;
}

/* OWN, a duplicate of stderr, once more and non-blocking; where that is not possible, OWN. */
static int open_again (int own)
{
	char path[40];
	int fd, higher;

	snprintf (path, sizeof path, "/proc/self/fd/%d", own);
	fd = open (path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return own;
	close (own);
	if (fd >= FIRST_FD)
		return fd;
	higher = fcntl (fd, F_DUPFD_CLOEXEC, FIRST_FD);
	close (fd);
	return higher;
}

static void open_stderr (struct ppi_channel *out)
{
	struct identity now;
	int own, again;

	own = has_first ? fcntl (STDERR_FILENO, F_DUPFD_CLOEXEC, FIRST_FD) : -1;
	if (own < 0) {
		out->later = has_first && is_for_later (errno);
		return;
	}
	if (!identify (own, &now) || !is_same (&now, &first)) {
		close (own);
		return;
	}
	out->way = now.type == S_IFSOCK ? WAY_SEND : now.type == S_IFREG ? WAY_WRITE : WAY_POLL;
	/* of other devices nobody knows what opening them does */
	if (now.type == S_IFIFO || (now.type == S_IFCHR && isatty (own))) {
		again = open_again (own);
		out->way = again == own ? WAY_POLL : WAY_WRITE;
		own = again;
	}
	out->fd = own;
	out->later = own < 0;
}

void ppi_channel_open (struct ppi_channel *out)
{
	*out = (struct ppi_channel){.fd = -1, .way = WAY_WRITE};
	ppi_channel_start ();
	if (*log_path && !__atomic_load_n (&log_error, __ATOMIC_RELAXED)) {
		out->fd = own_log ();
		out->later = out->fd < 0 && is_for_later (errno);
		if (out->fd >= 0 || out->later)
			return;
		__atomic_store_n (&log_error, errno, __ATOMIC_RELAXED);
	}
	open_stderr (out);
}

const char *ppi_channel_trouble (int *error)
{
	*error = __atomic_load_n (&log_error, __ATOMIC_RELAXED);
	if (!*error || log_told)
		return NULL;
	log_told = true;
	return log_path;
}

static bool has_room (int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLOUT};

	return poll (&p, 1, 0) > 0;
}

ssize_t ppi_channel_put (const struct ppi_channel *c, const char *text, size_t bytes)
{
	struct ppi_held held;
	ssize_t n;

	if (c->fd < 0)
		return c->later ? 0 : -1;
	if (bytes > PPI_CHANNEL_BYTES)
		bytes = PPI_CHANNEL_BYTES;
	if (c->way == WAY_POLL && !has_room (c->fd))
		return 0;
	ppi_signals_hold (&held);
	n = c->way == WAY_SEND ? send (c->fd, text, bytes, MSG_DONTWAIT | MSG_NOSIGNAL)
			       : write (c->fd, text, bytes);
	ppi_signals_release (&held);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR || errno == ENOBUFS ? 0 : -1;
	return n;
}

void ppi_channel_close (struct ppi_channel *c)
{
	if (c->fd >= 0)
		close (c->fd);
	c->fd = -1;
}
