/* SPDX-License-Identifier: MIT */
/*
 * letters.c: a program under measurement while another process of its user writes anything into its
 * mailbox: the page, commands, answers. What it may ask for may happen; the program computes what
 * it always does, no knob leaves its range, and behind all that the door can be used.
 */
#include "tests/system/check.h"

#include "recording/layout.h"
#include "recording/mailbox.h"

#include <dirent.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

enum { STEPS = 2000, THREADS = 2, KNOB_LEAST = 1, KNOB_MOST = 9, WRITES_MS = 1500 };

/* ---- the program ----------------------------------------------------------------------------- */

PP_KNOB_INT (quality, 5, KNOB_LEAST, KNOB_MOST, 1)

/* clang-format off */
#pragma pp metric times interval stats(elapsed)
#pragma pp metric levels point stats(value)
/* clang-format on */

NOIPA static uint64_t step (uint64_t x, int i)
{
#pragma pp interval step(times)
	{
#pragma pp point level(levels) value(i)
		x ^= x >> 33;
		x *= UINT64_C (0xff51afd7ed558ccd);
	}
	return x + (uint64_t) i;
}

static uint64_t compute (void)
{
	uint64_t x = 1;

	for (int i = 0; i < STEPS; i++)
		x = step (x, i);
	return x;
}

static int ends; /* atomic */

/* How often it was wrong. */
static void *work (void *arg)
{
	uint64_t expected = *(const uint64_t *) arg, wrong = 0;

	while (!__atomic_load_n (&ends, __ATOMIC_RELAXED))
		wrong += compute () != expected || pp_knob_int (quality) < KNOB_LEAST ||
			 pp_knob_int (quality) > KNOB_MOST;
	return (void *) (uintptr_t) wrong;
}

static int run (void)
{
	uint64_t expected = compute ();
	pthread_t thread[THREADS];
	void *wrong, *all = NULL;
	char end;

	prctl (PR_SET_PDEATHSIG, SIGKILL);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create (&thread[i], NULL, work, &expected) != 0)
			return 99;
	if (write (1, "+", 1) != 1 || read (0, &end, 1) != 0)
		return 99;
	__atomic_store_n (&ends, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < THREADS; i++) {
		pthread_join (thread[i], &wrong);
		all = wrong ? wrong : all;
	}
	return all != NULL;
}

static pid_t start (int *input)
{
	int in[2], out[2];
	char sign;
	pid_t child;

	if (pipe2 (in, O_CLOEXEC) < 0 || pipe2 (out, O_CLOEXEC) < 0)
		return -1;
	child = fork ();
	if (child == 0) {
		dup2 (in[0], 0);
		dup2 (out[1], 1);
		setenv ("PP_CONTROL", "1", 1);
		execl ("/proc/self/exe", "letters", "--run", (char *) NULL);
		_exit (127);
	}
	close (in[0]);
	close (out[1]);
	*input = in[1];
	if (child > 0 && read (out[0], &sign, 1) == 1)
		return child;
	return -1;
}

/* ---- its mailbox ----------------------------------------------------------------------------- */

struct box {
	int fd;
	uint64_t at;
	struct ppi_mailbox *page; /* then command and answer */
};

static bool open_box (pid_t process, struct box *box)
{
	char folder[64], path[600], target[600];
	struct ppi_region_header header;
	struct dirent *entry;
	bool found = false;
	ssize_t n;
	DIR *dir;

	snprintf (folder, sizeof folder, "/proc/%d/fd", (int) process);
	dir = opendir (folder);
	while (dir && !found && (entry = readdir (dir))) {
		snprintf (path, sizeof path, "%s/%s", folder, entry->d_name);
		n = readlink (path, target, sizeof target - 1);
		target[n > 0 ? n : 0] = '\0';
		if (strncmp (target, "/dev/shm/", 9) != 0 && !strstr (target, "pp-region"))
			continue;
		box->fd = open (path, O_RDWR | O_CLOEXEC);
		found = pread (box->fd, &header, sizeof header, 0) == (ssize_t) sizeof header &&
			header.mailbox;
	}
	if (dir)
		closedir (dir);
	if (!found)
		return false;
	box->at = header.mailbox;
	box->page = mmap (NULL, PPI_MAILBOX_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, box->fd,
			  (off_t) box->at);
	return box->page != MAP_FAILED;
}

static void wake (const struct box *box)
{
	__atomic_fetch_add (&box->page->wake, 1, __ATOMIC_SEQ_CST);
	syscall (SYS_futex, &box->page->wake, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void lock (const struct box *box, short type)
{
	struct flock l = {.l_type = type,
			  .l_whence = SEEK_SET,
			  .l_start = (off_t) box->at,
			  .l_len = (off_t) PPI_MAILBOX_PAGE};

	fcntl (box->fd, F_OFD_SETLK, &l);
}

/* ---- letters --------------------------------------------------------------------------------- */

static uint64_t any (void)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* The whole mailbox, densely or here and there. */
static void write_noise (const struct box *box)
{
	uint64_t *word = (uint64_t *) (void *) box->page;
	size_t sparse = 1 + any () % 64;

	for (size_t i = any () % sparse; i < PPI_MAILBOX_BYTES / 8; i += sparse)
		__atomic_store_n (&word[i], any () % 2 ? any () : any () % 5, __ATOMIC_RELAXED);
}

/* A command as it should be, but for a few of its bytes, and of its length. */
static void write_letter (const struct box *box)
{
	static const struct {
		const char *text;
		size_t bytes;
	} commands[] = {
#define COMMAND(text) {text, sizeof text}
		COMMAND ("set\0quality\0007"),
		COMMAND ("set\0quality\0-1e300"),
		COMMAND ("bind\0times\0step\0002"),
		COMMAND ("bind\0levels\0*\0001"),
		COMMAND ("unbind\0times\0step"),
		COMMAND ("reset\0times"),
		COMMAND ("figures"),
		COMMAND ("load\0/nowhere\0version: 1\nassertions:\n  a: {every: 10ms, expect: "
			 "times.n >= 0}\n"),
		COMMAND ("unload\0/nowhere"),
		COMMAND ("reload"),
#undef COMMAND
	};
	size_t which = any () % (sizeof commands / sizeof commands[0]),
	       bytes = commands[which].bytes;
	char *command = (char *) box->page + PPI_MAILBOX_PAGE;

	memcpy (command, commands[which].text, bytes);
	/* not of a policy: one may do whatever a policy may */
	for (unsigned i = any () % 3; which != 7 && i; i--)
		command[any () % bytes] = (char) any ();
	if (any () % 4 == 0)
		bytes = any () % 2 ? any () % (bytes + 1) : any ();
	__atomic_store_n (&box->page->bytes, bytes, __ATOMIC_RELAXED);
	__atomic_store_n (&box->page->controller, (uint32_t) any (), __ATOMIC_RELAXED);
	__atomic_store_n (&box->page->state, PPI_MAIL_SENT, __ATOMIC_RELEASE);
	wake (box);
}

static uint64_t now_ms (void)
{
	struct timespec t;

	clock_gettime (CLOCK_MONOTONIC, &t);
	return (uint64_t) t.tv_sec * 1000 + (uint64_t) t.tv_nsec / 1000000;
}

static void write_all (const struct box *box)
{
	uint64_t end = now_ms () + WRITES_MS;
	unsigned letters = 0;

	while (now_ms () < end) {
		lock (box, any () % 8 ? F_WRLCK : F_UNLCK);
		if (any () % 16 == 0)
			write_noise (box);
		else
			write_letter (box);
		letters++;
		if (any () % 4)
			usleep (200);
		if (any () % 4 == 0)
			__atomic_store_n (&box->page->state, PPI_MAIL_NEXT, __ATOMIC_RELEASE);
	}
	lock (box, F_UNLCK);
	note ("%u letters", letters);
}

/* ---- the door, behind that ------------------------------------------------------------------- */

static int ask (pid_t process, const char *value)
{
	const char *ppctl = getenv ("PPCTL");
	char pid[32], *const words[] = {(char *) "ppctl",   (char *) "set", pid,
					(char *) "quality", (char *) value, NULL};
	int status = -1;
	pid_t child;

	snprintf (pid, sizeof pid, "%d", (int) process);
	fflush (stdout);
	child = fork ();
	if (child == 0) {
		int nowhere = open ("/dev/null", O_WRONLY);

		dup2 (nowhere, 1);
		execv (ppctl ? ppctl : "ppctl/ppctl", words);
		_exit (127);
	}
	waitpid (child, &status, 0);
	return status;
}

/* A controller got so far, wrote that, and died. */
static void died_in (const struct box *box, pid_t process, uint32_t state)
{
	memcpy (box->page->magic, PPI_MAILBOX_MAGIC, sizeof box->page->magic);
	box->page->version = PPI_MAILBOX_VERSION;
	box->page->door = PPI_DOOR_OPEN;
	box->page->bytes = any ();
	__atomic_store_n (&box->page->state, state, __ATOMIC_RELEASE);
	wake (box);
	/* MAIL_FREE to beyond the last one */
	ok (ask (process, "3") == 0, "a controller that dies in state %d leaves the door usable",
	    (int) state);
}

int main (int argc, char **argv)
{
	struct box box;
	int input, status = -1;
	pid_t process;

	if (argc > 1 && strcmp (argv[1], "--run") == 0)
		return run ();
	(void) argv;
	process = start (&input);
	if (process < 0 || !open_box (process, &box)) {
		skipped ("a program under measurement gets letters", "its region can't be opened");
		return checked ();
	}
	write_all (&box);
	same (waitpid (process, &status, WNOHANG), 0,
	      "a program goes on, whatever is written into its mailbox");
	for (uint32_t state = 0; state < 6; state++)
		died_in (&box, process, state);
	died_in (&box, process, UINT32_MAX);
	close (input);
	waitpid (process, &status, 0);
	same (status, 0, "it has computed what it always does, and no knob has left its range");
	return checked ();
}
