/* SPDX-License-Identifier: MIT */
/*
 * stderr.c: the library speaks to the stderr that its process was started with, or to the file of
 * PP_LOG, and to no other file that happens to have that number. It never waits there, and what
 * nobody hears is in the recording.
 */
#include "again.h"

#include <pty.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#pragma pp metric m interval stats(elapsed)

static NOIPA void work (void)
{
#pragma pp interval work
	__asm__ volatile("" : : : "memory");
}

/* Makes the library say something with WORD in it. */
static void provoke (const char *word)
{
	char text[200];

	snprintf (text, sizeof text, "version: 1\n%s: 1\n", word);
	if (pp_policy_load_text ("wrong", text) != PP_EPOLICY)
		_exit (90);
}

static int count (const char *text, const char *word)
{
	int n = 0;

	while ((text = strstr (text, word)))
		n++, text++;
	return n;
}

static char content[1 << 20];

/* Is WORD in a recording that is made now? */
static int is_recorded (const char *word)
{
	char path[64];
	size_t n;
	int found;

	snprintf (path, sizeof path, "stderr.%d.pprec", (int) getpid ());
	if (pp_record (path) != PP_OK)
		return 0;
	n = read_text (path, content, sizeof content);
	unlink (path);
	found = memmem (content, n, word, strlen (word)) != NULL;
	return found;
}

/* ---- hosts ----------------------------------------------------------------------------------- */

static int ours[2];

/* A pipe that is full, and stays so until somebody reads OURS. */
static void full_pipe (void)
{
	char page[4096];

	if (pipe2 (ours, 0) < 0)
		_exit (91);
	fcntl (ours[1], F_SETPIPE_SZ, 4096);
	fcntl (ours[1], F_SETFL, O_NONBLOCK);
	memset (page, '.', sizeof page);
	while (write (ours[1], page, 64) > 0)
		;
	fcntl (ours[1], F_SETFL, 0);
	dup2 (ours[1], STDERR_FILENO);
	close (ours[1]);
	dup2 (ours[0], 9);
	fcntl (ours[0], F_SETFD, FD_CLOEXEC);
}

static ssize_t drain (char *out, size_t room)
{
	size_t used = 0;
	ssize_t n;

	fcntl (9, F_SETFL, O_NONBLOCK);
	while (used + 1 < room && (n = read (9, out + used, room - 1 - used)) > 0)
		used += (size_t) n;
	out[used] = '\0';
	return (ssize_t) used;
}

static int forks_behind_a_full_pipe (void)
{
	int status;
	pid_t pid;

	work ();
	provoke ("hindered");
	pid = fork ();
	if (pid == 0) {
		provoke ("child");
		_exit (pp_bind (m, "work", 1) < 0);
	}
	if (waitpid (pid, &status, 0) != pid || status)
		return 2;
	/* ThreadSanitizer must hear of a fork */
	pid = UNDER_TSAN ? fork () : (pid_t) syscall (SYS_fork);
	if (pid == 0) {
		provoke ("grandchild");
		_exit (0);
	}
	if (waitpid (pid, &status, 0) != pid || status)
		return 3;
	return pp_bind (m, "work", 1) < 0 ? 4 : 0;
}

static void *one_that_says (void *word)
{
	for (int i = 0; i < 50; i++)
		provoke (word);
	return NULL;
}

/* What was queued comes when there is room, once: a child of fork does not say it too. */
static int says_later (void)
{
	int status, n, gate[2];
	pid_t pid;
	char byte;

	if (pipe (gate) < 0)
		return 3;
	provoke ("earlier");
	pid = fork ();
	if (pid == 0) {
		/* what the parent says is the parent's to read: room is made by it alone */
		close (gate[1]);
		if (read (gate[0], &byte, 1) != 0)
			_exit (1);
		usleep (20000);
		pp_poll ();
		_exit (0);
	}
	drain (content, sizeof content);
	close (gate[0]);
	close (gate[1]);
	if (waitpid (pid, &status, 0) != pid || status)
		return 2;
	usleep (20000);
	pp_poll ();
	drain (content, sizeof content);
	n = count (content, "no key 'earlier'");
	return n == 1 ? 0 : 10 + n;
}

/* More than is kept is counted. */
static int says_how_many_are_lost (void)
{
	pthread_t thread[4];

	for (int i = 0; i < 4; i++)
		pthread_create (&thread[i], NULL, one_that_says, (void *) (uintptr_t) "many");
	for (int i = 0; i < 4; i++)
		pthread_join (thread[i], NULL);
	for (int i = 0; i < 1000; i++)
		provoke ("more");
	for (int i = 0; i < 100; i++) {
		usleep (12000);
		drain (content, sizeof content);
		pp_poll ();
		if (strstr (content, "messages came while nobody read them"))
			return 0;
	}
	return 2;
}

static int says_at_its_end (void)
{
	work ();
	return pp_bind (m, "work", 1) < 0 ||
	       pp_policy_load_text ("p", "version: 1\nrecord: {file: stderr.end.pprec}\n") != PP_OK;
}

static int ends_behind_a_full_pipe (void)
{
	provoke ("buried");
	return says_at_its_end ();
}

static int reports_to_a_full_pipe (void)
{
	work ();
	if (pp_policy_load_text ("p", "version: 1\nassertions: {a: {every: 1ms, expect: m.n < 0, "
				      "on_fire: [report: stderr]}}\n") != PP_OK)
		return 2;
	for (int i = 0; i < 20; i++) {
		usleep (2000);
		pp_poll ();
	}
	return 0;
}

static int is_pending (int number)
{
	sigset_t pending;

	sigpending (&pending);
	return sigismember (&pending, number) == 1;
}

static int says_to_nobody (void)
{
	work ();
	provoke ("unheard");
	if (is_pending (SIGPIPE) || is_pending (SIGXFSZ))
		return 2;
	return is_recorded ("no key 'unheard'") ? 0 : 3;
}

static int reuses_the_number (void)
{
	char path[64];
	int fd, r;

	close (STDERR_FILENO);
	snprintf (path, sizeof path, "stderr.%d.db", (int) getpid ());
	fd = open (path, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600);
	if (fd != STDERR_FILENO || write (fd, "DATA", 4) != 4)
		return 2;
	r = says_to_nobody ();
	if (write (fd, "MORE", 4) != 4 || read_text (path, content, sizeof content) != 8)
		r = 4;
	unlink (path);
	return r ? r : strcmp (content, "DATAMORE") ? 5 : 0;
}

/* The file of before is gone, and its inode perhaps given to the next one. */
static int reuses_the_inode (void)
{
	char path[64];
	int r = 0;

	unlink ("stderr.first");
	close (STDERR_FILENO);
	snprintf (path, sizeof path, "stderr.%d.next", (int) getpid ());
	if (open (path, O_CREAT | O_TRUNC | O_RDWR | O_CLOEXEC, 0600) != STDERR_FILENO)
		return 2;
	provoke ("misled");
	if (read_text (path, content, sizeof content))
		r = 3;
	unlink (path);
	return r;
}

static int has_no_descriptor (void)
{
	int fd, last = -1;

	while ((fd = dup (0)) >= 0)
		last = fd;
	provoke ("crowded");
	close (last);
	close (last - 1);
	close (last - 2);
	usleep (12000);
	pp_poll ();
	return 0;
}

static int logs (void)
{
	if (chdir ("/") < 0)
		return 2;
	provoke ("logged");
	return 0;
}

static const struct host {
	const char *name;
	int (*run) (void);
} hosts[] = {{"forks", forks_behind_a_full_pipe}, {"later", says_later},
	     {"lost", says_how_many_are_lost},    {"ends", ends_behind_a_full_pipe},
	     {"reports", reports_to_a_full_pipe}, {"nobody", says_to_nobody},
	     {"number", reuses_the_number},       {"inode", reuses_the_inode},
	     {"crowd", has_no_descriptor},        {"logs", logs}};

static int act (const char *what)
{
	for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++)
		if (strcmp (hosts[i].name, what) == 0)
			return hosts[i].run ();
	return 99;
}

/* ---- what they are started with -------------------------------------------------------------- */

static void full_pipe_without_thread (void)
{
	full_pipe ();
	setenv ("PP_THREADS", "0", 1);
}

static void no_reader (void)
{
	int p[2];

	if (pipe (p) < 0)
		_exit (91);
	dup2 (p[1], STDERR_FILENO);
	close (p[0]);
	close (p[1]);
}

static void no_reader_of_a_socket (void)
{
	int s[2];

	if (socketpair (AF_UNIX, SOCK_STREAM, 0, s) < 0)
		_exit (91);
	dup2 (s[1], STDERR_FILENO);
	close (s[0]);
	close (s[1]);
}

static void full_device (void)
{
	dup2 (open ("/dev/full", O_WRONLY), STDERR_FILENO);
}

static void none (void)
{
	close (STDERR_FILENO);
}

static void full_file (void)
{
	struct rlimit limit = {1 << 20, 1 << 20};
	int fd = open ("stderr.large", O_CREAT | O_TRUNC | O_WRONLY, 0600);

	if (fd < 0 || ftruncate (fd, 1 << 20) < 0 || lseek (fd, 0, SEEK_END) < 0)
		_exit (91);
	unlink ("stderr.large");
	dup2 (fd, STDERR_FILENO);
	close (fd);
	setrlimit (RLIMIT_FSIZE, &limit);
	setenv ("PP_REGION_MAX", "1M", 1);
}

static void first_file (void)
{
	dup2 (open ("stderr.first", O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600), STDERR_FILENO);
}

static void few_descriptors (void)
{
	struct rlimit limit = {64, 64};

	hear_stderr ();
	setrlimit (RLIMIT_NOFILE, &limit);
	setenv ("PP_THREADS", "0", 1);
}

static void log_to_a_file (void)
{
	hear_stderr ();
	setenv ("PP_LOG", "stderr.log", 1);
}

static void log_to_a_folder (void)
{
	hear_stderr ();
	setenv ("PP_LOG", "/", 1);
}

/* ---- the test -------------------------------------------------------------------------------- */

static void judge (const char *program, const char *what, void (*prepare) (void), const char *name)
{
	struct outcome o = again (program, what, prepare);

	ok (ended_well (&o), "%s", name);
}

static void test_log (const char *program)
{
	struct outcome o;
	struct stat st;
	size_t n;

	unlink ("stderr.log");
	o = again (program, "logs", log_to_a_file);
	n = read_text ("stderr.log", content, sizeof content);
	ok (ended_well (&o) && n && strstr (content, "pp: ") &&
		    strstr (content, "no key 'logged'") && !*o.said,
	    "PP_LOG names the file that messages go to, wherever the program's working directory "
	    "is later");
	ok (stat ("stderr.log", &st) == 0 && (st.st_mode & 0777) == 0600,
	    "nobody else may read it");
	o = again (program, "logs", log_to_a_file);
	ok (read_text ("stderr.log", content, sizeof content) == 2 * n,
	    "the next process adds to it");
	unlink ("stderr.log");
	o = again (program, "logs", log_to_a_folder);
	if (!ok (ended_well (&o) && strstr (o.said, "no key 'logged'") &&
			 strstr (o.said, "PP_LOG=/"),
		 "where it can't be opened stderr has them, and hears why"))
		note ("%s", o.said);
}

static void test_end (const char *program)
{
	struct outcome o = again (program, "ends", full_pipe);
	size_t n = read_text ("stderr.end.pprec", content, sizeof content);

	ok (ended_well (&o) && memmem (content, n, "no key 'buried'", 15),
	    "what a full pipe did not take when the program ends is in its recording");
	unlink ("stderr.end.pprec");
}

static void test_crowd (const char *program)
{
	struct outcome o = again (program, "crowd", few_descriptors);

	ok (ended_well (&o) && strstr (o.said, "no key 'crowded'"),
	    "where no descriptor is free a message waits for one");
}

/* A job in the background of a terminal with `stty tostop`. */
static void test_terminal (const char *program)
{
	const char *name = "a background job that says something is not stopped by stty tostop";
	struct termios t;
	int master, status = -1, stopped = 0;
	pid_t pid = forkpty (&master, NULL, NULL, NULL), job;

	if (pid < 0) {
		skipped (name, "no pseudo terminals here");
		return;
	}
	if (pid == 0) {
		tcgetattr (0, &t);
		t.c_lflag |= TOSTOP;
		tcsetattr (0, TCSANOW, &t);
		job = fork ();
		if (job == 0) {
			setpgid (0, 0);
			execl (program, program, "logs", (char *) NULL);
			_exit (127);
		}
		setpgid (job, job);
		waitpid (job, &status, WUNTRACED);
		if (WIFSTOPPED (status))
			kill (job, SIGKILL);
		_exit (WIFSTOPPED (status) ? 7 : WEXITSTATUS (status));
	}
	for (int i = 0; i < 6000 && waitpid (pid, &status, WNOHANG) != pid; i++) {
		char text[512];
		struct pollfd p = {.fd = master, .events = POLLIN};

		if (poll (&p, 1, 10) > 0 && read (master, text, sizeof text) < 0)
			usleep (10000);
	}
	stopped = WIFEXITED (status) && WEXITSTATUS (status) == 7;
	if (!ok (!stopped && status == 0, "%s", name))
		note ("status %x", (unsigned) status);
	close (master);
}

int main (int argc, char **argv)
{
	if (argc > 1) {
		alarm (50); /* ends it where it waits for good */
		return act (argv[1]);
	}
	judge (argv[0], "forks", full_pipe,
	       "behind a full pipe fork and _Fork go on, and calls that take the lock");
	judge (argv[0], "later", full_pipe_without_thread,
	       "what is queued is said once when there is room, by its own process");
	judge (argv[0], "lost", full_pipe_without_thread,
	       "more lines than are kept are counted, and that is said");
	judge (argv[0], "reports", full_pipe, "a report does not wait for a full pipe");
	judge (argv[0], "reports", full_pipe_without_thread, "nor on the host's own thread");
	judge (argv[0], "nobody", no_reader,
	       "a pipe without a reader is no signal: the recording has what was said");
	judge (argv[0], "nobody", no_reader_of_a_socket, "nor is a socket without one");
	judge (argv[0], "nobody", full_device, "a full device is the recording's turn");
	judge (argv[0], "nobody", full_file, "so is a log that RLIMIT_FSIZE lets grow no more");
	judge (argv[0], "nobody", none, "and no stderr from the start");
	judge (argv[0], "number", hear_stderr,
	       "a file of the host's that gets the number 2 is not written to");
	judge (argv[0], "inode", first_file, "not even where it gets the inode of the former one");
	test_end (argv[0]);
	test_log (argv[0]);
	test_crowd (argv[0]);
	test_terminal (argv[0]);
	return checked ();
}
