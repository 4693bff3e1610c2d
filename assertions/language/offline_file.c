/* SPDX-License-Identifier: MIT */
/* offline_file.c: files of policies and rules for ppctl, which may wait for what a pipe has. */
#include "assertions/language/ppctl.h"
#include "assertions/language/policy.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a pipe had: it can be read once, and is asked for twice (is it of rules, or a policy?). */
static struct {
	char *path, *text;
	size_t bytes;
} piped;

/* PATH's descriptor where it is a pipe; -1: it is none. */
static int open_pipe (const char *path)
{
	int fd = open (path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd >= 0 && fstat (fd, &st) == 0 && S_ISFIFO (st.st_mode) && fcntl (fd, F_SETFL, 0) == 0)
		return fd;
	if (fd >= 0)
		close (fd);
	return -1;
}

/* Waits for its end. False: no memory, or it can't be read. */
static bool drain (int fd)
{
	struct pollfd one = {.fd = fd, .events = POLLIN};
	FILE *in = fdopen (fd, "r");
	bool ok;

	if (!in)
		close (fd);
	piped.text = malloc (PPI_YAML_BYTES + 2);
	if (!in || !piped.text) {
		if (in)
			fclose (in);
		return false;
	}
	/* one that nobody has opened for writing yet looks as if it were at its end */
	while (poll (&one, 1, -1) < 0 && errno == EINTR)
		continue;
	piped.bytes = fread (piped.text, 1, PPI_YAML_BYTES + 1, in);
	ok = !ferror (in);
	fclose (in);
	return ok;
}

int ppi_offline_slurp (const char *path, char **text, size_t *bytes, struct ppi_diagnostics *d)
{
	bool is_known = piped.path && strcmp (piped.path, path) == 0;
	int fd = is_known ? -1 : open_pipe (path);

	if (!is_known && fd < 0)
		return ppi_policy_slurp (path, text, bytes, NULL, d);
	if (!is_known) {
		free (piped.path);
		free (piped.text);
		piped.path = strdup (path);
		if (!piped.path || !drain (fd)) {
			free (piped.path);
			piped.path = NULL;
			ppi_diagnose (d, ((struct ppi_place){0, 0}), "can't read the pipe");
			return PP_EIO;
		}
	}
	*text = malloc (PPI_YAML_BYTES + 2);
	if (!*text)
		return PP_ENOMEM;
	memcpy (*text, piped.text, piped.bytes);
	(*text)[piped.bytes] = '\0';
	*bytes = piped.bytes;
	return PP_OK;
}
