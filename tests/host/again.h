/* SPDX-License-Identifier: MIT */
/*
 * again.h: runs the test program again as a host of its own, with limits and descriptors as a test
 * wants them.
 *
 *     struct outcome o = again (program, "marks", prepare);      // main finds "marks" in argv[1]
 *     ok (ended_well (&o), "...");
 */
#ifndef AGAIN_H
#define AGAIN_H

#include "../system/check.h"

#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

struct outcome {
	int status;      /* of waitpid; -1: it was killed, for it did not end within a minute */
	char said[8192]; /* what came through pipe_of_stderr, if that was asked for */
};

static int pipe_of_stderr[2] = {-1, -1};

/* For PREPARE: the child's stderr is heard in SAID. */
__attribute__ ((unused)) static void hear_stderr (void)
{
	dup2 (pipe_of_stderr[1], STDERR_FILENO);
}

static int waited (pid_t pid)
{
	int status = -1;

	for (int i = 0; i < 6000; i++) {
		if (waitpid (pid, &status, WNOHANG) == pid)
			return status;
		usleep (10000);
	}
	kill (pid, SIGKILL);
	waitpid (pid, &status, 0);
	return -1;
}

/* Runs PROGRAM with WHAT; PREPARE, or NULL, runs in the child before. */
__attribute__ ((unused)) static struct outcome again (const char *program, const char *what,
						      void (*prepare) (void))
{
	struct outcome o = {.status = -1};
	ssize_t n;
	pid_t pid;

	fflush (stdout);
	if (pipe2 (pipe_of_stderr, O_CLOEXEC) < 0)
		return o;
	fcntl (pipe_of_stderr[0], F_SETFL, O_NONBLOCK);
	pid = fork ();
	if (pid == 0) {
		if (prepare)
			prepare ();
		execl (program, program, what, (char *) NULL);
		_exit (127);
	}
	close (pipe_of_stderr[1]);
	o.status = waited (pid);
	n = read (pipe_of_stderr[0], o.said, sizeof o.said - 1);
	o.said[n > 0 ? n : 0] = '\0';
	close (pipe_of_stderr[0]);
	return o;
}

static const char *route_to_take;

static void take_route (void)
{
	setenv ("PP_ROUTE", route_to_take, 1);
}

/*
 * Runs this program with WHAT, its code changed by ROUTE; its exit status, 256 where it has none.
 */
__attribute__ ((unused)) static int with_route (const char *route, const char *what)
{
	struct outcome o;

	route_to_take = route;
	o = again ("/proc/self/exe", what, take_route);
	return WIFEXITED (o.status) ? WEXITSTATUS (o.status) : 256;
}

/* No signal, and the exit status 0. */
__attribute__ ((unused)) static int ended_well (const struct outcome *o)
{
	if (o->status == 0)
		return 1;
	if (o->status == -1)
		note ("it did not end");
	else if (WIFSIGNALED (o->status))
		note ("signal %d: %s", WTERMSIG (o->status), strsignal (WTERMSIG (o->status)));
	else
		note ("exit status %d", WEXITSTATUS (o->status));
	return 0;
}

/* The file at PATH, at most ROOM - 1 bytes; "" where there is none. */
__attribute__ ((unused)) static size_t read_text (const char *path, char *out, size_t room)
{
	FILE *f = fopen (path, "r");
	size_t n = f ? fread (out, 1, room - 1, f) : 0;

	if (f)
		fclose (f);
	out[n] = '\0';
	return n;
}

#endif
