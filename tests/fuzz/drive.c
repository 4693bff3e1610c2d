/* SPDX-License-Identifier: MIT */
/*
 * drive.c: a target that is a program of its own, which is run once for each input: every input as
 * it is, then, for SECONDS, inputs that were changed blindly.
 *
 *     drive [-seconds=N] [-seed=N] FILE... -- COMMAND ARGUMENT...
 *
 * The input is in the file that the last argument of the command names. A signal, a status from 64
 * on, and half a minute for one input is a fault; then the input stays where it is, and so does the
 * name of this program's error.
 */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/input.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SECONDS_FOR_ONE = 30, FAULTS = 64 };

static char **command;
static const char *path;

static void be_quiet (void)
{
	int fd = open ("/dev/null", O_RDWR | O_CLOEXEC);

	dup2 (fd, 0);
	dup2 (fd, 1);
	dup2 (fd, 2);
}

/* Waits, but not for ever. */
static int status_of (pid_t child)
{
	int status = 0;

	for (int i = 0; i < SECONDS_FOR_ONE * 1000; i++) {
		if (waitpid (child, &status, WNOHANG) == child)
			return status;
		usleep (1000);
	}
	kill (child, SIGKILL);
	waitpid (child, &status, 0);
	return status;
}

static bool is_good (const uint8_t *data, size_t bytes)
{
	FILE *f = fopen (path, "w");
	pid_t child;
	int status;

	if (!f || fwrite (data, 1, bytes, f) != bytes || fclose (f) != 0) {
		fprintf (stderr, "can't write %s: %s\n", path, strerror (errno));
		exit (2);
	}
	child = fork ();
	if (child == 0) {
		be_quiet ();
		execvp (command[0], command);
		_exit (127);
	}
	status = status_of (child);
	if (WIFEXITED (status) && WEXITSTATUS (status) < FAULTS)
		return true;
	fprintf (stderr, "%s ended with %#x; the input is in %s\n", command[0], (unsigned) status,
		 path);
	return false;
}

static size_t change (uint8_t *data, size_t bytes)
{
	for (long times = 1 + random () % 6; times--;)
		bytes = LLVMFuzzerMutate (data, bytes, FUZZ_MOST);
	return bytes;
}

int main (int argc, char **argv)
{
	static uint8_t data[FUZZ_MOST];
	unsigned long tried = 0, seed = 1;
	long seconds = 0;
	time_t end;
	int i;

	for (i = 1; i < argc && strcmp (argv[i], "--") != 0; i++)
		if (strncmp (argv[i], "-seconds=", 9) == 0)
			seconds = atol (argv[i] + 9);
		else if (strncmp (argv[i], "-seed=", 6) == 0)
			seed = strtoul (argv[i] + 6, NULL, 10);
		else
			fuzz_take (argv[i]);
	if (i + 2 >= argc || !fuzz_inputs) {
		fprintf (stderr, "usage: %s [-seconds=N] [-seed=N] FILE... -- COMMAND... FILE\n",
			 argv[0]);
		return 2;
	}
	command = argv + i + 1;
	path = argv[argc - 1];
	srandom ((unsigned) seed);
	for (size_t k = 0; k < fuzz_inputs; k++, tried++)
		if (!is_good (fuzz_input[k].data, fuzz_input[k].bytes))
			return 1;
	for (end = time (NULL) + seconds; time (NULL) < end; tried++) {
		const struct fuzz_input *from = &fuzz_input[(size_t) random () % fuzz_inputs];

		memcpy (data, from->data, from->bytes);
		if (!is_good (data, change (data, from->bytes)))
			return 1;
	}
	fprintf (stderr, "%lu inputs tried\n", tried);
	fuzz_let_go ();
	unlink (path);
	return 0;
}
