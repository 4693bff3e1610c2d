/* SPDX-License-Identifier: MIT */
/*
 * policies.c: ppctl load, unload, reload: policies of running processes. A process is sent the
 * policy's text, never its path: what it is called there is its path as it is here.
 */
#include "ppctl/door.h"
#include "ppctl/ppctl.h"

#include "base/command.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <pp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void help_load (FILE *out)
{
	fprintf (out,
		 "usage: ppctl load WHO POLICY\n\n"
		 "A running process loads POLICY, or loads it again. WHO is its number or its\n"
		 "program's name. What is wrong with the policy is said here, and changes nothing\n"
		 "there. Relative paths in it are those of this directory.\n");
}

static void help_unload (FILE *out)
{
	fprintf (out,
		 "usage: ppctl unload WHO POLICY\n\n"
		 "A running process takes POLICY back, with what it bound and turned. WHO is its\n"
		 "number or its program's name; POLICY is called as it was when it was loaded.\n");
}

static void help_reload (FILE *out)
{
	fprintf (out,
		 "usage: ppctl reload WHO...\n\n"
		 "Running processes load the policies again whose files have changed, those of\n"
		 "ppctl load, too, and say what came of it. WHO is a process's number or its\n"
		 "program's name.\n");
}

/* PATH from the root, as it is here; malloced. */
static char *from_root (const char *path)
{
	char here[PATH_MAX], *whole;

	while (path[0] == '.' && path[1] == '/')
		path += 2;
	if (*path == '/' || !getcwd (here, sizeof here))
		return strdup (path);
	return asprintf (&whole, "%s/%s", strcmp (here, "/") == 0 ? "" : here, path) < 0 ? NULL
											 : whole;
}

/* Who says which file is sent: who called ppctl, or the process that gets it. */
enum chosen_by { USER, PROCESS };

/*
 * A policy's file. One that the process names is a plain file of the user's own, or errno is EPERM:
 * otherwise it would read through ppctl what it may not open itself.
 */
static int open_policy (const char *path, enum chosen_by who)
{
	/* the user may have a pipe, and wait */
	int fd = open (path, O_RDONLY | O_CLOEXEC | O_NOCTTY |
				     (who == PROCESS ? O_NOFOLLOW | O_NONBLOCK : 0));
	struct stat st;

	if (who == USER)
		return fd;
	if (fd < 0) {
		errno = errno == ELOOP ? EPERM : errno;
		return -1;
	}
	if (fstat (fd, &st) == 0 && S_ISREG (st.st_mode) && st.st_uid == geteuid ())
		return fd;
	close (fd);
	errno = EPERM;
	return -1;
}

/* All of PATH; malloced. NULL: it can't be read, errno says why. */
static char *slurp (const char *path, enum chosen_by who)
{
	int fd = open_policy (path, who), error = EFBIG;
	size_t room = (1u << 20) + 2, bytes = 0;
	char *text = malloc (room);
	ssize_t n = fd < 0 || !text ? -1 : 1;
	struct stat st;

	if (fd >= 0 && fstat (fd, &st) == 0 && S_ISDIR (st.st_mode))
		n = (errno = EISDIR, -1);
	while (n > 0 && bytes < room - 1) {
		n = read (fd, text + bytes, room - 1 - bytes);
		bytes += n > 0 ? (size_t) n : 0;
	}
	if (n < 0)
		error = errno;
	if (fd >= 0)
		close (fd);
	errno = error;
	if (n != 0) {
		free (text);
		return NULL;
	}
	text[bytes] = '\0';
	/* a 0 would end the policy there, unseen */
	if (strlen (text) == bytes)
		return text;
	free (text);
	errno = EILSEQ;
	return NULL;
}

static const char *why_not (enum chosen_by who)
{
	if (who == PROCESS && errno == EPERM)
		return "it is no plain file of yours any more, or a link; ppctl load sends it";
	return errno == EILSEQ ? "there is a byte 0 in it" : strerror (errno);
}

static int send_policy (const char *verb, const struct ppctl_process *process, const char *name,
			enum chosen_by who)
{
	char here[PATH_MAX] = "/", *text = slurp (name, who);
	const char *word[] = {"load", name, here, text};
	int status;

	if (!text)
		return ppctl_fail (PPCTL_PROBLEM, verb, "%s can't be read: %s", name,
				   why_not (who));
	if (!getcwd (here, sizeof here))
		strcpy (here, "/");
	status = ppctl_do (verb, process, word, 4);
	free (text);
	return status;
}

int ppctl_load (int argc, char **argv)
{
	const struct ppctl_option options[] = {{0}};
	int status = ppctl_options (argc, argv, "load", options, help_load);
	struct ppctl_process process;
	char *name;

	if (status != PPCTL_GO_ON)
		return status;
	if (argc - optind != 2)
		return ppctl_wrong ("load", "it needs a process and a policy");
	status = ppctl_find ("load", argv[optind], &process);
	if (status != PPCTL_OK)
		return status;
	name = from_root (argv[optind + 1]);
	status = name ? send_policy ("load", &process, name, USER)
		      : ppctl_fail (PPCTL_PROBLEM, "load", "no memory");
	free (name);
	ppctl_leave (&process);
	return status;
}

/* One of ppctl load has a path from here; others may have any name. */
static int take_back (const struct ppctl_process *process, const char *as_given, const char *name)
{
	const char *given[] = {"unload", as_given}, *whole[] = {"unload", name};
	struct ppctl_reply reply;
	int status = ppctl_ask ("unload", process, whole, 2, &reply);

	if (status == PPCTL_OK && reply.status == PP_ENOENT && strcmp (as_given, name) != 0) {
		free (reply.text);
		status = ppctl_ask ("unload", process, given, 2, &reply);
	}
	return status == PPCTL_OK ? ppctl_tell ("unload", process, &reply) : status;
}

int ppctl_unload (int argc, char **argv)
{
	const struct ppctl_option options[] = {{0}};
	int status = ppctl_options (argc, argv, "unload", options, help_unload);
	struct ppctl_process process;
	char *name;

	if (status != PPCTL_GO_ON)
		return status;
	if (argc - optind != 2)
		return ppctl_wrong ("unload", "it needs a process and a policy");
	status = ppctl_find ("unload", argv[optind], &process);
	if (status != PPCTL_OK)
		return status;
	name = from_root (argv[optind + 1]);
	status = name ? take_back (&process, argv[optind + 1], name)
		      : ppctl_fail (PPCTL_PROBLEM, "unload", "no memory");
	free (name);
	ppctl_leave (&process);
	return status;
}

/*
 * Sends again what LIST says was sent: *ANY. The process says it, so that one of another user gets
 * nothing: it could name any file of ours.
 */
static int send_again (const struct ppctl_process *process, char *list, bool *any)
{
	int status, worst = PPCTL_OK;
	char *line;

	while (list && (line = strsep (&list, "\n"))) {
		if (*line != PPI_ANSWER_LINE)
			continue;
		if (!ppctl_is_own (process))
			return ppctl_fail (
				PPCTL_PROBLEM, "reload",
				"process %d is another user's: what ppctl load sent it is not sent "
				"again; ppctl load does that, file by file",
				(int) process->pid);
		*any = true;
		status = send_policy ("reload", process, line + 1, PROCESS);
		worst = status == PPCTL_OK ? worst : status;
	}
	return worst;
}

/* Those that ppctl sent are sent again; the process reads the others itself. */
static int reload (const struct ppctl_process *process)
{
	const char *sent[] = {"sent"}, *again[] = {"reload"};
	struct ppctl_reply reply;
	int status = ppctl_ask ("reload", process, sent, 1, &reply), worst;
	bool any = false;

	if (status != PPCTL_OK)
		return status;
	worst = send_again (process, reply.text, &any);
	free (reply.text);
	status = ppctl_ask ("reload", process, again, 1, &reply);
	/* where others were sent that no file there has changed is no news */
	if (status == PPCTL_OK && any && reply.status == 0 && reply.text &&
	    strstr (reply.text, "no policy has changed"))
		free (reply.text);
	else if (status == PPCTL_OK)
		status = ppctl_tell ("reload", process, &reply);
	return status == PPCTL_OK ? worst : status;
}

int ppctl_reload (int argc, char **argv)
{
	const struct ppctl_option options[] = {{0}};
	int status = ppctl_options (argc, argv, "reload", options, help_reload);
	struct ppctl_process process;

	if (status != PPCTL_GO_ON)
		return status;
	if (optind == argc)
		return ppctl_wrong ("reload",
				    "it needs a process: its number, or the program's name");
	status = PPCTL_OK;
	for (int i = optind; i < argc; i++) {
		int one = ppctl_find ("reload", argv[i], &process);

		if (one == PPCTL_OK)
			one = reload (&process);
		ppctl_leave (&process);
		status = one == PPCTL_OK ? status : one;
	}
	return status;
}
