/* SPDX-License-Identifier: MIT */
/*
 * unwritable.c: a policy whose recording can't be written is an error, and an error changes
 * nothing: not even what was recorded before.
 */
#include "check.h"

#include <glob.h>
#include <sys/wait.h>

/* clang-format off */
#pragma pp metric values point stats(value)
/* clang-format on */

NOIPA static void work (int i)
{
#pragma pp point given(values) value(i)
}

static const char nowhere[] = "/nonexistent/of.pprec";

/* How many regions of this process have a name in tmpfs */
static size_t live_files (void)
{
	char pattern[64];
	glob_t found;
	size_t n = 0;

	snprintf (pattern, sizeof (pattern), "/dev/shm/pp.%d.*", (int) getpid ());
	if (glob (pattern, 0, NULL, &found) == 0) {
		n = found.gl_pathc;
		globfree (&found);
	}
	return n;
}

static int record_at (const char *where)
{
	char policy[256];

	snprintf (policy, sizeof (policy), "version: 1\nrecord: {file: %s}\n", where);
	return load_policy (policy);
}

/* A process that records to RECORDING, is told to record nowhere, and ends */
static void ends_after_error (const char *recording)
{
	if (record_at (recording) != PP_OK)
		_exit (1);
	unlink (recording);
	work (2);
	exit (record_at (nowhere) == PP_EPOLICY && live_files () <= 1 ? 0 : 2);
}

int main (void)
{
	char recording[] = "/tmp/pp-unwritable-XXXXXX";
	int fd = mkstemp (recording), status = -1;
	pid_t child;

	if (fd < 0)
		return 1;
	close (fd);
	/* only the name is wanted: an empty file is no recording, and is not replaced */
	ok (record_at (recording) == PP_EPOLICY, "a file that is no recording is not replaced");
	unlink (recording);
	child = fork ();
	if (child == 0)
		ends_after_error (recording);
	waitpid (child, &status, 0);
	ok (WIFEXITED (status) && WEXITSTATUS (status) == 0,
	    "a recording that can't be written is an error of the policy, also while one is "
	    "written");
	ok (access (recording, R_OK) == 0, "the earlier recording goes on to the end");
	unlink (recording);
	work (1);
	ok (record_at (nowhere) == PP_EPOLICY,
	    "a recording that can't be written is an error of the policy");
	same ((double) live_files (), 0, "what could not be recorded leaves no file in tmpfs");
	return checked ();
}
