/* SPDX-License-Identifier: MIT */
/* file.c: the input of a target that reads files. */
#include "tests/fuzz/fuzz.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char path[64];

const char *fuzz_file (const uint8_t *data, size_t bytes, const char *suffix)
{
	int fd;

	snprintf (path, sizeof path, "/dev/shm/pp-fuzz-%d%s", (int) getpid (), suffix);
	fd = open (path, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0 || write (fd, data, bytes) != (ssize_t) bytes || close (fd) != 0)
		abort ();
	return path;
}

void fuzz_forget (void)
{
	unlink (path);
}

void fuzz_be_quiet (void)
{
	if (!freopen ("/dev/null", "w", stdout))
		abort ();
}
