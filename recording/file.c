/* SPDX-License-Identifier: MIT */
/*
 * file.c: puts a file in place; see file.h.
 *
 *     directory = open (O_PATH)              compared with the one that was there at first
 *     look at NAME in it, no link followed   what may not be replaced ends it here
 *     a new file beside it, O_EXCL, 0600     of a name that nobody can foresee
 *     nothing was there: rename it to NAME   fails where something is there now
 *     else: exchange it with NAME            what comes out must be what was looked at, or they are
 *                                            exchanged back
 */
#include "recording/file.h"

#include "base/error.h"
#include "recording/layout.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* threads with small stacks load policies, too */
enum { PATH_ROOM = 1024, TEMPORARY_TRIES = 16 };

/* ---- names ----------------------------------------------------------------------------------- */

const char *ppi_path_problem (const char *pattern, bool numbered, char *out, size_t room)
{
	const char *letters = numbered ? "phtxn%" : "phtx%";

	*out = '\0';
	for (const char *c = pattern; (c = strchr (c, '%')); c += 2) {
		if (!c[1])
			snprintf (out, room, "a single %% ends '%s': %%%% is a percent sign",
				  pattern);
		else if (!strchr (letters, c[1]))
			snprintf (out, room,
				  "there is no %%%c: names have %%p (process id), %%h (host), %%t "
				  "(time), %s%%x (program) and %%%%",
				  c[1], numbered ? "%n (number), " : "");
		if (*out)
			break;
	}
	return out;
}

bool ppi_path_has (const char *pattern, char letter)
{
	for (const char *c = pattern; (c = strchr (c, '%')) && c[1]; c += 2)
		if (c[1] == letter)
			return true;
	return false;
}

static void put_host (char *out, size_t room)
{
	struct utsname name;

	snprintf (out, room, "%s", uname (&name) == 0 ? name.nodename : "host");
}

static void put_time (char *out, size_t room)
{
	time_t now = time (NULL);
	struct tm tm;

	if (!gmtime_r (&now, &tm) || !strftime (out, room, "%Y%m%dT%H%M%SZ", &tm))
		snprintf (out, room, "time");
}

static void put_program (char *out, size_t room)
{
	char path[PATH_ROOM];
	ssize_t n = readlink ("/proc/self/exe", path, sizeof path - 1);

	path[n > 0 ? n : 0] = '\0';
	snprintf (out, room, "%s",
		  n > 0 && strrchr (path, '/') ? strrchr (path, '/') + 1
					       : program_invocation_short_name);
}

static void put_letter (char letter, unsigned number, char *out, size_t room)
{
	switch (letter) {
	case 'p':
		snprintf (out, room, "%d", (int) getpid ());
		break;
	case 'n':
		snprintf (out, room, "%u", number);
		break;
	case 'h':
		put_host (out, room);
		break;
	case 't':
		put_time (out, room);
		break;
	case 'x':
		put_program (out, room);
		break;
	default:
		snprintf (out, room, "%%");
	}
	/* it is a part of a name, not of a path */
	for (char *c = out; *c; c++)
		if (*c == '/')
			*c = '_';
}

static bool append (char *out, size_t *used, size_t room, const char *text, size_t bytes)
{
	if (bytes >= room - *used)
		return false;
	memcpy (out + *used, text, bytes);
	*used += bytes;
	out[*used] = '\0';
	return true;
}

bool ppi_path_expand (const char *pattern, unsigned number, char *out, size_t room)
{
	char part[256];
	size_t used = 0;

	if (!room)
		return false;
	*out = '\0';
	if (*pattern != '/') {
		if (!getcwd (out, room) || *out != '/')
			return false;
		used = strlen (out);
		if (!append (out, &used, room, "/", 1))
			return false;
	}
	for (const char *c = pattern; *c; c++) {
		if (*c != '%' || !c[1]) {
			if (!append (out, &used, room, c, 1))
				return false;
			continue;
		}
		put_letter (*++c, number, part, sizeof part);
		if (!append (out, &used, room, part, strlen (part)))
			return false;
	}
	return true;
}

/* ---- what is there --------------------------------------------------------------------------- */

/* The directory of PATH, -1: WHY and errno; *NAME is the rest. */
static int open_directory (const char *path, const char **name, struct ppi_directory *known,
			   char *why, size_t room)
{
	const char *slash = strrchr (path, '/');
	char text[PATH_ROOM];
	struct stat st;
	int fd;

	*name = slash ? slash + 1 : path;
	if (!slash)
		snprintf (text, sizeof text, ".");
	else if ((size_t) snprintf (text, sizeof text, "%.*s/", (int) (slash - path), path) >=
		 sizeof text) {
		(void) ppi_fail (-1, why, room, "%s", strerror (ENAMETOOLONG));
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = open (text, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || fstat (fd, &st) != 0) {
		int error = errno;

		if (fd >= 0)
			close (fd);
		(void) ppi_fail (-1, why, room, "%s", strerror (error));
		errno = error;
		return -1;
	}
	if (known && known->inode && (known->device != st.st_dev || known->inode != st.st_ino)) {
		close (fd);
		(void) ppi_fail (-1, why, room, "its directory is not the one that it was");
		errno = EIO;
		return -1;
	}
	if (known)
		*known = (struct ppi_directory){st.st_dev, st.st_ino};
	return fd;
}

/* Is it a recording, of whatever version? ST is what was seen under NAME. */
static bool is_recording (int directory, const char *name, const struct stat *st)
{
	int fd =
		openat (directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	char magic[sizeof ((struct ppi_region_header *) NULL)->magic];
	struct stat opened;
	bool is;

	if (fd < 0)
		return false;
	is = fstat (fd, &opened) == 0 && opened.st_dev == st->st_dev &&
	     opened.st_ino == st->st_ino &&
	     pread (fd, magic, sizeof magic, 0) == (ssize_t) sizeof magic &&
	     memcmp (magic, PPI_RECORDING_MAGIC, sizeof magic) == 0;
	close (fd);
	return is;
}

static const char *kind_that_stays (mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFDIR:
		return "a directory";
	case S_IFCHR:
	case S_IFBLK:
		return "a device";
	case S_IFIFO:
		return "a pipe";
	case S_IFSOCK:
		return "a socket";
	default:
		return NULL;
	}
}

/* What stands at NAME, in ST; st_mode 0: nothing. May it be replaced? */
static int judge (int directory, const char *name, enum ppi_replace what, struct stat *st,
		  char *why, size_t room)
{
	if (!*name)
		return ppi_fail (PP_EIO, why, room, "it is a directory");
	if (fstatat (directory, name, st, AT_SYMLINK_NOFOLLOW) != 0) {
		memset (st, 0, sizeof *st);
		return errno == ENOENT ? PP_OK
				       : ppi_fail (PP_EIO, why, room, "%s", strerror (errno));
	}
	if (kind_that_stays (st->st_mode))
		return ppi_fail (PP_EIO, why, room, "it is %s", kind_that_stays (st->st_mode));
	if (what == PPI_REPLACE_ANY)
		return PP_OK;
	if (S_ISLNK (st->st_mode))
		return ppi_fail (PP_EEXIST, why, room, "it is a symbolic link");
	if (st->st_uid != geteuid ())
		return ppi_fail (PP_EEXIST, why, room, "it is a file of another user");
	if (!(st->st_mode & S_IWUSR))
		return ppi_fail (PP_EEXIST, why, room, "it is a file that its owner may not write");
	if (what == PPI_REPLACE_RECORDING && !is_recording (directory, name, st))
		return ppi_fail (PP_EEXIST, why, room, "it is a file that is no recording");
	if (what == PPI_REPLACE_NOTHING)
		return ppi_fail (PP_EEXIST, why, room, "it is there already");
	return PP_OK;
}

int ppi_file_check (const char *path, enum ppi_replace what, struct ppi_directory *known, char *why,
		    size_t room)
{
	const char *name;
	struct stat st;
	int error, directory = open_directory (path, &name, known, why, room);

	if (directory < 0)
		return errno == ENOENT ? PP_ENOENT : PP_EIO;
	error = judge (directory, name, what, &st, why, room);
	close (directory);
	return error;
}

/* ---- putting it there ------------------------------------------------------------------------ */

static int open_temporary (int directory, char name[32])
{
	int fd = -1;

	for (int i = 0; i < TEMPORARY_TRIES && fd < 0; i++) {
		uint64_t random = 0;
		struct timespec now;

		if (getrandom (&random, sizeof random, GRND_NONBLOCK) != (ssize_t) sizeof random) {
			clock_gettime (CLOCK_MONOTONIC, &now);
			random = (uint64_t) now.tv_nsec << 32 ^ (uint64_t) now.tv_sec ^
				 (uint64_t) (uintptr_t) name;
		}
		snprintf (name, 32, ".pp-%016llx", (unsigned long long) random);
		fd = openat (directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			     0600);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	return fd;
}

static bool write_all (int fd, const char *data, size_t bytes)
{
	struct rlimit limit;

	/* what goes beyond it would raise a signal in the host */
	if (getrlimit (RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
	    bytes > limit.rlim_cur) {
		errno = EFBIG;
		return false;
	}
	while (bytes) {
		ssize_t n = write (fd, data, bytes);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		data += n;
		bytes -= (size_t) n;
	}
	return true;
}

static bool same (const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool has_no_such_rename (void)
{
	return errno == EINVAL || errno == ENOSYS;
}

/*
 * Where the file system or the kernel can't do it otherwise, NAME is replaced whatever it has
 * become.
 */
static int put_new (int directory, const char *temporary, const char *name, char *why, size_t room)
{
	int e = renameat2 (directory, temporary, directory, name, RENAME_NOREPLACE);

	if (e != 0 && has_no_such_rename ())
		e = renameat (directory, temporary, directory, name);
	if (e == 0)
		return PP_OK;
	return errno == EEXIST ? ppi_fail (PP_EEXIST, why, room, "it has come meanwhile")
			       : ppi_fail (PP_EIO, why, room, "%s", strerror (errno));
}

static int put_instead (int directory, const char *temporary, const char *name,
			const struct stat *seen, char *why, size_t room)
{
	struct stat out;

	if (renameat2 (directory, temporary, directory, name, RENAME_EXCHANGE) != 0) {
		if (has_no_such_rename () && renameat (directory, temporary, directory, name) == 0)
			return PP_OK;
		return errno == ENOENT ? put_new (directory, temporary, name, why, room)
				       : ppi_fail (PP_EIO, why, room, "%s", strerror (errno));
	}
	if (fstatat (directory, temporary, &out, AT_SYMLINK_NOFOLLOW) == 0 && same (&out, seen)) {
		(void) unlinkat (directory, temporary, 0);
		return PP_OK;
	}
	(void) renameat2 (directory, temporary, directory, name, RENAME_EXCHANGE);
	return ppi_fail (PP_EIO, why, room, "it has changed meanwhile");
}

/*
 * What came out of an exchange may be somebody else's: only the file that was made here is removed.
 */
static void remove_own (int directory, const char *temporary, const struct stat *own)
{
	struct stat st;

	if (fstatat (directory, temporary, &st, AT_SYMLINK_NOFOLLOW) == 0 && same (&st, own))
		(void) unlinkat (directory, temporary, 0);
}

int ppi_file_begin (const char *path, enum ppi_replace what, struct ppi_directory *known,
		    struct ppi_new_file *file, char *why, size_t room)
{
	const char *name;
	int error;

	*file = (struct ppi_new_file){.fd = -1, .directory = -1};
	file->directory = open_directory (path, &name, known, why, room);
	if (file->directory < 0)
		return PP_EIO;
	error = judge (file->directory, name, what, &file->seen, why, room);
	if (error == PP_OK && strlen (name) > NAME_MAX)
		error = ppi_fail (PP_EIO, why, room, "%s", strerror (ENAMETOOLONG));
	if (error == PP_OK) {
		snprintf (file->place, sizeof file->place, "%s", name);
		file->fd = open_temporary (file->directory, file->name);
		/* 0600 whatever the umask is */
		if (file->fd < 0 || fstat (file->fd, &file->own) != 0 ||
		    fchmod (file->fd, 0600) != 0)
			error = ppi_fail (PP_EIO, why, room, "%s", strerror (errno));
	}
	if (error != PP_OK)
		ppi_file_abandon (file);
	return error;
}

int ppi_file_commit (struct ppi_new_file *file, char *why, size_t room)
{
	int error = file->seen.st_mode
			    ? put_instead (file->directory, file->name, file->place, &file->seen,
					   why, room)
			    : put_new (file->directory, file->name, file->place, why, room);

	if (error != PP_OK) {
		ppi_file_abandon (file);
		return error;
	}
	close (file->directory);
	file->directory = -1;
	return PP_OK;
}

void ppi_file_abandon (struct ppi_new_file *file)
{
	if (file->fd >= 0) {
		remove_own (file->directory, file->name, &file->own);
		close (file->fd);
	}
	if (file->directory >= 0)
		close (file->directory);
	file->fd = file->directory = -1;
}

/* NAME could not be opened, for ERROR; what its own file's absence is not may pass. */
static int not_reopened (int directory, const char *name, const struct stat *own, int error,
			 char *why, size_t room)
{
	struct stat st;

	/* also a link, a directory, or a file that may not be written, in its place */
	if (error != ENOENT && fstatat (directory, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    !same (&st, own))
		error = ESTALE;
	return ppi_fail (-error, why, room, "%s", strerror (error));
}

int ppi_file_reopen (const char *path, struct ppi_directory *known, const struct stat *own,
		     char *why, size_t room)
{
	const char *name;
	struct stat st;
	int directory = open_directory (path, &name, known, why, room), fd, error = 0;

	/* a directory that is gone may come back */
	if (directory < 0)
		return errno == ENOENT ? -EIO : -errno;
	fd = openat (directory, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0) {
		error = not_reopened (directory, name, own, errno, why, room);
	} else if (fstat (fd, &st) != 0) {
		error = -errno;
		(void) ppi_fail (error, why, room, "%s", strerror (-error));
	} else if (!same (&st, own)) {
		error = ppi_fail (-ESTALE, why, room, "%s", strerror (ESTALE));
	}
	close (directory);
	if (error < 0 && fd >= 0)
		close (fd);
	return error < 0 ? error : fd;
}

int ppi_file_put (const char *path, enum ppi_replace what, struct ppi_directory *known,
		  const void *data, size_t bytes, char *why, size_t room)
{
	struct ppi_new_file file;
	int error = ppi_file_begin (path, what, known, &file, why, room), fd;

	if (error != PP_OK)
		return error;
	if (!write_all (file.fd, data, bytes)) {
		error = ppi_fail (PP_EIO, why, room, "%s", strerror (errno));
		ppi_file_abandon (&file);
		return error;
	}
	fd = file.fd;
	error = ppi_file_commit (&file, why, room);
	if (error == PP_OK && close (fd) != 0)
		error = ppi_fail (PP_EIO, why, room, "%s", strerror (errno));
	return error;
}
