/* SPDX-License-Identifier: MIT */
/*
 * descriptors.c: the descriptors that the library keeps. A program may close them all and give
 * their numbers to files of its own, as daemons do: those are never read, written or closed, and
 * what can't be measured then is dropped and counted. A child has none by which it could reach its
 * parent's memory.
 */
#include "tests/system/check.h"

#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* clang-format off */
#pragma pp metric all   interval unbounded_series(elapsed)
#pragma pp metric plain interval stats(elapsed)
/* clang-format on */

enum { FROM = 3, FILES = 600 };

NOIPA static void work (void)
{
#pragma pp interval work(all)
	__asm__ volatile("" : : : "memory");
}

NOIPA static void other (void)
{
#pragma pp interval other
	__asm__ volatile("" : : : "memory");
}

/* Each runs in a child of its own; 0: good, 100: not possible here, else what went wrong. */
static int in_child (int (*what) (void))
{
	int status = -1;
	pid_t pid;

	fflush (stdout);
	pid = fork ();
	if (pid == 0)
		_exit (what ());
	waitpid (pid, &status, 0);
	return WIFEXITED (status) ? WEXITSTATUS (status) : 256 + status;
}

/*
 * Closes what it does not know, and has a pipe of its own under every number that was in use: five
 * bytes wait there, and reading or writing would show. Returns the pipe's end for reading.
 */
static int replaced[FILES], n_replaced;
static ino_t replaced_inode;

static int replace_all (void)
{
	int ends[2], n = 0;
	struct stat st;

	for (int fd = FROM; fd < FILES; fd++)
		if (fcntl (fd, F_GETFD) >= 0)
			replaced[n++] = fd;
	for (int fd = FROM; fd < FILES; fd++)
		close (fd);
	if (pipe (ends) < 0 || write (ends[1], "bytes", 5) != 5)
		return -1;
	for (int i = 0; i < n; i++)
		if (replaced[i] != ends[0] && replaced[i] != ends[1] &&
		    dup2 (ends[0], replaced[i]) < 0)
			return -1;
	n_replaced = n;
	replaced_inode = fstat (ends[0], &st) < 0 ? 0 : st.st_ino;
	return ends[0];
}

/* Nothing was read or written, and all numbers are as they were. */
static int is_untouched (int end)
{
	struct stat st;
	struct pollfd ready = {.fd = end, .events = POLLIN};
	char bytes[16];

	for (int i = 0; i < n_replaced; i++)
		if (fstat (replaced[i], &st) < 0 || st.st_ino != replaced_inode)
			return 0;
	return poll (&ready, 1, 0) == 1 && read (end, bytes, sizeof bytes) == 5 &&
	       memcmp (bytes, "bytes", 5) == 0;
}

static double dropped (void)
{
	double n = 0;

	for (int cause = 0; cause < PP_DROPS; cause++)
		n += (double) pp_dropped ((enum pp_drop) cause);
	return n;
}

/* ---- the region's file ----------------------------------------------------------------------- */

static int region_is_lost (void)
{
	char path[] = "/tmp/pp-descriptors-XXXXXX";
	enum { TIMES = 600000 };
	struct stat st;
	int fds[FILES], n = 0;

	work ();
	for (int fd = FROM; fd < FILES; fd++)
		close (fd);
	while (n < 32 && (fds[n] = n ? dup (fds[0]) : mkstemp (path)) >= 0)
		n++;
	unlink (path);
	for (int i = 0; i < TIMES; i++)
		work ();
	if (fstat (fds[0], &st) < 0 || st.st_size != 0 || st.st_blocks != 0)
		return 1;
	for (int i = 0; i < n; i++)
		if (fcntl (fds[i], F_GETFD) < 0)
			return 2;
	/* what fitted is there, what didn't is told */
	return pp_count (all) >= 1 && pp_count (all) <= TIMES + 1 &&
			       (pp_count (all) == TIMES + 1 || pp_dropped (PP_DROP_POOL))
		       ? 0
		       : 3;
}

/* A child of a program that lost it measures for itself. */
static int child_of_lost_region (void)
{
	int status = -1;
	pid_t pid;

	work ();
	for (int fd = FROM; fd < FILES; fd++)
		close (fd);
	if (open ("/dev/null", O_RDWR) < 0)
		return 1;
	pid = fork ();
	if (pid == 0) {
		for (int i = 0; i < 10; i++)
			work ();
		_exit (pp_count (all) == 10 ? 0 : 1);
	}
	waitpid (pid, &status, 0);
	work ();
	return status ? 2 : pp_count (all) == 2 ? 0 : 3;
}

/* ---- sources of threads ---------------------------------------------------------------------- */

static const char *source;

/*
 * A source's descriptors are another file's while an interval is open, and when the next ones are
 * measured.
 */
static int source_is_lost (void)
{
	char text[128];
	pp_metric *m;
	int end;

	snprintf (text, sizeof text, "interval stats(%s)", source);
	if (pp_metric_new (&m, "m", text) != PP_OK || pp_bind (m, "other/other", 0) != 1)
		return 100;
	other ();
	if (pp_count (m) != 1)
		return 100;
	end = replace_all ();
	if (end < 0)
		return 1;
	for (int i = 0; i < 1000; i++)
		other ();
	if (!is_untouched (end))
		return 2;
	/* dropped and counted, or measured by what was opened anew */
	if (pp_count (m) + dropped () != 1001)
		note ("%g of 1001, dropped %g", pp_count (m), dropped ());
	return pp_count (m) + dropped () == 1001 ? 0 : 3;
}

/* ---- pp_poll_fd ------------------------------------------------------------------------------ */

static int its_end;

static int forked_is_untouched (void)
{
	struct stat st;

	other ();
	for (int i = 0; i < n_replaced; i++)
		if (fstat (replaced[i], &st) < 0 || st.st_ino != replaced_inode)
			return 1;
	return pp_poll_fd () == its_end;
}

static int polled_is_lost (void)
{
	int fd = pp_poll_fd (), end;

	if (fd < 0)
		return 100;
	end = replace_all ();
	if (end < 0)
		return 1;
	its_end = fd;
	if (load_policy ("version: 1\nmetrics: {e: {interval: elapsed, keep: stats}}\nbind:\n  - "
			 "{metric: e, sites: "
			 "other/other}\nassertions:\n  never: {at: other/other, expect: e.n < 1, "
			 "on_fire: [{log: "
			 "warning}]}\n") != PP_OK)
		return 3;
	for (int i = 0; i < 10; i++)
		other ();
	pp_poll ();
	if (in_child (forked_is_untouched) != 0)
		return 4;
	return is_untouched (end) ? 0 : 2;
}

/* ---- what children have ---------------------------------------------------------------------- */

/* Descriptors that lead to memory of a process. */
static int leads_to_memory (void)
{
	int found = 0;

	for (int fd = FROM; fd < FILES; fd++) {
		char link[64], path[256];
		ssize_t n;

		snprintf (link, sizeof link, "/proc/self/fd/%d", fd);
		n = readlink (link, path, sizeof path - 1);
		path[n > 0 ? n : 0] = '\0';
		found += n > 4 && strcmp (path + n - 4, "/mem") == 0;
	}
	return found;
}

static int how;

static int child_reaches_memory (void)
{
	int status = -1;
	pid_t pid;

	if (pp_bind (plain, "other/other", 0) != 1)
		return 1;
	other ();
	if (leads_to_memory ())
		return 2;
	pid = how ? (pid_t) syscall (SYS_clone, SIGCHLD, 0, 0, 0, 0) : _Fork ();
	if (pid == 0)
		syscall (SYS_exit_group, leads_to_memory ());
	waitpid (pid, &status, 0);
	return status ? 3 : 0;
}

/* The library's own between FROM and FILES, by what they lead to; what is not on the page. */
static int is_on_the_page (void)
{
	const int before = open ("/dev/null", O_RDONLY);
	int unknown = 0;

	(void) before;
	if (pp_bind (plain, "other/other", 0) != 1)
		return 1;
	other ();
	for (int fd = FROM; fd < FILES; fd++) {
		char link[64], path[256];
		ssize_t n;

		snprintf (link, sizeof link, "/proc/self/fd/%d", fd);
		n = readlink (link, path, sizeof path - 1);
		path[n > 0 ? n : 0] = '\0';
		if (n <= 0 || fd == before || (fcntl (fd, F_GETFD) & FD_CLOEXEC) == 0)
			continue;
		unknown += !strstr (path, "/dev/shm") && !strstr (path, "pp-region");
	}
	return unknown ? 2 : 0;
}

static void tell (int status, const char *what)
{
	if (status == 100)
		skipped (what, "not possible here");
	else if (!ok (status == 0, "%s", what))
		note ("%d", status);
}

int main (void)
{
	static const char *const sources[] = {"task_clock", "perf_page_faults", "bytes_read",
					      "resident"};

	tell (in_child (is_on_the_page),
	      "a program in which something is bound has one descriptor more, the region's");
	tell (in_child (region_is_lost),
	      "a program that closes all descriptors has its own files for itself, and what "
	      "no longer fits is dropped and counted");
	tell (in_child (child_of_lost_region), "a child of such a program measures for itself");
	for (unsigned i = 0; i < sizeof sources / sizeof sources[0]; i++) {
		char what[128];

		source = sources[i];
		snprintf (what, sizeof what,
			  "%s does not read the program's file under a descriptor that was the "
			  "source's",
			  source);
		tell (in_child (source_is_lost), what);
	}
	if (UNDER_TSAN)
		skipped ("nor does pp_poll_fd, in a child neither",
			 "ThreadSanitizer starts no threads in children");
	else
		tell (in_child (polled_is_lost), "nor does pp_poll_fd, in a child neither");
	for (how = 0; how < 2; how++)
		tell (in_child (child_reaches_memory),
		      how ? "a child of a raw clone has no descriptor of its parent's memory"
			  : "a child of _Fork has no descriptor of its parent's memory");
	return checked ();
}
