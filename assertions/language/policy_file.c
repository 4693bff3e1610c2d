/* SPDX-License-Identifier: MIT */
/* policy_file.c: the file of a policy: read whole, and told apart from what it was before. */
#include "assertions/language/policy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int read_all (int fd, char *text, size_t room, size_t *bytes)
{
	for (*bytes = 0; *bytes < room;) {
		ssize_t n = read (fd, text + *bytes, room - *bytes);

		if (n == 0)
			break;
		if (n < 0 && errno != EINTR)
			return errno;
		*bytes += n > 0 ? (size_t) n : 0;
	}
	return 0;
}

static struct ppi_file_mark mark_of (const struct stat *st)
{
	return (struct ppi_file_mark){st->st_dev, st->st_ino, (uint64_t) st->st_size,
				      st->st_mtim.tv_sec, st->st_mtim.tv_nsec};
}

bool ppi_file_mark_of (const char *path, struct ppi_file_mark *out)
{
	int saved = errno;
	struct stat st;
	bool exists = stat (path, &st) == 0;

	errno = saved;
	if (exists)
		*out = mark_of (&st);
	return exists;
}

bool ppi_file_mark_equal (const struct ppi_file_mark *a, const struct ppi_file_mark *b)
{
	return a->device == b->device && a->inode == b->inode && a->bytes == b->bytes &&
	       a->seconds == b->seconds && a->nanoseconds == b->nanoseconds;
}

int ppi_policy_slurp (const char *path, char **text, size_t *bytes, struct ppi_file_mark *mark,
		      struct ppi_diagnostics *d)
{
	int saved = errno, problem = 0, fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	*text = malloc (PPI_YAML_BYTES + 2);
	if (fd < 0)
		problem = errno;
	else if (fstat (fd, &st) < 0)
		problem = errno;
	else if (S_ISDIR (st.st_mode))
		problem = EISDIR;
	else if (*text)
		problem = read_all (fd, *text, PPI_YAML_BYTES + 1, bytes);
	if (fd >= 0)
		close (fd);
	errno = saved;
	if (problem || !*text) {
		if (problem)
			ppi_diagnose (d, ((struct ppi_place){0, 0}), "can't read the file: %s",
				      problem == EAGAIN ? "it is a pipe, which is not waited for"
							: strerror (problem));
		free (*text);
		*text = NULL;
		return problem ? PP_EIO : PP_ENOMEM;
	}
	(*text)[*bytes] = '\0';
	if (mark)
		*mark = mark_of (&st);
	return PP_OK;
}
