/* SPDX-License-Identifier: MIT */
/*
 * children.c: the child of a vfork runs in its parent's memory, beside the parent's other threads:
 * what it calls of the library's takes the same lock. A child of a raw clone has no mapping by
 * which it could change its parent's code.
 */
#include "again.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* clang-format off */
#pragma pp metric counted interval count(count)
#pragma pp metric toggled interval stats(elapsed)
#pragma pp metric theirs  interval stats(elapsed)
/* clang-format on */

NOIPA static void work (void)
{
#pragma pp interval work(counted)
	__asm__ volatile("" : : : "memory");
}

NOIPA static void other (void)
{
#pragma pp interval other
	__asm__ volatile("" : : : "memory");
}

/* ---- vfork ----------------------------------------------------------------------------------- */

enum { TIMES = 500, STACK = 256 << 10 };

static int stop;
static long worked;

static void *toggle (void *arg)
{
	(void) arg;
	while (!__atomic_load_n (&stop, __ATOMIC_RELAXED)) {
		if (pp_bind (toggled, "work/work", 0) != 1 || pp_unbind (toggled, "work/work") != 1)
			return (void *) 1;
	}
	return NULL;
}

static void *run_through (void *arg)
{
	(void) arg;
	while (!__atomic_load_n (&stop, __ATOMIC_RELAXED)) {
		work ();
		worked++;
	}
	return NULL;
}

/*
 * As in the child of a vfork: its parent's memory and thread-local storage, while the parent waits.
 */
static int in_vfork_child (void *arg)
{
	int bound = pp_bind (theirs, "other/other", 0);

	(void) arg;
	other ();
	if (bound != 1 || pp_unbind (theirs, "other/other") != 1)
		_exit (1);
	_exit (0);
}

static int vforks (void)
{
	char *stack = malloc (STACK);
	pthread_t threads[2];
	void *failed[2];
	int bad = 0;

	/* a lock that was lost is waited for for ever */
	alarm (100);
	pthread_create (&threads[0], NULL, toggle, NULL);
	pthread_create (&threads[1], NULL, run_through, NULL);
	for (int i = 0; i < TIMES && !bad; i++) {
		int status = -1;
		pid_t pid = clone (in_vfork_child, stack + STACK, CLONE_VM | CLONE_VFORK | SIGCHLD,
				   NULL);

		if (pid < 0)
			return 100;
		waitpid (pid, &status, 0);
		bad = status != 0;
	}
	__atomic_store_n (&stop, 1, __ATOMIC_RELAXED);
	pthread_join (threads[0], &failed[0]);
	pthread_join (threads[1], &failed[1]);
	free (stack);
	if (bad || failed[0])
		return 1;
	return pp_count (counted) == (double) worked && pp_count (theirs) == TIMES ? 0 : 2;
}

/* ---- mappings -------------------------------------------------------------------------------- */

/*
 * Mappings of code of the library's making that can be written; without anything of libc's that
 * takes a lock.
 */
static int writable_code (void)
{
	static char text[1 << 18];
	int fd = open ("/proc/self/maps", O_RDONLY), found = 0;
	size_t used = 0;
	ssize_t n;

	while ((n = read (fd, text + used, sizeof text - 1 - used)) > 0)
		used += (size_t) n;
	close (fd);
	text[used] = '\0';
	for (char *line = text, *end; (end = strchr (line, '\n')); line = end + 1) {
		*end = '\0';
		found += strstr (line, " rw") &&
			 (strstr (line, "pp-text") || strstr (line, "pp-blocks"));
	}
	return found;
}

static int maps (void)
{
	int status = -1;
	pid_t pid;

	if (pp_bind (theirs, "other/other", 0) != 1)
		return 1;
	other ();
	if (!writable_code ())
		return 100;
	pid = (pid_t) syscall (SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (pid == 0)
		syscall (SYS_exit_group, writable_code ());
	waitpid (pid, &status, 0);
	if (status)
		return 2;
	/* and fork's child makes its own when it binds */
	pid = fork ();
	if (pid == 0) {
		int good = pp_bind (toggled, "other/other", 0) == 1;

		other ();
		_exit (!good || pp_count (toggled) != 1);
	}
	waitpid (pid, &status, 0);
	return status ? 3 : 0;
}

/* ---- _Fork ----------------------------------------------------------------------------------- */

enum { CHILDREN = 50, SECONDS = 10 };

/*
 * setgid () and its kin, which a handler of signals may call, ask all threads that libc knows of:
 * the library's first one, too, which was made just now.
 */
static int setgids (void)
{
#if __GLIBC_PREREQ(2, 34)
	int status = -1;
	pid_t pid;

	if (pp_bind (theirs, "other/other", 0) != 1)
		return 1;
	pid = _Fork ();
	if (pid == 0) {
		alarm (SECONDS);
		_exit (setgid (getgid ()) != 0);
	}
	waitpid (pid, &status, 0);
	return status ? 2 : 0;
#else
	return 100;
#endif
}

static int setgids_often (void)
{
	int status = 0;

	for (int i = 0; i < CHILDREN && !status; i++)
		status = with_route ("", "setgids");
	return status;
}

static void tell (int status, const char *what)
{
	if (status == 100)
		skipped (what, "not possible here");
	else if (!ok (status == 0, "%s", what))
		note ("%d", status);
}

int main (int argc, char **argv)
{
	if (argc > 1)
		return strcmp (argv[1], "maps") == 0      ? maps ()
		       : strcmp (argv[1], "setgids") == 0 ? setgids ()
							  : vforks ();
	if (UNDER_TSAN || UNDER_ASAN)
		skipped (
			"the child of a vfork waits for the lock that a thread of its parent holds",
			"the sanitizers know no such children");
	else
		tell (with_route ("", "vforks"),
		      "the child of a vfork waits for the lock that a thread of its parent holds");
	tell (with_route ("", "maps"), "a child of a raw clone can't write its parent's blocks");
	tell (with_route ("alias", "maps"), "nor the pages of code that were moved");
	if (UNDER_TSAN)
		skipped ("setgid returns in the child of a _Fork behind a first binding",
			 "ThreadSanitizer knows no such children");
	else
		tell (setgids_often (),
		      "setgid returns in the child of a _Fork behind a first binding");
	return checked ();
}
